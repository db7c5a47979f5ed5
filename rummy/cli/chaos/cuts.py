"""The detour between workers and arbiters: sockets whose connections can be cut, as a cable that is pulled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

_CHUNK = 1 << 16


class Detour:
    """Passes on what comes to each of the sockets, until it is cut. It has a thread of its own."""

    def __init__(self, ways: Mapping[Path, Path]) -> None:
        self._ways = ways
        self._open: set[asyncio.StreamWriter] = set()
        self._passing: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._listening = threading.Event()
        self._thread = threading.Thread(target=self._run, name="detour", daemon=True)

    def begin(self) -> None:
        """From now on one can dial."""
        self._thread.start()
        self._listening.wait()

    def cut(self) -> int:
        """Breaks off every connection in both directions; new ones can be had at once. Returns how many there were."""
        return asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result()

    def end(self) -> None:
        """Nothing is passed on any more."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        servers = [
            await asyncio.start_unix_server(lambda *ends, there=there: self._accept(there, *ends), here)
            for here, there in self._ways.items()
        ]
        self._listening.set()
        await self._over.wait()
        for server in servers:
            server.close()
        await self._cut()
        await asyncio.gather(*self._passing)

    async def _cut(self) -> int:
        cut = list(self._open)
        for writer in cut:
            writer.transport.abort()
        return len(cut) // 2

    def _accept(self, there: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._pass(there, reader, writer))
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)

    async def _pass(self, there: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(there)
        except OSError:  # The arbiter is not there: neither are we.
            writer.transport.abort()
            return
        ends = {writer, far_writer}
        self._open |= ends
        await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        self._open -= ends


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()  # Whoever goes, goes in both directions.


@contextmanager
def detour(ways: Mapping[Path, Path]) -> Iterator[Detour]:
    """From the sockets that are dialled to those of the arbiters, in another process or not yet there."""
    made = Detour(ways)
    made.begin()
    try:
        yield made
    finally:
        made.end()
