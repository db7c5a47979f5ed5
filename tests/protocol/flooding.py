"""Bots that do nothing but harm, in a process of their own: `flooding.py ADDRESS KIND TOKEN [KIND TOKEN ...]`."""

from __future__ import annotations

import asyncio
import sys

import grpc
import grpc.aio

from rummy.rules.actions import DrawStock
from rummy.wire import codec, encoder
from rummy.wire.v1 import table_pb2

KINDS = {
    "empty messages": b"",
    "answers to nothing": encoder.answer_part(1, 1, [DrawStock()]) * 1000,
    "too many answers": b"\x12\x00" * 30_000,
    "half a megabyte": bytes(1 << 19),
    "fifty megabytes": bytes(50_000_000),
    "dials again and again": None,
    "tokens that are none": None,
    "reads nothing": None,
}
OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_send_message_length", -1)]


async def harm(address: str, kind: str, token: str) -> None:
    """One connection, until the arbiter has had enough of it."""
    async with grpc.aio.insecure_channel(address, OPTIONS) as channel:
        call = channel.stream_stream("/rummy.wire.v1.Table/Play")()  # type: ignore[var-annotated]
        shown = "no token" if kind == "tokens that are none" else token
        await call.write(encoder.hello_part(table_pb2.Hello(token=shown, protocol=codec.PROTOCOL)))
        if kind == "reads nothing":
            await asyncio.sleep(3600)
        message = KINDS[kind]
        if message is None:
            await call.read()
            return
        while True:
            await call.write(message)


async def harm_for_ever(address: str, kind: str, token: str) -> None:
    """Comes back each time."""
    while True:
        try:
            await harm(address, kind, token)
        except (asyncio.InvalidStateError, grpc.aio.AioRpcError, grpc.aio.UsageError):
            await asyncio.sleep(0.01)


async def main(address: str, *pairs: str) -> None:
    """All of them at once."""
    kinds = zip(pairs[::2], pairs[1::2], strict=True)
    await asyncio.gather(*(harm_for_ever(address, kind, token) for kind, token in kinds))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
