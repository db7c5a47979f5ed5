"""The nouns of the league, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rummy.errors import BadTransition

Entrant = int


class TournamentState(StrEnum):
    """Where a tournament stands."""

    DRAFT = "draft"
    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


TRANSITIONS: dict[TournamentState, frozenset[TournamentState]] = {
    TournamentState.DRAFT: frozenset({TournamentState.OPEN, TournamentState.CANCELLED}),
    TournamentState.OPEN: frozenset({TournamentState.RUNNING, TournamentState.CANCELLED}),
    TournamentState.RUNNING: frozenset({TournamentState.PAUSED, TournamentState.FINISHED, TournamentState.CANCELLED}),
    TournamentState.PAUSED: frozenset({TournamentState.RUNNING, TournamentState.CANCELLED}),
    TournamentState.FINISHED: frozenset(),
    TournamentState.CANCELLED: frozenset(),
}


def check_transition(now: TournamentState, then: TournamentState) -> None:
    """Raises `BadTransition` unless a tournament may go from *now* to *then*."""
    if then not in TRANSITIONS[now]:
        allowed = ", ".join(sorted(TRANSITIONS[now]))
        why = f"; it can become: {allowed}" if allowed else ": it has ended"
        raise BadTransition(f"a tournament that is {now} cannot become {then}{why}")


@dataclass(frozen=True, slots=True)
class Round:
    """One drawing: tables of entrant numbers, in seat order of leg 0. Rounds and tables count from 0."""

    number: int
    tables: tuple[tuple[Entrant, ...], ...]
    extra: bool = False  # Beyond what was planned: ties are played off.


@dataclass(frozen=True, slots=True)
class FixtureResult:
    """A finished fixture: placements by leg, in each leg one place an entrant, in the order of *entrants*."""

    round_no: int
    table_no: int
    entrants: tuple[Entrant, ...]
    legs: tuple[tuple[int, ...], ...]

    @property
    def key(self) -> tuple[int, int]:
        """The place in the schedule, which fixes the order of everything computed from results."""
        return self.round_no, self.table_no

    @property
    def scores(self) -> tuple[float, ...]:
        """By entrant: the mean over the legs of `match_scores`. They add up to half the number of entrants."""
        return fixture_scores(self.legs)


def match_scores(placements: Sequence[int]) -> tuple[float, ...]:
    """By seat: the mean over the opponents of 1 for each placed behind, one half for each that shares the place."""
    others = len(placements) - 1
    return tuple(
        (sum(1.0 if mine < theirs else 0.5 if mine == theirs else 0.0 for theirs in placements) - 0.5) / others
        for mine in placements
    )


def fixture_scores(legs: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """By entrant: the mean of `match_scores` over *legs*, each a placement by entrant."""
    by_leg = [match_scores(leg) for leg in legs]
    return tuple(sum(column) / len(by_leg) for column in zip(*by_leg, strict=True))
