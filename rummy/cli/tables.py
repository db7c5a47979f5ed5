"""The table of a tournament, as the command line shows it."""

from dataclasses import dataclass
from typing import Any

from rich.markup import escape
from rich.table import Table

from rummy.cli.columns import add_columns
from rummy.league import standings
from rummy.store import bots, drawing, tournaments
from rummy.store.db import Connection


@dataclass(frozen=True, slots=True)
class NamedStanding:
    """One line of the table, with the name of the bot."""

    bot: str
    line: standings.Standing

    def as_json(self) -> dict[str, Any]:
        """The line for programs; an error of null means that the fixtures tell none: too few, or all alike."""
        line = self.line
        return {
            "place": line.place,
            "bot": self.bot,
            "elo": line.rating,
            "error": line.error,
            "matches": line.matches,
            "wins": line.wins,
            "draws": line.draws,
            "points": line.points,
        }


def table_of(tx: Connection, tournament_id: int) -> list[NamedStanding]:
    """The standings of a tournament, best first. Raises NotFound."""
    versions = tournaments.entrants(tx, tournament_id)
    lines = drawing.table(tx, tournament_id)()
    return [NamedStanding(bots.get(tx, versions[line.entrant]).title, line) for line in lines]


def shown(title: str, lines: list[NamedStanding]) -> Table:
    """The standings as a table for a terminal."""
    table = Table(title=title, title_justify="left", title_style="bold")
    if any(named.line.error is None and named.line.matches for named in lines):
        table.caption = "Elo without ±: too few fixtures, or all alike, to tell its error"
        table.caption_justify = "left"
    add_columns(table, ("", "bot"), ("Elo", "matches", "wins", "draws", "points"))
    for named in lines:
        line = named.line
        error = "" if line.error is None else f" ± {line.error:.0f}"
        numbers = (f"{line.rating:.0f}{error}", line.matches, line.wins, line.draws, f"{line.points:g}")
        table.add_row(str(line.place), escape(named.bot), *map(str, numbers))
    return table
