"""Claims, leases and results: whoever dies or comes late, each fixture has one result."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest
from psycopg.rows import class_row
from world import BECAUSE, LEASE, World

from rummy.league.model import TournamentState
from rummy.store import arbiters, db, fixtures, matches, pages, tournaments
from rummy.store.fixtures import Claim


def taken(world: World, fixture_id: int, holder: str = "one") -> Claim:
    claim = world.claim(fixture_id, holder)
    assert claim is not None
    return claim


def attempts(world: World) -> list[tuple[object, ...]]:
    with world.database.transaction() as tx:
        return tx.execute("SELECT attempt, holder, outcome FROM fixture_attempt ORDER BY attempt").fetchall()


@pytest.fixture
def fixture_id(world: World) -> int:
    """The only fixture of a running tournament."""
    return world.all_fixtures(world.tournament(2))[0]


def test_of_many_that_claim_at_once_one_gets_it(world: World, fixture_id: int) -> None:
    barrier = threading.Barrier(6)

    def claim(number: int) -> Claim | None:
        barrier.wait()
        return world.claim(fixture_id, f"holder {number}")

    with ThreadPoolExecutor(6) as pool:
        got = [one for one in pool.map(claim, range(6)) if one is not None]
    assert [claim.attempt for claim in got] == [1]
    assert attempts(world) == [(1, got[0].holder, None)]


def test_an_expired_lease_is_taken_over_and_the_late_result_dropped(world: World, fixture_id: int) -> None:
    first = taken(world, fixture_id, "frozen")
    world.later(9)
    assert world.claim(fixture_id, "two") is None
    world.later(2)
    second = taken(world, fixture_id, "two")
    assert second.attempt == 2
    assert not world.finish(first)
    assert world.value("SELECT count(*) FROM match") == 0
    assert world.finish(second)
    assert not world.finish(first)
    assert not world.finish(second)
    assert world.value("SELECT count(*) FROM match") == 2
    assert attempts(world) == [(1, "frozen", "expired"), (2, "two", "done")]


def test_a_holder_that_takes_its_own_fixture_again_does_not_revive_the_old_claim(world: World, fixture_id: int) -> None:
    first = taken(world, fixture_id)
    world.later(11)
    second = taken(world, fixture_id)
    with world.database.transaction() as tx:
        lost = fixtures.renew(tx, [first, second], holder="one", now=world.now, lease=LEASE)
        assert lost == {(fixture_id, 1)}
        assert not fixtures.release(tx, first, now=world.now, reason="late")
    assert world.finish(second)


def test_a_renewed_lease_is_not_taken_over(world: World, fixture_id: int) -> None:
    claim = taken(world, fixture_id)
    for _ in range(3):
        world.later(8)
        with world.database.transaction() as tx:
            assert fixtures.renew(tx, [claim], holder="one", now=world.now, lease=LEASE) == set()
    assert world.claim(fixture_id, "two") is None
    assert world.finish(claim)


def test_a_released_fixture_is_free_after_its_delay_and_keeps_its_order(world: World, fixture_id: int) -> None:
    claim = taken(world, fixture_id)
    with world.database.transaction() as tx:
        arbiter = arbiters.announce(tx, address="unix:/a", bots_address="b", incarnation="x", now=world.now)
        assert fixtures.sending(tx, claim, arbiter, "x")
        delay = timedelta(seconds=5)
        assert fixtures.release(tx, claim, now=world.now, reason="the worker ends", delay=delay)
        assert not fixtures.release(tx, claim, now=world.now, reason="again")
    assert world.claim(fixture_id) is None
    world.later(5)
    again = taken(world, fixture_id)
    assert (again.arbiter, again.incarnation, again.generation) == (arbiter, "x", 0)
    assert attempts(world)[0] == (1, "one", "released")


@pytest.mark.parametrize(("live", "generation"), [(0, 0), (1, 1)])
def test_a_void_fixture_has_new_deals_only_where_a_live_bot_knows_the_old(
    world: World, live: int, generation: int
) -> None:
    fixture_id = world.all_fixtures(world.tournament(2, live=live))[0]
    first = taken(world, fixture_id)
    with world.database.transaction() as tx:
        before = fixtures.terms(tx, first)
        assert before.legs == (1 if live else 2)
        assert fixtures.void(tx, first, now=world.now, reason="the arbiter is gone")
    second = taken(world, fixture_id)
    assert (second.generation, second.attempt, second.incarnation) == (generation, 2, None)
    with world.database.transaction() as tx:
        assert (fixtures.terms(tx, second).seed != before.seed) == bool(live)


def test_a_fixture_shows_why_it_was_given_up_until_it_is_done(world: World, fixture_id: int) -> None:
    def setback() -> str | None:
        values = {"tournament_id": 1, "round_no": -1, "table_no": -1, "limit": 1}
        with world.database.transaction() as tx, tx.cursor(row_factory=class_row(pages.FixtureRow)) as cursor:
            [shown] = cursor.execute(pages.FIXTURES[None], values).fetchall()
        assert shown.fixture_id == fixture_id
        return shown.setback

    assert setback() is None
    for reason in ("refused", "refused again"):
        with world.database.transaction() as tx:
            fixtures.void(tx, taken(world, fixture_id), now=world.now, reason=reason)
        assert setback() == reason
    claim = taken(world, fixture_id)
    assert setback() == "refused again"
    assert world.finish(claim)
    assert setback() is None


def test_the_last_fixture_closes_its_round_and_the_tournament_ends(world: World) -> None:
    made = world.tournament(3)
    for number, fixture_id in enumerate(world.all_fixtures(made)):
        assert world.value("SELECT count(*) FROM round WHERE closed_at IS NOT NULL") == number
        with world.database.transaction() as tx:
            assert tournaments.finish_played(tx, now=world.now) == []
        assert world.finish(taken(world, fixture_id))
    with world.database.transaction() as tx:
        assert tournaments.finish_played(tx, now=world.now) == [made]
        assert tournaments.finish_played(tx, now=world.now) == []
        assert tournaments.get(tx, made).state == TournamentState.FINISHED


def test_two_last_fixtures_that_end_at_once_close_the_round(world: World) -> None:
    made = world.tournament(4, cycles=3)
    claims = [taken(world, fixture_id) for fixture_id in world.all_fixtures(made)]
    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(world.finish, claims))
    assert world.value("SELECT count(*) FROM round WHERE closed_at IS NULL") == 0


def test_results_are_read_back_in_the_order_of_the_schedule(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "AT_ONCE", 5)  # Of 12 legs.
    made = world.tournament(4)
    fixture_ids = world.all_fixtures(made)
    for fixture_id in reversed(fixture_ids):
        assert world.finish(taken(world, fixture_id), winner=1)
    with world.database.transaction() as tx:
        results = matches.results(tx, made)
        assert [result.key for result in results] == sorted(result.key for result in results)
        assert [result.legs for result in results] == [((2, 1), (2, 1))] * 6
        assert len(matches.ids(tx, made)) == 12
        assert matches.replay(tx, matches.ids(tx, made)[0]) == b"replay of a leg"
        scores = tx.execute("SELECT sum(score), count(*) FROM fixture_score").fetchone()
    assert scores == (6.0, 12)


def test_nothing_is_saved_of_a_result_that_makes_no_sense(world: World, fixture_id: int) -> None:
    claim = taken(world, fixture_id)
    wrong = matches.SeatResult(seat=0, entrant_no=7, placement=1, score=0, forfeit=None, strikes=0)
    other = matches.SeatResult(seat=1, entrant_no=8, placement=2, score=0, forfeit=None, strikes=0)
    match = matches.PlayedMatch(
        leg=0, reason="x", deals=1, actions=1, replay=b"x", digest=bytes(32), seats=(wrong, other)
    )
    with pytest.raises(psycopg.errors.ForeignKeyViolation), world.database.transaction() as tx:
        fixtures.finish(tx, claim, [match], now=world.now)
    assert world.value("SELECT state FROM fixture") == "running"
    assert world.value("SELECT count(*) FROM match") == 0


def test_a_paused_tournament_finishes_what_runs_and_begins_nothing(world: World) -> None:
    made = world.tournament(3)
    first, second, _ = world.all_fixtures(made)
    claim = taken(world, first)
    with world.database.transaction() as tx:
        tournaments.change_state(tx, made, TournamentState.PAUSED, by=BECAUSE, now=world.now)
    assert world.claim(second) is None
    assert world.finish(claim)
    with world.database.transaction() as tx:
        tournaments.change_state(tx, made, TournamentState.RUNNING, by=BECAUSE, now=world.now)
    assert world.claim(second) is not None


def test_whoever_resumes_a_tournament_does_not_wait_for_what_has_failed(world: World, fixture_id: int) -> None:
    claim = taken(world, fixture_id)
    with world.database.transaction() as tx:
        assert fixtures.voided(tx, claim) == 0
        fixtures.void(tx, claim, now=world.now, reason="refused", delay=timedelta(minutes=15))
        assert fixtures.voided(tx, claim) == 1
    assert world.claim(fixture_id) is None
    for state in (TournamentState.PAUSED, TournamentState.RUNNING):
        with world.database.transaction() as tx:
            tournaments.change_state(tx, 1, state, by=BECAUSE, now=world.now)
    assert world.claim(fixture_id) is not None


def test_a_cancelled_tournament_drops_what_runs(world: World) -> None:
    made = world.tournament(3)
    claim = taken(world, world.all_fixtures(made)[0])
    with world.database.transaction() as tx:
        tournaments.change_state(tx, made, TournamentState.CANCELLED, by=BECAUSE, now=world.now)
        lost = fixtures.renew(tx, [claim], holder="one", now=world.now, lease=LEASE)
    assert lost == {(claim.fixture_id, 1)}
    assert not world.finish(claim)
    assert attempts(world) == [(1, "one", "void")]


def test_nothing_is_claimed_while_a_tournament_is_being_cancelled(world: World, fixture_id: int) -> None:
    waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with ThreadPoolExecutor(1) as pool, world.database.transaction() as tx:  # Committed before the pool is waited for.
        tournaments.change_state(tx, 1, TournamentState.CANCELLED, by=BECAUSE, now=world.now)
        late = pool.submit(world.claim, fixture_id)
        while not late.done() and world.value(waits) == 0:
            pass
        assert not late.done(), "it was claimed for a tournament that ends in this moment"
    assert late.result() is None
    assert attempts(world) == []


def due(world: World, backlog: int = 100) -> list[int]:
    with world.database.transaction() as tx:
        return fixtures.due(tx, now=world.now, again=timedelta(seconds=10), backlog=backlog)


def test_due_fixtures_are_woken_once_a_while_in_scheduled_order(world: World) -> None:
    ids = world.all_fixtures(world.tournament(4))
    assert due(world, backlog=4) == ids[:4]
    assert due(world, backlog=4) == []
    for fixture_id in ids[:2]:
        taken(world, fixture_id)
    assert due(world, backlog=4) == ids[4:6]
    world.later(10.5)  # Nobody has followed the wake-ups, and the leases have run out.
    assert due(world) == ids


def test_what_is_paused_done_or_delayed_is_not_due(world: World) -> None:
    made = world.tournament(3)
    first, second, third = world.all_fixtures(made)
    world.finish(taken(world, first))
    with world.database.transaction() as tx:
        fixtures.release(tx, taken(world, second), now=world.now, reason="", delay=timedelta(seconds=5))
    assert due(world) == [third]
    world.later(11)
    assert due(world) == [second, third]
    with world.database.transaction() as tx:
        tournaments.change_state(tx, made, TournamentState.PAUSED, by=BECAUSE, now=world.now)
    world.later(11)
    assert due(world) == []


def test_progress_is_told_to_whoever_listens(world: World, fixture_id: int) -> None:
    with db.connect(world.database.url) as listener:
        listener.execute("LISTEN arena")
        world.finish(taken(world, fixture_id))
        told = [note.payload for note in listener.notifies(timeout=5, stop_after=3)]
    assert ['"fixture"' in payload for payload in told] == [True, True, False]
    assert '"done"' in told[1]
    assert '"round"' in told[2]
