"""What gRPC alone can do: bytes bounced between a grpc.aio server and two client processes, with nothing in between.

The balls stand for matches: a ball goes to a client as a decision's bytes, comes back as an answer's, and goes on to the
same client or, every other time, to the other one, as in a game where a turn is two decisions. What is ready goes with
the next message, as in the arena. A ball is told from the next by its length alone.

    python -m bench.bare ADDRESS DECISION_BYTES ANSWER_BYTES     a client
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio

METHOD = "/bench.Bare/Bounce"


class Bouncer:
    """The server: two streams, *balls* in the air, *count* of bounces."""

    def __init__(self, decision: int, answer: int) -> None:
        self.count = 0
        self.messages = 0
        self._decision = b"\x55" * decision
        self._answer = answer
        self._ready = [0, 0]
        self._wake = [asyncio.Event(), asyncio.Event()]
        self._odd = 0
        self.joined = 0

    def throw(self, balls: int) -> None:
        """Puts that many balls into the air."""
        self._send(0, balls)

    async def bounce(self, _: Any, context: Any) -> None:
        """One stream: a client."""
        side = self.joined
        self.joined += 1
        reader = asyncio.ensure_future(self._read(side, context))
        try:
            while True:
                await self._wake[side].wait()
                self._wake[side].clear()
                ready, self._ready[side] = self._ready[side], 0
                await context.write(self._decision * ready)
        finally:
            reader.cancel()

    async def _read(self, side: int, context: Any) -> None:
        while isinstance(message := await context.read(), bytes):
            balls = len(message) // self._answer
            self.count += balls
            self.messages += 1
            half, rest = divmod(balls, 2)
            stay = half + (rest & self._odd)
            self._odd ^= rest
            self._send(side, stay)
            self._send(1 - side, balls - stay)

    def _send(self, side: int, balls: int) -> None:
        if balls:
            self._ready[side] += balls
            self._wake[side].set()


@asynccontextmanager
async def bouncing(decision: int, answer: int, address: str) -> AsyncIterator[Bouncer]:
    """A server at *address* with two client processes."""
    bouncer = Bouncer(decision, answer)
    server = grpc.aio.server()
    handlers = {"Bounce": grpc.stream_stream_rpc_method_handler(bouncer.bounce)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Bare", handlers),))
    server.add_insecure_port(address)
    await server.start()
    command = (sys.executable, "-m", "bench.bare", address, str(decision), str(answer))
    clients = [await asyncio.create_subprocess_exec(*command) for _ in range(2)]
    try:
        while bouncer.joined < 2:
            await asyncio.sleep(0.01)
        yield bouncer
    finally:
        for client in clients:
            client.terminate()
            await client.wait()
        await server.stop(None)


async def client(address: str, decision: int, answer: int) -> None:
    """Answers until the server is gone."""
    reply = b"\x55" * answer
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.stream_stream(METHOD)()
        await call.write(b"")
        while isinstance(message := await call.read(), bytes):
            await call.write(reply * (len(message) // decision))


if __name__ == "__main__":
    asyncio.run(client(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
