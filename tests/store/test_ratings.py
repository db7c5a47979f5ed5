"""Ratings are a function of the log: the same whoever rates, how often, and in whatever order results came."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from world import BECAUSE, World

from rummy.league.model import TournamentState
from rummy.league.ratings import elo, joint
from rummy.store import ladders, matches, rating_pages, ratings, tournaments
from rummy.store.log import By
from rummy.store.terms import Plan
from workers.ratings import rate_round, settle


def log(world: World) -> list[ratings.Change]:
    with world.database.transaction() as tx:
        return ratings.log(tx)


def recomputed(world: World) -> list[ratings.Change]:
    with world.database.transaction() as tx:
        return list(ratings.recompute(tx, elo.rate_round))


def test_several_that_rate_at_once_move_ratings_once(world: World) -> None:
    made = world.tournament(5, cycles=2)
    world.play_all(made)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: settle(world.database), range(4)))
    assert len(log(world)) == 40  # 10 rounds, in each of which four of five play.
    assert log(world) == recomputed(world)
    assert world.value("SELECT state FROM tournament") == TournamentState.FINISHED


def test_a_round_is_rated_only_when_all_before_it_are_closed(world: World) -> None:
    made = world.tournament(3)
    first, second, third = world.all_fixtures(made)
    ladder = str(world.value("SELECT ladder FROM tournament"))
    for fixture_id in (third, second):
        claim = world.claim(fixture_id)
        assert claim is not None
        world.finish(claim)
    assert not rate_round(world.database, ladder)
    claim = world.claim(first)
    assert claim is not None
    world.finish(claim)
    settle(world.database)
    assert [change.round_no for change in log(world)] == [0, 0, 1, 1, 2, 2]


def test_ratings_go_on_from_one_tournament_to_the_next(world: World) -> None:
    first = world.tournament(2)
    world.play_all(first)
    settle(world.database)
    with world.database.transaction() as tx:
        after = ratings.current(tx, tournaments.get(tx, first).ladder, tournaments.entrants(tx, first))
        second = tournaments.create(tx, Plan(name="Second", game="gin"), by=BECAUSE, now=world.now)
        for version in tournaments.entrants(tx, first):
            tournaments.add_entrant(tx, second, version, by=BECAUSE, now=world.now)
        tournaments.start(tx, second, by=BECAUSE, now=world.now)
        assert ratings.opening(tx, second) == dict(enumerate(after.values()))
    world.play_all(second)
    settle(world.database)
    assert [change.before for change in log(world)][2:] == [change.after for change in log(world)][:2]
    assert log(world) == recomputed(world)
    with world.database.transaction() as tx:
        assert set(ratings.opening(tx, first).values()) == {elo.INITIAL}


def test_a_later_tournament_waits_for_the_rounds_of_an_earlier_one_of_its_ladder(world: World) -> None:
    slow, quick = world.tournament(2), world.tournament(2)
    world.play_all(quick)
    settle(world.database)
    assert log(world) == []
    with world.database.transaction() as tx:
        tournaments.change_state(tx, slow, TournamentState.CANCELLED, by=BECAUSE, now=world.now)
    settle(world.database)
    assert {change.tournament_id for change in log(world)} == {quick}
    assert log(world) == recomputed(world)


def test_submitters_at_once_move_ratings_as_one_after_the_other(world: World) -> None:
    """Fault P2: 510 matches of six bots through eight submitters, while others rate; a serial fold gives the bits."""
    made = world.tournament(6, cycles=17)
    waiting = iter(random.Random(2).sample(world.all_fixtures(made), 15 * 17))

    def submit(holder: str) -> None:
        for number, fixture_id in enumerate(waiting):
            claim = world.claim(fixture_id, holder)
            assert claim is not None and world.finish(claim, winner=fixture_id * 7 % 2)
            if number % 8 == 0:
                settle(world.database)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(submit, [f"submitter {number}" for number in range(8)]))
    settle(world.database)
    assert world.value("SELECT count(*) FROM match") == 510
    assert len(log(world)) == 5 * 17 * 6
    assert log(world) == recomputed(world)
    for version in {change.version_id for change in log(world)}:  # What is stored as before is what was after.
        chain = [change for change in log(world) if change.version_id == version]
        assert [change.after for change in chain[:-1]] == [change.before for change in chain[1:]]


COUNTED = """
    SELECT f.fixture_id, rated, t.state, closed_at IS NOT NULL,
           (SELECT count(*) FROM fixture_seat s JOIN entrant e USING (tournament_id, entrant_no)
              JOIN rating_change c ON (c.tournament_id, c.round_no, c.version_id)
                                    = (f.tournament_id, f.round_no, e.version_id)
             WHERE s.fixture_id = f.fixture_id)
      FROM fixture f JOIN round USING (tournament_id, round_no) JOIN tournament t USING (tournament_id)
     WHERE f.state = 'done'"""
MOVED = "SELECT sum(fixtures) FROM rating_change"


def test_a_result_has_its_rating_rows_or_a_reason_on_record(world: World) -> None:
    """Fault P4: only practice, and a round that a cancelled tournament has left unfinished, move no rating."""
    rated, practice, cancelled = world.tournament(4), world.tournament(4, seed="p"), world.tournament(4, cycles=2)
    world.play_all(rated)
    world.play_all(practice)
    for fixture_id in world.all_fixtures(cancelled)[:5]:  # Two rounds of two fixtures, and half of the third.
        claim = world.claim(fixture_id)
        assert claim is not None and world.finish(claim)
    settle(world.database)
    with world.database.transaction() as tx:
        tournaments.change_state(tx, cancelled, TournamentState.CANCELLED, by=By("operator", "enough"), now=world.now)
    settle(world.database)
    with world.database.transaction() as tx:
        found = tx.execute(COUNTED).fetchall()
    counted = [row for row in found if row[4]]
    assert {rows for *_, rows in counted} == {2} and all(is_rated and closed for _, is_rated, _, closed, _ in counted)
    assert len(counted) == 6 + 4 and world.value(MOVED) == 2 * len(counted)
    excluded = Counter((is_rated, state, closed) for _, is_rated, state, closed, rows in found if not rows)
    assert excluded == {(False, "finished", True): 6, (True, "cancelled", False): 1}


def test_another_ladder_does_not_wait(world: World) -> None:
    world.tournament(2)
    other = world.tournament(2, options={"knock_limit": 5})
    world.play_all(other)
    settle(world.database)
    assert {change.tournament_id for change in log(world)} == {other}


def test_practice_moves_no_rating_and_ends(world: World) -> None:
    made = world.tournament(3, seed="7")
    world.play_all(made)
    settle(world.database)
    assert log(world) == []
    assert world.value("SELECT state FROM tournament") == TournamentState.FINISHED


@pytest.mark.parametrize("column", ["before", "after"])
def test_a_changed_rating_is_found(world: World, column: str) -> None:
    world.play_all(world.tournament(2))
    settle(world.database)
    with world.database.transaction() as tx:
        tx.execute(f"UPDATE rating_change SET {column} = {column} + 1e-9 WHERE change_id = 1".encode())
    assert log(world) != recomputed(world)


def test_the_records_of_a_ladder_are_those_of_its_rated_rounds(world: World) -> None:
    first, second = world.tournament(4, cycles=2), world.tournament(3, table_size=2)
    practice, other = world.tournament(2, seed="a"), world.tournament(2, options={"knock_limit": 5})
    for made in (first, second, practice, other):
        world.play_all(made)
    settle(world.database)
    with world.database.transaction() as tx:
        found = ratings.records(tx, tournaments.get(tx, first).ladder)
        expected = joint.counted(
            replace(result, entrants=tuple(versions[entrant] for entrant in result.entrants))
            for made in (first, second)
            for versions in [tournaments.entrants(tx, made)]
            for result in matches.results(tx, made)
        )
        in_order = list(ratings.results(tx, tournaments.get(tx, first).ladder))
    assert found == expected == joint.counted(in_order)
    assert sum(found.values()) == 12 + 3


def test_what_is_not_rated_yet_is_in_no_record(world: World) -> None:
    made = world.tournament(2, cycles=2)
    world.play_all(made)
    ladder = str(world.value("SELECT ladder FROM tournament"))
    with world.database.transaction() as tx:
        assert ratings.records(tx, ladder) == {}
    assert ladders.fitted(world.database, ladder) == []
    settle(world.database)
    with world.database.transaction() as tx:
        assert sum(ratings.records(tx, ladder).values()) == 2


def test_a_ladder_has_groups_with_the_best_first_and_a_chance_for_each_pair_of_neighbours(world: World) -> None:
    for entrants in (3, 2):
        world.play_all(world.tournament(entrants, cycles=6))
    settle(world.database)
    ladder = str(world.value("SELECT ladder FROM tournament"))
    lines = ladders.fitted(world.database, ladder)
    strengths = [line.strength for line in lines if line.strength is not None]
    assert [strength.group for strength in strengths] == [0, 0, 0, 1, 1]
    assert [strength.entrant for strength in strengths] == [line.row.version_id for line in lines]
    for group in (strengths[:3], strengths[3:]):
        assert [each.rating for each in group] == sorted((each.rating for each in group), reverse=True)
    assert [line.better_than_next is None for line in lines] == [False, False, True, False, True]
    assert all(line.better_than_next >= 0.5 for line in lines if line.better_than_next is not None)
    assert [line.row.fixtures for line in lines] == [strength.fixtures for strength in strengths]
    assert all(line.provisional for line in lines)  # None has played twenty.


def test_equal_ratings_share_a_place_in_each_group(world: World) -> None:
    """Nobody is first for having been submitted earlier: by Elo and by the joint fit."""
    for number, winners in enumerate([(9, 9, 9), (0, 9, 9)]):  # Seat 9 is nobody's: a draw.
        made = world.tournament(3)
        for fixture_id, winner in zip(world.all_fixtures(made), winners, strict=True):
            claim = world.claim(fixture_id)
            assert claim is not None
            assert world.finish(claim, winner=winner), number
    settle(world.database)
    ladder = str(world.value("SELECT ladder FROM tournament LIMIT 1"))
    lines = ladders.fitted(world.database, ladder)
    assert [(line.strength and line.strength.group, line.place) for line in lines] == [
        (0, 1), (0, 1), (0, 1), (1, 1), (1, 2), (1, 3),
    ]  # fmt: skip
    with world.database.transaction() as tx:
        rows = rating_pages.ladder(tx, ladder, top=4)
    assert [(row.rating, row.place) for row in rows][1:] == [(1500.0, 2)] * 3
