"""The nouns of the league, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rummy.errors import BadTransition, TournamentClosed

Entrant = int


class TournamentState(StrEnum):
    """Where a tournament stands."""

    DRAFT = "draft"
    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Move:
    """In which states it is legal, and what a tournament becomes by it."""

    legal: frozenset[TournamentState]
    then: TournamentState | None = None  # None where it stays as it is.


_BEFORE = frozenset({TournamentState.DRAFT, TournamentState.OPEN})
_MEANWHILE = frozenset({TournamentState.RUNNING, TournamentState.PAUSED})
MOVES: dict[str, Move] = {
    "changed": Move(_BEFORE),
    "entered": Move(_BEFORE),
    "opened": Move(frozenset({TournamentState.DRAFT}), TournamentState.OPEN),
    "started": Move(frozenset({TournamentState.OPEN}), TournamentState.RUNNING),
    "paused": Move(frozenset({TournamentState.RUNNING}), TournamentState.PAUSED),
    "resumed": Move(frozenset({TournamentState.PAUSED}), TournamentState.RUNNING),
    "withdrawn": Move(_BEFORE | _MEANWHILE),
    "disqualified": Move(_MEANWHILE),
    "voided": Move(_MEANWHILE),
    "extended": Move(_MEANWHILE),
    "cancelled": Move(_BEFORE | _MEANWHILE, TournamentState.CANCELLED),
    "finished": Move(frozenset({TournamentState.RUNNING}), TournamentState.FINISHED),
}
"""By the word that the log has for it."""
_WHAT = {
    "changed": "the format of", "entered": "a bot in", "withdrawn": "a bot of", "disqualified": "a bot of",
    "voided": "a fixture of", "extended": "a deadline of",
}  # fmt: skip


def check_move(move: str, name: str, now: TournamentState) -> None:
    """Raises `BadTransition`, or `TournamentClosed` for what ends with the start, unless *move* is legal in *now*."""
    legal = MOVES[move].legal
    if now in legal:
        return
    what = f"{_WHAT[move]} {name!r}" if move in _WHAT else repr(name)
    states = " or ".join(state for state in TournamentState if state in legal)
    error = TournamentClosed if legal == _BEFORE else BadTransition
    raise error(f"{what} cannot be {move}: the tournament is {now}; it can be while it is {states}")


@dataclass(frozen=True, slots=True)
class Round:
    """One drawing: tables of entrant numbers, in seat order of leg 0. Rounds and tables count from 0."""

    number: int
    tables: tuple[tuple[Entrant, ...], ...]
    extra: bool = False  # Beyond what was planned: ties are played off.


@dataclass(frozen=True, slots=True)
class FixtureResult:
    """A finished fixture: placements by leg, in each leg one place an entrant, in the order of *entrants*.

    One that nobody has played names who was *absent*. They come last and score nothing, not even against each other;
    the others share the first place.
    """

    round_no: int
    table_no: int
    entrants: tuple[Entrant, ...]
    legs: tuple[tuple[int, ...], ...]
    absent: frozenset[Entrant] | None = None

    @property
    def key(self) -> tuple[int, int]:
        """The place in the schedule, which fixes the order of everything computed from results."""
        return self.round_no, self.table_no

    @property
    def scores(self) -> tuple[float, ...]:
        """By entrant: the mean over the legs of `match_scores`, and nothing for the absent.

        They add up to half the number of entrants, unless several were absent.
        """
        absent = self.absent or frozenset()
        scored = zip(self.entrants, fixture_scores(self.legs), strict=True)
        return tuple(0.0 if entrant in absent else score for entrant, score in scored)


def unplayed(
    round_no: int, table_no: int, entrants: Sequence[Entrant], absent: Iterable[Entrant], legs: int
) -> FixtureResult:
    """What a fixture of *legs* comes to that is decided without play."""
    gone = frozenset(absent).intersection(entrants)
    places = tuple(1 + len(entrants) - len(gone) if entrant in gone else 1 for entrant in entrants)
    return FixtureResult(round_no, table_no, tuple(entrants), (places,) * legs, gone)


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
