"""It always ends: what waits for a bot, what takes too long, and what cannot be played is decided by a stated rule."""

from datetime import datetime, timedelta

import pytest
from world import BECAUSE, LEASE, World

from rummy.errors import BadInput, BadTransition
from rummy.league.model import TournamentState
from rummy.store import arbiters, deadlines, drawing, fixtures, log, terms, tournaments, unplayed
from workers.leases import Leases
from workers.sweep import Sweeper


class Arena:
    """An arbiter that lives, and a sweeper, by the clock of the world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.woken: list[int] = []
        self.alive = True
        with world.database.transaction() as tx:
            self.arbiter = arbiters.announce(
                tx, address="unix:/a", bots_address="b", incarnation="x", now=world.now
            )  # fmt: skip
        self.sweeper = Sweeper(world.database, self.woken.extend, 100, clock=lambda tx: world.now)

    def sweep(self, seconds: float = 0) -> list[int]:
        """Lets time go by, a few seconds at once, while workers sweep; returns the fixtures that were woken."""
        self.woken.clear()
        until = self.world.now + timedelta(seconds=seconds)
        while True:
            if self.alive:
                with self.world.database.transaction() as tx:
                    arbiters.heartbeat(tx, self.arbiter, "x", load=0, now=self.world.now)
            self.sweeper.sweep()
            if self.world.now >= until:
                return self.woken
            self.world.now = min(until, self.world.now + timedelta(seconds=30))

    def come(self, version_id: int) -> None:
        with self.world.database.transaction() as tx:
            arbiters.attach(tx, self.arbiter, version_id, 0, now=self.world.now)

    def go(self, version_id: int) -> None:
        with self.world.database.transaction() as tx:
            arbiters.detach(tx, self.arbiter, version_id, 0)


@pytest.fixture
def arena(world: World) -> Arena:
    return Arena(world)


def versions(world: World, made: int) -> list[int]:
    with world.database.transaction() as tx:
        return tournaments.entrants(tx, made)


def play(world: World, woken: list[int]) -> None:
    for fixture_id in list(woken):
        claim = world.claim(fixture_id)
        assert claim is not None
        assert world.finish(claim)


def moves(world: World, made: int) -> list[log.Entry]:
    with world.database.transaction() as tx:
        return list(log.entries(tx, made))


def test_a_tournament_with_a_bot_that_never_comes_ends_by_its_deadline(world: World, arena: Arena) -> None:
    """P12: the others play at once, its own fixtures wait for it and are then given out, where it forfeits."""
    made = world.tournament(4, live=1, deadlines={"fixture": 120})
    woken = arena.sweep()
    assert len(woken) == 3  # Those of the hosted bots among themselves.
    play(world, woken)
    assert arena.sweep(90) == []
    waiting = arena.sweep(30)
    assert len(waiting) == 3
    play(world, waiting)  # An arbiter has it forfeit there, after its grace.
    arena.sweep()
    assert world.value("SELECT state FROM tournament") == "finished"
    assert not any(entry.move == "unplayed" for entry in moves(world, made))


def test_a_bot_that_comes_is_waited_for_no_longer_and_anew_when_it_goes(world: World, arena: Arena) -> None:
    made = world.tournament(3, live=1, deadlines={"fixture": 120})
    live = versions(world, made)[2]
    play(world, arena.sweep())
    assert arena.sweep(110) == []
    arena.come(live)
    assert len(arena.sweep()) == 2
    arena.go(live)
    arena.sweep()
    waits = "SELECT count(*) FROM fixture WHERE waits_since = %(now)s"
    assert world.value(waits, now=world.now) == 2


def test_where_nobody_comes_nobody_scores(world: World, arena: Arena) -> None:
    made = world.tournament(3, live=2, deadlines={"fixture": 60})
    play(world, arena.sweep())
    play(world, arena.sweep(60))
    arena.sweep()
    assert world.value("SELECT state FROM tournament") == "finished"
    [entry] = [entry for entry in moves(world, made) if entry.move == "unplayed"]
    assert entry.said["absent"] == [1, 2]
    assert (entry.who, entry.why) == ("worker", "None of its bots has come before the fixture's deadline.")
    assert world.value("SELECT count(*) FROM fixture WHERE absent = '{1,2}'") == 1
    with world.database.transaction() as tx:
        lines = {line.entrant: line for line in drawing.table(tx, made)()}
    assert lines[1].matches == 2  # One that was played, and one that nobody came to.


def test_a_knockout_to_which_nobody_comes_ends_too(world: World, arena: Arena) -> None:
    world.tournament(4, live=4, format="knockout", format_options={"seeding": "entry"}, deadlines={"fixture": 60})
    arena.sweep((60 + 30) * 2 * 4)  # Two stages, each with three ties that are to be played off.
    assert world.value("SELECT state FROM tournament") == "finished"
    assert world.value("SELECT count(*) FROM match") == 0


def test_what_is_left_at_the_deadline_of_a_round_blames_nobody_who_is_there(world: World, arena: Arena) -> None:
    """What the arena could not play is shared; whoever is not there loses its own fixtures only."""
    made = world.tournament(4, live=1, deadlines={"fixture": 86_400, "round": 600})
    live = versions(world, made)[3]
    arena.sweep(570)
    assert world.value("SELECT count(*) FROM fixture WHERE state = 'done'") == 0
    arena.sweep(60)
    [shared, without] = sorted(
        (entry.said["absent"] for entry in moves(world, made) if entry.move == "unplayed"), key=len
    )
    assert (shared, without) == ([], [3])
    assert world.value("SELECT count(*) FROM round WHERE closed_at IS NOT NULL") == 1
    scores = "SELECT array_agg(score ORDER BY entrant_no) FROM fixture_score"
    assert sorted(world.value(scores)) == [0.0, 0.5, 0.5, 1.0]  # type: ignore[call-overload]
    arena.come(live)
    arena.sweep(600 * 2 + 60)
    assert world.value("SELECT state FROM tournament") == "finished"
    assert world.value("SELECT count(*) FROM rating_change") == 0  # Nobody has played.


def test_what_is_in_play_at_the_deadline_of_a_round_is_left_to_the_deadline_of_the_match(
    world: World, arena: Arena
) -> None:
    made = world.tournament(2, deadlines={"round": 60, "match": 600})
    arena.sweep()
    claim = world.claim(world.all_fixtures(made)[0])
    assert claim is not None
    assert claim.ends_at == world.now + timedelta(seconds=600)
    for _ in range(12):
        arena.sweep(9)
        with world.database.transaction() as tx:
            assert fixtures.renew(tx, [claim], holder="one", now=world.now, lease=LEASE) == set()
    assert world.finish(claim)


def test_a_match_that_its_arbiter_does_not_end_in_time_ends_at_nobodys_cost(world: World, arena: Arena) -> None:
    made = world.tournament(2, deadlines={"match": 20})
    arena.sweep()
    claim = world.claim(world.all_fixtures(made)[0])
    assert claim is not None
    leases = Leases(world.database, "one", clock=lambda tx: world.now)
    with leases.holding(claim) as held:
        for _ in range(5):
            leases.beat()
            assert not held.endless
            world.later(6)
        leases.beat()
        assert held.endless
    with world.database.transaction() as tx:
        assert unplayed.decide_endless(tx, claim, now=world.now)
        assert not unplayed.decide_endless(tx, claim, now=world.now)
    assert not world.finish(claim)
    assert world.value("SELECT array_agg(score) FROM fixture_score") == [0.5, 0.5]
    [entry] = [entry for entry in moves(world, made) if entry.move == "unplayed"]
    assert (entry.said["absent"], entry.why) == ([], "The match's deadline has passed while it was in play.")
    arena.sweep()
    assert world.value("SELECT state FROM tournament") == "finished"


def deadline(world: World) -> datetime:
    value = world.value("SELECT deadline FROM round WHERE closed_at IS NULL ORDER BY round_no")
    assert isinstance(value, datetime)
    return value


@pytest.mark.parametrize("how", ["down", "no arbiter", "paused"])
def test_time_in_which_nothing_can_be_played_does_not_count(world: World, arena: Arena, how: str) -> None:
    made = world.tournament(2, live=1, deadlines={"fixture": 120, "round": 600})
    arena.sweep(60)
    before = deadline(world)
    if how == "paused":
        with world.database.transaction() as tx:
            tournaments.change_state(tx, made, TournamentState.PAUSED, by=BECAUSE, now=world.now)
    arena.alive = how != "no arbiter"
    if how != "down":
        arena.sweep(3600)
    world.later(82_800 if how != "down" else 86_400)
    if how == "paused":
        with world.database.transaction() as tx:
            tournaments.change_state(tx, made, TournamentState.RUNNING, by=BECAUSE, now=world.now)
    arena.alive = True
    assert arena.sweep() == []
    assert deadline(world) - before >= timedelta(days=1)
    assert deadline(world) - before < timedelta(days=1, seconds=60)
    [extended] = [entry for entry in moves(world, made) if entry.move == "extended"]
    assert extended.who == "worker" and extended.why.startswith("Nothing could be played for 86")
    assert arena.sweep(30) == []
    assert len(arena.sweep(40)) == 1


def test_rounds_have_their_time_one_after_the_other(world: World, arena: Arena) -> None:
    """By default as much as their fixtures may take one by one, and the wait for a bot."""
    made = world.tournament(4)
    arena.sweep()
    start = world.now
    with world.database.transaction() as tx:
        of = tournaments.get(tx, made).deadlines
    assert of == {"match": 3620, "fixture": 300, "round": None}
    assert deadline(world) == start + timedelta(seconds=300 + 2 * 3620)
    assert world.value("SELECT count(*) FROM round WHERE deadline IS NOT NULL") == 1
    play(world, world.all_fixtures(made)[:2])
    world.later(50)
    arena.sweep()
    assert deadline(world) == start + timedelta(seconds=50 + 300 + 2 * 3620)


def test_an_organiser_gives_more_time(world: World, arena: Arena) -> None:
    made = world.tournament(3, live=1, deadlines={"fixture": 120, "round": 600})
    arena.sweep()
    until = deadline(world)
    waits = "SELECT min(waits_since) FROM fixture"
    since = world.value(waits)
    assert isinstance(since, datetime)
    with world.database.transaction() as tx:
        new = deadlines.extend(tx, made, seconds=3600, by=BECAUSE, now=world.now)
    assert new == deadline(world) == until + timedelta(hours=1)
    assert world.value(waits) == since + timedelta(hours=1)
    day = world.now + timedelta(days=1)
    with world.database.transaction() as tx:
        assert deadlines.extend(tx, made, until=day, by=BECAUSE, now=world.now) == day
    assert [entry.why for entry in moves(world, made) if entry.move == "extended"] == ["A test wants it."] * 2
    before = moves(world, made)
    for wrong, said in ((world.now - timedelta(days=1), "in the past"), (day - timedelta(hours=1), "no extension")):
        with pytest.raises(BadInput, match=said), world.database.transaction() as tx:
            deadlines.extend(tx, made, until=wrong, by=BECAUSE, now=world.now)
    assert moves(world, made) == before
    assert deadline(world) == day


def test_where_all_is_played_there_is_nothing_to_extend(world: World) -> None:
    made = world.tournament(2)
    world.play_all(made)
    with pytest.raises(BadTransition, match="no round of 'Test' is in play"), world.database.transaction() as tx:
        deadlines.extend(tx, made, seconds=60, by=BECAUSE, now=world.now)


@pytest.mark.parametrize("wrong", [{"match": 0}, {"fixture": -1}, {"round": 1.5}, {"round": True}, {"day": 5}])
def test_a_deadline_that_makes_no_sense_is_refused(world: World, wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput, match=f"deadline (of|for) a '?{next(iter(wrong))}"):
        world.tournament(2, deadlines=wrong)
    assert world.value("SELECT count(*) FROM tournament") == 0


def test_the_deadline_of_a_match_follows_from_limit_and_bank(world: World) -> None:
    usual = terms.deadlines({}, limit_ms=100, bank_ms=1000, seats=4)
    assert usual == {"match": 600, "fixture": 300, "round": None}
    assert terms.deadlines({"match": None}, limit_ms=10_000, bank_ms=5_000, seats=2)["match"] == 36_010
    assert terms.deadlines({}, limit_ms=600_000, bank_ms=0, seats=2)["match"] == terms.LONGEST["match"]


def test_workers_may_do_all_of_it(world: World) -> None:
    made = world.tournament(3, live=2, deadlines={"fixture": 60, "round": 90})
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL ROLE arena_worker")
        deadlines.watch(tx, now=world.now)
        later = world.later(60)
        deadlines.watch(tx, now=later)
        assert unplayed.deserted(tx, now=later) == [made]
        unplayed.decide_deserted(tx, made, now=later)
        assert deadlines.watch(tx, now=world.later(60)) == [(made, 0)]
        unplayed.decide_overdue(tx, made, 0, now=world.now)
    assert world.value("SELECT count(*) FROM fixture WHERE absent IS NOT NULL") == 2
