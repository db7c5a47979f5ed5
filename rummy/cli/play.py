"""`arena play`: bots against each other on this machine, without servers."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable

from rummy.cli import contest, in_process, local_arena
from rummy.cli.columns import add_columns
from rummy.cli.contest import Bot, Fixture, Leg
from rummy.errors import BadInput, BadOptions
from rummy.rules import canonical
from rummy.rules.game import Game
from rummy.rules.games import find_game, options_of


def play(
    game: Annotated[str, typer.Argument(help="The game, such as gin or one_oh_one.")],
    bots: Annotated[list[str], typer.Argument(help="Folders with a bot.toml, or names of sample bots.")],
    matches: Annotated[int, typer.Option(help="Matches of each group of bots; rounded up to whole fixtures.")] = 100,
    seats: Annotated[int | None, typer.Option(help="Seats at a table; as many as bots where the game allows.")] = None,
    seed: Annotated[str | None, typer.Option(help="Any text: the same text gives the same deals.")] = None,
    options: Annotated[str, typer.Option(help="The game's options that differ, as a JSON object.")] = "{}",
    wire: Annotated[bool, typer.Option("--wire", help="Through the real gRPC server, each bot in processes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the replays.")] = None,
) -> None:
    """Play bots against each other; every deal is played once from each seat, by processes or modules apart."""
    rules = find_game(game, options_of_text(options))
    table_size = contest.seats_for(rules, len(bots), seats)
    entrants = contest.find_bots(bots, rules)
    chosen = secrets.token_hex(8) if seed is None else seed
    fixtures = contest.fixtures(len(entrants), table_size, matches, chosen)
    began = perf_counter()
    legs = _shown(played(rules, entrants, fixtures, table_size, wire=wire), len(fixtures) * table_size, out, as_json)
    _tell(rules, entrants, legs, chosen, perf_counter() - began, as_json)


def options_of_text(text: str) -> dict[str, Any]:
    """What --options says. Raises `BadOptions`."""
    try:
        options = canonical.loads(text.encode())
    except ValueError as error:
        raise BadOptions(f"--options takes a JSON object: {error}.") from None
    if not isinstance(options, dict):
        raise BadOptions("--options takes a JSON object, such as '{\"knock_limit\": 5}'.")
    return options


def played(
    rules: Game, bots: Sequence[Bot], fixtures: Iterable[Fixture], seats: int, *, wire: bool
) -> Generator[Leg, None, None]:
    """All legs as they end: of this process, or of an arena of its own, which ends with them."""
    if not wire:
        yield from in_process.Table(rules, bots, seats).play(fixtures)
        return
    with asyncio.Runner() as runner:
        arena = _over_the_wire(rules, bots, fixtures, seats)
        try:
            while (legs := runner.run(anext(arena, None))) is not None:
                yield from legs
        finally:
            runner.run(arena.aclose())


async def _over_the_wire(
    rules: Game, bots: Sequence[Bot], fixtures: Iterable[Fixture], seats: int
) -> AsyncGenerator[list[Leg], None]:
    async with local_arena.local_arena(bots, seats) as arena:
        async for legs in arena.play(rules, fixtures):
            yield legs


def _shown(played: Iterator[Leg], total: int, out: Path | None, quiet: bool) -> list[Leg]:
    """All legs, with a bar while they are played; their replays go to *out*."""
    if out is not None:
        _make(out)
    legs = []
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TextColumn("matches"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as progress:
        bar = progress.add_task("", total=total)
        for leg in played:
            if out is not None:
                (out / f"{leg.fixture.number}-{leg.leg}.jsonl").write_bytes(leg.replay)
            legs.append(leg)
            progress.advance(bar)
    return legs


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"Replays cannot be written to {folder}: {error.strerror}.") from None


def _tell(rules: Game, bots: Sequence[Bot], legs: Sequence[Leg], seed: str, seconds: float, as_json: bool) -> None:
    lines = contest.lines(bots, legs)
    actions = sum(leg.actions for leg in legs)
    if as_json:
        table = [asdict(line) for line in lines]
        about = {"game": rules.spec.key, "options": options_of(rules), "seed": seed, "matches": len(legs)}
        typer.echo(json.dumps({**about, "actions": actions, "seconds": round(seconds, 3), "table": table}))
        return
    console = Console()
    console.print(_table(rules, lines, len(legs)))
    console.print(
        f"{actions:,} actions in {seconds:.1f} s; play the same deals again with --seed {seed}", highlight=False
    )


def _table(rules: Game, lines: Sequence[contest.Line], matches: int) -> RichTable:
    table = RichTable(title=f"{rules.spec.title}, {matches:,} matches", caption="± one standard error over fixtures")
    add_columns(table, ("bot",), ("fixtures", "score", "±", "wins", "draws", "losses", "strikes"))
    for line in lines:
        error = "" if line.error is None else f"{100 * line.error:.1f}"
        counts = (line.wins, line.draws, line.losses, line.strikes)
        table.add_row(
            escape(line.bot), f"{line.fixtures:,}", f"{100 * line.score:.1f} %", error, *(f"{n:,}" for n in counts)
        )
    return table
