"""`arena luck`: how much luck there is in the results of a ladder, and by how much each method shrinks the error."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rummy.cli.columns import add_columns
from rummy.cli.ratings import ladder_name, refuse
from rummy.cli.store import opened
from rummy.league.luck import Shrinkage
from rummy.store import ladders
from rummy.store.ladders import LadderLuck, Scored
from rummy.store.references import Runs


def luck(
    ladder: Annotated[str, typer.Argument(help="A game, such as gin, or a ladder such as gin:44136fa355b3.")],
    options: Annotated[str, typer.Option(help="The game's options that differ, as a JSON object.")] = "{}",
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")] = False,
) -> None:
    """Show how much luck there is in the results of a ladder, and what is done about it.

    Mirrored legs take it out, for hosted bots; controls by reference bots measure it, for live ones. Both from the
    results on record, with standard errors; docs/why/luck.md says how.
    """
    name = ladder_name(ladder, options)
    with opened() as database:
        found = ladders.measured(database, name)
        if found == LadderLuck(None, None, None, [], []):
            ladders.fitted(database, name) or refuse(database, name)
    if as_json:
        typer.echo(json.dumps(_as_json(name, found)))
    else:
        _show(name, found)


def _as_json(name: str, found: LadderLuck) -> dict[str, Any]:
    return {
        "ladder": name,
        "mirroring": found.mirroring and {**asdict(found.mirroring), "saved": found.mirroring.saved},
        "control": found.control and {**asdict(found.control), "saved": found.control.saved},
        "coefficient": found.coefficient,
        "runs": [asdict(runs) for runs in found.runs],
        "scores": [{"bot": scored.row.title, "version_id": scored.row.version_id, **_score(scored)}
                   for scored in found.scores],
    }  # fmt: skip


def _score(scored: Scored) -> dict[str, Any]:
    score = asdict(scored.score)
    del score["entrant"]
    return score


def _show(name: str, found: LadderLuck) -> None:
    console = Console()
    console.print(_methods(name, found))
    for runs in found.runs:
        console.print(_told(runs), highlight=False)
    if found.scores:
        console.print(_scores(found))


def _methods(name: str, found: LadderLuck) -> Table:
    table = Table(title=f"Luck in {escape(name)}", title_justify="left", title_style="bold")
    table.caption, table.caption_justify = "± one standard error; against as many matches without the method", "left"
    add_columns(table, ("method",), ("fixtures", "error", "±", "matches spared"))
    for title, gain in (("mirrored legs", found.mirroring), ("control", found.control)):
        table.add_row(title, *_gain(gain))
    return table


def _gain(gain: Shrinkage | None) -> tuple[str, ...]:
    if gain is None:
        return ("nothing yet",)
    error = "" if gain.error is None else f"{100 * gain.error:.1f}"
    return f"{gain.fixtures:,}", f"{100 * gain.ratio:.1f} %", error, f"{round(100 * gain.saved)} %"


def _told(runs: Runs) -> str:
    counted = f"{runs.fixtures:,} fixture{'' if runs.fixtures == 1 else 's'}"
    if runs.state == "done":
        return f"{counted}: reference bots {runs.bots} have played the deals."
    if runs.state == "given up":
        return f"{counted}: no control, since {escape(runs.reason)}."
    return f"{counted}: reference bots have yet to play the deals."


def _scores(found: LadderLuck) -> Table:
    by = "" if found.coefficient is None else f", adjusted by {found.coefficient:.2f} of what the control is above 1/2"
    table = Table(title=f"Fixtures with live bots{by}", title_justify="left")
    add_columns(table, ("bot",), ("fixtures", "score", "±", "adjusted", "±"))
    for scored in found.scores:
        score = scored.score
        raw, better = (
            (f"{100 * value:.1f} %", "" if error is None else f"{100 * error:.1f}")
            for value, error in ((score.raw, score.raw_error), (score.adjusted, score.adjusted_error))
        )
        table.add_row(escape(scored.row.title), f"{score.fixtures:,}", *raw, *better)
    return table
