"""The points of a fixture at which something dies, and how one knows that it is there.

Nothing in the arena knows of chaos. A point is *held* from outside: a transaction of ours locks the rows that whoever
passes the point has to write, and PostgreSQL tells who waits for which.

- Before the claim: a fixture is on the broker and nobody's; the statement of the worker that claims it waits for us.
- In play: the order was given to an arbiter, which stands still; what has been on its way since was done with.
- Before the commit: the result has been written; the transaction, which ends the attempt next, waits for us.
- After the commit: as before, and then let go; the kill follows as soon as the result can be seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, LiteralString

import psycopg

from rummy.store.db import Connection, Database

PATIENCE = 8.0
"""Seconds after which a point is given up that nobody has come to."""
LOOK = 0.005
SETTLED = 0.15


class Point(StrEnum):
    """Where a fixture is."""

    BEFORE_CLAIM = "before the claim"
    IN_PLAY = "in play"
    BEFORE_COMMIT = "before the commit"
    AFTER_COMMIT = "after the commit"


@dataclass(frozen=True, slots=True)
class Spot:
    """A fixture at a point."""

    fixture_id: int
    attempt: int
    holder: str
    """Of the claim, or of the statement that claims."""
    address: str
    """Of the arbiter; empty before one was chosen."""
    lanes: frozenset[tuple[int, int]]
    """Bot version and lane of those who play it."""


class Missed(Exception):
    """Why something could not be done: in a wreck what is wanted is often not there."""


_LANES: LiteralString = """
    SELECT version_id, leg FROM fixture_seat JOIN entrant USING (tournament_id, entrant_no),
           generate_series(0, 1) AS leg WHERE fixture_id = %(fixture_id)s"""
_TO_CLAIM: LiteralString = """
    SELECT ctid::text, fixture_id, attempt, '', '' FROM fixture WHERE state = 'scheduled' AND woken_at IS NOT NULL
       FOR UPDATE SKIP LOCKED"""
_TO_COMMIT: LiteralString = """
    SELECT a.ctid::text, f.fixture_id, f.attempt, f.holder, arbiter.address
      FROM fixture_attempt a JOIN fixture f USING (fixture_id, attempt) JOIN arbiter ON arbiter_id = f.arbiter
     WHERE f.state = 'running' AND f.incarnation IS NOT NULL AND a.ended_at IS NULL
       FOR UPDATE OF a SKIP LOCKED"""
_IN_PLAY: LiteralString = """
    SELECT f.fixture_id, f.attempt, f.holder, arbiter.address
      FROM fixture f JOIN arbiter ON arbiter_id = f.arbiter AND arbiter.incarnation = f.incarnation
     WHERE f.state = 'running' AND arbiter.address = %(address)s ORDER BY f.fixture_id"""
# The first that waits for a row's holder has a lock on the row's place, which tells for which row. Whoever has written
# a result holds the table of matches; to claim a fixture, or to hand one back, nobody has to.
_WAIT: LiteralString = """
    SELECT application_name, format('(%%s,%%s)', page, tuple)
      FROM pg_stat_activity JOIN pg_locks USING (pid)
     WHERE application_name LIKE 'worker %%' AND locktype = 'tuple' AND granted
       AND %(pid)s = ANY (pg_blocking_pids(pid))
       AND %(written)s = EXISTS (SELECT FROM pg_locks AS held
                                  WHERE held.pid = pg_stat_activity.pid AND held.relation = 'match'::regclass
                                    AND held.mode = 'RowExclusiveLock' AND held.granted)
     ORDER BY pid"""
_IS_DONE: LiteralString = """
    SELECT FROM fixture_attempt WHERE fixture_id = %(fixture_id)s AND attempt = %(attempt)s AND outcome = 'done'"""


class Gate:
    """Rows of fixtures that are held until the block ends or `open`: whoever comes to one of them waits."""

    def __init__(
        self, database: Database, holder: Connection, rows: Sequence[tuple[Any, ...]], *, written: bool
    ) -> None:
        self._database = database
        self._holder = holder
        self._written = written  # Whether those who come have written a result.
        self._spots = {row[0]: row[1:] for row in rows}

    def waiting(self) -> tuple[str, Spot] | None:
        """A worker that waits here now, by name, and the fixture for which it does."""
        with self._database.transaction() as tx:
            values = {"pid": self._holder.info.backend_pid, "written": self._written}
            for name, place in tx.execute(_WAIT, values).fetchall():
                if place in self._spots:
                    return name.removeprefix("worker "), _spot(tx, self._spots[place])
        return None

    def wait(self) -> tuple[str, Spot]:
        """The first worker that waits here. Raises `Missed`."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            if (found := self.waiting()) is not None:
                return found
            time.sleep(LOOK)
        raise Missed(f"nobody came to one of {len(self._spots)} fixtures")

    def open(self) -> None:
        """Whoever waits goes on."""
        self._holder.rollback()


@contextmanager
def gate(database: Database, point: Point) -> Iterator[Gate]:
    """The fixtures on their way to *point* are held there. Raises `Missed` where there are none for a while."""
    with closing(psycopg.connect(database.url, connect_timeout=2, application_name="chaos gate")) as holder:
        if point is Point.BEFORE_CLAIM:
            yield Gate(database, holder, _held(holder, _TO_CLAIM), written=False)
        else:
            yield Gate(database, holder, _held(holder, _TO_COMMIT), written=True)


def _held(holder: Connection, query: LiteralString) -> list[tuple[Any, ...]]:
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        if rows := holder.execute(query).fetchall():
            return rows
        holder.rollback()
        time.sleep(LOOK)
    raise Missed("no fixture is on its way there")


def in_play(database: Database, address: str) -> list[Spot]:
    """What is in play at the arbiter of *address*, which stands still, once nothing changes. Raises `Missed`."""
    before: list[Spot] | None = None
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        with database.transaction() as tx:
            now = [_spot(tx, row) for row in tx.execute(_IN_PLAY, {"address": address}).fetchall()]
        if now == before:
            return now
        before = now
        time.sleep(SETTLED)
    raise Missed("an arbiter that stands still did not come to rest")


def until(holds: Callable[[], bool]) -> None:
    """Waits for what others do. Raises `Missed`."""
    limit = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > limit:
            raise Missed("the result was not saved")
        time.sleep(LOOK)


def is_done(database: Database, spot: Spot) -> bool:
    """Whether the result of that attempt can be seen."""
    with database.transaction() as tx:
        return tx.execute(_IS_DONE, {"fixture_id": spot.fixture_id, "attempt": spot.attempt}).fetchone() is not None


def _spot(tx: Connection, row: tuple[Any, ...]) -> Spot:
    fixture_id, attempt, holder, address = row
    lanes = frozenset(tx.execute(_LANES, {"fixture_id": fixture_id}).fetchall())
    return Spot(fixture_id, attempt, holder, address, lanes)
