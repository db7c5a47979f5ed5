"""The memory of the bots' port does not grow with what bots send."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc

from arbiter.server import MAX_REQUEST_BYTES

ROOT = Path(__file__).parents[2]
BOTS = 6
MESSAGES = 1000
MOST_BYTES = 400 << 20  # A fresh server takes 60 MiB.
SERVER = """
import asyncio, pathlib, re, sys
import grpc
from arbiter.server import bots_server, listen

async def play(_, context):
    while isinstance(await context.read(), bytes):
        pass

async def main():
    server = bots_server({"T": {"Play": grpc.stream_stream_rpc_method_handler(play)}})
    print(listen(server, "127.0.0.1:0"), flush=True)
    await server.start()
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(0)
    # Not ru_maxrss: it begins at what the process that started this one held.
    print(re.search(r"VmHWM:\\s*(\\d+)", pathlib.Path("/proc/self/status").read_text())[1], flush=True)

asyncio.run(main())
"""


def flood(address: str) -> None:
    message = bytes(MAX_REQUEST_BYTES)

    def messages() -> Iterator[bytes]:
        for _ in range(MESSAGES):
            yield message

    with grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/T/Play")
        assert list(play(messages(), timeout=60)) == []


def test_bots_that_flood_their_streams_do_not_fill_the_memory() -> None:
    command = [sys.executable, "-P", "-c", SERVER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(ROOT)}
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        bots = [threading.Thread(target=flood, args=[address]) for _ in range(BOTS)]
        for bot in bots:
            bot.start()
        for bot in bots:
            bot.join()
        told, _ = server.communicate("")
    assert int(told) * 1024 < MOST_BYTES
