"""The verdict on a run can be a bad one: whatever was lost, doubled or changed is found."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from arbiter_stage import SHORT, play_leg
from world import World

from rummy.cli.chaos import evidence
from rummy.cli.chaos.points import Point, Spot
from rummy.cli.chaos.victims import Kind
from rummy.cli.chaos.wreck import Kill
from rummy.store import fixtures
from workers import orders
from workers.ratings import settle

WORKER = "worker-1#7-abc"


@pytest.fixture
def played(world: World) -> World:
    """A finished tournament with real replays."""
    for fixture_id in world.all_fixtures(world.tournament(3, options=SHORT)):
        claim = world.claim(fixture_id, WORKER)
        assert claim is not None
        with world.database.transaction() as tx:
            terms = fixtures.terms(tx, claim)
            order = orders.order_of(claim, terms)
            results = orders.results_of(claim, terms, [play_leg(order, leg) for leg in range(2)])
            assert fixtures.finish(tx, claim, results, now=world.now)
    settle(world.database)
    return world


def failing(world: World) -> list[str]:
    checks = [
        *evidence.soundness(world.database), evidence.logged(world.database, [1]),
        evidence.record(world.database, [1])[1],
    ]  # fmt: skip
    return [check.name for check in checks if not check.holds]


def test_a_sound_run_passes(played: World) -> None:
    assert failing(played) == []


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        ("DELETE FROM seat_result WHERE match_id = 1", "each fixture has exactly one result"),
        ("UPDATE fixture_attempt SET outcome = 'void' WHERE fixture_id = 2", "each fixture has exactly one result"),
        ("DELETE FROM fixture_score WHERE entrant_no = 0", "each fixture has exactly one result"),
        ("UPDATE seat_result SET strikes = 1 WHERE seat = 1", "no strike and no forfeit"),
        ("UPDATE seat_result SET forfeit = 'timeout' WHERE match_id = 3", "no strike and no forfeit"),
        ("DELETE FROM rating_change WHERE change_id = 2", "no rating row lost or doubled"),
        ("UPDATE rating_change SET reason = 'again', after = after + 1e-9", "no rating row lost or doubled"),
        ("UPDATE fixture_attempt SET holder = 'nobody'", "each attempt has ended and names its worker"),
        ("UPDATE fixture_attempt SET outcome = NULL, ended_at = NULL", "each attempt has ended and names its worker"),
        ("UPDATE round SET rated_at = NULL WHERE round_no = 1", "the log has each result and each rated round once"),
        ("DELETE FROM tournament_log WHERE entry_no = 9", "the log has each result and each rated round once"),
        ("UPDATE match SET digest = sha256('x') WHERE leg = 1", "every replay verifies"),
    ],
)
def test_what_was_harmed_is_found(played: World, harm: str, found: str) -> None:
    with played.database.transaction() as tx:
        tx.execute("SET LOCAL session_replication_role = replica")  # No key says no.
        tx.execute("ALTER TABLE tournament_log DISABLE TRIGGER refuse")
        tx.execute(harm.encode())
        tx.execute("ALTER TABLE tournament_log ENABLE ALWAYS TRIGGER refuse")
    assert found in failing(played)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda record: replace(record, played=record.played[::-1]), "the same was played in every match"),
        (lambda record: replace(record, tables=[[]]), "the table is that of the calm run to the bit"),
        (
            lambda record: replace(record, ratings=[]),
            "the ratings are those of the calm run to the bit",
        ),
    ],
)
def test_another_record_is_found(
    played: World, change: Callable[[evidence.Record], evidence.Record], found: str
) -> None:
    record, _ = evidence.record(played.database, [1])
    assert all(check.holds for check in evidence.compared(record, record))
    assert [check.name for check in evidence.compared(change(record), record) if not check.holds] == [found]


@pytest.mark.parametrize(
    ("kind", "point", "attempt", "agrees"),
    [
        (Kind.WORKER, Point.BEFORE_COMMIT, 1, False),  # It is done, and nobody else could have saved it.
        (Kind.POSTGRES, Point.BEFORE_COMMIT, 1, False),
        (Kind.WORKER, Point.IN_PLAY, 1, False),
        (Kind.ARBITER, Point.BEFORE_COMMIT, 1, True),  # The worker had its record.
        (Kind.WORKER, Point.AFTER_COMMIT, 1, True),
        (Kind.WORKER, Point.AFTER_COMMIT, 2, False),
        (Kind.WORKER, Point.BEFORE_CLAIM, 0, True),
    ],
)
def test_a_kill_that_was_not_where_it_was_aimed_is_found(
    played: World, kind: Kind, point: Point, attempt: int, agrees: bool
) -> None:
    kill = Kill(kind, "somebody", point, Spot(1, attempt, WORKER, "", frozenset()))
    assert evidence.agrees(played.database, [kill]).holds is agrees
