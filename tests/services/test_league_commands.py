"""`arena league` on a real database."""

from __future__ import annotations

import shlex
from datetime import timedelta

import pytest
from commands import Run, answer, run
from world import World

from rummy.store import bots
from workers.leagues import turn
from workers.ratings import settle

__all__ = ["run"]  # A fixture, which pytest finds by its name here.
WEEKLY = shlex.split("league create Weekly --game gin --begins 2h --every 7d --sizes 2 --moves 1")


@pytest.fixture
def six(run: Run, world: World) -> str:
    """The names of six bots, a letter each, and of one that plays something else."""
    world.now -= timedelta(hours=1)  # The commands' time.
    with world.database.transaction() as tx:
        for name in "abcdef":
            world.bot(tx, name)
        world.bot(tx, "other", games=("one_oh_one",))
    world.now += timedelta(hours=1)
    return "abcdef"


def play(world: World, hours: float) -> None:
    """Turns the calendar at a later time, and plays what is there."""
    world.now += timedelta(hours=hours)
    turn(world.database, clock=lambda tx: world.now)
    for (made,) in _running(world):
        world.play_all(made)
    settle(world.database, clock=lambda tx: world.now)
    turn(world.database, clock=lambda tx: world.now)


def _running(world: World) -> list[tuple[int]]:
    with world.database.transaction() as tx:
        return tx.execute("SELECT tournament_id FROM tournament WHERE state = 'running' ORDER BY 1").fetchall()


def test_a_league_from_its_making_to_its_end(run: Run, world: World, six: str) -> None:
    made = answer(run, *WEEKLY, "--cycles", "2", "--why", "Winter is long.")
    assert (made["league"], made["sizes"], made["moves"], made["every_seconds"]) == (1, [2], 1, 604_800)
    for name in six[:4]:
        assert answer(run, "league", "enter", "1", f"Ann/{name}") == {"league": 1, "bot": f"Ann/{name}", "season": 1}
    assert "is in Weekly from season 1 on, with its newest version." in run("league", "enter", "1", "e")[1]
    coming = answer(run, "league", "show", "1")["next"]
    assert [division["bots"] for division in coming["divisions"]] == [
        ["Ann/a 1", "Ann/b 1"],
        ["Ann/c 1", "Ann/d 1", "Ann/e 1"],
    ]
    assert [division["plan"]["fixtures"] for division in coming["divisions"]] == [2, 6]
    assert coming["divisions"][1]["plan"]["seconds"] > 0
    told = run("league", "show", "1")[1]
    for said in (
        "League 1, Weekly: gin, divisions of 2 and everybody else, 1 up and 1 down",
        "One may enter and leave for season 1 from ", "Division 2, as it stands: Ann/c 1, Ann/d 1, Ann/e 1",
        "expected time:",
    ):  # fmt: skip
        assert said in told
    assert (
        "no season of 'Weekly' is settled yet: one may enter and leave for season 1 from"
        in run("league", "season", "1")[2]
    )
    assert answer(run, "league", "withdraw", "1", "e", "--why", "It is tired.")["season"] == 1
    play(world, 0.5)  # After the freeze, before the beginning.
    assert "Season 1 is settled, and begins at" in run("league", "season", "1")[1]
    play(world, 2)
    season = answer(run, "league", "season", "1", "1")
    assert [division["state"] for division in season["divisions"]] == ["finished", "finished"]
    assert [[line["step"] for line in division["table"]] for division in season["divisions"]] == [
        ["stays", "down"],
        ["up", "stays"],
    ]
    told = run("league", "season", "1")[1]
    assert "Season 1 ended at" in told and "Division 2, tournament 2 (finished):" in told and "  down\n" in told
    assert answer(run, "league", "show", "1")["season"] == {key: season[key] for key in season if key != "league"}
    assert answer(run, "league", "list")[0]["name"] == "Weekly"
    assert answer(run, "league", "end", "1") == {"league": 1, "seasons": 1}
    play(world, 1)
    told = run("league", "show", "1")[1]
    assert "It has ended." in told and "Season 1 ended at" in told
    assert run("league", "list")[1] == "     1  ended  gin           Weekly\n"
    log = "SELECT string_agg(move || ':' || who || ':' || why, '; ' ORDER BY entry_id) FROM league_log WHERE why <> ''"
    assert world.value(log) == "created:operator:Winter is long.; withdrawn:operator:It is tired."


def test_a_ladder_that_never_ends(run: Run, world: World, six: str) -> None:
    run(*shlex.split("league create Daily --game gin --begins 2h --every 1d --freeze 0s --format ladder"))
    for name in six:
        run("league", "enter", "1", name)
    [division] = answer(run, "league", "show", "1")["next"]["divisions"]
    assert (division["plan"]["rounds"], division["plan"]["fixtures"], division["plan"]["balance"]) == (12, 36, None)
    play(world, 3)
    told = run("league", "season", "1")[1]
    assert "Season 1 ended at" in told and "Division 1, tournament 1 (finished):" in told
    assert "one division" in run("league", "show", "1")[1]


REFUSED = [
    (("--begins", "2026-01-01T00:00Z"), "the first season would have begun at 2026-01-01 00:00:00 UTC"),
    (("--begins", "2099-01-01T00:00"), "--begins is '2099-01-01T00:00': give a time with its zone"),
    (("--begins", "soon"), "give a time with its zone"),
    (("--begins", "0001-01-01T00:00+14:00"), "--begins is"),
    (("--begins", "9999-12-31T00:00Z"), "at most 3660 days from now"),
    (("--begins", "999999w"), "--begins is '999999w': give a time in w, d, h, m and s"),
    (("--begins", "1h"), "would have been settled at"),
    (("--every", "1"), "--every is '1'"),
    (("--every", "5s"), "a season takes from 0:00:10"),
    (("--every", "1h"), "must be shorter than a season"),
    (("--freeze", "-1h"), "--freeze is '-1h'"),
    (("--window", "30m"), "no later than they open"),
    (("--sizes", "8,,8"), "--sizes is '8,,8'"),
    (("--sizes", "1"), "a division of 1 has not enough bots"),
    (("--sizes", "4", "--moves", "3"), "too small for 3 to go up and 3 down"),
    (("--seasons", "-1"), "at least one season"),
    (("--game", "whist"), "whist"),
    (("--options", "[]"), "--options takes a JSON object"),
    (("--format", "cup"), "there is no format 'cup'"),
    (("--rounds", "3"), "has no option 'rounds'"),
    (("--table-size", "3"), "not of 3"),
    (("--limit-ms", "0"), "time limit"),
    (("--strikes", "0"), "strikes"),
    (("--why", "a\nb"), "reason"),
]


def test_what_makes_no_league_is_refused_in_a_sentence(run: Run, world: World) -> None:
    for more, said in REFUSED:
        status, out, err = run(*WEEKLY, *more)
        assert (status, out) == (1, ""), more
        assert err.startswith("arena: ") and err.count("\n") == 1 and said in err, (more, err)
    for name in ("", "a\u202eb", "x" * 65, "\ud800"):
        assert run("league", "create", name, *WEEKLY[3:])[0] == 1
    assert world.value("SELECT count(*) FROM league") == 0


def test_who_cannot_enter_is_told_why_and_nothing_changes(run: Run, world: World, six: str) -> None:
    run(*WEEKLY)
    run("league", "enter", "1", "a")
    for arguments, said in (
        (("enter", "1", "a"), "Ann/a is in 'Weekly' already"),
        (("enter", "1", "other"), "Ann/other has no version that is ready and plays gin"),
        (("enter", "1", "nobody"), "there is no bot 'nobody'"),
        (("enter", "9", "b"), "there is no league 9"),
        (("withdraw", "1", "b"), "Ann/b is not in 'Weekly'"),
        (("season", "1", "7"), "season 7 of league 1 is not settled"),
        (("season", "1", "0"), "season 0 of league 1 is not settled"),
        (("show", "9"), "there is no league 9"),
        (("end", "9"), "there is no league 9"),
    ):
        status, out, err = run("league", *arguments)
        assert (status, out) == (1, "") and said in err, (arguments, err)
    assert world.value("SELECT count(*) FROM league_log") == 2
    with world.database.transaction() as tx:
        bots.retire(tx, bots.find(tx, "b").version_id)
    assert "there is no bot 'b'" in run("league", "enter", "1", "b")[2]
