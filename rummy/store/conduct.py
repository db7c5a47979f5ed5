"""What an organiser does to bots and fixtures of a tournament: withdraw, disqualify, void. The rules: docs/reference.

Whoever acts holds the row of the tournament. So of two at once the second finds what the first has done, and is told.
Locks are taken in one order, that of all who write: ladder, fixtures, rounds, and the log last.
"""

from __future__ import annotations

from datetime import datetime
from typing import LiteralString

from rummy.errors import Conflict, NotFound
from rummy.league.pairing import find_format
from rummy.store import log, ratings, tournaments, unplayed
from rummy.store.db import Connection
from rummy.store.log import By
from rummy.store.tournaments import Tournament

_ENTRANT: LiteralString = """
    SELECT entrant_no, left_as FROM entrant WHERE tournament_id = %(tournament_id)s AND version_id = %(version_id)s"""
_LEAVE: LiteralString = """
    UPDATE entrant SET left_as = %(left_as)s, annulled = %(annulled)s
     WHERE tournament_id = %(tournament_id)s AND entrant_no = %(entrant)s"""


def withdraw(tx: Connection, tournament_id: int, version_id: int, *, by: By, now: datetime) -> None:
    """Takes a bot out. Before the start its entry goes; later what it has not played is forfeited.

    What it has played stands, unless rounds are known beforehand and it has played less than half: then its fixtures
    count in the table as won by the others, all of them. Ratings keep what was played. Raises `NotFound`, `Conflict`.
    """
    tournament = tournaments.lock_for(tx, tournament_id, "withdrawn")
    entrant = _entrant(tx, tournament, version_id)
    if tournament.started_at is None:
        tournaments.refuse_of_league(tournament, "withdraw the bot once it has begun")
        _take_out(tx, tournament_id, entrant)
        log.append(tx, tournament_id, "withdrawn", {"entrant": entrant}, by=by, now=now)
        return
    log.check_why("withdrawn", by)
    unplayed.hold(tx, tournament_id, entrant)
    played, planned = _share(tx, tournament, entrant)
    annulled = not find_format(tournament.format).waits and 2 * played < planned
    _leave(tx, tournament_id, entrant, "withdrawn", annulled)
    told = {"entrant": entrant, "played": played, "planned": planned, "annulled": annulled}
    log.append(tx, tournament_id, "withdrawn", told, by=by, now=now)
    unplayed.of_those_who_left(tx, tournament_id, now=now)


def disqualify(tx: Connection, tournament_id: int, version_id: int, *, by: By, now: datetime) -> None:
    """Takes a bot out for what it has done: it comes last, and none of its fixtures counts for anybody's rating.

    Where rounds are known beforehand, its fixtures count in the table as won by the others. Raises `NotFound`,
    `Conflict`.
    """
    tournament = tournaments.lock_for(tx, tournament_id, "disqualified")
    entrant = _entrant(tx, tournament, version_id)
    why = log.check_why("disqualified", by)
    ratings.hold(tx, tournament.ladder)
    annulled = not find_format(tournament.format).waits
    _leave(tx, tournament_id, entrant, "disqualified", annulled)
    first = tx.execute(_FIRST_RATED, {"tournament_id": tournament_id, "entrant": entrant}).fetchone()
    reason = f"entrant {entrant + 1} disqualified: {why}"
    taken = _take_back(tx, tournament, None if first is None else first[0], reason)
    unplayed.hold(tx, tournament_id, entrant)
    log.append(tx, tournament_id, "disqualified", {"entrant": entrant, "annulled": annulled}, by=by, now=now)
    _log_taken(tx, taken, reason, now)
    unplayed.of_those_who_left(tx, tournament_id, now=now)


_FIRST_RATED: LiteralString = """
    SELECT min(round_no) FROM round JOIN fixture f USING (tournament_id, round_no)
      JOIN fixture_seat USING (fixture_id, tournament_id)
     WHERE tournament_id = %(tournament_id)s AND entrant_no = %(entrant)s AND rated_at IS NOT NULL AND absent IS NULL"""


def _entrant(tx: Connection, tournament: Tournament, version_id: int) -> int:
    """The number of a bot that is in. Raises `NotFound`, `Conflict`."""
    values = {"tournament_id": tournament.tournament_id, "version_id": version_id}
    row = tx.execute(_ENTRANT, values).fetchone()
    if row is None:
        raise NotFound(f"bot version {version_id} is not in {tournament.name!r}")
    if row[1] is not None:
        raise Conflict(f"bot version {version_id} has left {tournament.name!r} already: it was {row[1]}")
    return int(row[0])


def _leave(tx: Connection, tournament_id: int, entrant: int, left_as: str, annulled: bool) -> None:
    values = {"tournament_id": tournament_id, "entrant": entrant, "left_as": left_as, "annulled": annulled}
    tx.execute(_LEAVE, values)


_REMOVE: LiteralString = """
    DELETE FROM entrant WHERE tournament_id = %(tournament_id)s AND entrant_no = %(entrant)s"""
_BEHIND: LiteralString = """
    SELECT entrant_no FROM entrant
     WHERE tournament_id = %(tournament_id)s AND entrant_no > %(entrant)s ORDER BY entrant_no"""
_MOVE_UP: LiteralString = """
    UPDATE entrant SET entrant_no = entrant_no - 1
     WHERE tournament_id = %(tournament_id)s AND entrant_no = %(behind)s"""


def _take_out(tx: Connection, tournament_id: int, entrant: int) -> None:
    """Those behind move up by one."""
    values = {"tournament_id": tournament_id, "entrant": entrant}
    tx.execute(_REMOVE, values)
    for (behind,) in tx.execute(_BEHIND, values).fetchall():
        tx.execute(_MOVE_UP, {**values, "behind": behind})


_DONE: LiteralString = """
    SELECT count(*) FROM fixture JOIN fixture_seat USING (fixture_id, tournament_id)
     WHERE tournament_id = %(tournament_id)s AND entrant_no = %(entrant)s AND state = 'done' AND absent IS NULL"""


def _share(tx: Connection, tournament: Tournament, entrant: int) -> tuple[int, int]:
    """How many fixtures an entrant has played, and how many were planned for it; known so far, where rounds wait."""
    values = {"tournament_id": tournament.tournament_id, "entrant": entrant}
    row = tx.execute(_DONE, values).fetchone()
    assert row is not None
    form, field = find_format(tournament.format), tournaments.field_of(tx, tournament)
    if form.waits:
        return int(row[0]), int(row[0])
    planned = sum(entrant in table for drawn in form.draw(field, ()) for table in drawn.tables)
    return int(row[0]), planned


_FIXTURE: LiteralString = """
    SELECT round_no, table_no, generation, state,
           EXISTS (SELECT FROM fixture_seat s JOIN entrant e USING (tournament_id, entrant_no)
                    WHERE s.fixture_id = f.fixture_id AND left_as IS NOT NULL),
           EXISTS (SELECT FROM round r WHERE r.tournament_id = f.tournament_id AND r.round_no > f.round_no)
      FROM fixture f WHERE tournament_id = %(tournament_id)s AND fixture_id = %(fixture_id)s FOR UPDATE"""
_AGAIN: LiteralString = """
    UPDATE fixture
       SET state = 'scheduled', generation = generation + 1, done_at = NULL, absent = NULL, holder = NULL,
           lease_until = NULL, arbiter = NULL, incarnation = NULL, woken_at = NULL, waits_since = NULL, due_at = %(now)s
     WHERE fixture_id = %(fixture_id)s"""
_END_ATTEMPT: LiteralString = """
    UPDATE fixture_attempt SET ended_at = %(now)s, outcome = 'void', reason = %(why)s
     WHERE fixture_id = %(fixture_id)s AND ended_at IS NULL"""
_FORGET: LiteralString = "DELETE FROM fixture_score WHERE fixture_id = %(fixture_id)s"
_REOPEN: LiteralString = """
    UPDATE round SET closed_at = NULL, deadline = NULL
     WHERE tournament_id = %(tournament_id)s AND round_no = %(round_no)s"""


def void(tx: Connection, tournament_id: int, fixture_id: int, *, by: By, now: datetime) -> None:
    """Has a fixture played again as a new generation, on new deals, whether it is final or in play.

    What was rated since is taken back and rated anew. Raises `NotFound`; `Conflict` where nothing was played, a bot of
    it has left, or in a knockout the next round was drawn from it.
    """
    tournament = tournaments.lock_for(tx, tournament_id, "voided")
    why = log.check_why("voided", by)
    ratings.hold(tx, tournament.ladder)
    round_no, table_no, generation = _voidable(tx, tournament, fixture_id)
    values = {"tournament_id": tournament_id, "fixture_id": fixture_id, "round_no": round_no, "why": why, "now": now}
    tx.execute(_AGAIN, values)
    tx.execute(_END_ATTEMPT, values)
    tx.execute(_FORGET, values)
    reason = f"round {round_no + 1}, table {table_no + 1} voided: {why}"
    rated = tx.execute(_IS_RATED, values).fetchone() is not None
    taken = _take_back(tx, tournament, round_no if rated else None, reason)
    tx.execute(_REOPEN, values)
    log.append(tx, tournament_id, "voided", {"fixture": [round_no, table_no, generation]}, by=by, now=now)
    _log_taken(tx, taken, reason, now)


_IS_RATED: LiteralString = """
    SELECT FROM round
     WHERE tournament_id = %(tournament_id)s AND round_no = %(round_no)s AND rated_at IS NOT NULL"""


def _voidable(tx: Connection, tournament: Tournament, fixture_id: int) -> tuple[int, int, int]:
    """Round, table and generation of a fixture that can be voided. Raises `NotFound`, `Conflict`."""
    values = {"tournament_id": tournament.tournament_id, "fixture_id": fixture_id}
    row = tx.execute(_FIXTURE, values).fetchone()
    if row is None:
        raise NotFound(f"there is no fixture {fixture_id} in {tournament.name!r}; its page shows all")
    round_no, table_no, generation, state, left, followed = row
    where = f"fixture {fixture_id} of {tournament.name!r}"
    if state == "scheduled":
        raise Conflict(f"{where} has not been played; there is nothing to void")
    if left:
        raise Conflict(f"{where} cannot be played again: a bot of it has left the tournament")
    if followed and find_format(tournament.format).eliminates:
        raise Conflict(f"{where} cannot be voided: who goes on was settled by it, and the next round has been drawn")
    return round_no, table_no, generation


def _take_back(tx: Connection, tournament: Tournament, round_no: int | None, reason: str) -> dict[int, list[int]]:
    """The rounds of which ratings were taken back, by tournament; none without a round, or in practice."""
    if round_no is None or not tournament.rated:
        return {}
    return ratings.take_back(tx, tournament.ladder, tournament.tournament_id, round_no, reason)


def _log_taken(tx: Connection, taken: dict[int, list[int]], reason: str, now: datetime) -> None:
    for number, rounds in taken.items():
        log.append(tx, number, "corrected", {"rounds": rounds}, by=By(log.WORKER.who, reason), now=now)
