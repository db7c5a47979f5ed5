from collections.abc import Callable

import pytest
from world import BECAUSE, NOON, World

from rummy.errors import (
    BadInput,
    BadOptions,
    BadTransition,
    Conflict,
    NotEnoughEntrants,
    NotFound,
    RummyError,
    TournamentClosed,
    UnknownGame,
)
from rummy.league.model import TournamentState
from rummy.league.schedule import commitment
from rummy.store import bots, fixtures, tournaments
from rummy.store.db import Connection
from rummy.store.terms import Plan

GIN = Plan(name="Test", game="gin")


def counts(world: World) -> list[object]:
    tables = ("tournament", "tournament_seed", "entrant", "round", "fixture", "fixture_seat")
    return [world.value(f"SELECT count(*) FROM {table}") for table in tables]


@pytest.mark.parametrize(
    ("plan", "error", "said"),
    [
        ({"game": "whist"}, UnknownGame, "whist"),
        ({"options": {"colour": 1}}, BadOptions, "colour"),
        ({"options": {"knock_limit": 1000}}, BadOptions, "knock_limit"),
        ({"table_size": 3}, BadOptions, "tables of 2"),
        ({"cycles": 0}, BadInput, "cycles"),
        ({"limit_ms": 0}, BadInput, "time limit"),
        ({"bank_ms": -1}, BadInput, "time bank"),
        ({"increment_ms": 60_001}, BadInput, "increment"),
        ({"faults": {"patience": 1}}, BadInput, "patience"),
        ({"faults": {"grace_seconds": float("nan")}}, BadInput, "grace"),
        ({"name": ""}, BadInput, "name of the tournament"),
        ({"name": "a\u0000b"}, BadInput, "name of the tournament"),
    ],
)
def test_what_cannot_be_had_is_named(world: World, plan: dict[str, object], error: type[RummyError], said: str) -> None:
    before = counts(world)
    with pytest.raises(error, match=said):
        world.tournament(**plan)  # type: ignore[arg-type]
    assert counts(world) == before


def test_one_entrant_is_too_few(world: World) -> None:
    before = counts(world)
    with pytest.raises(NotEnoughEntrants, match="at least 2"):
        world.tournament(1)
    assert counts(world) == before


def twice(world: World, tx: Connection, tournament_id: int) -> int:
    version_id = world.bot(tx, "Twice")
    tournaments.add_entrant(tx, tournament_id, version_id, by=BECAUSE, now=NOON)
    return version_id


def other_game(world: World, tx: Connection, tournament_id: int) -> int:
    return world.bot(tx, "Other", games=("one_oh_one",))


def retired(world: World, tx: Connection, tournament_id: int) -> int:
    version_id = world.bot(tx, "Old")
    bots.retire(tx, version_id)
    return version_id


def missing(world: World, tx: Connection, tournament_id: int) -> int:
    return 12345


@pytest.mark.parametrize(
    ("who", "error", "said"),
    [
        (twice, Conflict, "in 'Test' already"),
        (other_game, BadInput, "does not play gin; it plays: one_oh_one"),
        (retired, BadInput, "retired"),
        (missing, NotFound, "no bot version 12345"),
    ],
)
def test_who_cannot_enter_is_told_why(
    world: World, who: Callable[[World, Connection, int], int], error: type[RummyError], said: str
) -> None:
    with world.database.transaction() as tx:
        made = tournaments.create(tx, GIN, by=BECAUSE, now=NOON)
        version_id = who(world, tx, made)
        before = tournaments.entrants(tx, made)
        with pytest.raises(error, match=said):
            tournaments.add_entrant(tx, made, version_id, by=BECAUSE, now=NOON)
        assert tournaments.entrants(tx, made) == before


def test_the_schedule_has_every_pair_in_every_cycle(world: World) -> None:
    made = world.tournament(4, cycles=2)
    assert counts(world) == [1, 1, 4, 6, 12, 24]
    with world.database.transaction() as tx:
        assert tournaments.progress(tx, made) == tournaments.Progress(
            state="running", fixtures=12, running=0, done=0, rounds=6, unrated=6
        )


def test_nobody_enters_after_the_start(world: World) -> None:
    made = world.tournament(2)
    with world.database.transaction() as tx:
        late = world.bot(tx, "Late")
        with pytest.raises(TournamentClosed):
            tournaments.add_entrant(tx, made, late, by=BECAUSE, now=NOON)
        with pytest.raises(BadTransition):
            tournaments.start(tx, made, by=BECAUSE, now=NOON)


def test_a_seed_is_committed_to_and_revealed_at_the_end(world: World) -> None:
    made = world.tournament(2)
    with world.database.transaction() as tx:
        with pytest.raises(Conflict, match="once it has ended"):
            tournaments.revealed(tx, made)
        tournaments.change_state(tx, made, TournamentState.PAUSED, by=BECAUSE, now=NOON)
        with pytest.raises(Conflict):
            tournaments.revealed(tx, made)
        tournaments.change_state(tx, made, TournamentState.CANCELLED, by=BECAUSE, now=NOON)
        master, nonces = tournaments.revealed(tx, made)
        assert commitment(master) == tournaments.get(tx, made).commitment
        assert len(set(nonces)) == 2


def test_practice_with_one_seed_has_the_same_deals(world: World) -> None:
    seeds = []
    for made in [world.tournament(2, seed="42"), world.tournament(2, seed="42"), world.tournament(2)]:
        claim = world.claim(world.all_fixtures(made)[0])
        assert claim is not None
        with world.database.transaction() as tx:
            seeds.append((claim.rated, fixtures.terms(tx, claim).seed))
    assert seeds[0] == seeds[1] != seeds[2]
    assert [rated for rated, _ in seeds] == [False, False, True]


def test_tournaments_of_a_ladder_start_in_an_order_of_their_own(world: World) -> None:
    first = world.tournament(2)
    world.later(-3600)  # A machine whose clock is behind.
    second = world.tournament(2)
    with world.database.transaction() as tx:
        starts = [tournaments.get(tx, made).started_at for made in (first, second)]
    assert starts[0] is not None
    assert starts[1] is not None
    assert starts[0] < starts[1]
