"""Results and ratings as files. Each is written whole before any of it is sent: who reads slowly holds a file on disk,
neither a transaction nor memory."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import IO

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from rummy.errors import HostFault, TooMany
from rummy.store import exports
from rummy.store.db import Database

log = logging.getLogger(__name__)

IN_MEMORY = 1 << 20
CHUNK = 1 << 16
AT_ONCE, HELD = 2, 8
"""Files that are written at once, and those that are written or sent."""
PATIENCE_SECONDS, SLOWEST = 60.0, 1 << 14
"""So long a file may take to be read, and a second more for each of so many bytes: then its place is another's."""
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8; header=present", "jsonl": "application/x-ndjson"}


class Download(StreamingResponse):
    """A file that is sent and then gone, also where nobody reads to its end."""

    def __init__(self, file: IO[bytes], name: str, media_type: str, end: Callable[[], None], *, seconds: float) -> None:
        named = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        super().__init__(iter(lambda: file.read(CHUNK), b""), media_type=media_type, headers=named)
        self._end = end
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the file; who reads too slowly does not get to its end, and can tell."""
        try:
            async with asyncio.timeout(self._seconds):
                await super().__call__(scope, receive, send)
        except TimeoutError:
            log.warning("a download was broken off: it was not read within %.0f seconds", self._seconds)
        finally:
            self._end()


class Downloads:
    """Makes files for download, a bounded number at once."""

    def __init__(
        self, database: Database, *, at_once: int = AT_ONCE, held: int = HELD, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._database = database
        self._patience = patience
        self._writing = threading.BoundedSemaphore(at_once)
        self._held = threading.BoundedSemaphore(held)

    def of_tournament(self, number: int, what: str, form: str) -> Download:
        """Table *what* of a tournament. Raises `TooMany`; `HostFault` where there is no room for it."""
        return self._made(what, form, f"tournament-{number}", tournament_id=number)

    def of_ladder(self, ladder: str, what: str, form: str) -> Download:
        """Table *what* of a ladder, whose name is a valid one. Raises as `of_tournament` does."""
        return self._made(what, form, ladder.replace(":", "-").replace("@", "-"), ladder=ladder)

    def _made(
        self, what: str, form: str, source: str, *, tournament_id: int | None = None, ladder: str | None = None
    ) -> Download:
        table = exports.TABLES[what]
        with ExitStack() as stack:
            _take(self._held, stack)
            file = stack.enter_context(SpooledTemporaryFile(IN_MEMORY))
            with ExitStack() as turn:
                _take(self._writing, turn)  # Who is refused needs no connection.
                tx = turn.enter_context(self._database.transaction())
                lines = exports.rows(tx, table, tournament_id=tournament_id, ladder=ladder)
                _write(file, exports.TEXTS[form](table, lines))
            seconds = self._patience + file.tell() / SLOWEST
            file.seek(0)
            end = stack.pop_all().close
            return Download(file, f"{source}-{what}.{form}", MEDIA_TYPES[form], end, seconds=seconds)


def _write(file: IO[bytes], texts: Iterator[str]) -> None:
    try:
        for text in texts:
            file.write(text.encode())
    except OSError as error:
        log.error("a file for download cannot be written to the folder for temporary files: %s", error)
        raise HostFault("There is no room for the file just now. Please try again later.") from None


def _take(slots: threading.BoundedSemaphore, stack: ExitStack) -> None:
    """Takes a slot until *stack* ends. Raises `TooMany`."""
    if not slots.acquire(blocking=False):
        raise TooMany("As many downloads as there may be at once are under way already. Please try again in a moment.")
    stack.callback(slots.release)
