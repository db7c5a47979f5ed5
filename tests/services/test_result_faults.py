"""Results on real worker processes: delivered again while they play, and killed in play."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest
from arbiter_stage import SHORT, Answer, Context, play
from impatient import IMPATIENT
from worker_yard import Yard, until, yard
from world import World

from rummy.league.ratings import elo
from rummy.league.schedule import practice_master, practice_nonce
from rummy.store import ratings, tournaments
from rummy.store.log import OPERATOR
from rummy.wire.v1 import arbiter_pb2

__all__ = ["yard"]  # A fixture, which pytest finds by its name here.
pytestmark = pytest.mark.realtime

FINISHED = "SELECT state FROM tournament WHERE tournament_id = %(made)s"
PLACINGS = """
    SELECT round_no, table_no, leg, r.seat, entrant_no, placement, score
      FROM seat_result r JOIN match USING (match_id) JOIN fixture ON fixture.fixture_id = match.fixture_id
     WHERE tournament_id = %(made)s ORDER BY 1, 2, 3, 4"""
GAMES = """
    SELECT array_agg(entrant_no ORDER BY entrant_no) FROM seat_result JOIN match USING (match_id) GROUP BY match_id"""


def lasting(seconds: float) -> Answer:
    """The answer of an arbiter at which a fixture lasts that long."""

    def answer(order: arbiter_pb2.Order, context: Context) -> Iterator[arbiter_pb2.OrderUpdate]:
        limit = time.monotonic() + seconds
        while time.monotonic() < limit and context.is_active():
            time.sleep(min(seconds, 0.05))
        yield from play(order, context)

    return answer


def on_the_same_deals(world: World) -> int:
    """A rated tournament of four new bots on a master seed that is always the same."""
    made = world.tournament(4, options=SHORT, start=False)
    with world.database.transaction() as tx:
        tx.execute("UPDATE tournament_seed SET master = %(master)s", {"master": practice_master("again")})
        for number in range(4):
            values = {"nonce": practice_nonce(number), "number": number}
            tx.execute("UPDATE entrant SET nonce = %(nonce)s WHERE entrant_no = %(number)s", values)
        tournaments.start(tx, made, by=OPERATOR, now=world.now)
    return made


def outcome(world: World, made: int) -> tuple[list[object], list[object]]:
    """What was played in a tournament, and how its ratings moved, by entrants."""
    with world.database.transaction() as tx:
        number = {version: place for place, version in enumerate(tournaments.entrants(tx, made))}
        assert ratings.log(tx) == list(ratings.recompute(tx, elo.rate_round))
        moved = [
            (c.round_no, number[c.version_id], c.before, c.after) for c in ratings.log(tx) if c.tournament_id == made
        ]
        return list(tx.execute(PLACINGS, {"made": made})), list(moved)


@pytest.mark.parametrize("seconds", [11, pytest.param(20, marks=pytest.mark.long)])
def test_a_fixture_that_outlasts_the_visibility_timeout_is_delivered_again_and_played_once(
    yard: Yard, seconds: float
) -> None:
    """Fault P1: with four workers each fixture has one result, and ratings are those of a run with one."""
    alone = yard.ready("alone")
    first = on_the_same_deals(yard.world)
    until(lambda: yard.beat() and yard.world.value(FINISHED, made=first) == "finished")
    alone.kill()
    four = [yard.ready(f"number {number}", program=("-c", IMPATIENT)) for number in range(4)]
    yard.stage.answers = [lasting(seconds)] * 6
    second = on_the_same_deals(yard.world)
    until(lambda: yard.beat() and yard.world.value(FINISHED, made=second) == "finished")
    delivered: Counter[str] = Counter()
    for worker in four:
        worker.kill()
        assert worker.stdout is not None
        delivered.update(line for line in worker.stdout.read().splitlines() if line.startswith("delivered"))
    assert len(delivered) == 6 and min(delivered.values()) >= 2, "nothing was delivered twice"
    assert len(yard.stage.orders) == 12
    assert yard.world.value("SELECT max(attempt) FROM fixture_attempt") == 1
    assert outcome(yard.world, first) == outcome(yard.world, second)


def test_workers_killed_at_random_change_no_number_of_games(yard: Yard) -> None:
    """Fault P6: games for each pairing are those of the plan, and each attempt that failed names who has died in it."""
    chance, cycles = random.Random(6), 10
    yard.stage.answers = [lasting(0.1)] * 2000
    running = {name: yard.ready(name) for name in ("one", "two")}
    yard.world.tournament(5, cycles=cycles, options=SHORT)
    killed = set()
    for least in sorted(chance.sample(range(5, 90), 4)):
        until(lambda least=least: yard.beat() and int(str(yard.count("state = 'done'"))) >= least)  # type: ignore[misc]
        name = chance.choice(sorted(running))
        victim = running.pop(name)
        victim.kill()
        killed.add(f"{name}#{victim.pid}")
        running[f"heir of {name}"] = yard.ready(f"heir of {name}")
    until(lambda: yard.beat() and yard.world.value("SELECT state FROM tournament") == "finished")
    with yard.world.database.transaction() as tx:
        games = Counter(tuple(row[0]) for row in tx.execute(GAMES))
        failed = tx.execute("SELECT outcome, holder FROM fixture_attempt WHERE outcome <> 'done'").fetchall()
    assert games == dict.fromkeys(combinations(range(5), 2), 2 * cycles)
    expired = {holder.rpartition("-")[0] for outcome, holder in failed if outcome == "expired"}
    assert expired and expired <= killed
