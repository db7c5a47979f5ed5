"""Fixtures that are decided without play: of bots that have left, that have not come, and what a deadline has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import LiteralString

from rummy.league import model
from rummy.league.model import TournamentState
from rummy.store import fixtures, log, matches, tournaments
from rummy.store.db import Connection

# Fixtures are locked in the order of the schedule, and whoever decides holds the tournament.
_DECIDE: LiteralString = """
    UPDATE fixture
       SET state = 'done', done_at = %(now)s, absent = %(absent)s, holder = NULL, lease_until = NULL, waits_since = NULL
     WHERE fixture_id = %(fixture_id)s AND state <> 'done'
    RETURNING round_no, table_no, generation"""
_SEATS: LiteralString = """
    SELECT array_agg(entrant_no ORDER BY seat), bool_and(hosted)
      FROM fixture_seat JOIN entrant USING (tournament_id, entrant_no) JOIN bot_version USING (version_id)
     WHERE fixture_id = %(fixture_id)s"""
_DROP: LiteralString = """
    UPDATE fixture_attempt SET ended_at = %(now)s, outcome = 'void', reason = %(why)s
     WHERE fixture_id = %(fixture_id)s AND ended_at IS NULL"""


def _decide(
    tx: Connection, tournament_id: int, absent: Mapping[int, Sequence[int]], *, why: str, now: datetime
) -> None:
    """Decides the fixtures of *absent*, which names by fixture the entrants that are not there, and closes rounds."""
    told, closed = [], set()
    for fixture_id, gone in absent.items():
        values = {"fixture_id": fixture_id, "absent": sorted(gone), "why": why, "now": now}
        row = tx.execute(_DECIDE, values).fetchone()
        if row is None:
            continue
        tx.execute(_DROP, values)
        seats = tx.execute(_SEATS, values).fetchone()
        assert seats is not None
        result = model.unplayed(row[0], row[1], seats[0], gone, matches.legs_of(len(seats[0]), hosted=seats[1]))
        matches.save_scores(tx, fixture_id, dict(zip(result.entrants, result.scores, strict=True)))
        told.append({"fixture": list(row), "absent": sorted(gone)})
    for round_no in sorted({entry["fixture"][0] for entry in told}):
        if fixtures.close_round(tx, tournament_id, round_no, now=now):
            closed.add(round_no)
    by = log.By(log.WORKER.who, why)
    for entry in told:
        log.append(tx, tournament_id, "unplayed", entry, by=by, now=now)
    for round_no in sorted(closed):
        log.append(tx, tournament_id, "closed", {"round": round_no}, by=log.WORKER, now=now)


_HOLD: LiteralString = """
    SELECT FROM fixture
     WHERE tournament_id = %(tournament_id)s AND state <> 'done'
       AND fixture_id IN (SELECT fixture_id FROM fixture_seat
                           WHERE tournament_id = %(tournament_id)s AND entrant_no = %(entrant)s)
     ORDER BY fixture_id FOR UPDATE"""
_HOLD_ROUNDS: LiteralString = """
    SELECT FROM round WHERE tournament_id = %(tournament_id)s AND closed_at IS NULL ORDER BY round_no FOR UPDATE"""


def hold(tx: Connection, tournament_id: int, entrant: int) -> None:
    """Keeps what an entrant has not finished as it is until the transaction ends."""
    values = {"tournament_id": tournament_id, "entrant": entrant}
    tx.execute(_HOLD, values)
    tx.execute(_HOLD_ROUNDS, values)


_OF_LEFT: LiteralString = """
    SELECT fixture_id, array_agg(entrant_no)
      FROM fixture JOIN fixture_seat USING (fixture_id, tournament_id) JOIN entrant USING (tournament_id, entrant_no)
     WHERE tournament_id = %(tournament_id)s AND state <> 'done' AND left_as IS NOT NULL
     GROUP BY fixture_id, round_no, table_no ORDER BY round_no, table_no"""


def of_those_who_left(tx: Connection, tournament_id: int, *, now: datetime) -> None:
    """Decides what is not final of entrants that were withdrawn or disqualified, also what is being played."""
    absent: dict[int, list[int]] = dict(tx.execute(_OF_LEFT, {"tournament_id": tournament_id}).fetchall())
    _decide(tx, tournament_id, absent, why="A bot of it has left the tournament.", now=now)


_DESERTED: LiteralString = """
    SELECT f.tournament_id, f.fixture_id, array_agg(s.entrant_no)
      FROM fixture f JOIN tournament t USING (tournament_id)
      JOIN fixture_seat s USING (fixture_id, tournament_id)
      LEFT JOIN missing_entrant m USING (tournament_id, entrant_no)
     WHERE f.waits_since IS NOT NULL AND f.state = 'scheduled' AND t.state = 'running'
       AND f.waits_since + (t.deadlines->>'fixture')::float * interval '1 second' <= %(now)s
       AND (%(tournament_id)s::bigint IS NULL OR t.tournament_id = %(tournament_id)s)
     GROUP BY f.fixture_id HAVING count(*) = count(m.entrant_no)
     ORDER BY f.round_no, f.table_no"""


def deserted(tx: Connection, *, now: datetime) -> list[int]:
    """The tournaments with fixtures to which nobody has come in time."""
    rows = tx.execute(_DESERTED, {"now": now, "tournament_id": None}).fetchall()
    return sorted({row[0] for row in rows})


def decide_deserted(tx: Connection, tournament_id: int, *, now: datetime) -> None:
    """Decides the fixtures to which nobody has come in time: they count for nobody."""
    if tournaments.get(tx, tournament_id, lock=True).state != TournamentState.RUNNING:
        return
    rows = tx.execute(_DESERTED, {"now": now, "tournament_id": tournament_id}).fetchall()
    absent = {fixture_id: gone for _, fixture_id, gone in rows}
    _decide(tx, tournament_id, absent, why="None of its bots has come before the fixture's deadline.", now=now)


_OVERDUE: LiteralString = """
    SELECT f.fixture_id, coalesce(array_agg(m.entrant_no) FILTER (WHERE m.entrant_no IS NOT NULL), '{}')
      FROM round r JOIN fixture f USING (tournament_id, round_no)
      JOIN fixture_seat s USING (fixture_id, tournament_id)
      LEFT JOIN missing_entrant m USING (tournament_id, entrant_no)
     WHERE r.tournament_id = %(tournament_id)s AND r.round_no = %(round_no)s AND r.deadline <= %(now)s
       AND (f.state = 'scheduled' OR (f.state = 'running' AND f.lease_until < %(now)s))
     GROUP BY f.fixture_id ORDER BY f.table_no"""


def decide_overdue(tx: Connection, tournament_id: int, round_no: int, *, now: datetime) -> None:
    """Decides what is left of a round past its deadline; what is being played ends by the match's own."""
    if tournaments.get(tx, tournament_id, lock=True).state != TournamentState.RUNNING:
        return
    values = {"tournament_id": tournament_id, "round_no": round_no, "now": now}
    absent: dict[int, list[int]] = dict(tx.execute(_OVERDUE, values).fetchall())
    _decide(tx, tournament_id, absent, why="The round's deadline has passed.", now=now)


def decide_endless(tx: Connection, claimed: fixtures.Claim, *, now: datetime) -> bool:
    """Ends a match that was in play for too long, at nobody's cost. False where the claim is lost."""
    state = tournaments.get(tx, claimed.tournament_id, lock=True).state
    if state not in (TournamentState.RUNNING, TournamentState.PAUSED) or not fixtures.is_held(tx, claimed):
        return False
    why = "The match's deadline has passed while it was in play."
    _decide(tx, claimed.tournament_id, {claimed.fixture_id: ()}, why=why, now=now)
    return True
