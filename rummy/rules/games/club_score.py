"""What cards and ends of a deal are worth in Club, and the running score of a match (rulebook sections 8 to 10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rummy.rules.actions import Seat
from rummy.rules.game import DealResult, DealTerms, MatchResult, TableMeld
from rummy.rules.games.one_oh_one_tally import next_seat

CHEAPEST: Final = 5  # No card in a hand counts less.
BASE: Final = 3  # Cards of a meld beyond so many earn EXTRA each (CLB-8.8).
EXTRA: Final = 5
OUT_CLEAN: Final = 40  # CLB-8.6
OUT_AT_ONCE: Final = 100  # CLB-8.7
OUT_BEATEN: Final = 35  # CLB-8.5


def _values(ace: int, *, double: bool) -> tuple[int, ...]:
    ranks = [ace, *[5] * 8, *[10] * 4]
    return tuple([value * (2 if double and suit == 0 else 1) for suit in range(4) for value in ranks])


IN_HAND: Final = {double: _values(5, double=double) for double in (False, True)}  # CLB-8.1, 9.1: by card.
ON_TABLE: Final = {double: _values(15, double=double) for double in (False, True)}


def hand_points(cards: Iterable[int], *, double: bool) -> int:
    """What *cards* count in a hand, whether they would form melds or not (CLB-8.3); *double*: clubs do (CLB-9.1)."""
    values = IN_HAND[double]
    return sum([values[card] for card in cards])


def table_points(melds: Iterable[TableMeld], seats: int, *, double: bool) -> list[int]:
    """By seat: the worth of the cards that it has placed, and its credit for large melds (CLB-8.2, 8.8, 9.4, 9.5)."""
    values = ON_TABLE[double]
    earned = [0] * seats
    for meld in melds:
        for card, placer in zip(meld.cards, meld.placers, strict=True):
            earned[placer] += values[card] + EXTRA
        earned[meld.seat] -= BASE * EXTRA  # The first three cards of a meld are its owner's.
    return earned


def out_bonus(counts: Sequence[int], seat: Seat, others: Iterable[Seat], *, empty: bool, at_once: bool) -> int:
    """What *seat* adds for having gone out; *counts* are the hands by seat (CLB-8.5 to 8.7)."""
    if empty:
        return OUT_AT_ONCE if at_once else OUT_CLEAN
    return -OUT_BEATEN if any(counts[other] < counts[seat] for other in others) else 0


class ClubTally:
    """The running score of one match of Club."""

    __slots__ = ("active", "dealer", "deals", "gone", "scores", "seats")

    def __init__(self, seats: int, dealer: Seat) -> None:
        self.seats = seats
        self.dealer = dealer
        self.scores = [0] * seats
        self.active: list[Seat] = list(range(seats))
        self.gone: list[Seat] = []  # By forfeit, in this order.
        self.deals = 0

    def terms(self) -> DealTerms:
        """Who deals and who begins; only while at least two seats are in play."""
        starter = next_seat(self.seats, self.dealer, self.active)  # CLB-3.1
        return DealTerms(self.seats, tuple(self.active), self.dealer, starter, tuple(self.scores))

    def score(self, result: DealResult) -> None:
        """Adds the points of a deal."""
        self.deals += 1
        for seat in self.active:
            self.scores[seat] += result.points[seat]
        self.dealer = next_seat(self.seats, self.dealer, self.active)

    def retire(self, seat: Seat) -> None:
        """Takes *seat* out by forfeit."""
        self.active.remove(seat)
        self.gone.append(seat)
        if self.dealer == seat and self.active:
            self.dealer = next_seat(self.seats, seat, self.active)

    def outcome(self, most_deals: int, *, ended: bool) -> MatchResult | None:
        """How the match ended, or None (CLB-10.1)."""
        if len(self.active) == 1:
            return self._result("last seat")
        if self.deals >= most_deals:
            return self._result("all deals")
        return self._result("short match") if ended else None

    def _result(self, reason: str) -> MatchResult:
        keys = [(0, self.gone.index(at)) if at in self.gone else (1, self.scores[at]) for at in range(self.seats)]
        places = tuple([1 + sum(other > key for other in keys) for key in keys])
        return MatchResult(places, tuple(self.scores), reason, self.deals, (None,) * self.seats)
