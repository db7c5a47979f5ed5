"""The verdict on a run can be a bad one: whatever was lost, doubled or changed is found, and nothing is no proof."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from arbiter_stage import SHORT, play_leg
from world import World

from rummy.cli.chaos import evidence
from rummy.cli.chaos.evidence import Check, Record
from rummy.cli.chaos.points import Point, Spot
from rummy.cli.chaos.victims import Kind
from rummy.cli.chaos.wreck import Kill
from rummy.store import fixtures
from workers import orders
from workers.ratings import settle

WORKER = "worker-1#7-abc"
PLANNED = 3
ONE_RESULT = "each fixture has exactly one result"
NO_FAULT = "no strike and no forfeit"
RATED = "no rating row lost or doubled"
ATTEMPTS = "each attempt has ended and names its worker"
LOGGED = "the log has each result and each rated round once"
VERIFIES = "every replay verifies"
PLAYED = "the same was played in every match"
TABLE = "the table is that of the calm run to the bit"
SCORES = "the scores are those of the calm run to the bit"
RATINGS = "the ratings are those of the calm run to the bit"
ALONE = [ONE_RESULT, NO_FAULT, RATED, ATTEMPTS, LOGGED, VERIFIES]


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


def checks(world: World, planned: int = PLANNED, number: int = 1) -> list[Check]:
    """What is checked of one arena."""
    return [
        *evidence.soundness(world.database, planned),
        evidence.logged(world.database, [number]),
        evidence.verified(world.database, [number], 2 * planned, list),
    ]


def failing(found: list[Check]) -> list[str]:
    return [check.name for check in found if not check.holds]


def do(world: World, *harms: str) -> None:
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL session_replication_role = replica")  # No key says no.
        tx.execute("ALTER TABLE tournament_log DISABLE TRIGGER refuse")
        for harm in harms:
            tx.execute(harm.encode())
        tx.execute("ALTER TABLE tournament_log ENABLE ALWAYS TRIGGER refuse")


def test_a_sound_run_passes(played: World) -> None:
    seen: list[int] = []
    assert [check.name for check in checks(played)] == ALONE
    assert failing(checks(played)) == []
    evidence.verified(played.database, [1], 2 * PLANNED, lambda: seen.append(1))
    assert len(seen) == 2 * PLANNED


def test_a_run_of_which_nothing_is_on_record_has_shown_nothing(world: World) -> None:
    assert failing(checks(world, planned=0)) == ALONE
    assert not evidence.agrees(world.database, []).holds
    nothing = evidence.record(world.database, [], list)
    assert failing(list(evidence.compared(nothing, nothing))) == [PLAYED, TABLE, SCORES, RATINGS]


def test_fixtures_that_were_never_there_are_missed(played: World) -> None:
    assert failing(checks(played, planned=PLANNED + 1)) == [ONE_RESULT, NO_FAULT, VERIFIES]


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        ("DELETE FROM match WHERE fixture_id = 1", [ONE_RESULT, VERIFIES]),
        ("DELETE FROM match WHERE match_id = 2", [ONE_RESULT, VERIFIES]),
        ("UPDATE match SET generation = 1 WHERE match_id = 2", [ONE_RESULT]),
        ("DELETE FROM seat_result WHERE match_id = 1", [ONE_RESULT, VERIFIES]),
        ("UPDATE seat_result SET seat = 5 WHERE match_id = 1 AND seat = 0", [ONE_RESULT]),
        ("UPDATE fixture_attempt SET outcome = 'void' WHERE fixture_id = 2", [ONE_RESULT]),
        ("UPDATE fixture SET absent = '{0}' WHERE fixture_id = 2", [ONE_RESULT]),
        ("UPDATE fixture SET state = 'scheduled', done_at = NULL WHERE fixture_id = 2", [ONE_RESULT, VERIFIES]),
        ("DELETE FROM fixture_score WHERE entrant_no = 0", [ONE_RESULT]),
        ("UPDATE fixture_score SET entrant_no = 7 WHERE fixture_id = 1 AND entrant_no = 0", [ONE_RESULT]),
        ("UPDATE seat_result SET strikes = 1 WHERE seat = 1", [NO_FAULT, VERIFIES]),
        ("UPDATE seat_result SET forfeit = 'timeout' WHERE match_id = 3", [NO_FAULT, VERIFIES]),
        ("DELETE FROM rating_change WHERE change_id = 2", [RATED]),
        ("DELETE FROM rating_change", [RATED]),
        ("UPDATE rating_change SET reason = 'again', after = after + 1e-9", [RATED]),
        ("UPDATE rating_change SET after = after + 1e-9 WHERE change_id = 1", [RATED]),
        (
            """INSERT INTO rating_change (ladder, tournament_id, round_no, version_id, before, after, fixtures, reason,
                                          pass)
               SELECT ladder, tournament_id, round_no, version_id, before, after, fixtures, 'correction', pass + 1
                 FROM rating_change WHERE change_id = 1""",
            [RATED],
        ),
        ("UPDATE fixture_attempt SET holder = 'nobody' WHERE fixture_id = 1", [ATTEMPTS]),
        ("UPDATE fixture_attempt SET outcome = NULL, ended_at = NULL WHERE fixture_id = 1", [ONE_RESULT, ATTEMPTS]),
        ("DELETE FROM fixture_attempt", [ONE_RESULT, ATTEMPTS]),
        ("UPDATE round SET rated_at = NULL WHERE round_no = 1", [RATED, LOGGED]),
        ("DELETE FROM tournament_log WHERE entry_no = 9", [LOGGED]),
        ("DELETE FROM tournament_log", [LOGGED]),
        ("UPDATE tournament_log SET why = 'for fun' WHERE entry_no = 1", [LOGGED]),
        ("UPDATE match SET digest = sha256('x') WHERE leg = 1", [VERIFIES]),
        ("UPDATE match SET deals = deals + 1 WHERE match_id = 1", [VERIFIES]),
        ("UPDATE match SET replay = (SELECT replay FROM match WHERE match_id = 2) WHERE match_id = 1", [VERIFIES]),
        ("UPDATE seat_result SET score = score + 1 WHERE match_id = 1 AND seat = 0", [VERIFIES]),
        ("UPDATE seat_result SET placement = 3 - placement WHERE match_id = 1", [VERIFIES]),
    ],
)
def test_what_was_harmed_is_found(played: World, harm: str, found: list[str]) -> None:
    do(played, harm)
    assert set(found) <= set(failing(checks(played)))


def test_a_result_twice_in_place_of_another_is_found_in_a_log_that_is_whole(
    played: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rummy.store.log.check_chain", lambda entries: None)
    assert evidence.logged(played.database, [1]).holds
    do(
        played,
        """UPDATE tournament_log SET what = (SELECT what FROM tournament_log WHERE move = 'result' LIMIT 1)
            WHERE move = 'result'""",
    )
    assert not evidence.logged(played.database, [1]).holds


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda record: replace(record, played=record.played[::-1]), PLAYED),
        (lambda record: replace(record, tables=[record.tables[0][::-1]]), TABLE),
        (lambda record: replace(record, scores=[(*line[:-1], 1 - line[-1] + 1e-9) for line in record.scores]), SCORES),
        (lambda record: replace(record, ratings=[(*line[:-1], line[-1] + 1) for line in record.ratings]), RATINGS),
        (lambda record: replace(record, ratings=[]), RATINGS),
    ],
)
def test_another_record_is_found(played: World, change: Callable[[Record], Record], found: str) -> None:
    record = evidence.record(played.database, [1], list)
    assert failing(list(evidence.compared(record, record))) == []
    assert failing(list(evidence.compared(change(record), record))) == [found]
    assert failing(list(evidence.compared(record, change(record)))) == [found]


def test_what_was_played_is_all_but_what_a_clock_has_said(played: World) -> None:
    """The digest of a match is not that of another match, nor of the same seed played otherwise."""
    record = evidence.record(played.database, [1], list)
    assert len(set(record.played)) == len(record.played) == 2 * PLANNED
    claim = played.claim(played.all_fixtures(played.tournament(2, options=SHORT))[0])
    assert claim is not None
    with played.database.transaction() as tx:
        order = orders.order_of(claim, fixtures.terms(tx, claim))
    line = play_leg(order, 0)
    digest = evidence.digest_of(line)
    assert evidence.digest_of(line.replace(b'"us":1}', b'"us":2}')) == digest
    assert evidence.digest_of(line.replace(b'"act":"S"', b'"act":"P1"', 1)) != digest
    assert evidence.digest_of(line.replace(order.seed.hex().encode(), b"0" * 64, 1)) != digest


@pytest.mark.parametrize(
    ("kind", "point", "attempt", "holder", "agrees"),
    [
        (Kind.WORKER, Point.BEFORE_COMMIT, 1, WORKER, False),  # It is done, and nobody else could have saved it.
        (Kind.POSTGRES, Point.BEFORE_COMMIT, 1, WORKER, False),
        (Kind.WORKER, Point.IN_PLAY, 1, WORKER, False),
        (Kind.ARBITER, Point.BEFORE_COMMIT, 1, WORKER, True),  # The worker had its record.
        (Kind.ARBITER, Point.BEFORE_COMMIT, 2, WORKER, False),  # There is no such attempt.
        (Kind.WORKER, Point.IN_PLAY, 2, WORKER, False),
        (Kind.BOT, Point.IN_PLAY, 1, "worker-2#8-def", False),  # It was another's.
        (Kind.WORKER, Point.AFTER_COMMIT, 1, WORKER, True),
        (Kind.WORKER, Point.AFTER_COMMIT, 2, WORKER, False),
        (Kind.WORKER, Point.BEFORE_CLAIM, 0, "", False),  # It claimed after its death.
        (Kind.ARBITER, Point.BEFORE_CLAIM, 0, "", True),
        (Kind.ARBITER, Point.BEFORE_CLAIM, 1, "", False),  # Nobody has claimed it since.
    ],
)
def test_a_kill_that_was_not_where_it_was_aimed_is_found(
    played: World, kind: Kind, point: Point, attempt: int, holder: str, agrees: bool
) -> None:
    kill = Kill(kind, "worker-1", 7, point, Spot(1, attempt, holder, "", frozenset()))
    assert evidence.agrees(played.database, [kill]).holds is agrees


def test_who_had_claimed_before_and_died_later_has_not_claimed_after_its_death(played: World) -> None:
    kill = Kill(Kind.WORKER, "worker-1", 77, Point.BEFORE_CLAIM, Spot(1, 0, "", "", frozenset()))
    assert evidence.agrees(played.database, [kill]).holds


def test_a_death_at_random_is_no_aimed_one(played: World) -> None:
    assert not evidence.agrees(played.database, [Kill(Kind.WORKER, "worker-1", 7, None, None)]).holds
