"""Runs of reference bots on the deals of fixtures that are played once: scheduled with the result, ended exactly once.

A run is claimed like a fixture: for one attempt, with a lease, and what a holder writes later counts only while both
are still its own. What has ended, done or given up, is never taken up again; until then nothing of the deals is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, LiteralString

from psycopg.rows import class_row

from rummy.league.luck import Single
from rummy.league.model import FixtureResult
from rummy.league.schedule import fixture_seed
from rummy.store.db import Connection
from rummy.store.fixtures import Claim
from rummy.store.ratings import COUNTS

_SCHEDULE: LiteralString = """
    INSERT INTO reference (fixture_id, generation, due_at)
    SELECT %(fixture_id)s, %(generation)s, %(now)s
     WHERE EXISTS (SELECT FROM fixture_seat JOIN entrant USING (tournament_id, entrant_no)
                     JOIN bot_version USING (version_id)
                    WHERE fixture_id = %(fixture_id)s AND NOT hosted)"""


def schedule(tx: Connection, finished: Claim, *, now: datetime) -> None:
    """For the transaction of a final result: has reference bots play its deals, if it is rated and has a live bot."""
    if finished.rated:
        tx.execute(_SCHEDULE, {**finished.key, "now": now})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Deals that are ours to play until the lease ends."""

    fixture_id: int
    generation: int
    attempt: int
    holder: str
    game: str
    options: dict[str, Any]
    seats: int
    round_no: int
    table_no: int
    master: bytes
    nonces: list[bytes]

    @property
    def seed(self) -> bytes:
        """That of the fixture."""
        return fixture_seed(self.master, self.nonces, self.round_no, self.table_no, self.generation)

    @property
    def key(self) -> dict[str, object]:
        """What has to be unchanged for a write to count."""
        return {
            "fixture_id": self.fixture_id,
            "generation": self.generation,
            "attempt": self.attempt,
            "holder": self.holder,
        }


_CLAIM: LiteralString = """
    WITH claimed AS (
        UPDATE reference SET state = 'running', attempt = attempt + 1, holder = %(holder)s, lease_until = %(until)s
         WHERE (fixture_id, generation) = (
               SELECT fixture_id, generation FROM reference
                WHERE ended_at IS NULL AND due_at <= %(now)s AND (state = 'due' OR lease_until < %(now)s)
                ORDER BY due_at, fixture_id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING fixture_id, generation, attempt, holder)
    SELECT c.fixture_id, c.generation, c.attempt, c.holder, t.game, t.options, f.round_no, f.table_no, s.master,
           (SELECT count(*) FROM fixture_seat p WHERE p.fixture_id = c.fixture_id) AS seats,
           ARRAY(SELECT nonce FROM entrant e WHERE e.tournament_id = t.tournament_id ORDER BY entrant_no) AS nonces
      FROM claimed c JOIN fixture f USING (fixture_id) JOIN tournament t USING (tournament_id)
      JOIN tournament_seed s USING (tournament_id)"""


def claim(tx: Connection, *, holder: str, now: datetime, lease: timedelta) -> Run | None:
    """Takes what is due longest for *holder* until now + lease; None where nothing is."""
    with tx.cursor(row_factory=class_row(Run)) as cursor:
        return cursor.execute(_CLAIM, {"holder": holder, "now": now, "until": now + lease}).fetchone()


_HELD: LiteralString = """
     WHERE fixture_id = %(fixture_id)s AND generation = %(generation)s AND state = 'running'
       AND attempt = %(attempt)s AND holder = %(holder)s"""


def renew(tx: Connection, run: Run, *, now: datetime, lease: timedelta) -> bool:
    """Keeps *run* until now + lease. False where it is lost."""
    query: LiteralString = "UPDATE reference SET lease_until = %(until)s" + _HELD
    return tx.execute(query, {**run.key, "until": now + lease}).rowcount == 1


def release(tx: Connection, run: Run) -> bool:
    """Hands *run* back. False where it is lost."""
    query: LiteralString = "UPDATE reference SET state = 'due', holder = NULL, lease_until = NULL" + _HELD
    return tx.execute(query, run.key).rowcount == 1


def finish(tx: Connection, run: Run, bots: str, control: Sequence[float], *, now: datetime) -> bool:
    """Saves what *bots* have scored by seat. False, and nothing saved, where the claim is lost."""
    query: LiteralString = (
        """UPDATE reference SET state = 'done', holder = NULL, lease_until = NULL, bots = %(bots)s,
                  control = %(control)s, ended_at = %(now)s"""
        + _HELD
    )
    return tx.execute(query, {**run.key, "bots": bots, "control": list(control), "now": now}).rowcount == 1


def give_up(tx: Connection, run: Run, reason: str, *, now: datetime) -> bool:
    """Leaves the fixture without a control for good, for a stated *reason*. False where the claim is lost."""
    query: LiteralString = (
        """UPDATE reference SET state = 'given up', holder = NULL, lease_until = NULL, reason = %(reason)s,
                  ended_at = %(now)s"""
        + _HELD
    )
    return tx.execute(query, {**run.key, "reason": reason, "now": now}).rowcount == 1


# By version, in the order in which rounds were drawn.
_SINGLES: LiteralString = f"""
    SELECT f.tournament_id, f.round_no, f.table_no, array_agg(e.version_id ORDER BY s.seat) AS versions,
           array_agg(p.placement ORDER BY s.seat) AS placements, r.control
      FROM tournament t
      JOIN round USING (tournament_id)
      JOIN fixture f USING (tournament_id, round_no)
      JOIN reference r ON r.fixture_id = f.fixture_id AND r.generation = f.generation
      JOIN match m ON m.fixture_id = f.fixture_id AND m.generation = f.generation
      JOIN seat_result p USING (match_id)
      JOIN fixture_seat s ON s.fixture_id = f.fixture_id AND s.entrant_no = p.entrant_no
      JOIN entrant e ON e.tournament_id = t.tournament_id AND e.entrant_no = s.entrant_no
     WHERE {COUNTS}
     GROUP BY t.started_at, f.tournament_id, f.round_no, f.table_no, r.control
     ORDER BY t.started_at, f.tournament_id, f.round_no, f.table_no"""


def singles(tx: Connection, ladder: str) -> list[list[Single]]:
    """By round, in the order in which they were rated: the fixtures of *ladder* whose deals have reference bots."""
    rows = tx.execute(_SINGLES, {"ladder": ladder}).fetchall()
    return [
        [
            Single(
                FixtureResult(round_no, table_no, tuple(versions), (tuple(placements),)),
                None if control is None else tuple(control),
            )
            for _, round_no, table_no, versions, placements, control in fixtures
        ]
        for _, fixtures in groupby(rows, key=lambda row: (row[0], row[1]))
    ]


_STATES: LiteralString = """
    SELECT r.state, r.bots, r.reason, count(*)
      FROM reference r JOIN fixture f USING (fixture_id) JOIN tournament t USING (tournament_id)
     WHERE t.ladder = %(ladder)s AND r.generation = f.generation
     GROUP BY r.state, r.bots, r.reason ORDER BY r.state, r.bots, r.reason"""


@dataclass(frozen=True, slots=True)
class Runs:
    """How the runs of a ladder stand: those that one set of reference bots has done, that are due, or given up."""

    state: str
    bots: str | None
    reason: str
    fixtures: int


def states(tx: Connection, ladder: str) -> list[Runs]:
    """How many runs there are of each kind."""
    return [Runs(*row) for row in tx.execute(_STATES, {"ladder": ladder}).fetchall()]


def newest(tx: Connection) -> datetime | None:
    """When a run ended last."""
    row = tx.execute("SELECT max(ended_at) FROM reference").fetchone()
    assert row is not None
    moment: datetime | None = row[0]
    return moment
