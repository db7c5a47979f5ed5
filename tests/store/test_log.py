"""The log of a tournament: complete, in order, and only ever added to."""

import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import psycopg
import pytest
from world import BECAUSE, NOON, World

from rummy.errors import BadInput, LeagueError, ReplayMismatch, RummyError
from rummy.league.model import MOVES, TournamentState
from rummy.store import db, log, tournaments
from rummy.store.db import Connection
from rummy.store.log import By
from rummy.store.terms import Plan
from workers.ratings import settle


def logged(world: World, tournament_id: int) -> list[log.Entry]:
    with world.database.transaction() as tx:
        return list(log.entries(tx, tournament_id))


def moves(world: World, tournament_id: int) -> list[str]:
    return [entry.move for entry in logged(world, tournament_id)]


def test_every_move_is_there_with_who_when_what_and_why(world: World) -> None:
    made = world.tournament(2, cycles=2)
    first, second = world.all_fixtures(made)
    with world.database.transaction() as tx:
        later = world.later(5)
        tournaments.change_state(tx, made, TournamentState.PAUSED, by=By.owner("Ann", "The power fails."), now=later)
        tournaments.change_state(tx, made, TournamentState.RUNNING, by=By("schedule", "It is Monday."), now=later)
    for fixture_id in (first, second):
        claim = world.claim(fixture_id)
        assert claim is not None
        assert world.finish(claim)
    settle(world.database, clock=lambda tx: world.now)
    written = logged(world, made)
    assert [entry.move for entry in written] == [
        *("created", "entered", "entered", "started", "drawn", "paused", "resumed"),
        *("result", "closed", "result", "closed", "rated", "rated", "finished", "revealed"),
    ]
    assert [entry.entry_no for entry in written] == list(range(len(written)))
    paused = written[5]
    assert (paused.who, paused.at, paused.why) == ("owner Ann", NOON.replace(second=5), "The power fails.")
    assert {entry.who for entry in written[:4]} == {"operator"}
    assert {entry.who for entry in written[7:]} == {"worker"}
    assert written[0].said["format"] == "round_robin"
    assert written[1].said["name"] == f"bot {made} 0 1"
    assert written[4].said["fixtures"] == 2
    assert written[7].said["fixture"] == [0, 0, 0]
    assert written[7].said["legs"][1]["seats"] == [[1, 2, 100, None, 0], [0, 1, 100, None, 0]]
    assert [change[1:3] for change in written[11].said["changes"]] == [[1500.0, 1516.0], [1500.0, 1484.0]]
    with world.database.transaction() as tx:
        assert written[-1].said == {"seed": tournaments.revealed(tx, made)[0].hex()}


def test_the_seed_is_in_the_log_once_nothing_more_is_played_on_its_deals(world: World) -> None:
    """Reference bots play the deals of a live bot after the tournament has ended: they are not to be known before."""
    made = world.tournament(2, live=1)
    world.play_all(made)
    with world.database.transaction() as tx:
        tx.execute("DELETE FROM reference")
        tx.execute("INSERT INTO reference (fixture_id, generation, due_at) SELECT fixture_id, 0, done_at FROM fixture")
    settle(world.database, clock=lambda tx: world.now)
    assert moves(world, made)[-1] == "finished"
    with world.database.transaction() as tx:
        tx.execute("UPDATE reference SET state = 'given up', reason = 'x', ended_at = %(now)s", {"now": world.now})
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL ROLE arena_worker")
        tournaments.reveal(tx, now=world.now)
        tournaments.reveal(tx, now=world.now)
    assert moves(world, made)[-2:] == ["finished", "revealed"]


def test_an_entry_is_small(world: World) -> None:
    """200,000 fixtures of two legs have to be bearable: what their replays take is ten times as much."""
    made = world.tournament(2)
    world.play_all(made)
    size = "SELECT pg_column_size(l.*) FROM tournament_log l WHERE move = 'result'"
    assert world.value(size) in range(100, 600)


ROLES = ("arena_worker", "arena_dashboard", "arena_arbiter", None)
CHANGES = ("UPDATE tournament_log SET why = 'x'", "DELETE FROM tournament_log", "TRUNCATE tournament_log")


def test_nobody_changes_an_entry(world: World) -> None:
    """The services may not, and whoever may is refused: the owner of the database too."""
    made = world.tournament(2)
    before = logged(world, made)
    for role, statement in product(ROLES, CHANGES):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), world.database.transaction() as tx:
            if role is not None:
                tx.execute(f"SET LOCAL ROLE {role}".encode())
            tx.execute(statement.encode())
    assert logged(world, made) == before


def test_number_and_digest_are_the_databases_own(world: World) -> None:
    made = world.tournament(2)
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL ROLE arena_worker")
        tx.execute(
            "INSERT INTO tournament_log (tournament_id, entry_no, at, who, move, why, what, digest) "
            "VALUES (%(id)s, 77, now(), 'worker', 'rated', '', '{}', sha256(''))",
            {"id": made},
        )
    written = logged(world, made)
    assert written[-1].entry_no == len(written) - 1
    log.check_chain(written)


def take_out(entries: list[log.Entry]) -> list[log.Entry]:
    return entries[:2] + entries[3:]


def take_out_and_number_anew(entries: list[log.Entry]) -> list[log.Entry]:
    return [replace(entry, entry_no=number) for number, entry in enumerate(take_out(entries))]


def change_a_reason(entries: list[log.Entry]) -> list[log.Entry]:
    return [replace(entry, why="Another.") if entry.entry_no == 2 else entry for entry in entries]


def change_and_seal(entries: list[log.Entry]) -> list[log.Entry]:
    changed = replace(entries[2], who="worker")
    return [*entries[:2], replace(changed, digest=changed.chained(entries[1].digest)), *entries[3:]]


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (take_out, "a gap: entry 2 is missing, 3 stands in its place"),
        (take_out_and_number_anew, "Entry 2 of the log was changed"),
        (change_a_reason, "Entry 2 of the log was changed"),
        (change_and_seal, "Entry 3 of the log was changed, or one before it"),
    ],
)
def test_what_was_changed_or_taken_out_shows(
    world: World, tamper: Callable[[list[log.Entry]], list[log.Entry]], said: str
) -> None:
    written = logged(world, world.tournament(3, name="Größe \U0001f0a1"))
    log.check_chain(written)
    assert log.read_json([entry.as_json() for entry in written]) == written
    with pytest.raises(ReplayMismatch, match=said):
        log.check_chain(tamper(written))


@pytest.mark.parametrize("line", [{}, {"entry": "x"}, {"entry": 0, "at": 7}, 5])
def test_what_is_no_log_is_refused(line: object) -> None:
    with pytest.raises(BadInput, match="no log"):
        log.read_json([line])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (By("operator"), "say why"),
        (By("operator", "  "), "The reason is empty"),
        (By("operator", "two\nlines"), "control character"),
        (By("operator", "x" * 2001), "2001 bytes"),
        (By("operator", "\ud800"), "surrogate"),
    ],
)
def test_a_decision_has_a_reason(world: World, by: By, said: str) -> None:
    made = world.tournament(2)
    before = logged(world, made)
    with pytest.raises(BadInput, match=said), world.database.transaction() as tx:
        tournaments.change_state(tx, made, TournamentState.PAUSED, by=by, now=world.now)
    assert logged(world, made) == before
    assert world.value("SELECT state FROM tournament") == "running"


@pytest.mark.parametrize("who", ["", "somebody", "owner", "owner a\nb", "Operator"])
def test_who_is_one_of_four_kinds(world: World, who: str) -> None:
    made = world.tournament(2)
    with pytest.raises(psycopg.errors.CheckViolation), world.database.transaction() as tx:
        tournaments.change_state(tx, made, TournamentState.PAUSED, by=By(who, "So."), now=world.now)
    assert world.value("SELECT state FROM tournament") == "running"


def test_entries_that_are_made_at_once_are_numbered_without_a_gap(world: World) -> None:
    made = world.tournament(4, cycles=3)
    claims = [world.claim(fixture_id) for fixture_id in world.all_fixtures(made)]
    players = [threading.Thread(target=world.finish, args=(claim,)) for claim in claims]
    for player in players:
        player.start()
    for player in players:
        player.join()
    written = logged(world, made)
    log.check_chain(written)
    assert sum(entry.move == "result" for entry in written) == 18
    assert sum(entry.move == "closed" for entry in written) == 9


def test_a_result_that_is_dropped_or_rolled_back_leaves_no_entry(world: World) -> None:
    made = world.tournament(2)
    claim = world.claim(world.all_fixtures(made)[0])
    assert claim is not None
    assert world.finish(claim)
    before = moves(world, made)
    assert not world.finish(claim)
    assert moves(world, made) == before


def test_the_newest_are_read_in_pages(world: World) -> None:
    made = world.tournament(3)
    world.play_all(made)
    with world.database.transaction() as tx:
        last = log.newest(tx, made, before=1 << 31, limit=3)
        more = log.newest(tx, made, before=last[-1].entry_no, limit=2)
        plain = log.newest(tx, made, before=1 << 31, limit=100, routine=False)
    numbers = [entry.entry_no for entry in [*last, *more]]
    assert numbers == list(range(numbers[0], numbers[0] - 5, -1))
    assert [entry.move for entry in plain] == ["started", "entered", "entered", "entered", "created"]


def test_two_organisers_at_once_are_served_one_after_the_other(world: World) -> None:
    """The second one is told what the first has made of the tournament, and changes nothing."""
    made = world.tournament(2)
    said: list[RummyError | None] = []
    barrier = threading.Barrier(2)

    def pause() -> None:
        barrier.wait()
        try:
            with world.database.transaction() as tx:
                tournaments.change_state(tx, made, TournamentState.PAUSED, by=BECAUSE, now=world.now)
            said.append(None)
        except LeagueError as error:
            said.append(error)

    organisers = [threading.Thread(target=pause) for _ in range(2)]
    for organiser in organisers:
        organiser.start()
    for organiser in organisers:
        organiser.join()
    [refused] = [error for error in said if error is not None]
    assert "'Test' cannot be paused: the tournament is paused" in str(refused)
    assert moves(world, made).count("paused") == 1


def test_the_dashboard_may_read_it(world: World) -> None:
    made = world.tournament(2)
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL ROLE arena_dashboard")
        assert len(log.newest(tx, made, before=1 << 31, limit=10)) == 5


Act = Callable[[Connection, int], object]


def in_state(world: World, state: TournamentState) -> int:
    """A tournament of two bots that has come to *state*."""
    if state == TournamentState.DRAFT:
        with world.database.transaction() as tx:
            return tournaments.create(tx, Plan(name="Test", game="gin"), by=BECAUSE, now=NOON, draft=True)
    made = world.tournament(2, start=state != TournamentState.OPEN)
    if state == TournamentState.FINISHED:
        world.play_all(made)
        with world.database.transaction() as tx:
            tournaments.finish_played(tx, now=world.now)
    if state in (TournamentState.PAUSED, TournamentState.CANCELLED):
        with world.database.transaction() as tx:
            tournaments.change_state(tx, made, state, by=BECAUSE, now=world.now)
    return made


def changes(move: str, world: World) -> Act:
    """The function that makes *move*."""
    acts: dict[str, Act] = {
        "changed": lambda tx, made: tournaments.change_format(tx, made, cycles=2, options={}, by=BECAUSE, now=NOON),
        "entered": lambda tx, made: tournaments.add_entrant(
            tx, made, world.bot(tx, f"Late {made}"), by=BECAUSE, now=NOON
        ),
        "started": lambda tx, made: tournaments.start(tx, made, by=BECAUSE, now=NOON),
    }
    return acts.get(
        move,
        lambda tx, made: tournaments.change_state(tx, made, MOVES[move].then, by=BECAUSE, now=NOON),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("state", TournamentState)
def test_each_move_is_made_where_it_is_legal_and_refused_elsewhere(world: World, state: TournamentState) -> None:
    for move in sorted(set(MOVES) - {"finished", "withdrawn", "disqualified", "voided", "extended"}):
        made = in_state(world, state)
        before = logged(world, made), everything(world)
        act = changes(move, world)
        if state in MOVES[move].legal:
            with world.database.transaction() as tx:
                act(tx, made)
                now = tournaments.get(tx, made).state
            assert move in moves(world, made)[len(before[0]) :]
            assert now == (MOVES[move].then or state)
        else:
            refused = pytest.raises(LeagueError, match=f"cannot be {move}: the tournament is {state}")
            with refused, world.database.transaction() as tx:
                act(tx, made)
            assert (logged(world, made), everything(world)) == before


def everything(world: World) -> list[object]:
    """The content of every table that a move may touch."""
    tables = ("tournament", "entrant", "round", "fixture", "fixture_seat", "fixture_attempt", "match", "rating_change")
    return [world.value(f"SELECT jsonb_agg(t ORDER BY t::text) FROM {table} t") for table in tables]


def test_a_tournament_from_before_logs_were_kept_is_played_on(world: World) -> None:
    made = world.tournament(2)
    with db.connect(world.database.url) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("ALTER TABLE tournament_log DISABLE TRIGGER refuse")
        connection.execute("DELETE FROM tournament_log")
        connection.execute("ALTER TABLE tournament_log ENABLE ALWAYS TRIGGER refuse")
    world.play_all(made)
    assert moves(world, made) == ["result", "closed"]
