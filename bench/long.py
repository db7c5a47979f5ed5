"""A schedule of 201,600 fixtures, drawn and stored, and ratings rated anew: beside limits, in one process of its own.

Run as `python -m bench.long`; writes one object of JSON. It has a PostgreSQL of its own and no worker: what has been
drawn is marked as played, so that the next batch is due, and the first rounds get results that are made up.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from time import process_time

from bench import filled
from bench.tree import used_by
from rummy.embedded.postgres import PostgresServer
from rummy.league.ratings import elo
from rummy.store import bots, db, drawing, owners, ratings, tournaments
from rummy.store.db import Connection, Database
from rummy.store.log import OPERATOR
from rummy.store.terms import Plan

ENTRANTS, CYCLES = 64, 100
RATED_ROUNDS = 630
"""Rounds with results: ten cycles of 2,016 fixtures."""

_PLAYED = """
    UPDATE fixture SET state = 'done', attempt = 1, done_at = now()
     WHERE tournament_id = %(made)s AND state <> 'done'"""
_RESULTS = (
    """INSERT INTO match (fixture_id, generation, leg, reason, deals, actions, replay, digest, saved_at)
       SELECT fixture_id, 0, leg, 'target', 1, 1, '\\x0100', sha256('x'), now()
         FROM fixture, generate_series(0, 1) AS leg WHERE tournament_id = %(made)s AND round_no < %(rounds)s""",
    """INSERT INTO seat_result (match_id, fixture_id, seat, entrant_no, placement, score, strikes)
       SELECT match_id, fixture_id, mod(seat + leg, 2), entrant_no,
              CASE WHEN mod(match_id * 7 / 4 + seat, 2) = 0 THEN 1 ELSE 2 END, 0, 0
         FROM match JOIN fixture_seat USING (fixture_id)""",
    "UPDATE round SET closed_at = now(), rated_at = now() WHERE tournament_id = %(made)s AND round_no < %(rounds)s",
    "ANALYZE",
)


def main() -> None:
    """Measures, and tells."""
    with filled.server() as server, Database(server.url(), size=1) as database:
        sys.stdout.write(json.dumps(_measured(database, server)) + "\n")


def _measured(database: Database, server: PostgresServer) -> dict[str, float]:
    with database.transaction() as tx:
        made = _entered(tx)
    assert server.running is not None
    pids = [os.getpid(), server.running.pid]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    drawing_seconds, drawing_stored, fixtures = 0.0, used_by(pids[1:]), 0
    while True:
        began = process_time()
        fixtures += _drawn(database, made, first=fixtures == 0)
        drawing_seconds += process_time() - began
        with database.transaction() as tx:
            if tournaments.get(tx, made).drawn:
                break
            tx.execute(_PLAYED, {"made": made})
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    drawing_stored = used_by(pids[1:]) - drawing_stored
    results, rating_seconds = _rated_anew(database, made, pids)
    return {
        "fixtures": fixtures, "seconds": drawing_seconds, "server_seconds": drawing_stored, "bytes": grown * 1024,
        "results": results, "rating_seconds": rating_seconds,
    }  # fmt: skip


def _entered(tx: Connection) -> int:
    now = db.now(tx)
    owner = owners.create(tx, "Bench", now=now).owner_id
    plan = Plan(name="Long", game="gin", cycles=CYCLES)
    made = tournaments.create(tx, plan, by=OPERATOR, now=now)
    for number in range(ENTRANTS):
        version = bots.add_version(
            tx, owner, name=f"bot {number}", version="1", language="python", games=("gin",), now=now, entry="bot.py",
            content=str(number).encode(),
        )  # fmt: skip
        tournaments.add_entrant(tx, made, version.version_id, by=OPERATOR, now=now)
    return made


def _drawn(database: Database, made: int, *, first: bool) -> int:
    """How many fixtures another batch has added."""
    with database.transaction() as tx:
        if first:
            tournaments.start(tx, made, by=OPERATOR, now=db.now(tx))
        else:
            drawing.draw(tx, made, now=db.now(tx))
        row = tx.execute("SELECT count(*) FROM fixture WHERE state <> 'done'").fetchone()
        assert row is not None
        return int(row[0])


def _rated_anew(database: Database, made: int, pids: list[int]) -> tuple[int, float]:
    """How many results were rated, and the seconds of processor that this took here and in PostgreSQL."""
    with database.transaction() as tx:
        tx.execute("SET LOCAL session_replication_role = replica")  # Rows that are made up need no keys looked up.
        for query in _RESULTS:
            tx.execute(query.encode(), {"made": made, "rounds": RATED_ROUNDS})
        row = tx.execute("SELECT count(*) / 2 FROM match").fetchone()
    assert row is not None
    before = used_by(pids)
    with database.transaction() as tx:
        changes = sum(1 for _ in ratings.recompute(tx, elo.rate_round))
    assert changes == RATED_ROUNDS * ENTRANTS
    return int(row[0]), used_by(pids) - before


if __name__ == "__main__":
    main()
