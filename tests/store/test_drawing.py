"""Rounds that are drawn while a tournament is played: once, whoever draws, and in an order that ratings can follow."""

import threading

import pytest
from world import BECAUSE, World

from rummy.errors import LeagueError, RummyError
from rummy.league.model import TournamentState
from rummy.league.ratings import elo
from rummy.store import drawing, ratings, rounds, tournaments
from rummy.store.terms import Plan
from workers.ratings import settle

Drawn = list[tuple[int, int, list[int]]]


def schedule(world: World, tournament_id: int) -> Drawn:
    """By round and table: who sits there."""
    query = """SELECT round_no, table_no, array_agg(entrant_no ORDER BY seat) FROM fixture JOIN fixture_seat
                USING (fixture_id) WHERE fixture.tournament_id = %(id)s GROUP BY 1, 2 ORDER BY 1, 2"""
    with world.database.transaction() as tx:
        return tx.execute(query, {"id": tournament_id}).fetchall()


def play_round(world: World, tournament_id: int, *, reverse: bool = False) -> int:
    """Plays what is saved, the lower number of a pair always winning; returns how many fixtures there were."""
    query = """SELECT fixture_id, array_agg(entrant_no ORDER BY seat) FROM fixture JOIN fixture_seat USING (fixture_id)
                WHERE fixture.tournament_id = %(id)s AND state <> 'done' GROUP BY 1 ORDER BY 1"""
    with world.database.transaction() as tx:
        todo = tx.execute(query, {"id": tournament_id}).fetchall()
    for fixture_id, entrants in todo[:: -1 if reverse else 1]:
        claim = world.claim(fixture_id)
        assert claim is not None
        assert world.finish(claim, winner=entrants.index(min(entrants)))
    return len(todo)


def play_to_the_end(world: World, tournament_id: int, *, reverse: bool = False) -> None:
    for _ in range(20):
        play_round(world, tournament_id, reverse=reverse)
        settle(world.database, clock=lambda tx: world.now)
        with world.database.transaction() as tx:
            if tournaments.get(tx, tournament_id).state == TournamentState.FINISHED:
                return
    raise AssertionError("it does not end")


@pytest.mark.parametrize(
    ("plan", "fixtures"),
    [
        ({"format": "swiss", "cycles": 2}, 3 * 3 * 2),
        ({"format": "swiss", "format_options": {"rounds": 5, "seeding": "entry"}}, 15),
        ({"format": "knockout", "cycles": 3}, 18),
        ({"format": "knockout", "format_options": {"seeding": "entry", "ties": 0}}, 6),
        ({"format": "ladder", "cycles": 2, "format_options": {"rounds": 4}}, 24),
    ],
)
def test_a_tournament_that_draws_from_results_ends_and_repeats(
    world: World, plan: dict[str, object], fixtures: int
) -> None:
    """The same seed gives the same schedule, in whatever order the results of a round come in."""
    seen = []
    for reverse in (False, True):
        made = world.tournament(7, seed="42", **plan)  # type: ignore[arg-type]
        play_to_the_end(world, made, reverse=reverse)
        with world.database.transaction() as tx:
            now = tournaments.progress(tx, made)
        assert (now.state, now.fixtures, now.done) == ("finished", fixtures, fixtures)
        seen.append(schedule(world, made))
    assert seen[0] == seen[1]


def test_a_ladder_is_ranked_by_rating_at_its_start_and_its_table_is_by_rating(world: World) -> None:
    first = world.tournament(6, cycles=3)
    play_to_the_end(world, first)
    with world.database.transaction() as tx:
        versions = tournaments.entrants(tx, first)
        plan = Plan(name="Daily", game="gin", format="ladder")
        made = tournaments.create(tx, plan, by=BECAUSE, now=world.now)
        for version in reversed(versions):
            tournaments.add_entrant(tx, made, version, by=BECAUSE, now=world.now)
        assert tournaments.start(tx, made, by=BECAUSE, now=world.now) == 4 * 3 * 3
        assert tournaments.get(tx, made).drawn
        known = ratings.current(tx, tournaments.get(tx, made).ladder, versions)
        field = tournaments.field_of(tx, tournaments.get(tx, made))
    by_rating = sorted(range(6), key=lambda entrant: -known[versions[::-1][entrant]])
    assert len(set(known.values())) == 6
    assert list(field.ranking) == by_rating
    play_to_the_end(world, made)
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL ROLE arena_dashboard")
        lines = drawing.table(tx, made)()
    assert [line.rating for line in lines] == sorted((line.rating for line in lines), reverse=True)
    assert {line.fixtures for line in lines} == {12}


def test_a_round_is_drawn_when_the_one_before_has_closed_and_not_earlier(world: World) -> None:
    made = world.tournament(4, format="knockout", format_options={"seeding": "entry"})
    first, second = world.all_fixtures(made)
    assert [table for _, _, table in schedule(world, made)] == [[0, 3], [1, 2]]
    for fixture_id in (first, second):
        settle(world.database, clock=lambda tx: world.now)
        assert len(schedule(world, made)) == 2
        claim = world.claim(fixture_id)
        assert claim is not None
        assert world.finish(claim)
    settle(world.database, clock=lambda tx: world.now)
    assert schedule(world, made)[2:] == [(1, 0, [0, 1])]


def test_several_workers_draw_a_round_once(world: World) -> None:
    made = world.tournament(8, format="swiss")
    play_round(world, made)
    drawn: list[int] = []

    def draw() -> None:
        with world.database.transaction() as tx:
            drawn.append(drawing.draw(tx, made, now=world.now))

    workers = [threading.Thread(target=draw) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(drawn) == [0, 0, 0, 1]
    assert len(schedule(world, made)) == 8


def test_who_dies_while_drawing_leaves_nothing_and_the_next_draws_the_same(world: World) -> None:
    made = world.tournament(8, format="swiss", seed="1")
    play_round(world, made)
    with pytest.raises(RuntimeError), world.database.transaction() as tx:
        drawing.draw(tx, made, now=world.now)
        lost = tx.execute("SELECT count(*) FROM round").fetchone()
        raise RuntimeError("killed")
    assert lost == (2,)
    assert len(schedule(world, made)) == 4
    settle(world.database, clock=lambda tx: world.now)
    assert len(schedule(world, made)) == 8


def test_a_paused_tournament_draws_once_it_is_resumed(world: World) -> None:
    made = world.tournament(4, format="knockout")
    play_round(world, made)
    for state, rounds_then in ((TournamentState.PAUSED, 2), (TournamentState.RUNNING, 3)):
        with world.database.transaction() as tx:
            tournaments.change_state(tx, made, state, by=BECAUSE, now=world.now)
        settle(world.database, clock=lambda tx: world.now)
        assert len(schedule(world, made)) == rounds_then


def test_workers_may_draw(world: World) -> None:
    made = world.tournament(4, format="knockout")
    play_round(world, made)
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL ROLE arena_worker")
        assert drawing.draw(tx, made, now=world.now) == 1
    play_round(world, made)
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL ROLE arena_worker")
        assert drawing.draw(tx, made, now=world.now) == 0
        assert tournaments.get(tx, made).drawn


def test_the_dashboard_may_read_the_order_of_a_table(world: World) -> None:
    made = world.tournament(4, format="knockout")
    play_round(world, made)
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL ROLE arena_dashboard")
        found = drawing.table(tx, made)()
    assert [line.place for line in found] == [1, 1, 3, 3]


def test_rounds_yet_to_be_drawn_hold_later_ratings_of_the_ladder(world: World) -> None:
    """Else the order of rating would depend on who is faster: a later tournament, or the next drawing."""
    cup, later = world.tournament(4, format="knockout"), world.tournament(2)
    play_round(world, cup)
    play_round(world, later)
    rated = "SELECT count(*) FROM round WHERE rated_at IS NOT NULL AND tournament_id = %(id)s"
    with world.database.transaction() as tx:
        for _ in range(3):
            ratings.rate_next(tx, tournaments.get(tx, cup).ladder, elo.rate_round, now=world.now)
    assert (world.value(rated, id=cup), world.value(rated, id=later)) == (1, 0)
    play_to_the_end(world, cup)
    assert (world.value(rated, id=cup), world.value(rated, id=later)) == (2, 1)


ELSEWHERE = """
    INSERT INTO rating_change (ladder, tournament_id, round_no, version_id, before, after, fixtures, reason)
    SELECT 'elsewhere', tournament_id, 0, version_id, 1500, 2000 + version_id, 1, 'elsewhere' FROM entrant
     WHERE tournament_id = %(id)s"""


def test_entrants_are_ranked_by_the_rating_at_the_start_and_keep_that_rank(world: World) -> None:
    """The bots of a first tournament meet in a second one; what they are rated in another ladder does not count."""
    first = world.tournament(4)
    play_to_the_end(world, first)
    with world.database.transaction() as tx:
        versions = tournaments.entrants(tx, first)
        tx.execute(ELSEWHERE, {"id": first})
        strength = ratings.opening(tx, first) | {
            versions.index(v): r for v, r in ratings.current(tx, tournaments.get(tx, first).ladder, versions).items()
        }
        plan = Plan(name="Cup", game="gin", format="knockout")
        cup = tournaments.create(tx, plan, by=BECAUSE, now=world.now)
        for version in versions:
            tournaments.add_entrant(tx, cup, version, by=BECAUSE, now=world.now)
        tournaments.start(tx, cup, by=BECAUSE, now=world.now)
    ranking = "SELECT array_agg(entrant_no ORDER BY ranking) FROM entrant WHERE tournament_id = %(id)s"
    best_first = sorted(strength, key=lambda entrant: -strength[entrant])
    assert len(set(strength.values())) == 4
    assert world.value(ranking, id=cup) == best_first
    play_to_the_end(world, cup)
    assert world.value(ranking, id=cup) == best_first


def test_a_tie_that_is_played_off_adds_to_what_was_planned(world: World) -> None:
    made = world.tournament(2, format="knockout", format_options={"ties": 2}, cycles=2)
    for fixture_id, winner in zip(world.all_fixtures(made), (0, 0), strict=True):  # Each wins from the first seat.
        claim = world.claim(fixture_id)
        assert claim is not None
        assert world.finish(claim, winner=winner)
    settle(world.database, clock=lambda tx: world.now)
    with world.database.transaction() as tx:
        now = tournaments.progress(tx, made)
    assert (now.state, now.fixtures, now.done, now.rounds) == ("running", 3, 2, 2)


def test_a_long_schedule_is_saved_in_batches_and_comes_to_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = schedule(world, world.tournament(5, cycles=4))
    monkeypatch.setattr(rounds, "BATCH", 7)
    monkeypatch.setattr(drawing, "AHEAD", 3)
    made = world.tournament(5, cycles=4)
    assert len(schedule(world, made)) == 8
    with world.database.transaction() as tx:
        assert tournaments.progress(tx, made).fixtures == 40
    for fixture_id in world.all_fixtures(made)[:5]:
        settle(world.database, clock=lambda tx: world.now)
        assert len(schedule(world, made)) == 8
        claim = world.claim(fixture_id)
        assert claim is not None
        assert world.finish(claim)
    play_one = world.claim(world.all_fixtures(made)[5])
    assert play_one is not None
    assert world.finish(play_one)
    settle(world.database, clock=lambda tx: world.now)
    assert len(schedule(world, made)) == 16
    play_to_the_end(world, made)
    assert schedule(world, made) == whole


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"format": "cup"}, "no format 'cup'; there are: round_robin, gauntlet, swiss, knockout"),
        ({"format_options": {"rounds": 3}}, "a round robin has no option 'rounds'; there are: none"),
        ({"format": "swiss", "format_options": {"rounds": -1}}, "from 0 to 1000, not -1"),
        ({"format": "swiss", "format_options": {"ties": 1}}, "no option 'ties'; there are: rounds, seeding"),
        ({"format": "knockout", "format_options": {"seeding": "luck"}}, "is rating or entry, not 'luck'"),
        ({"format": "knockout", "format_options": {"ties": True}}, "from 0 to 100, not True"),
    ],
)
def test_a_format_that_cannot_be_had_is_named(world: World, plan: dict[str, object], said: str) -> None:
    with pytest.raises(LeagueError, match=said):
        world.tournament(**plan)  # type: ignore[arg-type]
    assert world.value("SELECT count(*) FROM tournament") == 0


def test_a_swiss_tournament_has_tables_of_two(world: World) -> None:
    plan: dict[str, object] = {"game": "one_oh_one", "table_size": 3, "format": "swiss"}
    with pytest.raises(RummyError, match="a table of a Swiss tournament has 2 seats, not 3"):
        world.tournament(**plan)  # type: ignore[arg-type]
