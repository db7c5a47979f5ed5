"""Tables and error bars, computed from results by the pure functions of the league, and kept."""

from __future__ import annotations

from api.kept import Found, Kept
from rummy.league import standings
from rummy.league.model import FixtureResult
from rummy.league.ratings import elo, jackknife
from rummy.store import drawing, matches, pages, ratings
from rummy.store.db import Database

Errors = dict[tuple[int, int], float]
"""By round and entrant."""

PATIENCE_SECONDS = 1.0
TRACE_POINTS = 12
TRACE_WORK = 60_000
"""Fixtures that may be rated anew for the error bars along one tournament; beyond it, only the last step has one."""


class Tables:
    """The table of a tournament, and the error bars along its rounds."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables: Kept[list[standings.Standing]] = Kept()
        self._traces: Kept[Errors] = Kept()

    def table(self, tournament: pages.HeadRow, *, wait: float = PATIENCE_SECONDS) -> Found[list[standings.Standing]]:
        """The standings of *tournament*, best first."""
        return self._tables.get(
            tournament.tournament_id,
            tournament.newest_entry,
            lambda: self._compute(tournament.tournament_id),
            wait=wait,
        )

    def trace(self, tournament: pages.HeadRow) -> Errors:
        """The error of the rating after a round, for some rounds and always the last; empty while it is computed."""
        found = self._traces.get(
            tournament.tournament_id,
            tournament.newest_entry,
            lambda: self._compute_trace(tournament),
            wait=PATIENCE_SECONDS,
        )
        return found.value or {}

    def _compute(self, tournament_id: int) -> list[standings.Standing]:
        with self._database.transaction() as tx:
            table = drawing.table(tx, tournament_id)
        return table()

    def _compute_trace(self, tournament: pages.HeadRow) -> Errors:
        last = self._tables.get(
            tournament.tournament_id,
            tournament.newest_entry,
            lambda: self._compute(tournament.tournament_id),
            wait=None,
        )
        with self._database.transaction() as tx:
            results = matches.rated(tx, tournament.tournament_id)
            opening = ratings.opening(tx, tournament.tournament_id)
        rounds = sorted({result.round_no for result in results})
        errors = errors_along(results, opening, chosen_rounds(rounds[:-1], len(results)))
        for line in last.value or []:
            if rounds and line.error is not None:
                errors[rounds[-1], line.entrant] = line.error
        return errors


def errors_along(results: list[FixtureResult], opening: dict[int, float], rounds: list[int]) -> Errors:
    """The errors after each of *rounds*."""
    errors: Errors = {}
    for round_no in rounds:
        part = [result for result in results if result.round_no <= round_no]
        found = jackknife.standard_errors(lambda some: elo.rate_rounds(opening, some), part)
        errors |= {(round_no, entrant): error for entrant, error in found.items()}
    return errors


def chosen_rounds(rounds: list[int], fixtures: int) -> list[int]:
    """Some of *rounds*, spread evenly, as many as `TRACE_POINTS` and `TRACE_WORK` allow."""
    cost = max(1, fixtures * jackknife.group_count(max(1, fixtures)) // 2)
    count = min(TRACE_POINTS, TRACE_WORK // cost, len(rounds))
    return [rounds[(at + 1) * len(rounds) // count - 1] for at in range(count)]
