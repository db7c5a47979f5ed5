"""`arena bench`: how fast this is beside its peers, measured here and now."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from rummy.errors import NotFound, SettingsError

NAMES = ("rules", "wire", "platform", "pages")


def bench(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(NAMES)}.")],
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")] = False,
) -> None:
    """Measure beside a peer in one run; ends with status 1 where a goal does not hold."""
    if name not in NAMES:
        raise NotFound(f"There is no benchmark {name!r}; there are: {', '.join(NAMES)}.")
    if find_spec("bench") is None:
        raise SettingsError("Benchmarks are part of a source checkout, not of an installed arena.")
    with Console(stderr=True).status("measuring, for a few minutes"):
        rows: list[dict[str, Any]] = import_module(f"bench.{name}").rows()
    if as_json:
        typer.echo(json.dumps(rows))
    else:
        Console(width=160).print(_table(name, rows))
    if not all(row["holds"] for row in rows):
        raise typer.Exit(1)


def _table(name: str, rows: list[dict[str, Any]]) -> Table:
    table = Table(title=f"arena bench {name}", caption="a goal counts as held at 0.9 of its figure")
    for head in ("figure", "value", "against", "ratio", "goal", "holds"):
        table.add_column(head, justify="right" if head in ("value", "ratio", "goal") else "left")
    for row in rows:
        table.add_row(
            row["figure"], f"{row['value']:,}", row["against"], f"{row['ratio']:.2f}", *_goal(row),
        )  # fmt: skip
    return table


def _goal(row: dict[str, Any]) -> tuple[str, str]:
    """The goal, and whether it holds; a row may be there to be looked at alone."""
    return ("", "") if row["goal"] is None else (f"{row['goal']:g}", "yes" if row["holds"] else "NO")
