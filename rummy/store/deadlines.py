"""Deadlines: for a match, for a fixture that waits for a live bot, and for a round. They run while it can be played.

A tournament that is paused, and an arena that is down or has no arbiter, move them all by as long.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import LiteralString

from rummy.errors import BadInput, BadTransition
from rummy.store import log, tournaments
from rummy.store.db import Connection
from rummy.store.log import By

LOOK = timedelta(seconds=10)
DOWN = timedelta(seconds=60)
"""Longer than that without a look, and the time does not count."""


_LOOK: LiteralString = """
    WITH seen AS (
        SELECT tournament_id, watched_at FROM tournament
         WHERE state = 'running' AND (watched_at IS NULL OR watched_at <= %(before)s)
         ORDER BY tournament_id FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE tournament t SET watched_at = %(now)s FROM seen WHERE t.tournament_id = seen.tournament_id
    RETURNING t.tournament_id, seen.watched_at"""
_SHIFT_ROUNDS: LiteralString = """
    UPDATE round SET deadline = deadline + %(gap)s
     WHERE tournament_id = %(tournament_id)s AND closed_at IS NULL AND deadline IS NOT NULL"""
_SHIFT_FIXTURES: LiteralString = """
    UPDATE fixture SET waits_since = waits_since + %(gap)s
     WHERE tournament_id = %(tournament_id)s AND state = 'scheduled' AND waits_since IS NOT NULL"""
_MISSED: LiteralString = """
    UPDATE fixture SET waits_since = %(now)s
     WHERE fixture_id IN (
           SELECT f.fixture_id FROM tournament t JOIN missing_entrant m USING (tournament_id)
             JOIN fixture_seat s USING (tournament_id, entrant_no) JOIN fixture f USING (fixture_id, tournament_id)
            WHERE t.state = 'running' AND f.state = 'scheduled' AND f.waits_since IS NULL
            ORDER BY f.fixture_id FOR UPDATE OF f SKIP LOCKED)"""
_COME: LiteralString = """
    UPDATE fixture SET waits_since = NULL
     WHERE fixture_id IN (
           SELECT f.fixture_id FROM fixture f
            WHERE f.waits_since IS NOT NULL AND f.state = 'scheduled'
              AND NOT EXISTS (SELECT FROM missing_entrant m JOIN fixture_seat s USING (tournament_id, entrant_no)
                               WHERE s.fixture_id = f.fixture_id)
            ORDER BY f.fixture_id FOR UPDATE SKIP LOCKED)"""
_BEGIN: LiteralString = """
    UPDATE round r
       SET deadline = %(now)s + interval '1 second' * coalesce((t.deadlines->>'round')::float,
           (t.deadlines->>'fixture')::float + (t.deadlines->>'match')::float * (
             SELECT count(*) FROM fixture f WHERE f.tournament_id = r.tournament_id AND f.round_no = r.round_no))
      FROM tournament t
     WHERE r.tournament_id = t.tournament_id AND t.state IN ('running', 'paused')
       AND r.deadline IS NULL AND r.closed_at IS NULL
       AND r.round_no = (SELECT min(round_no) FROM round o
                          WHERE o.tournament_id = t.tournament_id AND o.closed_at IS NULL)"""
_OVERDUE: LiteralString = """
    SELECT tournament_id, round_no FROM tournament JOIN round USING (tournament_id)
     WHERE state = 'running' AND closed_at IS NULL AND deadline <= %(now)s ORDER BY tournament_id, round_no"""


def watch(tx: Connection, *, now: datetime) -> list[tuple[int, int]]:
    """Called often while something can be played: sets what deadlines there are to be set, and moves what stood still.

    Returns the rounds that are past their deadline, each as tournament and round.
    """
    gaps = {
        tournament_id: now - seen
        for tournament_id, seen in sorted(tx.execute(_LOOK, {"now": now, "before": now - LOOK}).fetchall())
        if seen is not None and now - seen > DOWN
    }
    moved = {tournament_id: gap for tournament_id, gap in gaps.items() if _shift(tx, tournament_id, gap)}
    tx.execute(_MISSED, {"now": now})
    tx.execute(_COME)
    tx.execute(_BEGIN, {"now": now})
    for tournament_id, gap in moved.items():
        why = f"Nothing could be played for {int(gap.total_seconds())} seconds."
        _log(tx, tournament_id, gap, by=By(log.WORKER.who, why), now=now)
    return tx.execute(_OVERDUE, {"now": now}).fetchall()


def _shift(tx: Connection, tournament_id: int, gap: timedelta) -> bool:
    """Whether there was a deadline to be moved."""
    values = {"tournament_id": tournament_id, "gap": gap}
    return tx.execute(_SHIFT_ROUNDS, values).rowcount + tx.execute(_SHIFT_FIXTURES, values).rowcount > 0


def _log(tx: Connection, tournament_id: int, gap: timedelta, *, by: By, now: datetime) -> None:
    log.append(tx, tournament_id, "extended", {"seconds": gap.total_seconds()}, by=by, now=now)


_DEADLINE: LiteralString = """
    SELECT round_no, deadline FROM round
     WHERE tournament_id = %(tournament_id)s AND closed_at IS NULL ORDER BY round_no LIMIT 1"""


def extend(
    tx: Connection, tournament_id: int, *, until: datetime | None = None, seconds: float | None = None, by: By,
    now: datetime,
) -> datetime:  # fmt: skip
    """Moves the deadline of the round in play, to *until* or by *seconds*, and those of fixtures that wait by as much.

    Returns the new deadline. Raises `BadTransition`; `BadInput` for one in the past, or before the one that stands.
    """
    tournament = tournaments.lock_for(tx, tournament_id, "extended")
    tx.execute(_BEGIN, {"now": now})
    row = tx.execute(_DEADLINE, {"tournament_id": tournament_id}).fetchone()
    if row is None or row[1] is None:
        raise BadTransition(f"no round of {tournament.name!r} is in play, so there is no deadline to extend")
    stands: datetime = row[1]
    new = until if until is not None else stands + timedelta(seconds=seconds or 0)
    if new <= now:
        raise BadInput(f"the deadline {_told(new)} is in the past: it is {_told(now)} now")
    if new <= stands:
        raise BadInput(f"{_told(new)} is no extension: the deadline of round {row[0] + 1} is {_told(stands)} already")
    _shift(tx, tournament_id, new - stands)
    _log(tx, tournament_id, new - stands, by=by, now=now)
    return new


def _told(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S %Z}"
