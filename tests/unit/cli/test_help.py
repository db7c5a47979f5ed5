"""`arena --help`."""

import pytest
from typer.testing import CliRunner

from rummy.cli.main import COMMANDS, app


def test_every_command_is_listed_by_its_name() -> None:
    said = CliRunner().invoke(app, ["--help"]).output
    listed = [line.strip("│ ").split(" ")[0] for line in said.partition("Commands")[2].splitlines()]
    assert [name for name in listed if name in COMMANDS] == list(COMMANDS)
    assert "./arena test" in said


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_of_its_own_and_nothing_but_its_own_options(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert f" {name} [OPTIONS]" in result.output
    assert "completion" not in result.output
