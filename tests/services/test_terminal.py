"""What people chose, in tables of the terminal: as it is, and whole (P35); and what a table has no figure for."""

import pytest
from commands import Run, answer, run
from eventful import PAIRS, eventful
from world import World

__all__ = ["run"]  # A fixture, which pytest finds by its name here.

LONG = "one-word-that-no-terminal-holds-in-a-line-of-its-table-by-"
NAMES = ("[/red]", "[bold]", f"{LONG}A", f"{LONG}B")
WIDTH = 70


def test_names_are_shown_as_they_are_and_whole(run: Run, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two long names would be alike by their beginnings, and a name in brackets is no markup."""
    with world.database.transaction() as tx:
        bots = [str(world.bot(tx, name)) for name in NAMES]
    entered = [word for bot in bots for word in ("--bot", bot)]
    assert run("tournament", "create", "Cup", "--game", "gin", *entered, "--start")[0] == 0
    world.play_all(1)
    run("rate")
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    for command in (("tournament", "table", "1"), ("ratings", "gin"), ("bot", "list")):
        status, shown, said = run(*command)
        assert status == 0, said
        assert max(map(len, shown.splitlines())) <= WIDTH
        cells = [line.split("│")[2] for line in shown.splitlines() if line.count("│") > 2]
        text = "".join("".join(cells).split())
        assert all("".join(name.split()) in text for name in NAMES), shown


def test_a_second_opinion_of_a_ladder_with_a_bot_of_which_nothing_counts(run: Run, world: World) -> None:
    """A bot that was disqualified is rated as it came, and nobody else has an opinion of it."""
    _, number = eventful(world, PAIRS, disqualify=True)
    ladder = str(world.value("SELECT ladder FROM tournament WHERE tournament_id = %(id)s", id=number))
    lines = answer(run, "ratings", ladder, "--second-opinion")["lines"]
    assert [line["bot"] for line in lines if line["openskill"] is None] == ["Bea/bot 4 1.0"]
    status, shown, said = run("ratings", ladder, "--second-opinion")
    assert status == 0, said
    assert "openskill" in shown and "bot 4" in shown
