"""The wire beside bare gRPC and OpenSpiel: gin, both seats remote, all matches of a bot on one stream.

Ours is the real thing: an arbiter process with its referee, clocks and recorder, two bot processes with the SDK, full
views. The peer moves the same bytes and does nothing with them: messages as large as those that the arena was seen to
send (on average, in both directions), as many in the air. The two run in turns, in pairs, while the other's processes
stand still, so that whatever else the machine does meets both; a ratio is the median over the pairs, and a goal counts
as held at 0.9 of its figure.

The peer has batches as large as ours, so that a figure says what a decision costs beside its share of a message, and
not what batches bring. Other work on the machine slows the arena more than the peer: its arbiter fills a processor.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import grpc.aio

from bench import rules
from bench.bare import Bouncer, bouncing
from rummy.cli.contest import find_bots
from rummy.cli.local_arena import LocalArena, local_arena
from rummy.errors import HostFault
from rummy.rules.games import find_game
from rummy.wire.v1 import arbiter_pb2, arbiter_pb2_grpc

PAIRS = 5
SECONDS = 1.0
WARM_UP = 1.0
PATIENCE = 60.0
LIMIT_MS = 600_000  # Nobody is late because its process stands still.
GOALS = {1: 0.9, 8: 0.7, 64: 0.65}
SPIEL_GOAL = 2.0
BOT = Path(__file__).parent / "bot"


def rows(pairs: int = PAIRS) -> list[dict[str, Any]]:
    """One row a figure: figure, value and against (units a second), ratio, goal, holds. Raises `SettingsError`."""
    _, spiel = rules._peers()
    return asyncio.run(_rows(pairs, spiel))


async def _rows(pairs: int, spiel: Any) -> list[dict[str, Any]]:
    made = []
    for matches, goal in GOALS.items():
        async with _arena() as arena, arena.playing(matches):
            made.append(await _beside_bare(arena, matches, goal, pairs))
            if matches == max(GOALS):
                made.append(await _beside_spiel(arena, spiel, pairs))
    return made


@dataclass(frozen=True, slots=True)
class Traffic:
    """What the bots have seen since they began."""

    messages: int
    received: int
    sent: int


class Arena:
    """The real thing, which can be made to stand still."""

    def __init__(self, local: LocalArena, stub: Any, folders: Sequence[Path]) -> None:
        self._local = local
        self._stub = stub
        self._folders = folders
        self._credential = (("authorization", f"Bearer {local.credential}"),)
        self._fixtures = 0
        self.actions = 0
        self.deals = 0

    @asynccontextmanager
    async def playing(self, matches: int) -> AsyncIterator[None]:
        """Keeps *matches* matches in play."""
        tasks = [asyncio.create_task(self._keep_playing()) for _ in range(matches)]
        await _until(lambda: all((folder / "traffic").exists() for folder in self._folders), "a bot plays")
        await asyncio.sleep(WARM_UP)
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def rate(self) -> float:
        """Decisions a second."""
        before, began = await self.decisions(), perf_counter()
        await asyncio.sleep(SECONDS)
        return (await self.decisions() - before) / (perf_counter() - began)

    async def decisions(self) -> int:
        """Decisions since the arbiter began."""
        reply = await self._stub.Status(arbiter_pb2.StatusRequest(), metadata=self._credential)
        return int(reply.decisions)

    def traffic(self) -> Traffic:
        """What has gone to the bots and come back."""
        counts = [json.loads((folder / "traffic").read_text()) for folder in self._folders]
        return Traffic(*(sum(column) for column in zip(*counts, strict=True)))

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
async def _arena() -> AsyncIterator[Arena]:
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as place:
        folders = [Path(shutil.copytree(BOT, Path(place) / str(number))) for number in (1, 2)]
        bots = find_bots([str(folder) for folder in folders], find_game("gin"))
        options = [("grpc.max_receive_message_length", -1)]
        async with local_arena(bots, lanes=1) as local, grpc.aio.insecure_channel(local.workers, options) as channel:
            yield Arena(local, arbiter_pb2_grpc.ArbiterStub(channel), folders)


async def _beside_bare(arena: Arena, matches: int, goal: float, pairs: int) -> dict[str, Any]:
    before, decisions = arena.traffic(), await arena.decisions()
    await asyncio.sleep(SECONDS)
    after, decisions = arena.traffic(), await arena.decisions() - decisions
    messages = after.messages - before.messages
    batch = max(1.0, decisions / messages)
    message, answer = (after.received - before.received) // messages, (after.sent - before.sent) // messages
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as place:
        async with bouncing(message, answer, max(1, round(matches / batch)), f"unix:{place}/bare.sock") as bouncer:
            measured = [await _pair(arena, lambda: _bare_rate(bouncer, batch)) for _ in range(pairs)]
    plural = "match" if matches == 1 else "matches"
    peer = f"bare grpc.aio, unread messages of {batch:.1f} decisions, {message} and {answer} bytes"
    return _row(f"decisions a second, both seats remote, {matches} {plural}", peer, measured, goal)


async def _bare_rate(bouncer: Bouncer, batch: float) -> float:
    before, began = bouncer.count, perf_counter()
    await bouncer.go()
    await asyncio.sleep(SECONDS)
    bouncer.stop()
    rate = (bouncer.count - before) * batch / (perf_counter() - began)
    await _until(lambda: bouncer.ready, "every message has come back")
    return rate


async def _beside_spiel(arena: Arena, spiel: Any, pairs: int) -> dict[str, Any]:
    deals = rules._spiel_deals(spiel)

    async def theirs() -> float:
        began = perf_counter()
        played = deals()
        while perf_counter() - began < SECONDS:
            played += deals()
        return played / (perf_counter() - began)

    measured = [await _pair(arena, theirs) for _ in range(pairs)]
    await _until(lambda: arena.deals > 0, "a match has ended")
    a_deal = arena.actions / arena.deals
    figure = "random gin deals a second, both seats remote, 64 matches"
    return _row(figure, "OpenSpiel in process", [(ours / a_deal, other) for ours, other in measured], SPIEL_GOAL)


async def _pair(arena: Arena, theirs: Callable[[], Awaitable[float]]) -> tuple[float, float]:
    ours = await arena.rate()
    async with arena.still():
        return ours, await theirs()


async def _until(holds: Callable[[], bool], what: str) -> None:
    for _ in range(round(PATIENCE / 0.01)):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise HostFault(f"After {PATIENCE:g} seconds it is still not so that {what}; is the machine too busy?")


def _row(figure: str, peer: str, measured: Sequence[tuple[float, float]], goal: float) -> dict[str, Any]:
    ratio = median(mine / other for mine, other in measured)
    return {
        "figure": figure,
        "value": round(median(mine for mine, _ in measured)),
        "against": f"{peer}: {median(other for _, other in measured):.0f}",
        "ratio": round(ratio, 2),
        "goal": goal,
        "holds": ratio >= rules.HELD_AT * goal,
    }
