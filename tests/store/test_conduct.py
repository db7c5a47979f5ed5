"""Bots that leave a tournament and fixtures that are void, by the rules of docs/reference/conduct.md."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from world import BECAUSE, NOON, World

from rummy.errors import BadInput, Conflict, LeagueError, NotFound, RummyError
from rummy.league.model import MOVES, TournamentState
from rummy.league.ratings import elo
from rummy.league.standings import Standing
from rummy.store import conduct, deadlines, drawing, log, matches, ratings, tournaments
from rummy.store.db import Connection
from rummy.store.log import By
from workers.ratings import settle


def leave(world: World, made: int, entrant: int, act: Callable[..., None]) -> None:
    with world.database.transaction() as tx:
        act(tx, made, tournaments.entrants(tx, made)[entrant], by=BECAUSE, now=world.now)
    settle(world.database, clock=lambda tx: world.now)


def table(world: World, made: int) -> list[Standing]:
    with world.database.transaction() as tx:
        return drawing.table(tx, made)()


def play(world: World, made: int, most: int = 100) -> None:
    query = """SELECT fixture_id FROM fixture WHERE state = 'scheduled' AND tournament_id = %(id)s
                ORDER BY round_no, table_no"""
    with world.database.transaction() as tx:
        due = [row[0] for row in tx.execute(query, {"id": made})]
    for fixture_id in due[:most]:
        claim = world.claim(fixture_id)
        assert claim is not None
        assert world.finish(claim)
    settle(world.database, clock=lambda tx: world.now)


def state(world: World) -> object:
    return world.value("SELECT state FROM tournament")


def steps(world: World) -> list[tuple[Any, ...]]:
    with world.database.transaction() as tx:
        query = "SELECT round_no, version_id, before, after, fixtures, reason FROM rating_change ORDER BY change_id"
        return tx.execute(query).fetchall()


NEWEST = """
    SELECT count(*) FROM rating r JOIN (
           SELECT DISTINCT ON (ladder, version_id) * FROM rating_change ORDER BY ladder, version_id, change_id DESC) c
     USING (ladder, version_id, change_id, tournament_id)
     WHERE r.rating = c.after"""
"""Ratings that are what the log comes to."""


def same_as_recomputed(world: World) -> bool:
    with world.database.transaction() as tx:
        return ratings.log(tx) == list(ratings.recompute(tx, elo.rate_round))


def test_whoever_leaves_before_half_is_played_counts_as_beaten_by_all(world: World) -> None:
    """As in the chess federation's rules for round robins: the points fall away, the ratings stay."""
    made = world.tournament(4)
    play(world, made, 2)  # Of each bot's three fixtures the first.
    before = {line.entrant: line.rating for line in table(world, made)}
    leave(world, made, 0, conduct.withdraw)
    lines = {line.entrant: line for line in table(world, made)}
    assert {entrant: line.rating for entrant, line in lines.items()} == before
    assert (lines[0].points, lines[0].place) == (0.0, 4)
    assert [lines[entrant].points for entrant in (1, 2, 3)] in ([2.0, 2.0, 4.0], [2.0, 4.0, 2.0], [4.0, 2.0, 2.0])
    play(world, made)
    assert state(world) == "finished"
    assert world.value("SELECT count(*) FROM fixture WHERE absent = '{0}'") == 2
    assert len({entrant for line in table(world, made) for entrant in [line.matches]}) == 1


def test_whoever_leaves_later_keeps_what_it_has_played_and_forfeits_the_rest(world: World) -> None:
    made = world.tournament(4)
    play(world, made, 4)
    points = {line.entrant: line.points for line in table(world, made)}
    leave(world, made, 0, conduct.withdraw)
    after = {line.entrant: line.points for line in table(world, made)}
    [other] = [entrant for entrant in (1, 2, 3) if after[entrant] != points[entrant]]
    assert after[0] == points[0]
    assert after[other] == points[other] + 2.0  # A leg a seat.
    play(world, made)
    assert state(world) == "finished"
    assert same_as_recomputed(world)
    assert world.value("SELECT sum(fixtures) FROM rating_change") == 2 * 5  # What nobody has played is not rated.


def test_whoever_is_disqualified_comes_last_and_counts_for_no_rating(world: World) -> None:
    """Each rating that it has moved is taken back by a step of its own, with the reason (P8)."""
    made = world.tournament(4)
    play(world, made, 4)
    rated = steps(world)
    assert len(rated) == 8
    leave(world, made, 0, conduct.disqualify)
    mirrored = steps(world)[8:16]
    reason = "entrant 1 disqualified: A test wants it."
    assert mirrored == [(r, v, after, before, -n, reason) for r, v, before, after, n, _ in reversed(rated)]
    with world.database.transaction() as tx:
        versions = tournaments.entrants(tx, made)
    anew = [step for step in steps(world)[16:] if step[5] == "round"]
    assert versions[0] not in {step[1] for step in anew}
    newest = "SELECT after FROM rating_change WHERE version_id = %(id)s ORDER BY change_id DESC"
    assert world.value(newest, id=versions[0]) == 1500.0
    play(world, made)
    lines = table(world, made)
    assert (lines[-1].entrant, lines[-1].points, lines[-1].place, lines[-1].rating) == (0, 0.0, 4, 1500.0)
    assert same_as_recomputed(world)
    assert world.value("SELECT sum(fixtures) FROM rating_change") == 2 * 3
    assert world.value(NEWEST) == 4
    assert world.value("SELECT sum(fixtures) FROM rating") == 2 * 3


def test_the_joint_fit_leaves_out_whoever_was_disqualified(world: World) -> None:
    made = world.tournament(3)
    play(world, made)
    other = world.tournament(3)
    play(world, other, 2)
    leave(world, other, 2, conduct.disqualify)
    with world.database.transaction() as tx:
        gone = tournaments.entrants(tx, other)[2]
        found = ratings.records(tx, tournaments.get(tx, other).ladder)
    assert gone not in {version for versions, _ in found for version in versions}


@pytest.mark.parametrize("act", [conduct.withdraw, conduct.disqualify])
def test_a_swiss_tournament_pairs_no_more_whoever_has_left(world: World, act: Callable[..., None]) -> None:
    made = world.tournament(6, format="swiss", format_options={"rounds": 4})
    play(world, made)
    leave(world, made, 3, act)
    play(world, made)
    play(world, made)
    play(world, made)
    assert state(world) == "finished"
    paired = """SELECT count(*) FROM fixture JOIN fixture_seat USING (fixture_id, tournament_id)
                 WHERE entrant_no = 3"""
    assert world.value(paired) == 2
    assert world.value("SELECT count(*) FROM fixture") == 3 + 3 + 2 + 2
    assert (table(world, made)[-1].entrant == 3) == (act is conduct.disqualify) or act is conduct.withdraw


def test_a_swiss_tournament_that_nearly_all_have_left_ends(world: World) -> None:
    made = world.tournament(4, format="swiss", format_options={"rounds": 4})
    play(world, made)
    for entrant in (0, 1, 2):
        leave(world, made, entrant, conduct.withdraw)
    assert state(world) == "finished"


def test_in_a_knockout_the_opponent_goes_on(world: World) -> None:
    made = world.tournament(4, format="knockout", format_options={"seeding": "entry"})
    play(world, made)  # Entrants 0 and 1 go on.
    leave(world, made, 0, conduct.disqualify)
    assert state(world) == "finished"
    lines = table(world, made)
    assert (lines[0].entrant, lines[-1].entrant) == (1, 0)


def test_what_is_in_play_is_dropped_and_its_late_result_counts_nothing(world: World) -> None:
    made = world.tournament(2)
    claim = world.claim(world.all_fixtures(made)[0])
    assert claim is not None
    leave(world, made, 1, conduct.withdraw)
    assert not world.finish(claim)
    assert world.value("SELECT count(*) FROM match") == 0
    assert world.value("SELECT array_agg(score ORDER BY entrant_no) FROM fixture_score") == [1.0, 0.0]
    assert state(world) == "finished"


def test_a_fixture_that_all_have_left_counts_for_nobody(world: World) -> None:
    made = world.tournament(3)
    leave(world, made, 0, conduct.withdraw)
    leave(world, made, 1, conduct.withdraw)
    assert [(line.entrant, line.points) for line in table(world, made)] == [(2, 4.0), (0, 0.0), (1, 0.0)]
    assert state(world) == "finished"


def test_before_the_start_an_entry_goes_and_those_behind_move_up(world: World) -> None:
    made = world.tournament(4, start=False)
    with world.database.transaction() as tx:
        before = tournaments.entrants(tx, made)
        conduct.withdraw(tx, made, before[1], by=BECAUSE, now=world.now)
        assert tournaments.entrants(tx, made) == [before[0], before[2], before[3]]
        assert tournaments.start(tx, made, by=BECAUSE, now=world.now) == 3


def test_a_void_fixture_is_played_again_on_other_deals(world: World) -> None:
    """Its first result stays on record, and counts nothing; what it has moved is taken back and made anew."""
    made = world.tournament(3)
    play(world, made)  # It has ended, and what has ended stands.
    with pytest.raises(LeagueError, match="cannot be voided: the tournament is finished"):
        void(world, made, world.all_fixtures(made)[0])
    made = world.tournament(4)
    play(world, made, 4)
    fixture_id = world.all_fixtures(made)[0]
    void(world, made, fixture_id)
    claim = world.claim(fixture_id)
    assert claim is not None
    assert (claim.generation, claim.incarnation) == (1, None)
    assert world.value("SELECT count(*) FROM fixture_score WHERE fixture_id = %(id)s", id=fixture_id) == 0
    assert world.value("SELECT count(*) FROM round WHERE tournament_id = %(id)s AND rated_at IS NOT NULL", id=made) == 0
    assert world.finish(claim, winner=1)
    settle(world.database, clock=lambda tx: world.now)
    assert world.value("SELECT count(*) FROM round WHERE tournament_id = %(id)s AND rated_at IS NOT NULL", id=made) == 2
    assert world.value("SELECT count(*) FROM match WHERE fixture_id = %(id)s", id=fixture_id) == 4
    with world.database.transaction() as tx:
        first = next(result for result in matches.results(tx, made) if result.key == (0, 0))
    assert first.legs == ((2, 1), (2, 1))
    assert same_as_recomputed(world)


def void(world: World, made: int, fixture_id: int) -> None:
    with world.database.transaction() as tx:
        conduct.void(tx, made, fixture_id, by=BECAUSE, now=world.now)


def test_later_tournaments_of_the_ladder_are_rated_anew_too(world: World) -> None:
    first = world.tournament(3)
    play(world, first, 2)
    second = world.tournament(3)
    play(world, second)
    play(world, first)
    third = world.tournament(3)
    play(world, third, 1)
    with world.database.transaction() as tx:
        tx.execute("UPDATE tournament SET state = 'running', finished_at = NULL WHERE tournament_id = 1")
    rated = len(steps(world))
    void(world, first, world.all_fixtures(first)[2])
    taken = [step for step in steps(world)[rated:] if str(step[5]).startswith("round 3, table 1 voided")]
    assert len(taken) == 2 + 6 + 2
    assert {entry.move for entry in logged(world, second)} >= {"corrected"}
    play(world, first)
    assert same_as_recomputed(world)


def logged(world: World, made: int) -> list[log.Entry]:
    with world.database.transaction() as tx:
        return list(log.entries(tx, made))


def test_what_cannot_be_voided_is_said(world: World) -> None:
    made = world.tournament(4)
    last = world.all_fixtures(made)[-1]
    play(world, made, 3)
    leave(world, made, 0, conduct.withdraw)
    gone = world.value("SELECT fixture_id FROM fixture WHERE absent IS NOT NULL")
    cup = world.tournament(4, format="knockout")
    play(world, cup, 2)
    refused: list[tuple[int, object, type[RummyError], str]] = [
        (made, last + 1000, NotFound, "no fixture"),
        (made, world.all_fixtures(cup)[0], NotFound, "no fixture"),
        (made, gone, Conflict, "a bot of it has left"),
        (cup, world.all_fixtures(cup)[0], Conflict, "the next round has been drawn"),
        (cup, world.all_fixtures(cup)[2], Conflict, "has not been played"),
    ]
    before = [logged(world, each) for each in (made, cup)]
    for tournament_id, fixture_id, error, said in refused:
        assert isinstance(fixture_id, int)
        with pytest.raises(error, match=said):
            void(world, tournament_id, fixture_id)
    assert [logged(world, each) for each in (made, cup)] == before


def test_a_fixture_in_play_is_voided_too(world: World) -> None:
    made = world.tournament(2)
    fixture_id = world.all_fixtures(made)[0]
    claim = world.claim(fixture_id)
    assert claim is not None
    void(world, made, fixture_id)
    assert not world.finish(claim)
    assert world.value("SELECT outcome FROM fixture_attempt") == "void"
    again = world.claim(fixture_id)
    assert again is not None
    assert again.generation == 1
    assert world.finish(again)


@pytest.mark.parametrize("act", [conduct.withdraw, conduct.disqualify])
def test_nobody_leaves_twice_or_without_having_been_in(world: World, act: Callable[..., None]) -> None:
    made, other = world.tournament(4), world.tournament(2)
    leave(world, made, 1, act)
    before = logged(world, made)
    with world.database.transaction() as tx:
        stranger, gone = tournaments.entrants(tx, other)[0], tournaments.entrants(tx, made)[1]
    for version, error, said in ((stranger, NotFound, "is not in 'Test'"), (gone, Conflict, "has left 'Test' already")):
        with pytest.raises(error, match=said), world.database.transaction() as tx:
            act(tx, made, version, by=BECAUSE, now=world.now)
    with pytest.raises(BadInput, match="say why"), world.database.transaction() as tx:
        act(tx, made, tournaments.entrants(tx, made)[0], by=By("operator"), now=world.now)
    assert logged(world, made) == before


def test_two_that_withdraw_one_bot_at_once_do_it_once(world: World) -> None:
    """P11: nothing is half done, and results that come in meanwhile are either final or forfeited."""
    made = world.tournament(6)
    claims = [world.claim(fixture_id) for fixture_id in world.all_fixtures(made)[:8]]
    said: list[RummyError | None] = []

    def withdraw() -> None:
        try:
            with world.database.transaction() as tx:
                conduct.withdraw(tx, made, tournaments.entrants(tx, made)[0], by=BECAUSE, now=world.now)
            said.append(None)
        except RummyError as error:
            said.append(error)

    def finish() -> None:
        for claim in claims:
            assert claim is not None
            world.finish(claim)

    together = [threading.Thread(target=act) for act in (withdraw, finish, withdraw)]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join()
    assert sorted(map(type, said), key=str) == sorted([Conflict, type(None)], key=str)
    play(world, made)
    assert state(world) == "finished"
    counted = "SELECT count(*) FROM tournament_log WHERE move IN ('result', 'unplayed')"
    assert world.value(counted) == 15
    assert same_as_recomputed(world)


def test_a_result_for_a_fixture_that_is_final_is_refused(world: World) -> None:
    made = world.tournament(2)
    claim = world.claim(world.all_fixtures(made)[0])
    assert claim is not None
    assert world.finish(claim)
    before = logged(world, made)
    assert not world.finish(claim, winner=1)
    assert logged(world, made) == before


Act = Callable[[Connection, int], object]
LATER: dict[str, Act] = {
    "withdrawn": lambda tx, made: conduct.withdraw(tx, made, tournaments.entrants(tx, made)[1], by=BECAUSE, now=NOON),
    "disqualified": lambda tx, made: conduct.disqualify(
        tx, made, tournaments.entrants(tx, made)[1], by=BECAUSE, now=NOON
    ),
    "voided": lambda tx, made: conduct.void(tx, made, _first(tx, made), by=BECAUSE, now=NOON),
    "extended": lambda tx, made: deadlines.extend(tx, made, seconds=60, by=BECAUSE, now=NOON),
}


def _first(tx: Connection, made: int) -> int:
    row = tx.execute("SELECT min(fixture_id) FROM fixture WHERE tournament_id = %(id)s", {"id": made}).fetchone()
    assert row is not None
    return int(row[0] or 1)


def come_to(world: World, then: TournamentState) -> int:
    """A tournament of three bots that has come to a state, with a first fixture that is done where it has begun."""
    made = world.tournament(3, start=then not in (TournamentState.DRAFT, TournamentState.OPEN))
    with world.database.transaction() as tx:
        if then == TournamentState.DRAFT:
            tx.execute("UPDATE tournament SET state = 'draft' WHERE tournament_id = %(id)s", {"id": made})
            return made
    play(world, made, 100 if then == TournamentState.FINISHED else 1)
    if then in (TournamentState.PAUSED, TournamentState.CANCELLED):
        with world.database.transaction() as tx:
            tournaments.change_state(tx, made, then, by=BECAUSE, now=NOON)
    return made


@pytest.mark.parametrize("then", TournamentState)
def test_each_of_these_moves_is_made_where_it_is_legal_and_refused_elsewhere(
    world: World, then: TournamentState
) -> None:
    for move, act in LATER.items():
        made = come_to(world, then)
        before = logged(world, made)
        if then in MOVES[move].legal:
            with world.database.transaction() as tx:
                act(tx, made)
            assert logged(world, made)[len(before)].move == move
        else:
            refused = pytest.raises(LeagueError, match=f"cannot be {move}: the tournament is {then}")
            with refused, world.database.transaction() as tx:
                act(tx, made)
            assert logged(world, made) == before
