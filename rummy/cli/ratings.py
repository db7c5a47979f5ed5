"""`arena ratings`: a ladder with its joint fit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rummy.cli.columns import add_columns
from rummy.cli.play import options_of_text
from rummy.cli.second_opinion import Belief, beliefs
from rummy.cli.store import opened
from rummy.errors import BadInput, NotFound
from rummy.rules.games import find_game
from rummy.store import ladders, rating_pages
from rummy.store import ratings as store
from rummy.store.db import Database, is_text
from rummy.store.ladders import Line
from rummy.store.terms import ladder_of


def ratings(
    ladder: Annotated[str, typer.Argument(help="A game, such as gin, or a ladder such as gin:44136fa355b3.")],
    options: Annotated[str, typer.Option(help="The game's options that differ, as a JSON object.")] = "{}",
    second_opinion: Annotated[
        bool,
        typer.Option("--second-opinion", help="Show what the Bayesian online model of openskill makes of it, too."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")] = False,
) -> None:
    """Show who is how strong in a ladder, how sure that is, and who is better than whom.

    The rating is the joint fit of all results in rated rounds, with its standard error; docs/why/joint-fit.md says how.
    """
    name = ladder_name(ladder, options)
    with opened() as database:
        lines = ladders.fitted(database, name) or refuse(database, name)
        others = _second_opinion(database, name) if second_opinion else None
    if as_json:
        typer.echo(json.dumps({"ladder": name, "lines": [_as_json(line, others) for line in lines]}))
    else:
        Console().print(_table(name, lines, others))


def _second_opinion(database: Database, name: str) -> dict[int, Belief]:
    with database.transaction() as tx:
        tx.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")  # One moment for all rounds.
        return beliefs(store.results(tx, name))


def ladder_name(text: str, options: str) -> str:
    """The ladder that *text* means: its name, or a game with *options*. Raises `BadInput` and what options raise."""
    if not is_text(text):
        raise BadInput("The name of a ladder is plain text, such as gin:44136fa355b3.")
    if ":" in text:
        if options != "{}":
            raise BadInput("Give a game with --options, or the name of a ladder, which has its options already.")
        return text
    return ladder_of(find_game(text, options_of_text(options)))


def refuse(database: Database, name: str) -> NoReturn:
    """Raises `NotFound` for a ladder in which nothing is rated, with those in which something is."""
    with database.transaction() as tx:
        known = sorted({row.ladder for row in rating_pages.ladders(tx, top=1)})
    there = f"there are ratings in {', '.join(known)}" if known else "no round of a rated tournament is complete yet"
    raise NotFound(f"Nothing is rated in the ladder {name}; {there}.")


def _as_json(line: Line, others: Mapping[int, Belief] | None) -> dict[str, Any]:
    row, strength = line.row, line.strength
    belief = None if others is None else others.get(row.version_id)  # None where nothing that it has played counts.
    other = {} if others is None else {"openskill": belief and belief._asdict()}
    return {
        "place": line.place,
        "bot": row.title,
        "version_id": row.version_id,
        "group": strength and strength.group,
        "rating": strength and strength.rating,
        "error": strength and strength.error,
        "better_than_next": line.better_than_next,
        "elo": row.rating,
        "provisional": line.provisional,
        "fixtures": row.fixtures,
        **other,
    }


def _table(name: str, lines: list[Line], others: Mapping[int, Belief] | None) -> Table:
    table = Table(title=f"Ratings in {escape(name)}", title_justify="left", title_style="bold")
    table.caption = "± one standard error; Elo? has too few fixtures to say much"
    table.caption_justify = "left"
    numbers = ("rating", "±", "better than next", "Elo", "fixtures", *(["openskill"] if others else []))
    add_columns(table, ("", "bot"), numbers)
    group = lines[0].strength and lines[0].strength.group
    for line in lines:
        strength = line.strength
        if (strength and strength.group) != group:
            group = strength and strength.group
            table.add_section()
            table.add_row("", "[italic]not comparable with those above[/]")
        fit = (f"{strength.rating:.0f}", f"{strength.error:.0f}") if strength else ("", "")
        better = "" if line.better_than_next is None else f"{100 * line.better_than_next:.1f} %"
        elo = f"{line.row.rating:.0f}{'?' if line.provisional else ''}"
        belief = others.get(line.row.version_id) if others else None
        other = f"{belief.mean:.2f} ± {belief.deviation:.2f}" if belief else ""
        cells = (*fit, better, elo, f"{line.row.fixtures:,}", *([other] if others else []))
        table.add_row(str(line.place or ""), escape(line.row.title), *cells)
    return table
