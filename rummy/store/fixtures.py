"""Fixtures, from scheduled to done: claimed with a lease, finished once, whoever dies and whatever is delivered twice.

A claim is held by *holder* for one attempt. Whatever a holder writes later counts only while generation, attempt and
holder are still those of its claim, so a holder that was frozen, or had lost its lease, changes nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, LiteralString

from psycopg.rows import class_row

from rummy.league.schedule import fixture_seed
from rummy.store import log, matches
from rummy.store.db import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A fixture that is ours to play until the lease ends."""

    fixture_id: int
    generation: int
    attempt: int
    holder: str
    tournament_id: int
    round_no: int
    table_no: int
    arbiter: int | None  # Who was given the order in an attempt before, and may still have it.
    incarnation: str | None  # Of that arbiter; None where nobody has been given the order.
    game: str
    options: dict[str, Any]
    ladder: str
    rated: bool
    limit_ms: int
    bank_ms: int
    increment_ms: int
    faults: dict[str, Any]
    match_seconds: int  # How long the match may last.
    ends_at: datetime  # The deadline of the match, from this claim on.

    @property
    def key(self) -> dict[str, object]:
        """What has to be unchanged for a write to count."""
        return {
            "fixture_id": self.fixture_id,
            "generation": self.generation,
            "attempt": self.attempt,
            "holder": self.holder,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """Who plays, with the seat of leg 0."""

    seat: int
    entrant_no: int
    version_id: int
    name: str
    hosted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a claim has to be played on: the seed, and the entrants in the seat order of leg 0."""

    seed: bytes
    entrants: tuple[Entrant, ...]

    @property
    def legs(self) -> int:
        """How many matches it is."""
        return matches.legs_of(len(self.entrants), hosted=all(entrant.hosted for entrant in self.entrants))


# FOR SHARE: a tournament that is being cancelled at this moment is waited for, since it drops only the claims it sees.
_CLAIM: LiteralString = """
    WITH claimed AS (
        UPDATE fixture
           SET state = 'running', attempt = attempt + 1, holder = %(holder)s, lease_until = %(until)s, woken_at = NULL,
               waits_since = NULL
         WHERE fixture_id = %(fixture_id)s
           AND ((state = 'scheduled' AND due_at <= %(now)s) OR (state = 'running' AND lease_until < %(now)s))
           AND EXISTS (SELECT FROM tournament t WHERE t.tournament_id = fixture.tournament_id AND t.state = 'running'
                          FOR SHARE)
        RETURNING fixture_id, generation, attempt, holder, tournament_id, round_no, table_no, arbiter,
                  incarnation
    ), expired AS (
        UPDATE fixture_attempt AS a
           SET ended_at = %(now)s, outcome = 'expired', reason = 'the holder let the lease run out'
          FROM claimed WHERE a.fixture_id = claimed.fixture_id AND a.ended_at IS NULL
    ), begun AS (
        INSERT INTO fixture_attempt (fixture_id, generation, attempt, holder, claimed_at)
        SELECT fixture_id, generation, attempt, holder, %(now)s FROM claimed
    )
    SELECT fixture_id, generation, attempt, holder, tournament_id, round_no, table_no, arbiter,
           incarnation, game, options, ladder, rated, limit_ms, bank_ms, increment_ms, faults,
           (deadlines->>'match')::int AS match_seconds,
           %(now)s + (deadlines->>'match')::float * interval '1 second' AS ends_at
      FROM claimed JOIN tournament USING (tournament_id)"""


def claim(tx: Connection, fixture_id: int, *, holder: str, now: datetime, lease: timedelta) -> Claim | None:
    """Takes *fixture_id* for *holder* until now + lease; None where somebody has it or it is not to be played."""
    values = {"fixture_id": fixture_id, "holder": holder, "now": now, "until": now + lease}
    with tx.cursor(row_factory=class_row(Claim)) as cursor:
        return cursor.execute(_CLAIM, values).fetchone()


_ENTRANTS: LiteralString = """
    SELECT seat, entrant_no, version_id, bot.name || ' ' || version AS name, hosted
      FROM fixture_seat JOIN entrant USING (tournament_id, entrant_no)
      JOIN bot_version USING (version_id) JOIN bot USING (bot_id)
     WHERE fixture_id = %(fixture_id)s ORDER BY seat"""
_SECRETS: LiteralString = """
    SELECT master, array_agg(nonce ORDER BY entrant_no)
      FROM tournament_seed JOIN entrant USING (tournament_id)
     WHERE tournament_id = %(tournament_id)s GROUP BY tournament_id"""


def terms(tx: Connection, claimed: Claim) -> Terms:
    """What the claim has to be played on."""
    with tx.cursor(row_factory=class_row(Entrant)) as cursor:
        entrants = cursor.execute(_ENTRANTS, {"fixture_id": claimed.fixture_id}).fetchall()
    row = tx.execute(_SECRETS, {"tournament_id": claimed.tournament_id}).fetchone()
    assert row is not None
    seed = fixture_seed(row[0], row[1], claimed.round_no, claimed.table_no, claimed.generation)
    return Terms(seed=seed, entrants=tuple(entrants))


_RENEW: LiteralString = """
    UPDATE fixture SET lease_until = %(until)s
      FROM unnest(%(ids)s::bigint[], %(attempts)s::int[]) AS mine (id, number)
     WHERE fixture_id = mine.id AND attempt = mine.number AND holder = %(holder)s AND state = 'running'
    RETURNING fixture_id, attempt"""


def renew(
    tx: Connection, claims: Iterable[Claim], *, holder: str, now: datetime, lease: timedelta
) -> set[tuple[int, int]]:
    """Renews the leases of all *claims* of *holder* at once; returns fixture and attempt of those that were lost."""
    wanted = {(claimed.fixture_id, claimed.attempt) for claimed in claims}
    values = {"ids": [i for i, _ in wanted], "attempts": [a for _, a in wanted], "holder": holder, "until": now + lease}
    return wanted - set(tx.execute(_RENEW, values).fetchall())


_HELD: LiteralString = """
     WHERE fixture_id = %(fixture_id)s AND state = 'running'
       AND generation = %(generation)s AND attempt = %(attempt)s AND holder = %(holder)s"""


def sending(tx: Connection, claimed: Claim, arbiter_id: int, incarnation: str) -> bool:
    """Notes which arbiter is given the order, for whoever takes over. False where the claim is lost."""
    query: LiteralString = "UPDATE fixture SET arbiter = %(arbiter)s, incarnation = %(incarnation)s" + _HELD
    return tx.execute(query, {**claimed.key, "arbiter": arbiter_id, "incarnation": incarnation}).rowcount == 1


_FINISH: LiteralString = (
    "UPDATE fixture SET state = 'done', done_at = %(now)s, holder = NULL, lease_until = NULL"
    + _HELD
    + """
       AND EXISTS (SELECT FROM tournament t
                    WHERE t.tournament_id = fixture.tournament_id AND t.state IN ('running', 'paused'))"""
)
_LOCK_ROUND: LiteralString = """
    SELECT FROM round WHERE tournament_id = %(tournament_id)s AND round_no = %(round_no)s FOR UPDATE"""
_CLOSE_ROUND: LiteralString = """
    UPDATE round SET closed_at = %(now)s
     WHERE tournament_id = %(tournament_id)s AND round_no = %(round_no)s AND closed_at IS NULL
       AND NOT EXISTS (SELECT FROM fixture f WHERE f.tournament_id = round.tournament_id
                          AND f.round_no = round.round_no AND f.state <> 'done')"""


def finish(tx: Connection, claimed: Claim, played: Iterable[matches.PlayedMatch], *, now: datetime) -> bool:
    """Saves the result; the last fixture closes its round. False, and nothing saved, where the claim is lost."""
    if tx.execute(_FINISH, {**claimed.key, "now": now}).rowcount == 0:
        return False
    legs = list(played)
    matches.save(tx, claimed.fixture_id, claimed.generation, legs, now=now)
    _end_attempt(tx, claimed, "done", "", now)
    closed = close_round(tx, claimed.tournament_id, claimed.round_no, now=now)
    log.append(tx, claimed.tournament_id, "result", _told(claimed, legs), by=log.WORKER, now=now)
    if closed:
        log.append(tx, claimed.tournament_id, "closed", {"round": claimed.round_no}, by=log.WORKER, now=now)
    return True


def close_round(tx: Connection, tournament_id: int, round_no: int, *, now: datetime) -> bool:
    """Closes a round if all of it is done. False where it is not, or was closed before."""
    place = {"tournament_id": tournament_id, "round_no": round_no, "now": now}
    tx.execute(_LOCK_ROUND, place)  # Of two last fixtures that end at once, the second sees the first.
    return tx.execute(_CLOSE_ROUND, place).rowcount == 1


def is_held(tx: Connection, claimed: Claim) -> bool:
    """Whether the claim still holds, and goes on to until the transaction ends."""
    query: LiteralString = "SELECT FROM fixture" + _HELD + " FOR UPDATE"
    return tx.execute(query, claimed.key).fetchone() is not None


def _told(claimed: Claim, legs: Iterable[matches.PlayedMatch]) -> dict[str, object]:
    """A result for the log, kept short."""
    return {
        "fixture": [claimed.round_no, claimed.table_no, claimed.generation],
        "legs": [matches.told(leg) for leg in legs],
    }


_END: LiteralString = """
    UPDATE fixture_attempt SET ended_at = %(now)s, outcome = %(outcome)s, reason = %(reason)s
     WHERE fixture_id = %(fixture_id)s AND attempt = %(attempt)s AND ended_at IS NULL"""


def _end_attempt(tx: Connection, claimed: Claim, outcome: str, reason: str, now: datetime) -> None:
    tx.execute(_END, {**claimed.key, "outcome": outcome, "reason": reason, "now": now})


_RELEASE: LiteralString = (
    """
    UPDATE fixture
       SET state = 'scheduled', holder = NULL, lease_until = NULL, woken_at = NULL, due_at = %(due)s"""
    + _HELD
)


def release(tx: Connection, claimed: Claim, *, now: datetime, reason: str, delay: timedelta = timedelta()) -> bool:
    """Hands a fixture back, to be taken up after *delay*; its order stays. False where the claim is lost."""
    return _hand_back(tx, claimed, _RELEASE, "released", reason, now, delay)


_VOID: LiteralString = (
    """
    UPDATE fixture
       SET state = 'scheduled', holder = NULL, lease_until = NULL, woken_at = NULL, due_at = %(due)s,
           arbiter = NULL, incarnation = NULL,
           generation = generation + (SELECT CASE WHEN bool_and(hosted) THEN 0 ELSE 1 END
                                        FROM fixture_seat s JOIN entrant USING (tournament_id, entrant_no)
                                        JOIN bot_version USING (version_id)
                                       WHERE s.fixture_id = fixture.fixture_id)"""
    + _HELD
)


def void(tx: Connection, claimed: Claim, *, now: datetime, reason: str, delay: timedelta = timedelta()) -> bool:
    """Gives up what was played: it is played again after *delay*. False where the claim is lost.

    Hosted bots get the same deals again, in fresh processes; with a live bot, which would know them, a new generation
    begins, with deals of its own.
    """
    return _hand_back(tx, claimed, _VOID, "void", reason, now, delay)


def voided(tx: Connection, claimed: Claim) -> int:
    """How often the fixture was given up before this claim."""
    query: LiteralString = """
        SELECT count(*) FROM fixture_attempt WHERE fixture_id = %(fixture_id)s AND outcome = 'void'"""
    row = tx.execute(query, claimed.key).fetchone()
    assert row is not None
    return int(row[0])


def _hand_back(
    tx: Connection, claimed: Claim, query: LiteralString, outcome: str, reason: str, now: datetime, delay: timedelta
) -> bool:
    if tx.execute(query, {**claimed.key, "due": now + delay}).rowcount == 0:
        return False
    _end_attempt(tx, claimed, outcome, reason, now)
    return True


# Few are on the broker at once: it may lose them all, and a long queue of old wake-ups helps nobody.
_WAKE: LiteralString = """
    UPDATE fixture SET woken_at = %(now)s
     WHERE fixture_id IN (
           SELECT f.fixture_id FROM fixture f JOIN tournament t USING (tournament_id)
            WHERE t.state = 'running' AND f.state <> 'done'
              AND ((f.state = 'scheduled' AND f.due_at <= %(now)s)
                   OR (f.state = 'running' AND f.lease_until < %(now)s))
              AND (f.waits_since IS NULL
                   OR (f.waits_since + (t.deadlines->>'fixture')::float * interval '1 second' <= %(now)s
                       AND EXISTS (SELECT FROM fixture_seat s WHERE s.fixture_id = f.fixture_id
                                      AND NOT EXISTS (SELECT FROM missing_entrant m
                                                       WHERE m.tournament_id = s.tournament_id
                                                         AND m.entrant_no = s.entrant_no))))
              AND (f.woken_at IS NULL OR f.woken_at < %(old)s)
            ORDER BY f.round_no, f.tournament_id, f.table_no
            LIMIT greatest(0, %(backlog)s - (SELECT count(*) FROM fixture w
                                              WHERE w.state <> 'done' AND w.woken_at >= %(old)s))
              FOR UPDATE OF f SKIP LOCKED)
    RETURNING fixture_id, round_no, tournament_id, table_no"""


def due(tx: Connection, *, now: datetime, again: timedelta, backlog: int) -> list[int]:
    """Fixtures to put on the broker, in the order of their rounds: free or expired, and not put there since *again*.

    At most *backlog* are on the broker at once. One that waits for a live bot is not there before its deadline.
    """
    rows = tx.execute(_WAKE, {"now": now, "old": now - again, "backlog": backlog}).fetchall()
    return [row[0] for row in sorted(rows, key=lambda row: row[1:])]
