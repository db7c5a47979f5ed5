"""News for open pages: one connection listens to PostgreSQL, every page that is open hears what concerns it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Iterator

import psycopg

from rummy.errors import TooMany

log = logging.getLogger(__name__)

CHANNEL = "arena"
MAX_READERS = 500
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 10.0
RESYNC = "resync"
"""Tells a page to read anew: something may have been missed while nobody listened."""

Topic = int | None
"""A tournament, or None for all of them."""


class Reader:
    """An open page. What it has not read yet is kept once, however often it came."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self._news: set[str] = set()
        self._wake = asyncio.Event()
        self._closed = False

    def tell(self, kind: str) -> None:
        """Notes that something of *kind* has changed."""
        self._news.add(kind)
        self._wake.set()

    def close(self) -> None:
        """Ends the waiting: the service stops."""
        self._closed = True
        self._wake.set()

    async def next(self) -> str | None:
        """The kinds of what has changed since the last call, waiting for the first; None once the service stops."""
        await self._wake.wait()
        if self._closed:
            return None
        self._wake.clear()
        news, self._news = self._news, set()
        return ",".join(sorted(news))


class Hub:
    """The listener and its readers. Lives in the service's event loop."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._readers: set[Reader] = set()
        self._closed = False
        self.listening = asyncio.Event()

    @contextlib.contextmanager
    def reader(self, topic: Topic) -> Iterator[Reader]:
        """A reader for as long as its page is open."""
        reader = Reader(topic)
        self._readers.add(reader)
        if self._closed:
            reader.close()
        try:
            yield reader
        finally:
            self._readers.discard(reader)

    def check_room(self) -> None:
        """Raises `TooMany` where no more pages can be kept up to date; they ask at intervals instead."""
        if len(self._readers) >= MAX_READERS:
            raise TooMany(f"{MAX_READERS} pages are being kept up to date already; this one asks at intervals instead.")

    def close(self) -> None:
        """Ends every open stream, so that the service can stop at once."""
        self._closed = True
        for reader in self._readers:
            reader.close()

    async def run(self) -> None:
        """Listens for ever, and again after the connection was lost."""
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                async with await self._connect() as connection:
                    pause = FIRST_PAUSE_SECONDS
                    self._tell_all(RESYNC)
                    await self._listen(connection)
            except psycopg.Error as error:
                log.warning("the listener lost the database and tries again: %s", error)
            finally:
                self.listening.clear()
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    async def _connect(self) -> psycopg.AsyncConnection[tuple[object, ...]]:
        connection = await psycopg.AsyncConnection.connect(
            self._url, autocommit=True, connect_timeout=10, application_name="dashboard listener"
        )
        await connection.execute(f"LISTEN {CHANNEL}")
        return connection

    async def _listen(self, connection: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
        self.listening.set()
        async for notice in connection.notifies():
            kind, tournament = read_notice(notice.payload)
            for reader in self._readers:
                if reader.topic is None or tournament is None or reader.topic == tournament:
                    reader.tell(kind)

    def _tell_all(self, kind: str) -> None:
        for reader in self._readers:
            reader.tell(kind)


def read_notice(payload: str) -> tuple[str, int | None]:
    """Kind and tournament of a notice; one that cannot be read makes every page read anew."""
    try:
        notice = json.loads(payload)
        kind, tournament = str(notice["kind"]), notice.get("tournament")
    except (ValueError, KeyError, TypeError, AttributeError):
        return RESYNC, None
    return kind, tournament if isinstance(tournament, int) else None
