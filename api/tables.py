"""Tables and error bars, computed from results and kept while nothing has changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from rummy.league import standings
from rummy.league.model import FixtureResult
from rummy.league.ratings import elo, jackknife
from rummy.store import matches, pages, ratings
from rummy.store.db import Connection

Value = TypeVar("Value")

PATIENCE = 10
"""A table that took long is kept that many times as long, even if a result has come in since."""
TRACE_POINTS = 12
TRACE_WORK = 120_000
"""Fixtures that may be rated anew for the error bars along one tournament; beyond it, only the last step has one."""


class Kept(Generic[Value]):
    """The newest values by key, each with the mark of what it was computed from."""

    def __init__(self, clock: Callable[[], float], size: int = 256) -> None:
        self._clock = clock
        self._size = size
        self._values: OrderedDict[Hashable, tuple[Hashable, float, Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, mark: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of *key*: computed anew where *mark* differs and the last one has been kept for long enough."""
        with self._lock:
            known = self._values.get(key)
            if known is not None and (known[0] == mark or self._clock() < known[1]):
                self._values.move_to_end(key)
                return known[2]
        begun = self._clock()
        value = compute()
        ended = self._clock()
        with self._lock:
            self._values[key] = mark, ended + PATIENCE * (ended - begun), value
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value


class Tables:
    """The table of a tournament, and the error bars along its rounds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._tables: Kept[list[standings.Standing]] = Kept(clock)
        self._traces: Kept[dict[tuple[int, int], float]] = Kept(clock)

    def table(
        self, tx: Connection, tournament: pages.TournamentRow, entrants: list[pages.EntrantRow]
    ) -> list[standings.Standing]:
        """The standings of *tournament*, best first."""
        mark = tournament.state, tournament.done, len(entrants)

        def compute() -> list[standings.Standing]:
            numbers = [entrant.entrant_no for entrant in entrants]
            opening = ratings.opening(tx, tournament.tournament_id)
            return standings.table(numbers, matches.results(tx, tournament.tournament_id), opening)

        return self._tables.get(tournament.tournament_id, mark, compute)

    def trace(self, tx: Connection, tournament: pages.TournamentRow) -> dict[tuple[int, int], float]:
        """By round and entrant: the error of the rating after that round, for some rounds and always the last."""

        def compute() -> dict[tuple[int, int], float]:
            opening = ratings.opening(tx, tournament.tournament_id)
            return trace(matches.results(tx, tournament.tournament_id), opening)

        return self._traces.get(tournament.tournament_id, (tournament.state, tournament.done), compute)


def trace(results: list[FixtureResult], opening: dict[int, float]) -> dict[tuple[int, int], float]:
    """Errors by round and entrant, at rounds spread evenly over *results* and within `TRACE_WORK`."""
    errors: dict[tuple[int, int], float] = {}
    for round_no in _chosen(sorted({result.round_no for result in results}), len(results)):
        part = [result for result in results if result.round_no <= round_no]
        found = jackknife.standard_errors(lambda some: elo.rate_rounds(opening, some), part)
        errors |= {(round_no, entrant): error for entrant, error in found.items()}
    return errors


def _chosen(rounds: list[int], fixtures: int) -> list[int]:
    cost = fixtures * min(fixtures, jackknife.MAX_GROUPS)
    count = max(1, min(TRACE_POINTS, TRACE_WORK // max(cost, 1), len(rounds)))
    return [rounds[(at + 1) * len(rounds) // count - 1] for at in range(count)] if rounds else []
