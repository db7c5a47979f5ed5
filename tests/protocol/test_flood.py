"""What bots that do nothing but harm cost two good ones beside them, and the arbiter: its clocks and its memory."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc.aio
import pytest
from flooding import KINDS
from stage import Bot, an_order, bearer

from rummy.rules.replay import verify
from rummy.wire.v1 import arbiter_pb2, arbiter_pb2_grpc

ROOT = Path(__file__).parents[2]
MOST_MIB = 64
"""What all harm together may add to the memory of the arbiter."""
EACH_SECONDS = 4.0
PATIENT = arbiter_pb2.FaultPolicy(strikes=1000, grace_seconds=15.0, deaths=3)


class Place:
    """An arbiter process in which bots 1 and 2 play one match after the other."""

    def __init__(self, process: asyncio.subprocess.Process, bots: str, workers: grpc.aio.Channel, shown: str) -> None:
        self.process = process
        self.bots = bots
        self._stub = arbiter_pb2_grpc.ArbiterStub(workers)
        self._metadata = bearer(shown)
        self._fixture = 0

    def memory(self) -> int:
        """The most that the arbiter has ever had, in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s*(\d+)", status)
        assert found is not None
        return int(found[1]) >> 10

    async def charged(self, seconds: float) -> list[int]:
        """What each decision was charged for so many seconds, in microseconds, the shortest first."""
        charged: list[int] = []
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            self._fixture += 1
            terms = arbiter_pb2.ClockTerms(limit_ms=1000)
            order = an_order(self._fixture, (1, 2), options="{}", clock=terms, faults=PATIENT)
            last = [update async for update in self._stub.Play(order, metadata=self._metadata)][-1]
            replay = last.record.replays[0]
            assert verify(replay).strikes == (0, 0)
            charged += [line["us"] for line in map(json.loads, replay.splitlines()) if "act" in line]
        return sorted(charged)


@asynccontextmanager
async def place() -> AsyncIterator[Place]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "arbiter.local", cwd=ROOT, env={"PATH": os.environ["PATH"]},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    tokens = {f"t{number}": {"version_id": number, "name": f"bot {number}"} for number in range(1, 3 + len(KINDS))}
    process.stdin.write(json.dumps({"tokens": tokens}).encode() + b"\n")
    places = json.loads(await process.stdout.readline())
    async with (
        grpc.aio.insecure_channel(places["bots"]) as bots,
        grpc.aio.insecure_channel(places["workers"]) as workers,
    ):
        playing = [asyncio.ensure_future(good(bots, token)) for token in ("t1", "t2")]
        yield Place(process, places["bots"], workers, places["credential"])
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    process.stdin.close()
    await process.wait()


async def good(channel: grpc.aio.Channel, token: str) -> None:
    bot = Bot(channel)
    await bot.hello(token)
    await bot.play()


@asynccontextmanager
async def harmed(address: str, *kinds: str) -> AsyncIterator[None]:
    """Bots of these *kinds* at work."""
    pairs = [part for number, kind in enumerate(kinds) for part in (kind, f"t{number + 3}")]
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(
        "nice", sys.executable, str(ROOT / "tests/protocol/flooding.py"), address, *pairs, env=environ,
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
        assert process.returncode is None
    finally:
        process.kill()
        await process.wait()


def told(kind: str, charged: list[int], mib: int) -> str:
    half, most = charged[len(charged) // 2], charged[len(charged) * 99 // 100]
    return f"{kind:24} {len(charged):6} decisions, p50 {half / 1000:.2f} ms, p99 {most / 1000:.2f} ms, {mib} MiB"


@pytest.mark.long
@pytest.mark.realtime
async def test_bots_that_do_nothing_but_harm_cost_themselves() -> None:
    """The clocks of others run as before, up to what a busier machine costs anybody, and the memory stays bounded."""
    async with place() as here:
        calm = await here.charged(EACH_SECONDS)
        before = here.memory()
        print("\n" + told("calm", calm, before))
        for kinds in (*((kind,) for kind in KINDS), tuple(KINDS)):
            async with harmed(here.bots, *kinds):
                await here.charged(1.0)  # Until they are at work.
                charged = await here.charged(EACH_SECONDS)
            print(told(kinds[0] if len(kinds) == 1 else "all at once", charged, here.memory()))
            assert charged[len(charged) // 2] < 10 * calm[len(calm) // 2] + 1000
        assert here.memory() - before < MOST_MIB
