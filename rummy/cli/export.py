"""`arena export`: results and ratings of a tournament or a ladder, for spreadsheets and other programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from rummy.cli import parquet
from rummy.cli.ratings import ladder_name, refuse
from rummy.cli.store import opened
from rummy.errors import BadInput
from rummy.store import archive, exports, tournaments
from rummy.store.exports import Row, Table


class What(StrEnum):
    """What is exported."""

    RESULTS = "results"
    RATINGS = "ratings"


class Format(StrEnum):
    """How it is written."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    PGN = "pgn"
    ARCHIVE = "archive"


def export(
    source: Annotated[
        str, typer.Argument(help="A tournament's number; or a game, such as gin, or a ladder such as gin:44136fa355b3.")
    ],
    what: Annotated[What, typer.Option(help="A line for each seat of each match, or for each change of a rating.")] = (
        What.RESULTS
    ),
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="'pgn' is for BayesElo and Ordo: matches of two seats, without moves. 'archive' is for 'arena "
            "import': a tournament that is over, with its log and replays.",
        ),
    ] = Format.CSV,
    options: Annotated[str, typer.Option(help="The game's options that differ, as a JSON object.")] = "{}",
    out: Annotated[Path | None, typer.Option(help="The file to write; without it, standard output.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Say in JSON what was written to --out.")] = False,
) -> None:
    """Write results, or how ratings have changed, as CSV, JSON Lines, Parquet or PGN; or a whole tournament.

    Of a tournament, all fixtures that are done; of a ladder, those of rated rounds, of all its tournaments. Nothing is
    held in memory, however much there is. docs/reference/exports.md describes every column.
    """
    if out is None and (as_json or form in (Format.PARQUET, Format.ARCHIVE)):
        raise BadInput("Say where to write it: --out FILE.")
    if form is Format.ARCHIVE and out is not None:
        _archive(source, what, out, as_json)
        return
    number = int(source) if source.isdecimal() else None
    ladder = ladder_name(source, options) if number is None else None
    table = exports.TABLES[what.value]
    with opened() as database:
        with database.transaction() as tx:
            if number is not None:
                tournaments.get(tx, number)
            lines = exports.rows(tx, table, tournament_id=number, ladder=ladder)
            first = next(lines, None)
            if first is not None or ladder is None:
                count = _write(table, form, chain([] if first is None else [first], lines), out)
        if ladder is not None and first is None:
            refuse(database, ladder)
    if out is not None:
        answer = {"file": str(out), "lines": count}
        typer.echo(json.dumps(answer) if as_json else f"{count:,} lines of {what.value} are in {out}.")


def _archive(source: str, what: What, out: Path, as_json: bool) -> None:
    if not source.isdecimal() or what is not What.RESULTS:
        raise BadInput("An archive has all of one tournament: give its number, and no --what.")
    with opened() as database, database.transaction() as tx, _complete(out) as part, part.open("wb") as file:
        replays = archive.write(tx, int(source), file)
    said = f"Tournament {source} is in {out}, with {replays:,} replays; 'arena import' takes it into another arena."
    typer.echo(json.dumps({"file": str(out), "replays": replays}) if as_json else said)


def _write(table: Table, form: Format, lines: Iterator[Row], out: Path | None) -> int:
    """Writes *lines*, to standard output or to a file that is there when it is complete; returns how many."""
    if out is None:
        return _write_text(table, form, lines, sys.stdout.buffer)
    with _complete(out) as part:
        if form is Format.PARQUET:
            return parquet.write(table, lines, part)
        with part.open("wb") as file:
            return _write_text(table, form, lines, file)


@contextmanager
def _complete(out: Path) -> Iterator[Path]:
    """Where to write what becomes *out* at the end of the block, unless that raises.

    A device or a pipe, such as /dev/stdout, is written to itself: nothing takes its place.
    """
    try:
        if out.exists() and not out.is_file():
            yield out
            return
        whole = out.resolve()
        part = whole.with_name(f"{whole.name}.part")
        try:
            yield part
            part.replace(whole)
        finally:
            with suppress(OSError):
                part.unlink()
    except (OSError, RuntimeError) as error:  # The latter for links in a circle, in older Pythons.
        raise BadInput(f"{out} cannot be written: {getattr(error, 'strerror', None) or error}.") from None


def _write_text(table: Table, form: Format, lines: Iterator[Row], file: BinaryIO) -> int:
    written = 0

    def counted() -> Iterator[Row]:
        nonlocal written
        for line in lines:
            yield line
            written += 1

    for text in exports.TEXTS[form.value](table, counted()):
        file.write(text.encode())
    file.flush()
    return written
