"""What README.md and the pages of docs/ print works as printed."""

import re
from pathlib import Path
from typing import Any

import pytest
import typer

from rummy.cli import bots
from rummy.cli.main import app
from rummy.rules.games import GAMES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))
OUTSIDE = ("http://", "https://", "#")


def test_the_bot_that_is_printed_passes_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bots.new(tmp_path / "mybot")
    (tmp_path / "mybot/bot.py").write_text(README.split("```python\n")[1].split("```")[0], "utf-8")
    bots.check(tmp_path / "mybot")
    said = capsys.readouterr().out
    assert re.search(r"^gin: [\d,]+ actions, no fault$", said, re.M), said
    assert re.search(r"^one_oh_one: [\d,]+ actions, no fault$", said, re.M), said


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md"])
def test_every_game_is_named(page: str) -> None:
    said = " ".join((ROOT / page).read_text("utf-8").split()).casefold()
    assert [game.spec.title for game in GAMES.values() if game.spec.title.casefold() not in said] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))
    local = [link.partition("#")[0] for link in links if not link.startswith(OUTSIDE)]
    assert [link for link in local if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_that_are_printed_exist(page: Path) -> None:
    """With their options, in the blocks of shell commands."""
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.S)
    lines = re.findall(r"^\./arena ([^#\n]+)", "\n".join(blocks), re.M)
    assert [line for line in lines if not _exists(line)] == []


def _exists(line: str) -> bool:
    words, command = line.split(), typer.main.get_command(app)
    if words[0] == "test":  # The launcher has that one.
        return True
    while words and isinstance(command, typer.core.TyperGroup):
        found = _inner(command, words.pop(0))
        if found is None:
            return False
        command = found
    known = {name for parameter in command.params for name in parameter.opts}
    return all(word in known for word in words if word.startswith("--"))


def _inner(group: typer.core.TyperGroup, name: str) -> Any:
    return group.get_command(typer.Context(group), name)
