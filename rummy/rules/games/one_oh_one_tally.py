"""101: what a knock may count, what a deal costs, and who is out, in which place (rulebook sections 6.2, 7 and 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rummy.rules.actions import Seat
from rummy.rules.game import DealResult, DealTerms, MatchResult

KnockTable = tuple[tuple[int, int], ...]
_Key = tuple[int, int, int, int]  # Of a place: the greater, the better.


def knock_limit(table: KnockTable, score: int) -> int:
    """The highest count with which a seat with this running *score* may knock (101-6.2)."""
    for highest, limit in table:
        if score <= highest:
            return limit
    return table[-1][1]


def knock_penalty(counts: Mapping[Seat, int], knocker: Seat, *, penalty: int, on_tie: bool) -> int:
    """What the knocker adds to his count (101-7.3 to 7.5); *counts* are those after lay-offs."""
    own = counts[knocker]
    others = [count for seat, count in counts.items() if seat != knocker]
    beaten = any(count < own or (on_tie and count == own) for count in others)
    return penalty if beaten else 0


def next_seat(seats: int, after: Seat, among: Sequence[Seat]) -> Seat:
    """The first seat of *among* clockwise after *after*."""
    return next(seat for step in range(1, seats + 1) if (seat := (after + step) % seats) in among)


class OneOhOneTally:
    """The running score of one match of 101, and who has left it."""

    __slots__ = ("active", "dealer", "deals", "gone", "scores", "seats", "target")

    def __init__(self, seats: int, dealer: Seat, target: int) -> None:
        self.seats = seats
        self.target = target
        self.dealer = dealer
        self.scores = [0] * seats
        self.active: list[Seat] = list(range(seats))
        self.gone: dict[Seat, _Key] = {}
        self.deals = 0

    def terms(self) -> DealTerms:
        """Who deals and who begins; only while at least two seats are in play."""
        starter = next_seat(self.seats, self.dealer, self.active)  # 101-2.2
        return DealTerms(self.seats, tuple(self.active), self.dealer, starter, tuple(self.scores))

    def score(self, result: DealResult) -> None:
        """Adds the points of a deal, and takes out whom it throws out (101-8.1, 6.4)."""
        self.deals += 1
        for seat in self.active:
            self.scores[seat] += result.points[seat]
        for seat in self.active:
            if seat in result.out:
                self.gone[seat] = (1, self.deals, 0, 0)  # 101-8.4: below those who go by points.
            elif self.scores[seat] >= self.target:
                self.gone[seat] = (1, self.deals, 1, -self.scores[seat])
        self._leave()
        if self.active:
            self.dealer = next_seat(self.seats, self.dealer, self.active)  # 101-1.3

    def retire(self, seat: Seat) -> None:
        """Takes *seat* out by forfeit: behind all others, but before those who forfeited earlier."""
        self.gone[seat] = (0, len(self.gone), 0, 0)
        self._leave()
        if self.dealer == seat and self.active:
            self.dealer = next_seat(self.seats, seat, self.active)

    def outcome(self, most_deals: int, *, ended: bool) -> MatchResult | None:
        """How the match ended, or None (101-8.2 to 8.6)."""
        if len(self.active) == 1:
            return self._result("last seat")
        if not self.active:
            return self._result("all out")
        if self.deals >= most_deals:
            return self._result("deal cap")
        return self._result("short match") if ended else None

    def _leave(self) -> None:
        self.active = [seat for seat in self.active if seat not in self.gone]

    def _result(self, reason: str) -> MatchResult:
        keys = [self.gone.get(seat, (2, 0, 0, -self.scores[seat])) for seat in range(self.seats)]
        places = tuple([1 + sum(other > key for other in keys) for key in keys])
        return MatchResult(places, tuple(self.scores), reason, self.deals, (None,) * self.seats)
