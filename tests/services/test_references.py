"""Runs of reference bots, against a real database with the rights of a worker: once, whoever ends in between."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from arbiter_stage import SHORT, TOKEN, Stage
from season import as_dashboard
from world import BECAUSE, World

from api.reads import Reads
from rummy.embedded.postgres import PostgresServer
from rummy.errors import NotFound, StoreUnavailable
from rummy.league import luck
from rummy.rules.games import find_game
from rummy.store import conduct, db, ladders, migrate, rating_pages, ratings, tournaments
from rummy.store import references as store
from rummy.store.db import Connection, Database
from workers import references
from workers.arbiters import Arbiters
from workers.fixtures import Player
from workers.leases import Leases
from workers.ratings import settle
from workers.references import NAME, References, control

GO = threading.Event()


class Cast:
    """A world in which a fixture with a live bot can be played, and reference bots with the rights of a worker."""

    def __init__(self, world: World, folder: Path, url: str) -> None:
        self.world = world
        self.database = Database(url, size=8)
        self.stage = Stage(folder, world.database, world.now)
        self.calls = Arbiters(TOKEN)

    def play(self, *, live: int = 1, **plan: Any) -> list[int]:
        """Plays a tournament of two; returns its fixtures."""
        fixtures = self.world.all_fixtures(self.world.tournament(2, live=live, options=SHORT, **plan))
        leases = Leases(self.database, "player", clock=lambda tx: self.world.now)
        player = Player(self.database, self.calls, leases, clock=lambda tx: self.world.now)
        for fixture in fixtures:
            player.play(fixture)
        settle(self.database, clock=lambda tx: self.world.now)
        return fixtures

    def bots(self, holder: str = "one") -> References:
        return References(self.database, holder, clock=lambda tx: self.world.now)

    def rows(self) -> list[tuple[object, ...]]:
        with self.world.database.transaction() as tx:
            return tx.execute(
                "SELECT state, attempt, bots, control, reason FROM reference ORDER BY fixture_id, generation"
            ).fetchall()

    def reads(self) -> Reads:
        return Reads(Database(as_dashboard(self.world.database.url)), now=lambda: self.world.now)


@pytest.fixture
def cast(world: World, postgres: PostgresServer, arena_folders: tuple[Path, Path]) -> Iterator[Cast]:
    with db.connect(world.database.url) as connection:
        migrate.set_passwords(connection, {"arena_worker": "x"})
    name = world.database.url.split("?", maxsplit=1)[0].rsplit("/", 1)[1]
    made = Cast(world, arena_folders[1], postgres.url("arena_worker", "x", name))
    yield made
    made.stage.close()
    made.calls.close()
    made.database.close()


def expected(cast: Cast) -> list[float]:
    """What reference bots score on the deals that the arbiter was sent."""
    return list(control(find_game("gin", SHORT), 2, cast.stage.orders[0].seed, lambda: None))


def test_they_play_the_deals_of_a_fixture_with_a_live_bot_once(cast: Cast) -> None:
    cast.play()
    assert cast.rows() == [("due", 0, None, None, "")]
    assert cast.bots().play_next(GO)
    assert cast.rows() == [("done", 1, NAME, expected(cast), "")]
    assert not cast.bots().play_next(GO)


def test_they_play_nothing_that_hosted_bots_have_played_or_that_is_practice(cast: Cast) -> None:
    cast.play(live=0)
    cast.play(live=1, seed="known")
    assert cast.rows() == []


def test_many_workers_play_each_run_once(cast: Cast) -> None:
    cast.play(cycles=4)
    with ThreadPoolExecutor(4) as pool:
        played = list(pool.map(lambda number: cast.bots(f"worker {number}").play_next(GO), range(6)))
    assert sorted(played) == [False, False, True, True, True, True]
    assert [row[:2] for row in cast.rows()] == [("done", 1)] * 4


def test_a_worker_that_was_killed_leaves_the_run_to_another(cast: Cast) -> None:
    cast.play()
    with cast.database.transaction() as tx:
        assert store.claim(tx, holder="killed", now=cast.world.now, lease=references.LEASE) is not None
    assert not cast.bots().play_next(GO)
    cast.world.later(references.LEASE.total_seconds() + 1)
    assert cast.bots().play_next(GO)
    assert cast.rows() == [("done", 2, NAME, expected(cast), "")]


def test_the_late_result_of_a_frozen_worker_is_dropped(cast: Cast) -> None:
    cast.play()
    with cast.database.transaction() as tx:
        frozen = store.claim(tx, holder="frozen", now=cast.world.now, lease=references.LEASE)
    assert frozen is not None
    cast.world.later(references.LEASE.total_seconds() + 1)
    with cast.database.transaction() as tx:
        heir = store.claim(tx, holder="heir", now=cast.world.now, lease=references.LEASE)
        assert heir is not None
        assert not store.finish(tx, frozen, NAME, [1, 0], now=cast.world.now)
        assert not store.give_up(tx, frozen, "late", now=cast.world.now)
        assert not store.release(tx, frozen)
        assert not store.renew(tx, frozen, now=cast.world.now, lease=references.LEASE)
        assert store.finish(tx, heir, NAME, [0.5, 0.5], now=cast.world.now)
        assert not store.finish(tx, heir, NAME, [1, 0], now=cast.world.now)
    assert cast.rows() == [("done", 2, NAME, [0.5, 0.5], "")]


def test_a_worker_that_ends_hands_the_run_back_at_once(cast: Cast) -> None:
    cast.play()
    stop = threading.Event()
    stop.set()
    assert cast.bots().play_next(stop)
    assert cast.rows() == [("due", 1, None, None, "")]
    assert cast.bots("heir").play_next(GO)
    assert cast.rows()[0][:2] == ("done", 2)


def test_a_lease_that_is_lost_in_the_middle_ends_the_run(cast: Cast) -> None:
    """The clock jumps before the second match, and another worker takes the run."""
    cast.play()
    heirs = iter([False, True])

    def clock(tx: Connection) -> object:
        if next(heirs, False):
            later = cast.world.now + references.LEASE + timedelta(seconds=1)
            with cast.database.transaction() as other:
                assert store.claim(other, holder="heir", now=later, lease=references.LEASE) is not None
        return cast.world.now

    assert References(cast.database, "one", clock=clock).play_next(GO)  # type: ignore[arg-type]
    assert cast.rows() == [("running", 2, None, None, "")]


def test_what_fails_is_given_up_by_name_and_the_fixture_shown(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    cast.play()

    def broken(question: object) -> None:
        raise ZeroDivisionError("oh dear")

    monkeypatch.setattr(references, "REFERENCES", (broken, broken))
    assert cast.bots().play_next(GO)
    assert cast.rows() == [
        ("given up", 1, None, None, "a reference bot failed: ZeroDivisionError('oh dear')")
    ]  # fmt: skip
    assert cast.reads().replay(1)
    assert not cast.bots().play_next(GO)


def test_a_run_at_which_worker_after_worker_ends_is_given_up(cast: Cast) -> None:
    cast.play()
    for number in range(references.MOST_ATTEMPTS):
        with cast.database.transaction() as tx:
            run = store.claim(tx, holder=f"victim {number}", now=cast.world.now, lease=references.LEASE)
        assert run is not None
        cast.world.later(references.LEASE.total_seconds() + 1)
    assert cast.bots().play_next(GO)
    assert cast.rows()[0] == ("given up", 21, None, None, "20 workers ended while they played it")


def test_an_outage_leaves_the_run_to_its_lease(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    cast.play()

    def gone(*_: object, **__: object) -> bool:
        raise StoreUnavailable("the database does not answer")

    monkeypatch.setattr(store, "renew", gone)
    with pytest.raises(StoreUnavailable):
        cast.bots().play_next(GO)
    assert cast.rows()[0][:2] == ("running", 1)


def test_nothing_of_the_deals_is_shown_before_they_have_ended(cast: Cast) -> None:
    """Design 6: replay, positions and master seed wait for the last use of the deals; the result does not."""
    cast.play()
    reads = cast.reads()
    match = reads.match(1)
    assert match.waits
    assert len(match.seats) == 2
    for ask in (lambda: reads.replay(1), lambda: reads.film(1)):
        with pytest.raises(NotFound, match="reference bots have yet to play its deals"):
            ask()
    assert reads.tournament(1).state == "finished"
    assert reads.tournament(1).seed is None
    cast.bots().play_next(GO)
    assert not reads.match(1).waits
    assert reads.replay(1)
    assert reads.film(1).deals
    assert reads.tournament(1).seed is not None


def test_a_ladder_reads_them_in_the_order_of_its_rounds(cast: Cast) -> None:
    cast.play(cycles=3)
    cast.bots().play_next(GO)
    cast.bots().play_next(GO)
    with cast.world.database.transaction() as tx:
        [ladder] = {row.ladder for row in rating_pages.ladders(tx, top=1)}
        rounds = store.singles(tx, ladder)
        [done, due] = store.states(tx, ladder)
    assert [[single.control is not None for single in fixtures] for fixtures in rounds] == [[True], [True], [False]]
    assert (done.state, done.bots, done.fixtures, due.state, due.fixtures) == ("done", NAME, 2, "due", 1)
    [first] = rounds[0]
    assert list(first.control or ()) == expected(cast)
    found = ladders.measured(cast.database, ladder)
    assert [scored.score for scored in found.scores] == luck.scores(luck.corrected(rounds))
    assert {scored.score.fixtures for scored in found.scores} == {3}


def test_of_whoever_was_disqualified_no_luck_is_taken_off_either(cast: Cast) -> None:
    """The joint fit and the luck of a ladder leave out the same fixtures."""
    cast.play()
    cast.bots().play_next(GO)
    with cast.world.database.transaction() as tx:
        [ladder] = {row.ladder for row in rating_pages.ladders(tx, top=1)}
        assert len(store.singles(tx, ladder)) == len(ratings.records(tx, ladder)) == 1
        tx.execute("UPDATE tournament SET state = 'paused', finished_at = NULL")
        conduct.disqualify(tx, 1, tournaments.entrants(tx, 1)[0], by=BECAUSE, now=cast.world.now)
    settle(cast.database, clock=lambda tx: cast.world.now)
    with cast.world.database.transaction() as tx:
        assert (store.singles(tx, ladder), ratings.records(tx, ladder)) == ([], {})
