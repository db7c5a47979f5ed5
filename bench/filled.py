"""A store as full as one likes: tournaments drawn as they always are, results made up by the set.

Two stores of different sizes differ in how much was played and in nothing else, so that what a page reads in one can be
set against what it reads in the other. Replays are a byte each but for one match.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import comb
from pathlib import Path
from typing import LiteralString

from rummy.embedded import folders
from rummy.embedded.postgres import PostgresServer
from rummy.league.ratings import elo
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.rules.replay import Recorder, verify
from rummy.store import db, drawing, fixtures, leagues, matches, migrate, owners, ratings, seasons, tournaments
from rummy.store.db import Connection, Database
from rummy.store.log import OPERATOR
from rummy.store.matches import PlayedMatch, SeatResult
from rummy.store.terms import Plan

GAMES = ("gin", "one_oh_one", "basic")
OPTIONS: Sequence[Mapping[str, object]] = ({}, {"target": 50}, {"target": 25})
"""Ladders of gin."""
MOST = 240_000
"""Fixtures of the large tournament, played or not."""
LEASE = timedelta(minutes=1)
DAY = timedelta(days=1)
SEASONS = 3

_PACKAGE: LiteralString = "INSERT INTO package (digest, content) VALUES (sha256('bot'), 'bot')"
_BOTS: LiteralString = """
    INSERT INTO bot (owner_id, name, created_at)
    SELECT owner_id, 'bot ' || number, %(now)s FROM generate_series(1, %(bots)s) AS number
      JOIN owner ON owner.name = 'Owner ' || mod(number, %(owners)s)"""
_VERSIONS: LiteralString = """
    INSERT INTO bot_version (bot_id, version, language, entry, hosted, package, games, created_at)
    SELECT bot_id, number::text, 'python', 'bot.py', true, sha256('bot'), %(games)s, %(now)s
      FROM generate_series(1, 2) AS number, bot ORDER BY number, bot_id"""

_FIRST: LiteralString = "SELECT count(*) FROM round WHERE tournament_id = %(made)s AND closed_at IS NOT NULL"
_PLAYED: LiteralString = """
    UPDATE fixture SET state = 'done', attempt = 1, done_at = now(), holder = NULL, lease_until = NULL
     WHERE tournament_id = %(made)s AND round_no < %(rounds)s AND state <> 'done'"""
_RESULTS: tuple[LiteralString, ...] = (
    "ALTER TABLE tournament_log DISABLE TRIGGER chain",  # It adds entries one by one.
    """INSERT INTO fixture_attempt (fixture_id, generation, attempt, holder, claimed_at, ended_at, outcome)
       SELECT fixture_id, 0, 1, 'bench', now(), now(), 'done' FROM fixture
        WHERE tournament_id = %(made)s AND round_no >= %(first)s AND state = 'done'
           ON CONFLICT DO NOTHING""",  # One has been begun.
    """INSERT INTO match (fixture_id, generation, leg, reason, deals, actions, replay, digest, saved_at)
       SELECT fixture_id, 0, leg, 'target', 1, 1, '\\x0100', sha256('x'), now()
         FROM fixture, generate_series(0, 1) AS leg
        WHERE tournament_id = %(made)s AND round_no >= %(first)s AND state = 'done'""",
    """INSERT INTO seat_result (match_id, fixture_id, seat, entrant_no, placement, score, strikes)
       SELECT match_id, fixture_id, mod(seat + leg, 2), entrant_no,
              CASE WHEN mod(match_id * 7 / 4 + seat, 2) = 0 THEN 1 ELSE 2 END, 0, 0
         FROM fixture JOIN match USING (fixture_id) JOIN fixture_seat USING (fixture_id, tournament_id)
        WHERE tournament_id = %(made)s AND round_no >= %(first)s""",
    "ANALYZE match, seat_result, fixture, fixture_seat, entrant",
    """INSERT INTO fixture_score (fixture_id, entrant_no, of_version, score)
       SELECT fixture_id, entrant_no, version_id, avg(2 - placement)
         FROM fixture JOIN seat_result USING (fixture_id) JOIN entrant USING (tournament_id, entrant_no)
        WHERE tournament_id = %(made)s AND round_no >= %(first)s GROUP BY fixture_id, entrant_no, version_id""",
    "ANALYZE fixture_score",
    """UPDATE round SET closed_at = now(), rated_at = now()
        WHERE tournament_id = %(made)s AND round_no BETWEEN %(first)s AND %(rounds)s - 1""",
    """INSERT INTO rating_change (ladder, tournament_id, round_no, version_id, before, after, fixtures, reason)
       SELECT ladder, tournament_id, round_no, version_id, opening + sum(step) OVER past - step,
              opening + sum(step) OVER past, 1, 'round'
         FROM (SELECT t.ladder, t.tournament_id, round_no, version_id, score * 8 - 4 AS step,
                      coalesce(r.rating, 1500) AS opening
                 FROM tournament t JOIN fixture f USING (tournament_id) JOIN fixture_score s USING (fixture_id)
                 JOIN entrant e ON e.tournament_id = t.tournament_id AND e.entrant_no = s.entrant_no
                 LEFT JOIN rating r USING (ladder, version_id)
                WHERE t.tournament_id = %(made)s AND round_no >= %(first)s) AS steps
       WINDOW past AS (PARTITION BY version_id ORDER BY round_no)
        ORDER BY round_no, version_id""",
    """INSERT INTO tournament_log (tournament_id, entry_no, at, who, move, why, what, digest)
       SELECT %(made)s, row_number() OVER () + (SELECT max(entry_no) FROM tournament_log
                                                 WHERE tournament_id = %(made)s), now(), 'worker', move, '', what,
              sha256('x')
         FROM (SELECT 'result' AS move, json_build_object('fixture', json_build_array(round_no, table_no, 0), 'legs',
                      json_build_array(json_build_object('seats', json_agg(
                        json_build_array(entrant_no, seat + 1, 0, NULL, 0))))) AS what
                 FROM fixture JOIN fixture_seat USING (fixture_id, tournament_id)
                WHERE tournament_id = %(made)s AND round_no >= %(first)s AND state = 'done' GROUP BY fixture_id
                UNION ALL
               SELECT 'closed', json_build_object('round', round_no) FROM round
                WHERE tournament_id = %(made)s AND round_no >= %(first)s AND closed_at IS NOT NULL) AS moves""",
    "ALTER TABLE tournament_log ENABLE ALWAYS TRIGGER chain",
    "ANALYZE round, tournament, tournament_log, rating_change, fixture_score",
)
_NEXT: LiteralString = """
    SELECT fixture_id FROM fixture WHERE tournament_id = %(made)s AND state = 'scheduled'
     ORDER BY round_no, table_no LIMIT 1"""
_REPLAY: LiteralString = """
    UPDATE match SET replay = %(replay)s, digest = %(digest)s, deals = %(deals)s, actions = %(actions)s
     WHERE match_id = (SELECT min(match_id) FROM match JOIN fixture USING (fixture_id)
                        WHERE tournament_id = %(made)s)
    RETURNING match_id"""


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is. Of the largest tournament, which is in play, `cycles` are played of many more."""

    entrants: int
    cycles: int
    others: int  # Smaller tournaments that have ended,
    of_each: int  # each with so many cycles
    field: int  # of so many entrants.
    bots: int
    duel: int  # Rounds of the duel.


@dataclass(frozen=True, slots=True)
class Filled:
    """What is where. `large` and `duel` are in play and of one ladder; every fixture of the duel is a round."""

    large: int
    duel: int
    ladder: str
    league: int
    bot: int  # One that plays in all of them.
    match: int  # With a replay.
    running: int  # A fixture.


@contextmanager
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL with the tables and nothing in them, which goes when it is left."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as place:
        data = Path(place)
        data.chmod(0o711 if os.geteuid() == 0 else 0o700)
        with folders.running_in(data) as run:
            made = PostgresServer(data, run, data / "postgres.log", perishable=True)
            made.prepare()
            made.start()
            try:
                with db.connect(made.url()) as connection:
                    migrate.migrate(connection)
                yield made
            finally:
                made.stop()


def fill(database: Database, size: Size) -> Filled:
    """Fills an empty store."""
    with database.transaction() as tx:
        now = db.now(tx)
        versions = _bots(tx, size.bots, now - (SEASONS + 2) * DAY)  # Before a league begins.
    league = _league(database, versions[: size.field], now)
    duel = entered(database, Plan(name="Duel", game="gin", cycles=100_000), versions[:2])
    long = Plan(name="Large", game="gin", cycles=MOST // comb(size.entrants, 2))
    large = entered(database, long, versions[: size.entrants])
    for number in range(size.others):
        game = GAMES[number % len(GAMES)]
        plan = Plan(
            name=f"Other {number}", game=game, options=OPTIONS[number // len(GAMES) % len(OPTIONS)], cycles=size.of_each
        )
        first = 0 if number % 2 else number * size.field % (len(versions) - size.field + 1)
        play(database, entered(database, plan, versions[first : first + size.field]))
    play(database, duel, rounds=size.duel)
    play(database, large, rounds=size.cycles * (size.entrants - 1))
    with database.transaction() as tx:
        running = begun(tx, large).fixture_id
        match = _with_replay(tx, large)
        ladder = tournaments.get(tx, large).ladder
    return Filled(large, duel, ladder, league, 1, match, running)


def write(database: Database, filled: Filled) -> None:
    """Something happens: in both tournaments in play a fixture gets its result, and ratings move."""
    for tournament_id in (filled.duel, filled.large):
        with database.transaction() as tx:
            _finish(tx, tournament_id)
    with database.transaction() as tx:
        assert ratings.rate_next(tx, filled.ladder, elo.rate_round, now=db.now(tx))


# ---- how it is filled


def _bots(tx: Connection, count: int, now: datetime) -> list[int]:
    """So many bots of two versions each, and the first version of each."""
    made = [owners.create(tx, f"Owner {number}", now=now) for number in range(count // 8 + 1)]
    tx.execute(_PACKAGE)
    tx.execute(_BOTS, {"bots": count, "owners": len(made), "now": now})
    tx.execute(_VERSIONS, {"games": list(GAMES), "now": now})
    return [row[0] for row in tx.execute("SELECT version_id FROM bot_version WHERE version = '1' ORDER BY version_id")]


def entered(database: Database, plan: Plan, versions: Sequence[int]) -> int:
    """A tournament of *versions* that has begun."""
    with database.transaction() as tx:
        now = db.now(tx)
        made = tournaments.create(tx, plan, by=OPERATOR, now=now)
        for version in versions:
            tournaments.add_entrant(tx, made, version, by=OPERATOR, now=now)
        tournaments.start(tx, made, by=OPERATOR, now=now)
    return made


def _league(database: Database, versions: Sequence[int], now: datetime) -> int:
    """A league of two divisions with seasons that have been played."""
    begins = now - SEASONS * DAY
    with database.transaction() as tx:
        wanted = leagues.Wanted(
            plan=Plan(name="League", game="gin", options={"target": 10}), begins_at=begins, every=DAY,
            freeze=DAY / 24, seasons=SEASONS, sizes=(len(versions) // 2,), moves=1,
        )  # fmt: skip
        made = leagues.create(tx, wanted, by=OPERATOR, now=begins - DAY)
        for version in versions:
            leagues.enter(tx, made, version, by=OPERATOR, now=begins - DAY)
    for season_no in range(SEASONS):
        _advance(database, made, begins + season_no * DAY)
        with database.transaction() as tx:
            divisions = seasons.divisions(tx, made, season_no)
        for tournament_id in divisions:
            play(database, tournament_id)
    _advance(database, made, now)
    return made


def _advance(database: Database, league_id: int, now: datetime) -> None:
    more = True
    while more:
        with database.transaction() as tx:
            more = seasons.advance(tx, league_id, now=now)


def play(database: Database, tournament_id: int, *, rounds: int = 10**9) -> None:
    """Makes results up for the first *rounds* of a tournament that have none yet, and ends it where that is all."""
    with database.transaction() as tx:
        row = tx.execute(_FIRST, {"made": tournament_id}).fetchone()
        assert row is not None
        values = {"made": tournament_id, "rounds": rounds, "first": row[0]}
        tx.execute("SET LOCAL session_replication_role = replica")  # Rows that are made up need no keys looked up.
        tx.execute(_PLAYED, values)
        while drawing.draw(tx, tournament_id, now=db.now(tx)):
            tx.execute(_PLAYED, values)
        for query in _RESULTS:
            tx.execute(query, values)
    with db.connect(database.url) as connection:  # As the server does by itself after a while.
        connection.execute("VACUUM ANALYZE")
    with database.transaction() as tx:
        tournaments.finish_played(tx, now=db.now(tx))
        tournaments.reveal(tx, now=db.now(tx))


# ---- fixtures one by one


def begun(tx: Connection, tournament_id: int) -> fixtures.Claim:
    """The next fixture of a tournament, which is in play from now on."""
    row = tx.execute(_NEXT, {"made": tournament_id}).fetchone()
    assert row is not None
    claim = fixtures.claim(tx, row[0], holder="bench", now=db.now(tx), lease=LEASE)
    assert claim is not None
    return claim


def _finish(tx: Connection, tournament_id: int) -> None:
    claim = begun(tx, tournament_id)
    entrants = [entrant.entrant_no for entrant in fixtures.terms(tx, claim).entrants]
    legs = [
        PlayedMatch(
            leg=leg, reason="target", deals=1, actions=1, replay=b"", digest=bytes(32),
            seats=tuple(
                SeatResult(
                    seat=seat, entrant_no=entrants[(seat + leg) % 2], placement=1 + (seat + leg) % 2, score=0,
                    forfeit=None, strikes=0,
                )
                for seat in (0, 1)
            ),
        )
        for leg in (0, 1)
    ]  # fmt: skip
    assert fixtures.finish(tx, claim, legs, now=db.now(tx))


def _with_replay(tx: Connection, tournament_id: int) -> int:
    """A match of the tournament that has a replay, of a gin match whose seats answer by default."""
    match = Match(find_game("gin"), 2, bytes(32))
    recorder = Recorder({"fixture": 1, "leg": 0}, match)
    while match.decision is not None:
        seat, action = match.decision.seat, match.default_action()
        match.apply(action)
        recorder.action(seat, action, took_us=1)
    replay = recorder.finish()
    checked = verify(replay)
    values = {"replay": matches.pack(replay), "digest": bytes.fromhex(checked.digest), "deals": checked.result.deals}
    row = tx.execute(_REPLAY, {**values, "actions": checked.actions, "made": tournament_id}).fetchone()
    assert row is not None
    return int(row[0])
