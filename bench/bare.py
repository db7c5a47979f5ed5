"""What gRPC alone can do: messages bounced between a grpc.aio server and two client processes, with nothing in between.

A message goes to a client with the bytes of so many decisions, comes back with those of as many answers, and goes on to
the clients in turn. How many messages are in the air, and how large they are, is what was seen of the arena.

    python -m bench.bare ADDRESS ANSWER_BYTES     a client
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio


class Bouncer:
    """The server: two streams, and *count*, the messages that have come back."""

    def __init__(self, message: int, in_air: int) -> None:
        self.count = 0
        self._message = b"\x55" * message
        self._in_air = in_air
        self._streams: list[tuple[Any, asyncio.Lock]] = []
        self._held = in_air
        self._going = asyncio.Event()
        self._turn = 0

    @property
    def ready(self) -> bool:
        """Whether both clients are here, and nothing is in the air."""
        return len(self._streams) == 2 and self._held == self._in_air

    async def go(self) -> None:
        """Throws all messages."""
        self._going.set()
        for _ in range(self._held):
            await self._throw()
        self._held = 0

    def stop(self) -> None:
        """Catches what comes back from now on."""
        self._going.clear()

    async def bounce(self, _: Any, context: Any) -> None:
        """One stream: a client."""
        if not isinstance(await context.read(), bytes):
            return
        self._streams.append((context, asyncio.Lock()))
        while isinstance(await context.read(), bytes):
            self.count += 1
            if self._going.is_set():
                await self._throw()
            else:
                self._held += 1

    async def _throw(self) -> None:
        self._turn ^= 1
        context, alone = self._streams[self._turn]
        async with alone:
            await context.write(self._message)


@asynccontextmanager
async def bouncing(message: int, answer: int, in_air: int, address: str) -> AsyncIterator[Bouncer]:
    """A server at *address* with two client processes, and *in_air* messages of those sizes."""
    bouncer = Bouncer(message, in_air)
    server = grpc.aio.server()
    handlers: dict[str, Any] = {"Bounce": grpc.stream_stream_rpc_method_handler(bouncer.bounce)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Bare", handlers),))
    server.add_insecure_port(address)
    await server.start()
    command = (sys.executable, "-m", "bench.bare", address, str(answer))
    clients = [await asyncio.create_subprocess_exec(*command) for _ in range(2)]
    try:
        while not bouncer.ready:
            await asyncio.sleep(0.01)
        yield bouncer
    finally:
        for client in clients:
            client.kill()
            await client.wait()
        await server.stop(None)


async def client(address: str, answer: int) -> None:
    """Answers until the server is gone."""
    reply = b"\x55" * answer
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.stream_stream("/bench.Bare/Bounce")()
        await call.write(b"here")
        while isinstance(await call.read(), bytes):
            await call.write(reply)


if __name__ == "__main__":
    asyncio.run(client(sys.argv[1], int(sys.argv[2])))
