"""Real worker processes on a real broker, killed and told to end."""

import json
import shutil
import signal
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from arbiter_stage import SHORT, Context, play
from worker_yard import Yard, until, yard

from rummy.embedded.valkey import ValkeyServer
from rummy.league.pairing import find_format
from rummy.league.ratings import elo
from rummy.store import db, leagues, matches, ratings, tournaments
from rummy.store.leagues import Wanted
from rummy.store.log import OPERATOR
from rummy.store.terms import Plan
from rummy.wire.v1 import arbiter_pb2
from workers.app import FIXTURES, make_app, wake

__all__ = ["yard"]  # A fixture, which pytest finds by its name here.
pytestmark = pytest.mark.realtime
Updates = Iterator[arbiter_pb2.OrderUpdate]


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
    wake(make_app(yard.environ["ARENA_REDIS_URL"]), yard.world.all_fixtures(made) * 20, most=10_000)
    until(lambda: yard.beat() and yard.world.value("SELECT state FROM tournament") == "finished")
    assert yard.world.value("SELECT count(*) FROM match") == 20
    assert yard.world.value("SELECT count(*) FROM fixture_attempt") == 10
    assert len(yard.stage.orders) == 10


def test_messages_that_nobody_follows_up_do_not_pile_up(redis_url: str) -> None:
    app = make_app(redis_url)
    for _ in range(5):
        wake(app, range(7), most=10)
    with app.connection_for_read() as connection:
        messages = connection.default_channel.client.lrange(FIXTURES, 0, -1)
    fixtures = [json.loads(json.loads(message)["headers"]["argsrepr"])[0] for message in reversed(messages)]
    assert fixtures == [*range(7), *range(3)]


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
            plan=Plan(name="Short", game="gin", options=SHORT), begins_at=now + 2 * soon,
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
