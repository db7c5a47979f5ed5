"""The real arena for a benchmark: an arbiter process and two bots, kept playing, which can be made to stand still."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import tempfile
from array import array
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import grpc.aio

from rummy.cli.contest import find_bots
from rummy.cli.local_arena import LocalArena, local_arena
from rummy.errors import HostFault
from rummy.rules.games import find_game
from rummy.wire.v1 import arbiter_pb2, arbiter_pb2_grpc

WARM_UP = 1.0
PATIENCE = 60.0
LIMIT_MS = 600_000  # Nobody is late because its process stands still.
BOT = Path(__file__).parent / "bot"
ARBITER = "The arbiter"
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Traffic:
    """What the bots have seen since they began."""

    messages: int
    received: int
    sent: int


class Stretch(NamedTuple):
    """What the arena has done in a while."""

    decisions: int
    seconds: float
    processor: float  # Seconds of it that its processes have had.
    pauses: list[float]  # From one message that reached a bot to the next that reached any.

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return self.decisions / self.seconds


class Arena:
    """The arena in play."""

    def __init__(self, local: LocalArena, stub: Any, folders: Sequence[Path]) -> None:
        self._local = local
        self._stub = stub
        self._folders = folders
        self._credential = (("authorization", f"Bearer {local.credential}"),)
        self._fixtures = 0
        self.actions = 0
        self.deals = 0
        self.open = 0
        self.pids = [process.pid for process in local.processes.values()]

    @asynccontextmanager
    async def playing(self, matches: int) -> AsyncIterator[None]:
        """Keeps *matches* matches in play, beside those that are."""
        tasks = [asyncio.create_task(self._keep_playing()) for _ in range(matches)]
        self.open += matches
        await until(lambda: all((folder / "traffic").exists() for folder in self._folders), "a bot plays")
        await asyncio.sleep(WARM_UP)
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def play(self, seconds: float) -> Stretch:
        """What is done in *seconds*."""
        before, used, began = await self.decisions(), processor(self.pids), monotonic()
        await asyncio.sleep(seconds)
        after, ended = await self.decisions(), monotonic()
        used = processor(self.pids) - used
        return Stretch(after - before, ended - began, used, self._pauses(began))

    async def decisions(self) -> int:
        """Decisions since the arbiter began."""
        reply = await self._stub.Status(arbiter_pb2.StatusRequest(), metadata=self._credential)
        return int(reply.decisions)

    def traffic(self) -> Traffic:
        """What has gone to the bots and come back."""
        counts = [json.loads((folder / "traffic").read_text()) for folder in self._folders]
        return Traffic(*(sum(column) for column in zip(*counts, strict=True)))

    def memory(self) -> int:
        """Bytes that the arbiter has in memory."""
        return int(Path(f"/proc/{self._local.processes[ARBITER].pid}/statm").read_text().split()[1]) * _PAGE

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        """Stops all processes meanwhile."""
        for process in self._local.processes.values():
            process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            for process in self._local.processes.values():
                process.send_signal(signal.SIGCONT)

    def _pauses(self, began: float) -> list[float]:
        """Between the messages since *began*, as far as both bots have written them down."""
        moments = [_since(folder / "moments", began) for folder in self._folders]
        last = min(each[-1] if each else began for each in moments)
        return [
            after - before for before, after in pairwise(sorted(at for each in moments for at in each if at <= last))
        ]

    async def _keep_playing(self) -> None:
        while True:
            self._fixtures += 1
            replay = await self._play(self._order(self._fixtures))
            footer = json.loads(replay.splitlines()[-1])  # Playing it again is not the arbiter's work, nor measured.
            self.actions += footer["actions"]
            self.deals += len(footer["deals"])

    async def _play(self, order: arbiter_pb2.Order) -> bytes:
        updates = [update async for update in self._stub.Play(order, metadata=self._credential)]
        assert updates[-1].WhichOneof("update") == "record", updates[-1].void
        return bytes(updates[-1].record.replays[0])

    def _order(self, fixture: int) -> arbiter_pb2.Order:
        entrants = [arbiter_pb2.OrderEntrant(version_id=number, name=f"bot {number}", hosted=True) for number in (1, 2)]
        return arbiter_pb2.Order(
            fixture=fixture, generation=1, game="gin", seed=secrets.token_bytes(32), legs=1, entrants=entrants,
            clock=arbiter_pb2.ClockTerms(limit_ms=LIMIT_MS),
            faults=arbiter_pb2.FaultPolicy(strikes=3, grace_seconds=5, deaths=1),
        )  # fmt: skip


@asynccontextmanager
async def arena(core: int | None = None) -> AsyncIterator[Arena]:
    """An arena that has no match in play yet; all its processes stay on *core* where one is given."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as place:
        folders = [Path(shutil.copytree(BOT, Path(place) / str(number))) for number in (1, 2)]
        bots = find_bots([str(folder) for folder in folders], find_game("gin"))
        options = [("grpc.max_receive_message_length", -1)]
        async with local_arena(bots, lanes=1) as local, grpc.aio.insecure_channel(local.workers, options) as channel:
            made = Arena(local, arbiter_pb2_grpc.ArbiterStub(channel), folders)
            if core is not None:
                _keep_on(core, made.pids)
            yield made


def processor(pids: Iterable[int]) -> float:
    """Seconds of processor time that the processes have had."""
    used = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        used += int(fields[11]) + int(fields[12])
    return used / _TICKS


async def until(holds: Callable[[], bool], what: str) -> None:
    """Waits. Raises `HostFault` where it takes too long."""
    for _ in range(round(PATIENCE / 0.01)):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise HostFault(f"After {PATIENCE:g} seconds it is still not so that {what}; is the machine too busy?")


def _since(moments: Path, began: float) -> array[float]:
    found = array("d")
    data = moments.read_bytes() if moments.exists() else b""
    found.frombytes(data[: len(data) // 8 * 8])
    return array("d", [at for at in found if at >= began])


def _keep_on(core: int, pids: Iterable[int]) -> None:
    """Every thread that there is; those to come inherit it."""
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {core})
