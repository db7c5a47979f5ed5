"""Results and ratings as files. Each is written whole before any of it is sent: who reads slowly holds a file on disk,
neither a transaction nor memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import IO

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from rummy.errors import TooMany
from rummy.store import exports
from rummy.store.db import Database

IN_MEMORY = 1 << 20
CHUNK = 1 << 16
AT_ONCE, HELD = 2, 8
"""Files that are written at once, and those that are written or sent."""
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8; header=present", "jsonl": "application/x-ndjson"}


class Download(StreamingResponse):
    """A file that is sent and then gone, also where nobody reads to its end."""

    def __init__(self, file: IO[bytes], name: str, media_type: str, end: Callable[[], None]) -> None:
        named = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        super().__init__(iter(lambda: file.read(CHUNK), b""), media_type=media_type, headers=named)
        self._end = end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the file."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._end()


class Downloads:
    """Makes files for download, a bounded number at once."""

    def __init__(self, database: Database, *, at_once: int = AT_ONCE, held: int = HELD) -> None:
        self._database = database
        self._writing = threading.BoundedSemaphore(at_once)
        self._held = threading.BoundedSemaphore(held)

    def of_tournament(self, number: int, what: str, form: str) -> Download:
        """Table *what* of a tournament. Raises `TooMany`."""
        return self._made(what, form, f"tournament-{number}", tournament_id=number)

    def of_ladder(self, ladder: str, what: str, form: str) -> Download:
        """Table *what* of a ladder, whose name is a valid one. Raises `TooMany`."""
        return self._made(what, form, ladder.replace(":", "-").replace("@", "-"), ladder=ladder)

    def _made(
        self, what: str, form: str, source: str, *, tournament_id: int | None = None, ladder: str | None = None
    ) -> Download:
        table = exports.TABLES[what]
        with ExitStack() as stack:
            _take(self._held, stack)
            file = stack.enter_context(SpooledTemporaryFile(IN_MEMORY))
            with ExitStack() as turn, self._database.transaction() as tx:
                _take(self._writing, turn)
                lines = exports.rows(tx, table, tournament_id=tournament_id, ladder=ladder)
                for text in exports.TEXTS[form](table, lines):
                    file.write(text.encode())
            file.seek(0)
            return Download(file, f"{source}-{what}.{form}", MEDIA_TYPES[form], stack.pop_all().close)


def _take(slots: threading.BoundedSemaphore, stack: ExitStack) -> None:
    """Takes a slot until *stack* ends. Raises `TooMany`."""
    if not slots.acquire(blocking=False):
        raise TooMany("As many downloads as there may be at once are under way already. Please try again in a moment.")
    stack.callback(slots.release)
