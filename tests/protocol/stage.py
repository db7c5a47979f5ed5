"""A real arbiter in this process, on a clock of the test's own, and bots that do what the test says."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import grpc
import grpc.aio

from arbiter.directory import Guest, LaneKey, MemoryDirectory
from arbiter.hall import Hall
from rummy.rules.actions import Action
from rummy.rules.replay import Verified, verify
from rummy.wire import codec, encoder
from rummy.wire.v1 import arbiter_pb2, arbiter_pb2_grpc, table_pb2, view_pb2

CREDENTIAL = "workers only"
LIMIT_MS, BANK_MS = 1000, 2000
GRACE = 5.0
PATIENCE = 20  # Seconds of real time after which a test is stuck.
QUICK = {
    "basic": '{"deal_cap":2}',
    "contract": '{"turn_cap":8}',
    "gin": '{"target":10}',
    "one_oh_one": '{"target":30}',
    "rummy500": '{"deal_cap":2}',
}

Choose = Callable[[table_pb2.Decision], bytes]


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def first_legal(decision: table_pb2.Decision) -> bytes:
    """The answer of a simple bot: end the deal where it can, else the first legal action."""
    codes = [code for code in decision.legal if 64 <= code < 128 or code in (codec.KNOCK_BARE, codec.BIG_GIN)]
    action = codec.read_action(decision.fallback)
    if codes:
        action = codec.simple_actions(bytes(codes[:1]))[0]
    elif decision.legal:
        action = codec.simple_actions(decision.legal[:1])[0]
    return encoder.answer_part(decision.match, decision.number, [action])


def answer(decision: table_pb2.Decision, *actions: Action, number: int | None = None) -> bytes:
    """The answer *actions* to *decision*, or to another *number* of its match."""
    return encoder.answer_part(decision.match, decision.number if number is None else number, actions)


class Bot:
    """One stream of a bot, driven by hand."""

    def __init__(self, channel: grpc.aio.Channel, metadata: Sequence[tuple[str, str]] = ()) -> None:
        self.call: Any = channel.stream_stream("/rummy.wire.v1.Table/Play")(metadata=metadata)
        self.welcome: table_pb2.Welcome | None = None
        self.starts: list[table_pb2.MatchStart] = []
        self.asked: list[table_pb2.Decision] = []  # Not yet looked at.
        self.rejections: list[table_pb2.Rejection] = []
        self.ends: list[table_pb2.MatchEnd] = []
        self.news: list[table_pb2.News] = []
        self.heard: list[view_pb2.Event] = []  # Of all matches, in the order in which it was told.
        self.goodbye = ""
        self.patience: float | None = PATIENCE
        self.arbiters: list[str] = []  # As told last.

    async def send(self, message: bytes) -> None:
        """Sends bytes, whatever they are."""
        await self.call.write(message)

    async def hello(self, token: str, *, protocol: int = codec.PROTOCOL, **fields: Any) -> None:
        """Says hello, with whatever other *fields* it has."""
        await self.send(encoder.hello_part(table_pb2.Hello(token=token, protocol=protocol, **fields)))

    async def read(self) -> bool:
        """Takes in one message; False at the end of the stream."""
        try:
            async with asyncio.timeout(self.patience):
                data = await self.call.read()
        except grpc.aio.AioRpcError:
            return False
        if data is grpc.aio.EOF:
            return False
        message = codec.read_to_bot(data)
        if message.HasField("welcome"):
            self.welcome = message.welcome
        self.starts += message.starts
        self.asked += message.decisions
        self.rejections += message.rejections
        self.ends += message.ends
        self.news += message.news
        for told in (message.news, message.decisions, message.ends):
            self.heard += [event for part in told for event in part.events]
        self.goodbye += message.goodbye
        self.arbiters = list(message.arbiters) or self.arbiters
        return True

    def forget(self) -> None:
        """Lets go of what it was told; what it was asked stays."""
        for told in (self.starts, self.rejections, self.ends, self.news, self.heard):
            told.clear()

    async def until(self, holds: Callable[[], object]) -> None:
        """Reads until *holds*; fails where the stream ends before."""
        while not holds():
            assert await self.read(), f"the stream ended: {await self.status()}"

    async def decision(self) -> table_pb2.Decision:
        """The next decision."""
        await self.until(lambda: self.asked)
        return self.asked.pop(0)

    async def play(self, choose: Choose = first_legal) -> None:
        """Answers whatever comes until the stream ends."""
        while True:
            if self.asked:
                await self.send(b"".join([choose(decision) for decision in self.asked]))
                self.asked.clear()
            if not await self.read():
                return

    async def listen(self) -> None:
        """Reads and says nothing."""
        while await self.read():
            pass

    async def play_until_end(self, order: asyncio.Future[Any]) -> None:
        """Answers whatever comes until *order* is over."""
        playing = asyncio.ensure_future(self.play())
        await order
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """How the stream ended."""
        async with asyncio.timeout(PATIENCE):
            return await self.call.code(), await self.call.details()


class Stage:
    """The arbiter, its clock, and what a test does with them."""

    def __init__(self, address: str, workers: str, hall: Hall, clock: Clock) -> None:
        self.address = address
        self.hall = hall
        self.clock = clock
        self.patience: float = PATIENCE
        self.bots_channel = grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
        self.workers_channel = grpc.aio.insecure_channel(workers)
        self.stub = arbiter_pb2_grpc.ArbiterStub(self.workers_channel)
        self._tasks: list[asyncio.Task[Any]] = []

    async def bot(self, number: int, *, lane: int | None = None, **fields: Any) -> Bot:
        """A bot that has been let in, with *fields* in its hello."""
        bot = Bot(self.bots_channel)
        await bot.hello(token(number, lane), **fields)
        await bot.until(lambda: bot.welcome)
        return bot

    async def player(self, number: int, choose: Choose = first_legal, *, lane: int | None = None) -> Bot:
        """A bot that plays by itself."""
        bot = await self.bot(number, lane=lane)
        self.spawn(bot.play(choose))
        return bot

    def spawn(self, work: Any) -> asyncio.Task[Any]:
        """Lets *work* run until the end of the test."""
        task: asyncio.Task[Any] = asyncio.ensure_future(work)
        self._tasks.append(task)
        return task

    def forget(self, task: asyncio.Task[Any]) -> None:
        """*task* is over; a test that lets many run does not keep them all."""
        self._tasks.remove(task)

    def pass_time(self, seconds: float) -> None:
        """Moves the clock, and lets the arbiter look at it."""
        self.clock.time += seconds
        self.hall.sweep()

    async def play(self, order: arbiter_pb2.Order) -> arbiter_pb2.OrderUpdate:
        """The last word on *order*."""
        last = None
        async with asyncio.timeout(self.patience):
            async for update in self.stub.Play(order, metadata=bearer(CREDENTIAL)):
                last = update
        assert last is not None
        return last

    def raw_play(self, request: bytes) -> Any:
        """A worker's call with bytes for an order."""
        call: Any = self.workers_channel.unary_stream("/rummy.wire.v1.Arbiter/Play")
        return call(request, metadata=bearer(CREDENTIAL))

    def start(self, order: arbiter_pb2.Order) -> asyncio.Task[arbiter_pb2.OrderUpdate]:
        """`play`, meanwhile."""
        return self.spawn(self.play(order))

    async def settle(self, holds: Callable[[], object]) -> None:
        """Lets everything run on until *holds*."""
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await asyncio.sleep(0)

    async def close(self) -> None:
        """Ends everything."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.bots_channel.close()
        await self.workers_channel.close()
        await self.hall.close()


def token(number: int, lane: int | None = None) -> str:
    """The token of bot *number*, live or with the *lane* of a hosted one. No other is like it but for a byte or two."""
    return hashlib.sha256(f"{number} {lane}".encode()).hexdigest()[:16]


def bearer(text: str) -> tuple[tuple[str, str], ...]:
    """Metadata that shows *text*."""
    return (("authorization", f"Bearer {text}"),)


def everybody() -> MemoryDirectory:
    """Nine live bots, 1 to 9, and hosted ones, 11 to 19, with three lanes each."""
    guests = {
        token(number): Guest(LaneKey(number, 0), f"bot {number}", token_id=100 + number) for number in range(1, 10)
    }
    for number in range(11, 20):
        for lane in range(3):
            guests[token(number, lane)] = Guest(LaneKey(number, lane), f"bot {number}", hosted=True)
    return MemoryDirectory(guests)


def an_order(fixture: int, bots: Sequence[int], game: str = "gin", **changes: Any) -> arbiter_pb2.Order:
    """A short fixture between *bots*; those from 11 on are hosted, and then each seat is played once by each."""
    hosted = all(number > 10 for number in bots)
    fields: dict[str, Any] = {
        "fixture": fixture,
        "generation": 1,
        "game": game,
        "options": QUICK.get(game, "{}"),
        "seed": hashlib.sha256(b"%d" % fixture).digest(),
        "entrants": [
            arbiter_pb2.OrderEntrant(version_id=number, name=f"bot {number}", hosted=number > 10) for number in bots
        ],
        "legs": len(bots) if hosted else 1,
        "clock": arbiter_pb2.ClockTerms(limit_ms=LIMIT_MS, bank_ms=BANK_MS),
        "faults": arbiter_pb2.FaultPolicy(strikes=3, grace_seconds=GRACE, deaths=3),
    }
    return arbiter_pb2.Order(**{**fields, **changes})


def checked(update: arbiter_pb2.OrderUpdate) -> list[Verified]:
    """The verified replays of a record."""
    assert update.HasField("record"), update
    return [verify(replay) for replay in update.record.replays]
