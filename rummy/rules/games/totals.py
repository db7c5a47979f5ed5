"""The running totals of a match that the highest total wins, or the lowest: to a target, or a number of deals."""

from __future__ import annotations

from rummy.rules.actions import Seat
from rummy.rules.game import DealResult, DealTerms, MatchResult


class Totals:
    """The score of one match between *seats* seats; *dealer* deals first."""

    __slots__ = ("active", "dealer", "deals", "lowest", "retired", "scores", "seats")

    def __init__(self, seats: int, dealer: Seat, *, lowest: bool = False) -> None:
        self.seats = seats
        self.lowest = lowest  # Whether points are bad.
        self.dealer = dealer
        self.scores = [0] * seats
        self.active: list[Seat] = list(range(seats))
        self.retired: list[Seat] = []
        self.deals = 0

    def terms(self) -> DealTerms:
        """Who deals, and that his left begins; only while somebody is in play."""
        return DealTerms(
            self.seats,
            tuple(self.active),
            self.dealer,
            self._left_of(self.dealer),
            scores=tuple(self.scores),
            number=self.deals,
        )

    def score(self, result: DealResult) -> None:
        """Adds the points of a deal; the next seat deals."""
        self.deals += 1
        self.scores = [score + points for score, points in zip(self.scores, result.points, strict=True)]
        self.dealer = self._left_of(self.dealer)

    def retire(self, seat: Seat) -> None:
        """Takes *seat* out by forfeit: behind all others, but before those who forfeited earlier."""
        self.active.remove(seat)
        self.retired.append(seat)
        if self.dealer == seat and self.active:
            self.dealer = self._left_of(seat)

    def outcome(self, *, target: int | None, deals: int | None, cap: int, ended: bool) -> MatchResult | None:
        """How the match ended, or None: at the first deal that brings a seat to *target*, or after *deals* of them."""
        if len(self.active) < 2:
            return self._result("last seat")
        if target is not None and max(self.scores[seat] for seat in self.active) >= target:
            return self._result("target")
        if deals is not None and self.deals >= deals:
            return self._result("deals")
        if self.deals >= cap:
            return self._result("deal cap")
        return self._result("short match") if ended else None

    def _left_of(self, seat: Seat) -> Seat:
        return next(at for step in range(1, self.seats + 1) if (at := (seat + step) % self.seats) in self.active)

    def _result(self, reason: str) -> MatchResult:
        behind = {seat: number for number, seat in enumerate(self.retired)}
        sign = -1 if self.lowest else 1
        keys = [(0, behind[seat]) if seat in behind else (1, sign * self.scores[seat]) for seat in range(self.seats)]
        places = tuple([1 + sum(other > key for other in keys) for key in keys])
        return MatchResult(places, tuple(self.scores), reason, self.deals, (None,) * self.seats)
