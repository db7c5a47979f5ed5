"""Real worker processes on a real broker, killed and told to end."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from arbiter_stage import SHORT, TOKEN, Context, Stage, play
from world import World

from rummy.embedded.postgres import PostgresServer
from rummy.embedded.valkey import ValkeyServer
from rummy.league.pairing import find_format
from rummy.league.ratings import elo
from rummy.store import db, leagues, matches, migrate, ratings, tournaments
from rummy.store.leagues import Wanted
from rummy.store.log import OPERATOR
from rummy.wire.v1 import arbiter_pb2
from workers.app import make_app, wake

pytestmark = pytest.mark.realtime
ROOT = Path(__file__).parents[2]
Updates = Iterator[arbiter_pb2.OrderUpdate]


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Waits for what other processes do."""
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, "it did not happen"
        time.sleep(0.05)


class Yard:
    """Starts workers, and kills what is left of them."""

    def __init__(self, world: World, url: str, redis_url: str, folder: Path) -> None:
        self.world = world
        self.environ = {"ARENA_DATABASE_URL": url, "ARENA_REDIS_URL": redis_url, "ARENA_ARBITER_TOKEN": TOKEN}
        self.stage = Stage(folder, world.database, world.now)
        self.running: list[subprocess.Popen[str]] = []

    def start(self, name: str, **settings: str) -> subprocess.Popen[str]:
        """A worker that plays four fixtures at once."""
        process = subprocess.Popen(
            [sys.executable, "-m", "workers", "--name", name, "--concurrency", "4"],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": os.defpath, **self.environ, **settings},
        )  # fmt: skip
        self.running.append(process)
        return process

    def ready(self, name: str) -> subprocess.Popen[str]:
        """A worker that has said that it is ready."""
        process = self.start(name)
        assert process.stdout is not None
        assert "worker ready" in process.stdout.readline()
        return process

    def count(self, condition: str) -> object:
        return self.world.value(f"SELECT count(*) FROM fixture WHERE {condition}")

    def beat(self) -> bool:
        """Keeps the arbiter's heart beating, by the database's clock."""
        with self.world.database.transaction() as tx:
            self.world.now = db.now(tx)
            tx.execute("UPDATE arbiter SET last_seen = %(now)s", {"now": self.world.now})
        return True

    def close(self) -> None:
        for process in self.running:
            process.kill()
            process.communicate()
        self.stage.close()


@pytest.fixture
def yard(world: World, postgres: PostgresServer, redis_url: str, arena_folders: tuple[Path, Path]) -> Iterator[Yard]:
    with db.connect(world.database.url) as connection:
        migrate.set_passwords(connection, {"arena_worker": "x"})
    name = world.database.url.split("?", maxsplit=1)[0].rsplit("/", 1)[1]
    with world.database.transaction() as tx:
        world.now = db.now(tx)
    made = Yard(world, postgres.url("arena_worker", "x", name), redis_url, arena_folders[1])
    yield made
    made.close()


def test_a_killed_workers_fixtures_are_played_by_the_other_once(yard: Yard) -> None:
    held: list[int] = []

    def hang(order: arbiter_pb2.Order, context: Context) -> Updates:
        held.append(order.fixture)
        while context.is_active():
            time.sleep(0.05)
            yield arbiter_pb2.OrderUpdate(progress=arbiter_pb2.OrderProgress())

    yard.stage.answers = [hang] * 2
    victim = yard.ready("victim")
    made = yard.world.tournament(5, options=SHORT)
    until(lambda: yard.beat() and len(held) == 2 and yard.count("state = 'done'") == 8)
    yard.ready("heir")
    victim.kill()
    until(lambda: yard.beat() and yard.world.value("SELECT state FROM tournament") == "finished")
    assert yard.count("attempt = 2") == 2
    assert yard.world.value("SELECT count(*) FROM match") == 20
    lost = "SELECT count(*) FROM fixture_attempt WHERE outcome = 'expired' AND holder LIKE 'victim#%%'"
    assert yard.world.value(lost) == 2
    with yard.world.database.transaction() as tx:
        log = ratings.log(tx)
        assert log == list(ratings.recompute(tx, elo.rate_round))
    assert len(log) == 20
    assert {change.tournament_id for change in log} == {made}


def test_a_worker_told_to_end_hands_back_and_ends_with_status_0(yard: Yard) -> None:
    held: list[int] = []

    def hang(order: arbiter_pb2.Order, context: Context) -> Updates:
        held.append(order.fixture)
        while context.is_active():
            time.sleep(0.05)
            yield arbiter_pb2.OrderUpdate(progress=arbiter_pb2.OrderProgress())
        yield from play(order, context)

    yard.stage.answers = [hang]
    worker = yard.ready("leaver")
    yard.world.tournament(2, options=SHORT)
    until(lambda: yard.beat() and bool(held))
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(20) == 0
    assert yard.count("state = 'scheduled' AND attempt = 1") == 1
    assert yard.world.value("SELECT outcome FROM fixture_attempt") == "released"


def slow(order: arbiter_pb2.Order, context: Context) -> Updates:
    time.sleep(0.2)
    yield from play(order, context)


def test_a_broker_that_is_killed_and_forgets_all_stops_nothing(yard: Yard, valkey: ValkeyServer) -> None:
    yard.stage.answers = [slow] * 40
    yard.ready("worker")
    yard.world.tournament(5, cycles=4, options=SHORT)
    until(lambda: yard.beat() and yard.count("state = 'done'") != 0)
    assert valkey.running is not None
    valkey.running.kill()
    valkey.stop()
    shutil.rmtree(valkey.folder / "appendonlydir")
    valkey.start()
    until(lambda: yard.beat() and yard.world.value("SELECT state FROM tournament") == "finished")
    assert yard.world.value("SELECT count(*) FROM match") == 80


def test_messages_delivered_many_times_to_several_workers_give_one_result_each(yard: Yard) -> None:
    yard.stage.answers = [slow] * 20
    for name in ("one", "two"):
        yard.ready(name)
    made = yard.world.tournament(5, options=SHORT)
    wake(make_app(yard.environ["ARENA_REDIS_URL"]), yard.world.all_fixtures(made) * 20)
    until(lambda: yard.beat() and yard.world.value("SELECT state FROM tournament") == "finished")
    assert yard.world.value("SELECT count(*) FROM match") == 20
    assert yard.world.value("SELECT count(*) FROM fixture_attempt") == 10
    assert len(yard.stage.orders) == 10


def test_rounds_that_follow_from_results_are_drawn_once_while_workers_are_killed(yard: Yard) -> None:
    """Each round on record is the one that follows from the results of those before it."""
    yard.stage.answers = [slow] * 40
    workers = [yard.ready("one"), yard.ready("two")]
    made = yard.world.tournament(5, cycles=2, options=SHORT, format="swiss", format_options={"rounds": 4})
    for victim, least in ((0, 4), (1, 9)):
        until(lambda least=least: yard.beat() and int(str(yard.count("state = 'done'"))) >= least)  # type: ignore[misc]
        workers[victim].kill()
        yard.ready(f"heir {victim}")
    until(lambda: yard.beat() and yard.world.value("SELECT state FROM tournament") == "finished")
    assert yard.world.value("SELECT count(*) FROM match") == 4 * 2 * 2 * 2
    with yard.world.database.transaction() as tx:
        field = tournaments.field_of(tx, tournaments.get(tx, made))
        results = matches.results(tx, made)
    for number in range(4):
        [drawn] = find_format("swiss").draw(field, [result for result in results if result.round_no < number])
        assert drawn.tables == tuple(result.entrants for result in results if result.round_no == number)


def test_seasons_are_held_once_each_while_a_worker_and_the_broker_are_killed(yard: Yard, valkey: ValkeyServer) -> None:
    """The beat of another worker goes on, on a broker that has forgotten all."""
    first, _ = yard.ready("one"), yard.ready("two")
    soon = timedelta(seconds=3)
    with yard.world.database.transaction() as tx:
        now = yard.world.now = db.now(tx)
        wanted = Wanted(
            plan=tournaments.Plan(name="Short", game="gin", options=SHORT), begins_at=now + 2 * soon,
            every=timedelta(seconds=10), freeze=soon, seasons=2, sizes=(3,), moves=1,
        )  # fmt: skip
        made = leagues.create(tx, wanted, by=OPERATOR, now=now)
        for number in range(6):
            leagues.enter(tx, made, yard.world.bot(tx, f"bot {number}"), by=OPERATOR, now=now)
    until(lambda: yard.beat() and yard.world.value("SELECT count(*) FROM season") == 1)
    first.kill()
    assert valkey.running is not None
    valkey.running.kill()
    valkey.stop()
    shutil.rmtree(valkey.folder / "appendonlydir")
    valkey.start()
    until(lambda: yard.beat() and yard.world.value("SELECT count(*) FROM league WHERE ended_at IS NOT NULL") == 1)
    assert yard.world.value("SELECT count(*) FROM tournament WHERE state = 'finished'") == 4
    assert yard.world.value("SELECT count(*) FROM season WHERE ended_at IS NOT NULL") == 2
    assert yard.world.value("SELECT count(*) FROM season_place WHERE final IS NOT NULL") == 12


def test_a_database_that_drops_every_connection_stops_nothing(yard: Yard) -> None:
    yard.stage.answers = [slow] * 40
    yard.ready("worker")
    yard.world.tournament(5, cycles=4, options=SHORT)
    drop = """SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
               WHERE datname = current_database() AND usename = 'arena_worker'"""
    for least in (4, 12, 20):
        until(lambda least=least: yard.beat() and int(str(yard.count("state = 'done'"))) >= least)  # type: ignore[misc]
        yard.world.value(drop)
    until(lambda: yard.beat() and yard.world.value("SELECT state FROM tournament") == "finished")
    assert yard.world.value("SELECT count(*) FROM match") == 80


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("ARENA_REDIS_URL", "", "ARENA_REDIS_URL is not set"),
        ("ARENA_DATABASE_URL", "mysql://x", "ARENA_DATABASE_URL must begin with postgresql://"),
        ("ARENA_ARBITER_TOKEN", "", "ARENA_ARBITER_TOKEN is not set"),
    ],
)
def test_a_worker_that_cannot_start_says_why(yard: Yard, setting: str, value: str, said: str) -> None:
    worker = yard.start("lost", **{setting: value})
    output, _ = worker.communicate(timeout=30)
    assert worker.returncode == 1
    assert output.startswith("the worker cannot start: ")
    assert said in output
    assert output.count("\n") == 1
