"""Tables for a terminal show names as they were chosen."""

import io

import pytest
from rich.console import Console

from rummy.cli import contest, play, tables
from rummy.league.standings import Standing
from rummy.rules.games import find_game


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "[/]", "[/red] 1.0", "[link=https://x.y]z", "x\\"])
def test_what_looks_like_markup_is_a_name(name: str) -> None:
    """Fault P35: a bot that is called [/] does not keep anybody from seeing the table."""
    line = Standing(
        place=1, entrant=0, rating=1500.0, error=None, fixtures=1, matches=2, wins=1, draws=0, points=1.0,
    )  # fmt: skip
    score = contest.Line(bot=name, fixtures=1, score=1.0, error=None, wins=2, draws=0, losses=0, strikes=0)
    for table in (
        tables.shown("A tournament", [tables.NamedStanding(name, line)]),
        play._table(find_game("gin"), [score], 2),
    ):
        file = io.StringIO()
        Console(file=file, width=120).print(table)
        assert name in file.getvalue()
