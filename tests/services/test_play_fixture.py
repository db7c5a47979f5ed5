"""The task that plays a fixture, against a real database and an arbiter that fails in every way."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import grpc
import pytest
from arbiter_stage import SHORT, TOKEN, Context, Stage, play, play_leg
from world import World

from rummy.embedded.postgres import PostgresServer
from rummy.errors import StoreUnavailable
from rummy.rules.replay import verify
from rummy.store import arbiters, db, fixtures, matches, migrate, ratings
from rummy.store.db import Database
from rummy.wire.v1 import arbiter_pb2
from workers.arbiters import Arbiters
from workers.fixtures import Player
from workers.leases import Leases
from workers.sweep import Sweeper

Updates = Iterator[arbiter_pb2.OrderUpdate]


class Cast:
    """A world, an arbiter, and players that work with the rights of a worker."""

    def __init__(self, world: World, folder: Path, url: str) -> None:
        self.world = world
        self.folder = folder
        self.database = Database(url, size=16)
        self.stage = Stage(folder, world.database, world.now)
        self.calls = Arbiters(TOKEN)

    def player(self, holder: str = "one", token: str = TOKEN) -> Player:
        """A worker's player."""
        calls = self.calls if token == TOKEN else Arbiters(token)
        leases = Leases(self.database, holder, clock=lambda tx: self.world.now)
        return Player(self.database, calls, leases, clock=lambda tx: self.world.now)

    def fixture(self, live: int = 0) -> int:
        """The only fixture of a running tournament."""
        return self.world.all_fixtures(self.world.tournament(2, live=live, options=SHORT))[0]

    def state(self) -> list[tuple[object, ...]]:
        """Of all fixtures: state, generation, attempt and number of matches; then the outcomes of the attempts."""
        with self.world.database.transaction() as tx:
            return tx.execute(
                """SELECT state, generation, attempt,
                          (SELECT count(*) FROM match m WHERE m.fixture_id = f.fixture_id),
                          array(SELECT outcome FROM fixture_attempt a
                                 WHERE a.fixture_id = f.fixture_id ORDER BY attempt)
                     FROM fixture f ORDER BY fixture_id"""
            ).fetchall()

    def reason(self) -> str:
        """Of the last attempt."""
        return str(self.world.value("SELECT reason FROM fixture_attempt ORDER BY attempt DESC LIMIT 1"))

    def close(self) -> None:
        self.stage.close()
        self.calls.close()
        self.database.close()


@pytest.fixture
def cast(world: World, postgres: PostgresServer, arena_folders: tuple[Path, Path]) -> Iterator[Cast]:
    with db.connect(world.database.url) as connection:
        migrate.set_passwords(connection, {"arena_worker": "x"})
    name = world.database.url.split("?", maxsplit=1)[0].rsplit("/", 1)[1]
    made = Cast(world, arena_folders[1], postgres.url("arena_worker", "x", name))
    yield made
    made.close()


def test_a_fixture_is_played_and_saved_with_replays_that_verify(cast: Cast) -> None:
    fixture_id = cast.fixture()
    cast.player().play(fixture_id)
    assert cast.state() == [("done", 0, 1, 2, ["done"])]
    with cast.world.database.transaction() as tx:
        legs = [verify(matches.replay(tx, match_id)) for match_id in matches.ids(tx, 1)]
        [result] = matches.results(tx, 1)
    assert [leg.header["leg"] for leg in legs] == [0, 1]
    assert legs[0].header["seed"] == legs[1].header["seed"] == cast.stage.orders[0].seed.hex()
    placed = [leg.result.placements for leg in legs]
    assert result.legs == (placed[0], placed[1][::-1])  # The seats of the second leg are turned.


def test_delivered_twice_it_is_played_once(cast: Cast) -> None:
    fixture_id = cast.fixture()
    cast.player().play(fixture_id)
    cast.player().play(fixture_id)
    cast.player().play(12345)
    assert len(cast.stage.orders) == 1


def test_delivered_to_many_at_once_it_is_played_once(cast: Cast) -> None:
    fixture_id = cast.fixture()
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda number: cast.player(f"holder {number}").play(fixture_id), range(5)))
    assert len(cast.stage.orders) == 1
    assert cast.state() == [("done", 0, 1, 2, ["done"])]


def test_the_late_result_of_a_frozen_worker_is_dropped(cast: Cast) -> None:
    fixture_id = cast.fixture()

    def overtaken(order: arbiter_pb2.Order, context: Context) -> Updates:
        cast.world.later(11)
        cast.stage.announce(cast.world.database, cast.world.now)
        cast.player("two").play(fixture_id)
        yield from play(order, context)

    cast.stage.answers = [overtaken]
    cast.player("frozen").play(fixture_id)
    assert cast.state() == [("done", 0, 2, 2, ["expired", "done"])]
    assert [order.generation for order in cast.stage.orders] == [0, 0]
    assert cast.world.value("SELECT holder FROM fixture_attempt WHERE attempt = 2") == "two"


def void(order: arbiter_pb2.Order, context: Context) -> Updates:
    yield arbiter_pb2.OrderUpdate(void="the lamp has fallen over")


def overdue(order: arbiter_pb2.Order, context: Context) -> Updates:
    yield arbiter_pb2.OrderUpdate(overdue="the sun has set")


def test_what_an_arbiter_has_ended_at_the_deadline_of_the_match_is_decided_and_not_played_again(cast: Cast) -> None:
    [fixture_id] = cast.world.all_fixtures(cast.world.tournament(2, options=SHORT, deadlines={"match": 77}))
    cast.stage.answers = [overdue]
    for _ in range(2):
        cast.player().play(fixture_id)
    assert [order.deadline_seconds for order in cast.stage.orders] == [77]
    assert cast.state() == [("done", 0, 1, 0, ["void"])]
    assert cast.reason() == "The match's deadline has passed while it was in play."
    assert cast.world.value("SELECT array_agg(score) FROM fixture_score") == [0.5, 0.5]


def nothing(order: arbiter_pb2.Order, context: Context) -> Updates:
    yield from ()


def broken(order: arbiter_pb2.Order, context: Context) -> Updates:
    context.abort(grpc.StatusCode.INTERNAL, "oh dear")


def full(order: arbiter_pb2.Order, context: Context) -> Updates:
    context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "full up")


def refused(order: arbiter_pb2.Order, context: Context) -> Updates:
    context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no such thing")


def other_seed(order: arbiter_pb2.Order, context: Context) -> Updates:
    order.seed = bytes(32)
    yield from play(order, context)


def one_leg(order: arbiter_pb2.Order, context: Context) -> Updates:
    yield arbiter_pb2.OrderUpdate(record=arbiter_pb2.OrderRecord(replays=[play_leg(order, 0)]))


def altered(order: arbiter_pb2.Order, context: Context) -> Updates:
    replays = [play_leg(order, leg).replace(b'"us":1}', b'"us":2}', 1) for leg in range(2)]
    yield arbiter_pb2.OrderUpdate(record=arbiter_pb2.OrderRecord(replays=replays))


def wrong_leg(order: arbiter_pb2.Order, context: Context) -> Updates:
    replays = [play_leg(order, 0)] * 2
    yield arbiter_pb2.OrderUpdate(record=arbiter_pb2.OrderRecord(replays=replays))


@pytest.mark.parametrize(
    ("answer", "outcome", "said"),
    [
        (void, "void", "the lamp has fallen over"),
        (nothing, "released", "without a record"),
        (broken, "released", "oh dear"),
        (full, "released", "full up"),
        (refused, "void", "no such thing"),
        (other_seed, "void", "another seed"),
        (one_leg, "void", "1 legs"),
        (altered, "void", "digest"),
        (wrong_leg, "void", "another leg"),
    ],
)
def test_what_an_arbiter_does_wrong_leaves_the_fixture_to_be_played(
    cast: Cast, answer: object, outcome: str, said: str
) -> None:
    fixture_id = cast.fixture()
    cast.stage.answers = [answer]  # type: ignore[list-item]
    cast.player().play(fixture_id)
    assert cast.state() == [("scheduled", 0, 1, 0, [outcome])]
    assert said in cast.reason()
    cast.world.later(1)
    cast.player().play(fixture_id)
    assert cast.state() == [("done", 0, 2, 2, [outcome, "done"])]


def test_what_is_refused_again_and_again_is_tried_ever_more_rarely(cast: Cast) -> None:
    fixture_id, waits = cast.fixture(), []
    for _ in range(12):
        cast.stage.answers = [refused]
        cast.player().play(fixture_id)
        due = cast.world.value("SELECT due_at FROM fixture")
        assert isinstance(due, datetime)
        waits.append((due - cast.world.now).total_seconds())
        cast.world.later(waits[-1])
        cast.stage.announce(cast.world.database, cast.world.now)
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]
    assert cast.reason() == "no such thing"


def test_a_wrong_credential_costs_no_bot_anything(cast: Cast) -> None:
    cast.player(token="guess").play(cast.fixture())
    assert cast.state() == [("scheduled", 0, 1, 0, ["void"])]
    assert "Who are you?" in cast.reason()


def test_without_an_arbiter_the_fixture_waits(cast: Cast) -> None:
    fixture_id = cast.fixture()
    cast.world.later(60)
    cast.player().play(fixture_id)
    assert cast.state() == [("scheduled", 0, 1, 0, ["released"])]
    assert cast.reason() == "no arbiter is up"


@pytest.mark.parametrize(("live", "generation"), [(0, 0), (1, 1)])
def test_what_a_killed_arbiter_has_lost_is_played_again(cast: Cast, live: int, generation: int) -> None:
    fixture_id = cast.fixture(live)
    cast.stage.answers = [broken]
    cast.player().play(fixture_id)
    cast.stage.close()
    cast.player().play(fixture_id)  # Not due yet.
    cast.world.later(1)
    cast.player().play(fixture_id)
    assert cast.state() == [("scheduled", 0, 2, 0, ["released", "released"])]
    cast.world.later(20)  # Now it counts as gone.
    other = cast.stage = Stage(cast.folder, cast.world.database, cast.world.now)
    cast.player().play(fixture_id)
    assert cast.reason() == "the arbiter that played this fixture is gone"
    cast.player().play(fixture_id)
    assert cast.state()[0][:3] == ("done", generation, 4)
    assert [order.generation for order in other.orders] == [generation]


def test_a_restarted_arbiter_is_told_from_the_one_before(cast: Cast) -> None:
    fixture_id = cast.fixture(live=1)
    cast.stage.answers = [broken]
    cast.player().play(fixture_id)
    cast.stage.incarnation = "another"
    cast.stage.announce(cast.world.database, cast.world.later(1))
    cast.player().play(fixture_id)
    cast.player().play(fixture_id)
    assert [order.generation for order in cast.stage.orders] == [0, 1]
    assert cast.stage.orders[0].seed != cast.stage.orders[1].seed


def test_a_fixture_goes_where_its_live_bot_is(cast: Cast) -> None:
    fixture_id = cast.fixture(live=1)
    other = Stage(cast.folder, cast.world.database, cast.world.now)
    with cast.world.database.transaction() as tx:
        [version] = tx.execute("SELECT max(version_id) FROM bot_version").fetchall()
        arbiters.attach(tx, other.arbiter_id, version[0], 0, now=cast.world.now)
    cast.player().play(fixture_id)
    other.close()
    assert (len(cast.stage.orders), len(other.orders)) == (0, 1)
    assert other.orders[0].legs == 1


def test_an_arbiter_that_is_about_to_end_plays_what_it_has_and_is_given_nothing_new(cast: Cast) -> None:
    first, second = cast.world.all_fixtures(cast.world.tournament(2, options=SHORT, cycles=2))
    cast.stage.answers = [broken]
    cast.player().play(first)
    other = Stage(cast.folder, cast.world.database, cast.world.now)
    with cast.world.database.transaction() as tx:
        arbiters.drain(tx, cast.stage.arbiter_id, cast.stage.incarnation)
    cast.world.later(1)
    cast.stage.answers = []
    for fixture_id in (first, second):
        cast.player().play(fixture_id)
    with cast.world.database.transaction() as tx:
        arbiters.drain(tx, other.arbiter_id, other.incarnation)
    other.close()
    assert [order.fixture for order in cast.stage.orders] == [first, first]
    assert [order.fixture for order in other.orders] == [second]
    with cast.world.database.transaction() as tx:
        assert all(arbiter.draining for arbiter in arbiters.live(tx, now=cast.world.now))
    last = cast.world.all_fixtures(cast.world.tournament(2, options=SHORT))[0]
    cast.player().play(last)
    reason = cast.world.value(f"SELECT reason FROM fixture_attempt WHERE fixture_id = {last}")
    assert reason == "no arbiter is up"


def test_an_arbiter_that_has_long_been_silent_is_taken_out_with_the_bots_that_it_had(cast: Cast) -> None:
    """A bot whose arbiter was killed is not shown as connected for ever."""
    cast.fixture(live=1)
    with cast.world.database.transaction() as tx:
        version = cast.world.value("SELECT max(version_id) FROM bot_version")
        arbiters.attach(tx, cast.stage.arbiter_id, int(str(version)), 0, now=cast.world.now)
    for seconds, left in ((29, 1), (2, 0)):
        cast.world.later(seconds)
        with cast.world.database.transaction() as tx:
            arbiters.bury(tx, now=cast.world.now)
        assert cast.world.value("SELECT count(*) FROM presence") == left


def hanging(begun: threading.Event) -> object:
    def answer(order: arbiter_pb2.Order, context: Context) -> Updates:
        ended = threading.Event()
        context.add_callback(ended.set)
        begun.set()
        ended.wait(30)
        yield from ()

    return answer


def begin(cast: Cast, player: Player) -> threading.Thread:
    """Has a fixture played that does not end by itself."""
    begun = threading.Event()
    cast.stage.answers = [hanging(begun)]  # type: ignore[list-item]
    thread = threading.Thread(target=player.play, args=[cast.fixture()])
    thread.start()
    assert begun.wait(30)
    return thread


def test_a_worker_that_ends_hands_its_fixture_back_at_once(cast: Cast) -> None:
    player = cast.player()
    thread = begin(cast, player)
    player.leases.end("the worker was told to end")
    thread.join(30)
    assert cast.state() == [("scheduled", 0, 1, 0, ["released"])]
    assert cast.reason() == "the worker was told to end"
    player.play(1)
    assert len(cast.stage.orders) == 1  # What begins after the end does not begin.
    cast.player("two").play(1)
    assert cast.state()[0][0] == "done"


def test_leases_are_renewed_and_a_lost_one_ends_the_wait(cast: Cast) -> None:
    player = cast.player()
    thread = begin(cast, player)
    cast.world.later(9)
    cast.stage.announce(cast.world.database, cast.world.now)
    player.leases.beat()
    cast.world.later(9)
    assert cast.world.claim(1, "two") is None
    cast.world.later(2)
    taken = cast.world.claim(1, "two")
    assert taken is not None
    player.leases.beat()
    thread.join(30)
    assert cast.state()[0][4] == ["expired", None]  # And the loser has not touched the claim of the other.


def test_an_arbiter_has_ten_seconds_to_end_a_match_at_its_deadline(cast: Cast) -> None:
    """It says so by itself; only one that does not is waited for no longer."""
    claim = cast.world.claim(cast.world.all_fixtures(cast.world.tournament(2, deadlines={"match": 5}))[0])
    assert claim is not None
    leases = cast.player().leases
    with leases.holding(claim) as held:
        cast.world.later(9)
        leases.beat()
        assert (held.endless, held.why) == (False, "")
        cast.world.later(6)
        leases.beat()
        assert (held.endless, held.why) == (True, "the match's deadline has passed")


def test_an_arbiter_that_has_fallen_silent_ends_the_wait(cast: Cast) -> None:
    player = cast.player()
    thread = begin(cast, player)
    cast.world.later(60)
    player.leases.beat()
    thread.join(30)
    assert cast.reason() == "the arbiter has not been heard of"
    assert cast.state()[0][0] == "scheduled"


def test_a_database_that_is_gone_costs_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    fixture_id = cast.fixture()

    def gone(*_: object, **__: object) -> bool:
        raise StoreUnavailable("no answer")

    with monkeypatch.context() as patch:
        patch.setattr(fixtures, "finish", gone)
        cast.player().play(fixture_id)
    assert cast.state() == [("running", 0, 1, 0, [None])]
    cast.world.later(11)
    cast.stage.announce(cast.world.database, cast.world.now)
    cast.player().play(fixture_id)
    assert cast.state() == [("done", 0, 2, 2, ["expired", "done"])]


def test_the_sweeper_plays_a_tournament_to_its_end(cast: Cast) -> None:
    made = cast.world.tournament(4, options=SHORT)
    player = cast.player()

    def wake(due: list[int]) -> None:
        for fixture_id in due:
            player.play(fixture_id)

    sweeper = Sweeper(cast.database, wake, backlog=4, clock=lambda tx: cast.world.now)
    sweeper.sweep()
    assert [state[0] for state in cast.state()] == ["done"] * 4 + ["scheduled"] * 2
    sweeper.sweep()
    sweeper.sweep()
    assert cast.world.value("SELECT state FROM tournament") == "finished"
    with cast.world.database.transaction() as tx:
        assert len(ratings.log(tx)) == 12
        assert len(matches.ids(tx, made)) == 12


def test_the_sweeper_wakes_nothing_while_no_arbiter_is_up(cast: Cast) -> None:
    cast.fixture()
    cast.world.later(60)
    woken: list[int] = []
    Sweeper(cast.database, woken.extend, backlog=4, clock=lambda tx: cast.world.now).sweep()
    assert woken == []
