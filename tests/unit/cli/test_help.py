"""`arena --help`."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
import typer
from typer.testing import CliRunner

from rummy.cli.main import COMMANDS, app


def test_every_command_is_listed_by_its_name() -> None:
    said = CliRunner().invoke(app, ["--help"]).output
    # What goes on in a second line stands further to the right.
    listed = [line.removeprefix("│ ").split(" ")[0] for line in said.partition("Commands")[2].splitlines()]
    assert [name for name in listed if name in COMMANDS] == list(COMMANDS)
    assert "./arena test" in said


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_of_its_own_and_nothing_but_its_own_options(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert f" {name} [OPTIONS]" in result.output
    assert "completion" not in result.output


def paths() -> Iterator[tuple[str, ...]]:
    """Every command, and every command of a group."""
    root = typer.main.get_command(app)
    yield ()
    for name in COMMANDS:
        yield (name,)
        below = root.get_command(typer.Context(root), name)  # type: ignore[attr-defined]
        yield from ((name, each) for each in getattr(below, "commands", ()))


@pytest.mark.parametrize("path", [*paths()], ids=lambda path: " ".join(path) or "arena")
def test_a_switch_has_no_type_and_a_paragraph_fills_its_lines(path: tuple[str, ...]) -> None:
    said = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": "100", "TERMINAL_WIDTH": "100"}).output
    assert "<bool>" not in said and "--help" in said
    text = [line.strip() for line in said.partition("Usage:")[2].partition("╭")[0].splitlines()[1:]]
    for line, following in pairwise(text):
        if line and following:  # The next word would not have fitted.
            assert len(line) + 1 + len(following.split()[0]) > 96, (line, following)
