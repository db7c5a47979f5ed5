"""An arena without a database for the length of a command: an arbiter process, and a process for each bot and leg."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from rummy.cli.contest import SAMPLES, Bot, Fixture, Leg
from rummy.embedded.privileges import tied_command
from rummy.errors import ArbiterUnavailable, BotCrashed, HostFault
from rummy.rules.game import Game
from rummy.rules.games import options_json
from rummy.rules.replay import verify
from rummy.wire.status import error_of
from rummy.wire.v1 import arbiter_pb2, arbiter_pb2_grpc

ROOT = SAMPLES.parent
AT_ONCE = 32  # Orders in play, so that the decisions of many matches share a message.
LIMIT_MS, BANK_MS, STRIKES, DEATHS, GRACE_SECONDS = 10_000, 60_000, 3, 1, 5.0
STOP_SECONDS = 5.0
LONGEST_TOLD = 4_000  # Bytes of what a bot has said.

Lane = tuple[int, int]  # Of an entrant, the process that plays this leg.


@dataclass(frozen=True, slots=True)
class _Running:
    """A process that has to run as long as the arena; what a bot says goes to its log, and is told where need be."""

    name: str
    process: Process
    log: Path | None = None

    def tell(self) -> None:
        """Tells the end of what it has said."""
        said = b"" if self.log is None else self.log.read_bytes()[-LONGEST_TOLD:]
        if said:
            sys.stderr.write(f"{self.name} has said:\n{said.decode('utf-8', 'replace').rstrip()}\n")


@dataclass(frozen=True, slots=True)
class LocalArena:
    """An arbiter with its bots, ready for orders."""

    bots: Sequence[Bot]
    workers: str
    credential: str
    processes: Mapping[str, Process]
    ended: asyncio.Future[str]  # A process has ended that should not have, in a sentence.
    struck: set[Lane]  # Lanes whose bot got a strike.

    async def play(self, game: Game, fixtures: Iterable[Fixture], at_once: int = AT_ONCE) -> AsyncIterator[list[Leg]]:
        """Plays *fixtures*, and yields the legs of each as it ends. Raises `HostFault` and `BotCrashed`."""
        options = [("grpc.max_receive_message_length", -1)]
        async with grpc.aio.insecure_channel(self.workers, options) as channel:
            stub = arbiter_pb2_grpc.ArbiterStub(channel)
            waiting, running = iter(fixtures), set[asyncio.Future[Any]]()
            while True:
                for fixture in waiting:
                    running.add(asyncio.ensure_future(self._play(stub, game, fixture)))
                    if len(running) >= at_once:
                        break
                if not running:
                    return
                done, _ = await asyncio.wait({*running, self.ended}, return_when=asyncio.FIRST_COMPLETED)
                if self.ended in done:
                    raise BotCrashed(self.ended.result())
                running -= done
                for each in done:
                    yield each.result()

    async def _play(self, stub: Any, game: Game, fixture: Fixture) -> list[Leg]:
        record = None
        try:
            async for update in stub.Play(self._order(game, fixture), metadata=self._metadata()):
                if update.WhichOneof("update") == "void":
                    raise HostFault(update.void)
                record = update.record
        except grpc.RpcError as error:
            raise error_of(error) from None
        if record is None:
            raise ArbiterUnavailable("The arbiter has ended in the middle of an order.")
        legs = [_leg(fixture, number, replay) for number, replay in enumerate(record.replays)]
        for leg in legs:
            seated = zip(fixture.seated(leg.leg), leg.strikes, strict=True)
            self.struck.update((entrant, leg.leg) for entrant, strikes in seated if strikes)
        return legs

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.credential}"),)

    def _order(self, game: Game, fixture: Fixture) -> arbiter_pb2.Order:
        entrants = [
            arbiter_pb2.OrderEntrant(version_id=entrant + 1, name=self.bots[entrant].name, hosted=True)
            for entrant in fixture.entrants
        ]
        return arbiter_pb2.Order(
            fixture=fixture.number, generation=1, game=game.spec.key, options=options_json(game), seed=fixture.seed,
            entrants=entrants, legs=len(entrants),
            clock=arbiter_pb2.ClockTerms(limit_ms=LIMIT_MS, bank_ms=BANK_MS),
            faults=arbiter_pb2.FaultPolicy(strikes=STRIKES, grace_seconds=GRACE_SECONDS, deaths=DEATHS),
        )  # fmt: skip


def _leg(fixture: Fixture, number: int, replay: bytes) -> Leg:
    """Played again here, as a worker does before it believes a result."""
    found = verify(replay)
    result = found.result
    return Leg(
        fixture, number, result.placements, result.scores, result.reason, found.actions, found.strikes, replay
    )  # fmt: skip


@asynccontextmanager
async def local_arena(bots: Sequence[Bot], lanes: int) -> AsyncIterator[LocalArena]:
    """Starts an arbiter and *lanes* processes a bot, and ends them all. Raises `ArbiterUnavailable`.

    What a bot says is told where something is wrong: where it ended, or got a strike.
    """
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-"))
        tokens = {secrets.token_urlsafe(24): (entrant, lane) for entrant in range(len(bots)) for lane in range(lanes)}
        arbiter = await stack.enter_async_context(_process([sys.executable, "-m", "arbiter.local"], {}, PIPE))
        told = await _begin(arbiter, {"tokens": _guests(tokens, bots), "sockets": folder})
        running, struck = dict[Lane, _Running](), set[Lane]()
        stack.callback(_tell, running, struck)
        for token, (entrant, lane) in tokens.items():
            bot, log = bots[entrant], Path(folder, f"{entrant}-{lane}.log")
            settings = {"ARENA_ADDRESS": told["bots"], "ARENA_TOKEN": token, "ARENA_BOT_DIR": str(bot.folder)}
            command = [sys.executable, str(bot.folder / bot.manifest.entry)]
            process = await stack.enter_async_context(_process(command, settings, log=log))
            running[entrant, lane] = _Running(f"{bot.name}, process {lane + 1},", process, log)
        everything = [_Running("The arbiter", arbiter), *running.values()]
        processes = {each.name: each.process for each in everything}
        ended = asyncio.ensure_future(_first_end(everything))
        stack.callback(ended.cancel)
        yield LocalArena(bots, told["workers"], told["credential"], processes, ended, struck)


def _tell(running: Mapping[Lane, _Running], lanes: Iterable[Lane]) -> None:
    for lane in sorted(lanes):
        running[lane].tell()


def _guests(tokens: Mapping[str, tuple[int, int]], bots: Sequence[Bot]) -> dict[str, dict[str, Any]]:
    return {
        token: {"version_id": entrant + 1, "name": bots[entrant].name, "lane": lane, "hosted": True}
        for token, (entrant, lane) in tokens.items()
    }


async def _begin(arbiter: Process, request: Mapping[str, Any]) -> dict[str, Any]:
    assert arbiter.stdin is not None
    assert arbiter.stdout is not None
    arbiter.stdin.write(json.dumps(request).encode() + b"\n")
    await arbiter.stdin.drain()
    line = await arbiter.stdout.readline()
    if not line:
        raise ArbiterUnavailable("The arbiter has not started; what it said stands above.")
    return dict(json.loads(line))


async def _first_end(running: Iterable[_Running]) -> str:
    waits = {asyncio.ensure_future(each.process.wait()): each for each in running}
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    first = done.pop()
    waits[first].tell()
    return f"{waits[first].name} has ended with status {first.result()}; what it said stands above."


@asynccontextmanager
async def _process(
    command: Sequence[str], settings: Mapping[str, str], pipe: int | None = None, *, log: Path | None = None
) -> AsyncIterator[Process]:
    """A process with an environment of its own, ended at the end; it writes to *log* where there is one."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    environment = {**kept, "PYTHONPATH": str(ROOT), **settings}
    with nullcontext() if log is None else log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *tied_command(command), env=environment, cwd=ROOT, stdin=pipe, stdout=output or pipe, stderr=output
        )
    try:
        yield process
    finally:
        await _end(process)


async def _end(process: Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
