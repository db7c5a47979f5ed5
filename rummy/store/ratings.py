"""Ratings as a log: every change with before and after, one closed round at a time, in the order of the schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import LiteralString

from psycopg.rows import class_row

from rummy.league.model import FixtureResult
from rummy.league.ratings.elo import INITIAL
from rummy.league.ratings.joint import Record
from rummy.store import matches, tournaments
from rummy.store.db import Connection
from rummy.store.log import WORKER, append

Rate = Callable[[Mapping[int, float], Iterable[FixtureResult]], Mapping[int, float]]
"""Ratings at a round's opening and its fixtures to ratings after it; entrants are version ids."""


@dataclass(frozen=True, slots=True)
class ClosedRound:
    """A round whose fixtures are all done. In *results* entrants are version ids; *opening* has all who play."""

    ladder: str
    tournament_id: int
    round_no: int
    opening: dict[int, float]
    results: tuple[FixtureResult, ...]

    @property
    def fixtures(self) -> dict[int, int]:
        """How many fixtures each version played in the round."""
        return {version: sum(version in r.entrants for r in self.results) for version in self.opening}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One line of the log."""

    ladder: str
    tournament_id: int
    round_no: int
    version_id: int
    before: float
    after: float


ROUNDS = 100
"""Rounds that are read at once where all are."""

_LOCK: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended('rate ' || %(ladder)s, 0))"
# The first round that is not rated yet and still can be; nothing after it is rated before it. A tournament that is
# played and has rounds yet to be drawn holds what follows, too.
_NEXT: LiteralString = """
    SELECT tournament_id, round_no, closed_at IS NOT NULL
      FROM (SELECT started_at, tournament_id, round_no, closed_at
              FROM tournament JOIN round USING (tournament_id)
             WHERE ladder = %(ladder)s AND rated AND rated_at IS NULL
               AND (closed_at IS NOT NULL OR state IN ('running', 'paused'))
             UNION ALL
            SELECT started_at, tournament_id, NULL, NULL FROM tournament
             WHERE ladder = %(ladder)s AND rated AND NOT drawn AND state IN ('running', 'paused')) AS to_come
     ORDER BY started_at, tournament_id, round_no NULLS LAST LIMIT 1"""


def hold(tx: Connection, ladder: str) -> None:
    """Has nothing of *ladder* rated until the transaction ends."""
    tx.execute(_LOCK, {"ladder": ladder})


def lock_next(tx: Connection, ladder: str) -> ClosedRound | None:
    """The next round of *ladder* to be rated, for this transaction alone; None where it is still being played."""
    hold(tx, ladder)
    row = tx.execute(_NEXT, {"ladder": ladder}).fetchone()
    if row is None or not row[2]:
        return None
    tournament_id, round_no, _ = row
    results = tuple(_by_version(tx, tournament_id, (round_no, round_no)))
    played = sorted({version for result in results for version in result.entrants})
    now = current(tx, ladder, played)
    opening = {version: now.get(version, INITIAL) for version in played}
    return ClosedRound(ladder, tournament_id, round_no, opening, results)


def _by_version(tx: Connection, tournament_id: int, rounds: tuple[int, int]) -> Iterator[FixtureResult]:
    versions = tournaments.entrants(tx, tournament_id)
    for result in matches.rated(tx, tournament_id, rounds):
        yield replace(result, entrants=tuple(versions[entrant] for entrant in result.entrants))


_CURRENT: LiteralString = """
    SELECT version_id, rating FROM rating WHERE ladder = %(ladder)s AND version_id = ANY(%(version_ids)s)
     ORDER BY version_id"""


def current(tx: Connection, ladder: str, version_ids: Sequence[int]) -> dict[int, float]:
    """The newest rating of each of these versions in *ladder*; who has none is left out."""
    return dict(tx.execute(_CURRENT, {"ladder": ladder, "version_ids": list(version_ids)}).fetchall())


_CHANGE: LiteralString = """
    INSERT INTO rating_change (ladder, tournament_id, round_no, version_id, before, after, fixtures, reason, pass)
    SELECT %(ladder)s, %(tournament_id)s, %(round_no)s, %(version_id)s, %(before)s, %(after)s, %(fixtures)s,
           'round', pass
      FROM round WHERE tournament_id = %(tournament_id)s AND round_no = %(round_no)s"""
_RATED: LiteralString = """
    UPDATE round SET rated_at = %(now)s
     WHERE tournament_id = %(tournament_id)s AND round_no = %(round_no)s AND rated_at IS NULL"""


def save(tx: Connection, closed: ClosedRound, after: Mapping[int, float], *, now: datetime) -> None:
    """Appends what the round has changed to the log, and marks it as rated."""
    place = {"ladder": closed.ladder, "tournament_id": closed.tournament_id, "round_no": closed.round_no}
    fixtures = closed.fixtures
    lines = [
        {**place, "version_id": version, "before": before, "after": after[version], "fixtures": fixtures[version]}
        for version, before in sorted(closed.opening.items())
    ]
    tx.cursor().executemany(_CHANGE, lines)
    tx.execute(_RATED, {**place, "now": now})
    changes = [[line["version_id"], line["before"], line["after"], line["fixtures"]] for line in lines]
    told = {"round": closed.round_no, "changes": changes}
    append(tx, closed.tournament_id, "rated", told, by=WORKER, now=now)


def rate_next(tx: Connection, ladder: str, rate: Rate, *, now: datetime) -> bool:
    """Rates the next round of *ladder* from the ratings at its opening. False where it is still being played."""
    closed = lock_next(tx, ladder)
    if closed is None:
        return False
    save(tx, closed, rate(closed.opening, closed.results), now=now)
    return True


# The steps of a round and of all that were rated after it, mirrored from the newest back.
_TAKE_BACK: LiteralString = """
    WITH later AS (
        SELECT r.tournament_id, r.round_no, r.pass
          FROM tournament t JOIN round r USING (tournament_id)
         WHERE t.ladder = %(ladder)s AND t.rated AND r.rated_at IS NOT NULL
           AND (t.started_at, t.tournament_id, r.round_no) >=
               ((SELECT started_at FROM tournament WHERE tournament_id = %(tournament_id)s),
                %(tournament_id)s, %(round_no)s)
    ), taken AS (
        INSERT INTO rating_change (ladder, tournament_id, round_no, version_id, before, after, fixtures, reason, pass)
        SELECT ladder, tournament_id, round_no, version_id, after, before, -fixtures, %(reason)s, pass
          FROM rating_change JOIN later USING (tournament_id, round_no, pass)
         WHERE reason = 'round' ORDER BY change_id DESC)
    UPDATE round SET rated_at = NULL, pass = later.pass + 1
      FROM later WHERE round.tournament_id = later.tournament_id AND round.round_no = later.round_no
    RETURNING round.tournament_id, round.round_no"""


def take_back(tx: Connection, ladder: str, tournament_id: int, round_no: int, reason: str) -> dict[int, list[int]]:
    """Takes the ratings of a round back and of all that were rated after it, which are then rated anew in their order.

    Nothing is erased: each step has another one that undoes it, with *reason*. Returns the rounds by tournament. The
    caller has to `hold` the ladder.
    """
    values = {"ladder": ladder, "tournament_id": tournament_id, "round_no": round_no, "reason": reason}
    taken: dict[int, list[int]] = {}
    for number, taken_round in sorted(tx.execute(_TAKE_BACK, values).fetchall()):
        taken.setdefault(number, []).append(taken_round)
    return taken


_WAITING: LiteralString = """
    SELECT DISTINCT ladder FROM tournament JOIN round USING (tournament_id)
     WHERE rated AND closed_at IS NOT NULL AND rated_at IS NULL ORDER BY ladder"""


def waiting(tx: Connection) -> list[str]:
    """The ladders with closed rounds that are not rated."""
    return [row[0] for row in tx.execute(_WAITING).fetchall()]


_OPENING: LiteralString = """
    SELECT DISTINCT ON (version_id) version_id, before FROM rating_change JOIN round USING (tournament_id, round_no)
     WHERE tournament_id = %(tournament_id)s AND reason = 'round' AND rating_change.pass = round.pass
     ORDER BY version_id, change_id"""


def opening(tx: Connection, tournament_id: int) -> dict[int, float]:
    """By entrant number: the ratings with which a tournament began. In practice all begin alike, so it repeats."""
    tournament = tournaments.get(tx, tournament_id)
    versions = tournaments.entrants(tx, tournament_id)
    known: dict[int, float] = {}
    if tournament.rated:
        given = zip(versions, tournaments.imported_bots(tx, tournament_id) or (), strict=False)
        known = current(tx, tournament.ladder, versions) | {version: float(bot["opening"]) for version, bot in given}
        known.update(tx.execute(_OPENING, {"tournament_id": tournament_id}).fetchall())
    return {number: known.get(version, INITIAL) for number, version in enumerate(versions)}


_RATED_ROUNDS: LiteralString = """
    SELECT ladder, tournament_id, round_no FROM tournament JOIN round USING (tournament_id)
     WHERE rated AND rated_at IS NOT NULL AND (ladder = %(only)s OR %(only)s::text IS NULL AND imported_at IS NULL)
     ORDER BY ladder, started_at, tournament_id, round_no"""


def _rated(tx: Connection, only: str | None = None) -> Iterator[tuple[str, int, int, tuple[FixtureResult, ...]]]:
    """Ladder, tournament, number and results of rounds that were rated here, or of one ladder, in their order."""
    rows = tx.execute(_RATED_ROUNDS, {"only": only}).fetchall()
    for (ladder, tournament_id), group in groupby(rows, key=lambda row: (row[0], row[1])):
        numbers = [row[2] for row in group]
        for begin in range(0, len(numbers), ROUNDS):
            some = numbers[begin : begin + ROUNDS]
            found: dict[int, list[FixtureResult]] = {number: [] for number in some}
            for result in _by_version(tx, tournament_id, (some[0], some[-1])):
                if result.round_no in found:  # Of a cancelled tournament there may be rounds between that never closed.
                    found[result.round_no].append(result)
            yield from ((ladder, tournament_id, number, tuple(results)) for number, results in found.items())


def recompute(tx: Connection, rate: Rate) -> Iterator[Change]:
    """Every change that the results on record should have made, in order, from nothing but results."""
    ratings: dict[tuple[str, int], float] = {}
    for ladder, tournament_id, round_no, results in _rated(tx):
        played = sorted({version for result in results for version in result.entrants})
        before = {version: ratings.get((ladder, version), INITIAL) for version in played}
        after = rate(before, results)
        for version in played:
            ratings[ladder, version] = after[version]
            yield Change(
                ladder=ladder,
                tournament_id=tournament_id,
                round_no=round_no,
                version_id=version,
                before=before[version],
                after=after[version],
            )


COUNTS: LiteralString = """
             t.ladder = %(ladder)s AND t.rated AND rated_at IS NOT NULL
         AND NOT EXISTS (SELECT FROM fixture_seat x JOIN entrant o USING (tournament_id, entrant_no)
                          WHERE x.fixture_id = f.fixture_id AND o.left_as = 'disqualified')"""
"""The condition under which a fixture *f* of tournament *t* counts in a ladder."""
_LEGS: LiteralString = """
        FROM tournament t
        JOIN round USING (tournament_id)
        JOIN fixture f USING (tournament_id, round_no)
        JOIN match m ON m.fixture_id = f.fixture_id AND m.generation = f.generation
        JOIN seat_result r USING (match_id)
        JOIN entrant e ON e.tournament_id = t.tournament_id AND e.entrant_no = r.entrant_no"""
# Fixtures that went alike are one row, so a million of them are few rows.
_RECORDS: LiteralString = f"""
    WITH leg AS (
      SELECT f.fixture_id, array_agg(e.version_id ORDER BY e.version_id) AS versions,
             array_agg(r.placement ORDER BY e.version_id) AS placements {_LEGS}
       WHERE {COUNTS} GROUP BY f.fixture_id, m.leg),
    played AS (
      SELECT versions, array_agg(placements ORDER BY placements) AS legs FROM leg GROUP BY fixture_id, versions)
    SELECT versions, legs, count(*) FROM played GROUP BY versions, legs"""
# With seats: the seat order of leg 0, and legs in their order.
_MIRRORED: LiteralString = f"""
    WITH leg AS (
      SELECT f.fixture_id, m.leg, array_agg(e.version_id ORDER BY s.seat) AS versions,
             array_agg(r.placement ORDER BY s.seat) AS placements {_LEGS}
        JOIN fixture_seat s ON s.fixture_id = f.fixture_id AND s.entrant_no = r.entrant_no
       WHERE {COUNTS} GROUP BY f.fixture_id, m.leg),
    played AS (
      SELECT versions, array_agg(placements ORDER BY leg) AS legs FROM leg GROUP BY fixture_id, versions)
    SELECT versions, legs, count(*) FROM played WHERE array_length(legs, 1) > 1 GROUP BY versions, legs"""


def mirrored(tx: Connection, ladder: str) -> dict[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]], int]:
    """Of fixtures with several legs in rated rounds: versions by seat, placements by leg; and how often it was so."""
    rows = tx.execute(_MIRRORED, {"ladder": ladder}).fetchall()
    return {(tuple(versions), tuple(map(tuple, legs))): times for versions, legs, times in rows}


def records(tx: Connection, ladder: str) -> dict[Record, int]:
    """How often each record occurs among the fixtures of *ladder* in rated rounds; entrants are version ids."""
    rows = tx.execute(_RECORDS, {"ladder": ladder}).fetchall()
    return {(tuple(versions), tuple(map(tuple, legs))): times for versions, legs, times in rows}


def results(tx: Connection, ladder: str) -> Iterator[FixtureResult]:
    """The fixtures of *ladder* in rated rounds, in the order in which they were rated; entrants are version ids."""
    for _, _, _, results in _rated(tx, ladder):
        yield from results


_LOG: LiteralString = """
    SELECT ladder, tournament_id, round_no, version_id, before, after
      FROM rating_change c JOIN tournament USING (ladder, tournament_id) JOIN round r USING (tournament_id, round_no)
     WHERE reason = 'round' AND c.pass = r.pass AND imported_at IS NULL
     ORDER BY ladder, started_at, tournament_id, round_no, version_id"""


def log(tx: Connection) -> list[Change]:
    """Every change that was made here and not taken back, in the order of `recompute`."""
    with tx.cursor(row_factory=class_row(Change)) as cursor:
        return cursor.execute(_LOG).fetchall()
