"""What gRPC alone can do: messages bounced between a grpc.aio server and two clients, with nothing in between.

Three processes, as the arena has: a server on uvloop, as the arbiter, and two clients. A message goes to a client with
the bytes of so many decisions, comes back with those of as many answers, and goes on to the clients in turn. How many
messages are in the air, and how large they are, is what was seen of the arena.

    python -m bench.bare serve ADDRESS BYTES IN_AIR     bounces between "go" and "stop" on standard input
    python -m bench.bare answer ADDRESS BYTES LOOP      a client on "asyncio" or "uvloop"
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from time import perf_counter
from typing import Any, NamedTuple

import grpc
import grpc.aio
import uvloop


class Transport(NamedTuple):
    """Switches of gRPC (GRPC_EXPERIMENTS), and the event loop of the clients."""

    experiments: str
    loop: str


AS_IT_COMES = Transport("", "asyncio")
"""gRPC as somebody has it who has just installed it."""


class Bounced(NamedTuple):
    """What has come back between a go and a stop: how many messages in how many seconds, and the pauses between."""

    messages: int
    seconds: float
    pauses: list[float]


class Bouncer:
    """The processes, from outside."""

    def __init__(self, server: Process, clients: list[Process]) -> None:
        self._server = server
        self.pids = [process.pid for process in (server, *clients)]

    async def bounce(self, seconds: float) -> Bounced:
        """Throws all messages for *seconds*, and catches them."""
        await self._say(b"go\n")
        await asyncio.sleep(seconds)
        await self._say(b"stop\n")
        return Bounced(*json.loads(await self.heard()))

    async def heard(self) -> bytes:
        """The server's next line."""
        assert self._server.stdout is not None
        return await self._server.stdout.readline()

    async def _say(self, line: bytes) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(line)
        await self._server.stdin.drain()


@asynccontextmanager
async def bouncing(
    message: int, answer: int, in_air: int, address: str, transport: Transport = AS_IT_COMES
) -> AsyncIterator[Bouncer]:
    """A server at *address* with two clients, and *in_air* messages of those sizes."""
    experiments, loop = transport
    server = await _start("serve", address, message, in_air, experiments=experiments, pipe=PIPE)
    clients = [await _start("answer", address, answer, loop, experiments=experiments) for _ in range(2)]
    bouncer = Bouncer(server, clients)
    try:
        await bouncer.heard()
        yield bouncer
    finally:
        for process in (*clients, server):
            process.kill()
            await process.wait()


async def _start(what: str, *arguments: object, experiments: str, pipe: int | None = None) -> Process:
    command = (sys.executable, "-m", "bench.bare", what, *map(str, arguments))
    environment = {**os.environ, "GRPC_EXPERIMENTS": experiments}
    return await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=1 << 26, env=environment)


# ---- inside


class _Server:
    """Two streams, and the moments at which messages have come back."""

    def __init__(self, message: int, in_air: int) -> None:
        self._message = b"\x55" * message
        self._in_air = self._held = in_air
        self._streams: list[tuple[Any, asyncio.Lock]] = []
        self._going = False
        self._turn = 0
        self._moments: list[float] = []
        self.ready, self._caught = asyncio.Event(), asyncio.Event()

    async def go(self) -> None:
        """Throws all messages."""
        self._going, self._moments = True, [perf_counter()]
        self._caught.clear()
        held, self._held = self._held, 0
        for _ in range(held):
            await self._throw()

    async def stop(self) -> Bounced:
        """Catches them all, and says what has come back until now."""
        self._going = False
        moments, ended = self._moments, perf_counter()
        seen = Bounced(len(moments) - 1, ended - moments[0], [after - before for before, after in pairwise(moments)])
        await self._caught.wait()
        return seen

    async def bounce(self, _: Any, context: Any) -> None:
        """One stream: a client."""
        if not isinstance(await context.read(), bytes):
            return
        self._streams.append((context, asyncio.Lock()))
        if len(self._streams) == 2:
            self.ready.set()
        while isinstance(await context.read(), bytes):
            if self._going:
                self._moments.append(perf_counter())
                await self._throw()
            else:
                self._held += 1
                if self._held == self._in_air:
                    self._caught.set()

    async def _throw(self) -> None:
        self._turn ^= 1
        context, alone = self._streams[self._turn]
        async with alone:
            await context.write(self._message)


async def _serve(address: str, message: int, in_air: int) -> None:
    bouncer = _Server(message, in_air)
    server = grpc.aio.server()
    handlers: dict[str, Any] = {"Bounce": grpc.stream_stream_rpc_method_handler(bouncer.bounce)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Bare", handlers),))
    server.add_insecure_port(address)
    await server.start()
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    await bouncer.ready.wait()
    os.write(1, b"ready\n")
    while line := await lines.readline():
        if line == b"go\n":
            await bouncer.go()
        else:
            sys.stdout.write(json.dumps(await bouncer.stop()) + "\n")
            sys.stdout.flush()


async def _answer(address: str, size: int) -> None:
    """Answers until the server is gone; it may not be there yet."""
    reply = b"\x55" * size
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.stream_stream("/bench.Bare/Bounce")(wait_for_ready=True)
        await call.write(b"here")
        while isinstance(await call.read(), bytes):
            await call.write(reply)


def main(what: str, address: str, size: str, last: str) -> None:
    """One of the processes."""
    if what == "serve":
        uvloop.run(_serve(address, int(size), int(last)))
    else:
        run = uvloop.run if last == "uvloop" else asyncio.run
        run(_answer(address, int(size)))


if __name__ == "__main__":
    main(*sys.argv[1:])
