"""`arena import`: a tournament that another arena has played."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from rummy.cli.store import opened
from rummy.errors import BadInput
from rummy.store import db, imported, imports, tournaments
from rummy.store.archive import Reader
from rummy.store.imports import Checked


def import_archive(
    file: Annotated[Path, typer.Argument(help="An archive, as 'arena export N --format archive' has written it.")],
    check_only: Annotated[bool, typer.Option("--check", help="Check the archive alone; no arena is needed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")] = False,
) -> None:
    """Take a tournament from the archive of another arena, to the bit: table, log, ratings and replays.

    First all of it is checked: the log's chain, that the tournament follows from it, and each replay, which is played
    again. Then it is saved at once or not at all. It moves no rating here: its ladder is one of its own, and its bots
    belong to owners of their own (OWNER@MARK), whom nobody can act as. docs/reference/archive.md tells more.
    """
    with _reading(file) as source:
        if not check_only and not source.seekable():
            raise BadInput(f"{file} can be read once only, and an archive is read twice: save it as a file first")
        archive = _checked(Reader(source))
        answer = {
            "name": archive.anew.terms["name"], "state": archive.anew.state.value, "entrants": len(archive.bots),
            "fixtures": len(archive.anew.fixtures), "entries": len(archive.entries), "newest": archive.newest,
        }  # fmt: skip
        if check_only:
            said = f"{file} holds together: {answer['name']}, {answer['fixtures']} fixtures"
        else:
            source.seek(0)
            with opened() as database, database.transaction() as tx:
                number = imported.save(tx, archive, Reader(source), now=db.now(tx))
                ladder = tournaments.get(tx, number).ladder
            answer |= {"tournament": number, "ladder": ladder}
            said = f"It is tournament {number}, {answer['name']}: {answer['fixtures']} fixtures, ladder {ladder}"
    text = f"{said}. The newest entry of its log has the digest {answer['newest']}."
    typer.echo(json.dumps(answer) if as_json else text)


@contextmanager
def _reading(file: Path) -> Iterator[BinaryIO]:
    try:
        source = file.open("rb")
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror or error}") from None
    with source:
        yield source


def _checked(reader: Reader) -> Checked:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("replays played again", total=None)
        return imports.check(reader, lambda done, of: bar.update(task, completed=done, total=of))
