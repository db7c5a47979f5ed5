"""Detours in front of an arbiter's sockets: whoever dials them comes by us, and is cut off as by a pulled cable."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_CHUNK = 1 << 16
_LOOK = 0.01
"""Seconds between two looks at whether somebody listens anew; who has just started is not dialled so soon."""


class Detour:
    """Stands in the place of each of the sockets and passes on what comes, until it is cut. It has a thread of its own.

    Those who listen and those who dial know nothing of it. Where a process that has died listens anew, its new socket
    is taken as well.
    """

    def __init__(self, sockets: Sequence[Path]) -> None:
        self._ours: dict[Path, tuple[int, asyncio.Server] | None] = dict.fromkeys(sockets)
        self._open: set[asyncio.StreamWriter] = set()
        self._passing: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._standing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="detour", daemon=True)

    def begin(self) -> None:
        """From now on whoever dials comes by us."""
        self._thread.start()
        self._standing.wait()

    def cut(self) -> int:
        """Breaks off every connection in both directions; new ones can be had at once. Returns how many there were."""
        return asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result()

    def end(self) -> None:
        """Breaks off every connection and gives the sockets back."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        finally:
            self._standing.set()

    async def _serve(self) -> None:
        while not self._over.is_set():
            for socket in self._ours:
                await self._stand_before(socket)
            self._standing.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK):
                    await self._over.wait()
        for socket, ours in self._ours.items():
            if ours is not None:
                ours[1].close()
                with suppress(FileNotFoundError):  # The arena has ended, and its folder with it.
                    _aside(socket).replace(socket)
        await self._cut()
        await asyncio.gather(*self._passing)

    async def _stand_before(self, socket: Path) -> None:
        """Takes the place of *socket*, if somebody else than us listens there."""
        ours = self._ours[socket]
        try:
            number = socket.stat().st_ino
        except FileNotFoundError:  # Whoever is to listen there has just begun.
            return
        if ours is not None:
            if ours[0] == number:
                return
            ours[1].close()
        aside, new = _aside(socket), socket.with_name(f"{socket.name}.new")
        server = await asyncio.start_unix_server(lambda *ends: self._accept(aside, *ends), new)
        new.chmod(0o666)  # Hosted bots may be other users.
        aside.unlink(missing_ok=True)
        os.link(socket, aside)
        self._ours[socket] = new.stat().st_ino, server
        new.replace(socket)  # In one step: whoever dials finds either.

    async def _cut(self) -> int:
        cut = self._open.copy()
        self._open.clear()  # None is counted twice.
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


def _aside(socket: Path) -> Path:
    """Where a socket can be dialled while we stand in its place."""
    return socket.with_name(f"{socket.name}.own")


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()  # Whoever goes, goes in both directions.


@contextmanager
def detour(sockets: Sequence[Path]) -> Iterator[Detour]:
    """Before sockets of other processes, which may die and begin anew meanwhile."""
    made = Detour(sockets)
    made.begin()
    try:
        yield made
    finally:
        made.end()
