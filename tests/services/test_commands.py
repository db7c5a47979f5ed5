"""The operator's commands on a real database."""

import json
from pathlib import Path

import pytest
from commands import Run, answer, run
from world import World

from rummy.cli.following import follow
from rummy.embedded.postgres import PostgresServer
from rummy.errors import StoreUnavailable
from rummy.store import db, deadlines, fixtures, log, owners, tournaments
from rummy.store.db import Database
from rummy.store.fixtures import Claim
from workers.ratings import settle

__all__ = ["run"]  # A fixture, which pytest finds by its name here.


@pytest.fixture
def three(world: World) -> list[str]:
    """The names of three bots."""
    with world.database.transaction() as tx:
        for name in ("Ace", "Two", "Ten"):
            world.bot(tx, name)
        world.bot(tx, "Other", games=("one_oh_one",))
    return ["--bot", "Ace", "--bot", "Two", "--bot", "Ten"]


def test_an_owners_token_is_printed_once_and_can_be_revoked(run: Run, world: World) -> None:
    token = answer(run, "owner", "add", "Bob")["token"]
    with world.database.transaction() as tx:
        assert owners.find_by_token(tx, token).owner == "Bob"
    assert token not in run("owner", "list")[1]
    assert run("owner", "add", "Bob")[2] == "arena: there is an owner 'Bob' already; choose another name\n"
    assert answer(run, "owner", "add", "Bob", "--again")["token"] != token
    assert answer(run, "owner", "revoke", "Bob") == {"owner": "Bob", "revoked": 2}
    assert run("owner", "revoke", "Eve")[0] == 1


def test_a_tournament_from_the_command_line(run: Run, world: World, three: list[str]) -> None:
    made = answer(run, "tournament", "create", "Cup", "--game", "gin", *three, "--matches", "7")
    plan = made.pop("plan")
    assert made == {"tournament": 1, "fixtures": 6, "rated": True, "state": "open"}
    assert (plan["fixtures"], plan["matches"], plan["measured"]) == (6, 12, 0)
    assert answer(run, "tournament", "start", "1") == {"tournament": 1, "fixtures": 6}
    world.play_all(1)
    assert answer(run, "rate") == {"rounds": 6}
    shown = answer(run, "tournament", "table", "1")
    assert [line["matches"] for line in shown["table"]] == [8, 8, 8]
    assert sum(line["points"] for line in shown["table"]) == 12
    assert answer(run, "rate", "--recompute") == {"changes": 12, "recomputed": 12, "same": True}
    assert "the same to the last bit" in run("rate", "--recompute")[1]
    [listed] = answer(run, "tournament", "list")
    assert (listed["name"], listed["state"]) == ("Cup", "running")


def test_the_deals_of_an_ended_tournament_can_be_played_again(run: Run, world: World, three: list[str]) -> None:
    answer(run, "tournament", "create", "Cup", "--game", "gin", *three, "--start")
    again = ["tournament", "create", "Again", "--game", "gin", *three, "--seed-of", "1", "--start"]
    assert "once it has ended" in run(*again)[2]
    world.play_all(1)
    with world.database.transaction() as tx:
        tx.execute("UPDATE tournament SET state = 'finished', finished_at = now()")
    assert answer(run, *again)["rated"] is False
    state, out, _ = run("tournament", "watch", "1", "--json")
    assert (state, json.loads(out)["state"]) == (0, "finished")
    assert "Ace" in run("tournament", "table", "1")[1]


def test_a_plan_is_shown_and_nothing_is_made(run: Run, world: World, three: list[str]) -> None:
    cup = ["tournament", "create", "Cup", "--game", "gin", *three, "--plan"]
    assert answer(run, *cup, "--cycles", "3") == {
        "plan": {
            "entrants": 3, "table_size": 2, "cycles": 3, "rounds": 9, "fixtures": 9, "most_fixtures": 9, "byes": 0,
            "matches": 18, "seconds": 4.5, "seconds_a_fixture": 0.5, "measured": 0,
            "balance": {"fixtures": [6, 6], "meetings": [3, 3], "seat_difference": 0},
        }
    }  # fmt: skip
    assert run(*cup)[1].splitlines() == [
        "A round robin at tables of 2, 1 cycle:",
        "  3 entrants, 3 rounds, 3 fixtures",
        "  6 matches",
        "  expected time: 2 seconds, at 0.5 s a fixture, which is assumed: nothing like it has been played here",
        "  each entrant plays 2 fixtures, each pair meets 1 time",
        "  everybody has each seat equally often in the first legs",
    ]
    assert "in 'Cup' already" in run(*cup, "--bot", "Ace")[2]
    assert "at least 2 entrants" in run("tournament", "create", "Cup", "--game", "gin", "--bot", "Ace", "--plan")[2]
    assert "does not play gin" in run(*cup, "--bot", "Other")[2]
    assert world.value("SELECT count(*) FROM tournament") == 0
    assert answer(run, *cup[:-1])["tournament"] == 1  # Not even a number is gone.


def test_the_expected_time_is_that_of_the_newest_fixtures(run: Run, world: World, three: list[str]) -> None:
    """Two fixtures of 6 seconds, side by side for 4 of them, then a pause and one more: 14 busy seconds for three."""
    answer(run, "tournament", "create", "Cup", "--game", "gin", *three, "--start")
    first, second, third = world.all_fixtures(1)
    claims: dict[int, Claim] = {}
    for after, fixture_id, end in [(0, first, False), (2, second, False), (4, first, True), (2, second, True),
                                   (1000, third, False), (6, third, True)]:  # fmt: skip
        world.later(after)
        if end:
            assert world.finish(claims[fixture_id])
        else:
            claim = world.claim(fixture_id)
            assert claim is not None
            claims[fixture_id] = claim
    plan = answer(run, "tournament", "plan", "1")["plan"]
    assert (plan["measured"], plan["seconds_a_fixture"], plan["seconds"]) == (3, round(14 / 3, 3), 14.0)
    assert "measured on the newest 3 fixtures of its ladder" in run("tournament", "plan", "1")[1]


def test_a_gauntlet_is_one_against_the_field(run: Run, world: World, three: list[str]) -> None:
    made = answer(run, "tournament", "create", "Cup", "--game", "gin", *three, "--format", "gauntlet", "--start")
    assert made["plan"]["balance"] == {"fixtures": [1, 2], "meetings": [0, 1], "seat_difference": 1}
    world.play_all(1)
    assert [line["matches"] for line in answer(run, "tournament", "table", "1")["table"]].count(4) == 1
    assert world.value("SELECT count(*) FROM fixture_seat WHERE entrant_no = 0") == 2


def test_a_knockout_from_the_command_line(run: Run, world: World, three: list[str]) -> None:
    cup = ["tournament", "create", "Cup", "--game", "gin", *three, "--format", "knockout", "--ties", "1"]
    plan = answer(run, *cup, "--cycles", "2", "--seeding", "entry", "--start")["plan"]
    assert (plan["rounds"], plan["fixtures"], plan["most_fixtures"], plan["balance"]) == (2, 4, 6, None)
    assert plan["byes"] == 1
    shown = run("tournament", "plan", "1")[1]
    assert "4 fixtures, up to 6 with ties played off" in shown
    assert "1 bye, which counts as won" in shown
    for _ in range(2):  # The second and the third meet, then the winner and the first.
        for fixture_id in world.all_fixtures(1)[-2:]:
            claim = world.claim(fixture_id)
            assert claim is not None
            with world.database.transaction() as tx:
                seats = [entrant.entrant_no for entrant in fixtures.terms(tx, claim).entrants]
            assert world.finish(claim, winner=seats.index(max(seats)))
        settle(world.database, clock=lambda tx: world.now)
    settle(world.database, clock=lambda tx: world.now)
    shown = answer(run, "tournament", "table", "1")
    assert shown["state"] == "finished"
    assert [(line["place"], line["bot"], line["points"]) for line in shown["table"]] == [
        (1, "Ten 1", 4.0), (2, "Ace 1", 0.0), (3, "Two 1", 0.0),
    ]  # fmt: skip


def test_a_swiss_table_counts_byes_and_orders_by_points(run: Run, world: World, three: list[str]) -> None:
    cup = ["tournament", "create", "Cup", "--game", "gin", *three, "--format", "swiss", "--rounds", "3"]
    assert "--matches is for schedules that are known" in run(*cup, "--matches", "9")[2]
    assert "a Swiss tournament has no option 'ties'" in run(*cup, "--ties", "2")[2]
    assert world.value("SELECT count(*) FROM tournament") == 0
    answer(run, *cup, "--start")
    for _ in range(3):
        claim = world.claim(world.all_fixtures(1)[-1])
        assert claim is not None
        assert world.finish(claim)
        settle(world.database, clock=lambda tx: world.now)
    table = answer(run, "tournament", "table", "1")["table"]
    assert sum(line["points"] for line in table) == 6  # Three fixtures and three byes.
    assert sorted(line["matches"] for line in table) == [4, 4, 4]
    assert [line["points"] for line in table] == sorted((line["points"] for line in table), reverse=True)


def test_the_format_is_changed_until_the_start_and_not_after_it(run: Run, world: World, three: list[str]) -> None:
    answer(run, "tournament", "create", "Cup", "--game", "gin", *three)
    changed = answer(run, "tournament", "change", "1", "--format", "gauntlet", "--cycles", "3")
    assert changed == {"tournament": 1, "format": "gauntlet", "cycles": 3, "format_options": {}}
    assert run("tournament", "change", "1", "--cycles", "2")[1] == "Tournament 1 is a gauntlet of 2 cycles now.\n"
    assert "no format 'x'" in run("tournament", "change", "1", "--format", "x")[2]
    assert "number of cycles" in run("tournament", "change", "1", "--cycles", "0")[2]
    assert answer(run, "tournament", "start", "1") == {"tournament": 1, "fixtures": 4}
    status, out, err = run("tournament", "change", "1", "--format", "round_robin")
    assert (status, out) == (1, "")
    said = "the format of 'Cup' cannot be changed: the tournament is running; it can be while it is draft or open"
    assert err == f"arena: {said}\n"
    assert world.value("SELECT format FROM tournament") == "gauntlet"


def test_without_a_number_the_newest_tournament_is_meant(run: Run, three: list[str]) -> None:
    assert "there is no tournament yet" in run("tournament", "watch")[2]
    for name in ("First", "Second"):
        answer(run, "tournament", "create", name, "--game", "gin", *three)
    assert answer(run, "tournament", "table")["tournament"] == 2
    assert "'arena tournament start 2' starts it" in run("tournament", "watch")[2]
    pair = ("--bot", "Ace", "--bot", "Two")
    assert "2 bots, 1 fixture. It" in run("tournament", "create", "Third", "--game", "gin", *pair)[1]


def test_changed_ratings_end_with_status_1(run: Run, world: World, three: list[str]) -> None:
    answer(run, "tournament", "create", "Cup", "--game", "gin", *three, "--start")
    world.play_all(1)
    run("rate")
    with world.database.transaction() as tx:
        tx.execute("UPDATE rating_change SET after = after + 1 WHERE change_id = 1")
    status, out, _ = run("rate", "--recompute")
    assert status == 1
    assert "tournament 1, round 1" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--game", "gin", "--bot", "Ace"], "at least 2 entrants"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Ace"], "in 'Cup' already"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Other"], "Other 1 does not play gin"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Nobody"], "no bot 'Nobody'"),
        (["--game", "whist", "--bot", "Ace", "--bot", "Two"], "no game 'whist'"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--options", '{"colour": 1}'], "'colour'"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--options", '{"target": "x"}'], "target"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--options", "{"], "--options cannot be read"),
        (["--game", "gin", "--bot", "Ace", "--bot", "\udcff"], "no bot '\\udcff'"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--options", '{"target": 1, "target": 2}'], "twice"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--options", "[" * 9999], "cannot be read"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--options", '{"target": ' + "9" * 5000], "cannot be read"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--options", "[1]"], "must be a JSON object"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--table-size", "3"], "tables of 2"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--cycles", "0"], "number of cycles"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--matches", "-3"], "--matches is -3"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--matches", "3", "--cycles", "1"], "exclude each other"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--seed-of", "77"], "no tournament 77"),
        (["--game", "gin", "--bot", "Ace", "--bot", "Two", "--seed", "\udcff"], "no UTF-8"),
        (
            ["--game", "gin", "--bot", "Ace", "--bot", "Two", "--format", "swis"],
            "no format 'swis'; there are: round_robin",
        ),
    ],
)
def test_what_cannot_be_had_changes_nothing(
    run: Run, world: World, three: list[str], arguments: list[str], said: str
) -> None:
    status, out, err = run("tournament", "create", "Cup", *arguments, "--start")
    assert (status, out) == (1, "")
    assert err.startswith("arena: ")
    assert said in err
    assert world.value("SELECT count(*) FROM tournament") == 0


def test_a_database_that_does_not_answer_is_named_at_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://x@/x?host=/nowhere/at/all")
    status, _, err = run("tournament", "list")
    assert status == 1
    assert err.startswith("arena: the database does not answer: ")
    assert err.count("\n") == 1


def test_without_a_database_the_variable_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_DATABASE_URL")
    status, _, err = run("tournament", "list")
    assert status == 1
    assert "ARENA_DATABASE_URL is not set" in err


def test_an_entrant_adds_a_nonce_of_its_own_while_entries_are_open(run: Run, world: World, three: list[str]) -> None:
    answer(run, "tournament", "create", "Cup", "--game", "gin", *three)
    with world.database.transaction() as tx:
        world.bot(tx, "Late")
    entered = answer(run, "tournament", "enter", "1", "Late", "--nonce", "00ff")
    assert entered["entrant"] == 3 and len(entered["commitment"]) == 64
    assert world.value("SELECT nonce FROM entrant WHERE entrant_no = 3") == b"\x00\xff"
    for wrong in ("", "0", "xy", "00" * 65):
        status, _, err = run("tournament", "enter", "1", "Late", "--nonce", wrong)
        assert status == 1 and "1 to 64 bytes" in err
    assert "each bot version enters once" in run("tournament", "enter", "1", "Late")[2]
    assert "does not play gin" in run("tournament", "enter", "1", "Other")[2]
    assert answer(run, "tournament", "start", "1") == {"tournament": 1, "fixtures": 6}
    assert "a bot in 'Cup' cannot be entered" in run("tournament", "enter", "1", "Late")[2]


def test_the_commitment_is_public_before_entries_close(run: Run, world: World, three: list[str]) -> None:
    answer(run, "tournament", "create", "Cup", "--game", "gin", *three, "--start")
    made, started = "SELECT xmin::text FROM tournament_seed", "SELECT xmin::text FROM tournament"
    assert world.value(made) != world.value(started)  # Two transactions.


def test_the_fault_policy_is_an_option_of_the_tournament(run: Run, world: World, three: list[str]) -> None:
    cup = ["tournament", "create", "Cup", "--game", "gin", *three]
    answer(run, *cup, "--strikes", "1", "--grace", "2.5", "--deaths", "100")
    assert world.value("SELECT faults FROM tournament") == {"strikes": 1, "grace_seconds": 2.5, "deaths": 100}
    for option, value in (("--strikes", "0"), ("--grace", "601"), ("--grace", "nan"), ("--deaths", "101")):
        status, _, err = run(*cup, option, value)
        assert status == 1 and value in err
    assert world.value("SELECT count(*) FROM tournament") == 1


def test_a_tournament_is_paused_resumed_and_cancelled(run: Run, world: World, three: list[str]) -> None:
    answer(run, "tournament", "create", "Cup", "--game", "gin", *three)
    assert "cannot be paused" in run("tournament", "pause", "1", "--why", "so")[2]
    assert "while it is paused" in run("tournament", "resume", "1", "--why", "so")[2]
    assert answer(run, "tournament", "start", "1") == {"tournament": 1, "fixtures": 3}
    assert answer(run, "tournament", "pause", "1", "--why", "so") == {"tournament": 1, "state": "paused"}
    assert "cannot be paused" in run("tournament", "pause", "1", "--why", "so")[2]
    assert answer(run, "tournament", "resume", "1", "--why", "so") == {"tournament": 1, "state": "running"}
    assert answer(run, "tournament", "cancel", "1", "--why", "so") == {"tournament": 1, "state": "cancelled"}
    assert "the tournament is cancelled" in run("tournament", "resume", "1", "--why", "so")[2]
    assert "no tournament 7" in run("tournament", "cancel", "7", "--why", "so")[2]


def test_a_draft_is_opened_and_then_started(run: Run, world: World, three: list[str]) -> None:
    cup = ["tournament", "create", "Cup", "--game", "gin", *three]
    assert "exclude each other" in run(*cup, "--draft", "--start")[2]
    assert answer(run, *cup, "--draft", "--why", "For spring.")["state"] == "draft"
    assert "while it is open" in run("tournament", "start", "1")[2]
    assert "has not begun" in run("tournament", "watch", "1")[2]
    assert answer(run, "tournament", "open", "1") == {"tournament": 1, "state": "open"}
    assert "while it is draft" in run("tournament", "open", "1")[2]
    assert answer(run, "tournament", "start", "1") == {"tournament": 1, "fixtures": 3}


def test_the_log_says_who_did_what_and_why(run: Run, world: World, three: list[str]) -> None:
    answer(run, "tournament", "create", "Cup", "--game", "gin", *three, "--start", "--why", "For <spring>.")
    world.play_all(1)
    assert "Missing option '--why'" in run("tournament", "cancel", "1")[2]
    answer(run, "tournament", "cancel", "1", "--why", "It rains.")
    lines = run("tournament", "log", "1")[1].splitlines()
    assert len(lines) == 6
    assert "operator    A tournament of gin is made, Cup; its commitment is " in lines[0]
    assert lines[0].endswith(" Why: For <spring>.")
    assert "Ten 1 enters as number 3." in lines[3]
    assert lines[5].endswith("The tournament is cancelled. Why: It rains.")
    told = run("tournament", "log", "1", "--all")[1]
    for sentence in ("Rounds 1 to 3 are drawn: 3 fixtures.", "Round 2, table 1 has its result: 1. entrant",
                     "Round 3 is complete."):  # fmt: skip
        assert sentence in told
    entries = [json.loads(line) for line in run("tournament", "log", "1", "--json")[1].splitlines()]
    log.check_chain(log.read_json(entries))
    settle(world.database)
    assert "Its seed was " in run("tournament", "log", "1")[1].splitlines()[-1]
    assert [entry["move"] for entry in entries].count("result") == 3
    assert "no tournament 7" in run("tournament", "log", "7")[2]


def test_bots_leave_and_fixtures_are_void(run: Run, world: World, three: list[str], tmp_path: Path) -> None:
    answer(run, "tournament", "create", "Cup", "--game", "gin", *three, "--cycles", "3", "--start")
    for fixture_id in world.all_fixtures(1)[:7]:
        claim = world.claim(fixture_id)
        assert claim is not None
        assert world.finish(claim)
    answer(run, "rate")
    because = ("--why", "So.")
    assert answer(run, "tournament", "void", "1", "2", *because) == {"tournament": 1, "fixture": 2}
    assert "nothing to void" in run("tournament", "void", "1", "2", *because)[2]
    assert "there is no 'Other' in 'Cup'" in run("tournament", "withdraw", "1", "Other", *because)[2]
    assert answer(run, "tournament", "withdraw", "1", "Ten", *because) == {"tournament": 1, "version_id": 3}
    assert "has left 'Cup' already: it was withdrawn" in run("tournament", "disqualify", "1", "Ann/Ten", *because)[2]
    assert "Two 1 is disqualified from tournament 1" in run("tournament", "disqualify", "1", "2", *because)[1]
    settle(world.database)
    same = answer(run, "tournament", "rebuild", "1")
    assert (same["same"], same["fixtures"]) == (True, 9)
    assert answer(run, "rate", "--recompute")["same"]
    told = run("tournament", "log", "1", "--all")[1]
    for sentence in ("Round 2, table 1 is void", "Entrant 3 is withdrawn, after 3 of its 6 fixtures.",
                     "Entrant 2 is disqualified; all", "is decided without play, without entrant 3.",
                     "The ratings of rounds 2, 3, 4, 5, 6, 7 are taken back."):  # fmt: skip
        assert sentence in told, told
    file = tmp_path / "log"
    file.write_text(run("tournament", "log", "1", "--json")[1])
    table = answer(run, "tournament", "table", "1")["table"]
    assert answer(run, "tournament", "rebuild", str(file))["table"] == table
    assert "Made anew from" in run("tournament", "rebuild", str(file))[1]
    with world.database.transaction() as tx:
        tx.execute("UPDATE seat_result SET score = 99 WHERE match_id = 1 AND seat = 0")
    status, out, _ = run("tournament", "rebuild", "1")
    assert status == 1 and "not what is on record: matches: on record [0, 0, 0, 0, 'target', 3, 99, " in out


@pytest.mark.parametrize("text", ["", "x", "[1]", '{"entry": 1}'])
def test_a_file_that_is_no_log_is_refused(run: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "log"
    file.write_text(text)
    status, _, err = run("tournament", "rebuild", str(file))
    assert status == 1 and "log" in err
    assert "cannot be read" in run("tournament", "rebuild", str(tmp_path / "none"))[2]


def test_deadlines_are_set_shown_and_extended(run: Run, world: World, three: list[str]) -> None:
    with world.database.transaction() as tx:
        world.bot(tx, "Far", hosted=False)
    cup = ["tournament", "create", "Cup", "--game", "gin", *three, "--bot", "Far"]
    assert "from 1 to 604800, not 0" in run(*cup, "--match-deadline", "0")[2]
    answer(run, *cup, "--fixture-deadline", "60", "--round-deadline", "7200", "--start")
    with world.database.transaction() as tx:
        deadlines.watch(tx, now=db.now(tx))
    shown = answer(run, "tournament", "show")
    assert (shown["state"], shown["round"], shown["done"]) == ("running", 0, 0)
    assert shown["deadlines"] == {"match": 3620, "fixture": 60, "round": 7200}
    [block] = shown["waits_for"]
    assert (block["bot"], block["fixtures"]) == ("Far 1", 3)
    text = run("tournament", "show", "1")[1]
    assert "3 fixtures wait for Far 1 to dial in, until " in text and "Round 1 has until " in text
    because = ("--why", "It is slow.")
    new = answer(run, "tournament", "extend", "1", "--by", "1.5", *because)["deadline"]
    assert new == answer(run, "tournament", "show")["deadline"] > shown["deadline"]
    assert answer(run, "tournament", "show")["waits_for"][0]["until"] > block["until"]
    later = answer(run, "tournament", "extend", "1", "--until", "2126-01-31", *because)["deadline"]
    assert later == "2126-01-31T00:00:00+00:00"
    for wrong, said in (
        (("--until", "2020-01-31"), "2020-01-31 00:00:00 UTC is in the past"),
        (("--until", "2125-01-31"), "is no extension"),
        (("--by", "-1"), "more than 0 and at most 8760, not -1"),
        (("--by", "1", "--until", "2127-01-31"), "give either --until or --by"),
        ((), "give either --until or --by"),
    ):
        status, _, err = run("tournament", "extend", "1", *wrong, *because)
        assert status == 1 and said in err
    assert answer(run, "tournament", "show")["deadline"] == later


def test_a_paused_tournament_holds_its_ladder_until_it_is_cancelled(run: Run, world: World, three: list[str]) -> None:
    answer(run, "tournament", "create", "First", "--game", "gin", *three, "--start")
    answer(run, "tournament", "create", "Second", "--game", "gin", *three, "--start")
    answer(run, "tournament", "pause", "1", "--why", "so")
    world.play_all(2)
    assert answer(run, "rate") == {"rounds": 0}
    assert "resumed or cancelled" in " ".join(run("tournament", "pause", "--help")[1].split())
    answer(run, "tournament", "cancel", "1", "--why", "so")
    assert answer(run, "rate") == {"rounds": 3}


def test_a_retired_bot_enters_no_new_tournament(run: Run, world: World, three: list[str]) -> None:
    answer(run, "tournament", "create", "Cup", "--game", "gin", *three)
    assert answer(run, "bot", "retire", "Ten") == {"version_id": 3, "name": "Ten", "version": "1", "state": "retired"}
    assert answer(run, "bot", "retire", "3")["state"] == "retired"
    assert "there is no bot 'Ten', or it has been retired" in run("bot", "retire", "Ten")[2]
    assert "no bot 'Ten'" in run("tournament", "create", "Next", "--game", "gin", *three)[2]
    assert answer(run, "tournament", "start", "1") == {"tournament": 1, "fixtures": 3}
    assert "no bot version 99" in run("bot", "retire", "99")[2]


CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'arena_world'"


def test_watching_goes_on_where_the_database_was_away(world: World, postgres: PostgresServer) -> None:
    world.tournament(2)
    looks: list[str] = []
    reachable = iter((True, False, False))

    def check() -> None:
        there = next(reachable, True)
        with db.connect(postgres.url(database="postgres")) as connection:
            connection.execute(f"ALTER DATABASE arena_world ALLOW_CONNECTIONS {there}".encode())
            if not there:
                connection.execute(CUT)

    def look(now: tournaments.Progress) -> bool:
        looks.append(now.state)
        return len(looks) == 2

    with Database(world.database.url, size=1, wait_seconds=0.5) as watched:
        assert follow(watched, 1, look, check=check).fixtures == 1
    assert looks == ["running", "running"] and next(reachable, None) is None


def test_watching_ends_where_the_database_stays_away(world: World) -> None:
    nowhere = Database("postgresql://x@/x?host=/nowhere/at/all", size=1, wait_seconds=0.1)
    with nowhere as database, pytest.raises(StoreUnavailable):
        follow(database, 1, lambda _: True, patience=0.0)


def test_the_ratings_of_a_ladder(run: Run, world: World, three: list[str]) -> None:
    assert "no round of a rated tournament is complete yet" in run("ratings", "gin")[2]
    for _ in range(2):
        run("tournament", "create", "Cup", "--game", "gin", "--cycles", "12", "--start", *three)
        world.play_all(int(str(world.value("SELECT max(tournament_id) FROM tournament"))))
    run("rate")
    found = answer(run, "ratings", "gin")
    assert {line["bot"] for line in found["lines"]} == {"Ann/Ace 1", "Ann/Two 1", "Ann/Ten 1"}
    assert sum(line["rating"] for line in found["lines"]) == pytest.approx(4500)
    assert [line["better_than_next"] is None for line in found["lines"]] == [False, False, True]
    assert [line["place"] for line in found["lines"]] == [1, 2, 3]
    assert [(line["fixtures"], line["provisional"]) for line in found["lines"]] == [(48, False)] * 3
    assert answer(run, "ratings", found["ladder"]) == found
    told = answer(run, "ratings", "gin", "--second-opinion")["lines"]
    assert all(0 < line["openskill"]["deviation"] < 25 / 3 for line in told)
    assert "openskill" in run("ratings", "gin", "--second-opinion")[1]
    status, shown, _ = run("ratings", "gin")
    assert status == 0
    assert f"{found['lines'][0]['rating']:.0f}" in shown
    assert f"{100 * found['lines'][0]['better_than_next']:.1f} %" in shown


def test_the_luck_in_a_ladder(run: Run, world: World, three: list[str]) -> None:
    """Made-up results: who wins does so from either seat."""
    assert "no round of a rated tournament is complete yet" in run("luck", "gin")[2]
    run("tournament", "create", "Cup", "--game", "gin", "--cycles", "12", "--start", *three)
    for number, fixture in enumerate(world.all_fixtures(1)):
        claim = world.claim(fixture)
        assert claim is not None
        assert world.finish(claim, winner=int(number % 9 < 3))
    run("rate")
    found = answer(run, "luck", "gin")
    assert found["mirroring"]["fixtures"] == 36
    assert found["mirroring"]["ratio"] == pytest.approx(2**0.5)  # Legs that always go alike are one leg, played twice.
    assert found["mirroring"]["error"] is None  # An error of 0 would read as certainty.
    assert found["control"] is None
    status, shown, _ = run("luck", "gin")
    assert status == 0
    assert "141.4 %" in shown
    assert "nothing yet" in shown


def test_bots_that_have_not_met_are_shown_apart(run: Run, world: World) -> None:
    for _ in range(2):
        world.play_all(world.tournament(2, cycles=2))
    run("rate")
    found = answer(run, "ratings", "gin")["lines"]
    assert [line["group"] for line in found] == [0, 0, 1, 1]
    assert [line["better_than_next"] is None for line in found] == [False, True, False, True]
    assert run("ratings", "gin")[1].count("not comparable") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["one_oh_one"], "Nothing is rated in the ladder one_oh_one:"),
        (["gin:123"], "Nothing is rated in the ladder gin:123;"),
        (["whist"], "whist"),
        (["gin", "--options", "[]"], "--options takes a JSON object"),
        (["gin:123", "--options", '{"knock_limit": 5}'], "Give a game with --options"),
        (["gin:\0"], "plain text"),
    ],
)
def test_a_ladder_that_cannot_be_shown(run: Run, arguments: list[str], sentence: str) -> None:
    status, _, said = run("ratings", *arguments)
    assert status == 1
    assert sentence in said
