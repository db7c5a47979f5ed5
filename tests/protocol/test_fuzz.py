"""Anything may come over the wire: the arbiter stays up, good bots are not hurt, and every match has one result.

Messages are made from their own description, so that every field of every message is tried with values at its limits;
and real messages have bytes changed, cut and doubled. A run of an hour is marked long.
"""

from __future__ import annotations

import asyncio
import gc
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message_factory import GetMessageClass
from stage import CREDENTIAL, Bot, Stage, an_order, bearer, checked, first_legal, token

from arbiter.directory import LaneKey
from arbiter.orders import MAX_ORDERS
from rummy.rules.games import GAMES
from rummy.wire import codec
from rummy.wire.v1 import arbiter_pb2, table_pb2

ROUNDS = 35
SHORT = {
    "gin": '{"target":10}',
    "one_oh_one": '{"target":30}',
    "basic": '{"deals":1,"turn_cap":8}',
    "club": '{"rounds":1,"turn_cap":5}',
    "rummy500": '{"deal_cap":1,"turn_cap":6}',
    "indian13": '{"rounds":1,"turn_cap":5}',
    "contract": '{"cards":[3],"contracts":[[1,0]],"packs":"two","turn_cap":6}',
}
HOUR, STUCK = 3600.0, 120.0
MOST_MORE = 384 << 20  # The arbiter keeps 128 MiB of records, and orders of bots that never come.

NUMBERS = (0, 1, 2, 7, 127, 128, 255, 256, 1 << 16, (1 << 31) - 1)
TEXTS = ("", "gin", "{}", '{"target":10}', "\0", "ä" * 300, "[" * 2000, '{"preset":"x"}', "x" * 70_000)
BLOBS = (b"", b"\0", b"\x80", bytes(range(256)), b"\xff" * 5000)


def odd_value(field: FieldDescriptor, rng: random.Random, depth: int) -> Any:
    """Something that the field can hold."""
    if field.message_type is not None:
        made = GetMessageClass(field.message_type)()
        if depth:
            fill(made, rng, depth - 1)
        return made
    if field.enum_type is not None:
        return rng.choice([*[value.number for value in field.enum_type.values], 99])
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return rng.choice(TEXTS)
        case FieldDescriptor.TYPE_BYTES:
            return rng.choice(BLOBS)
        case FieldDescriptor.TYPE_BOOL:
            return rng.random() < 0.5
        case FieldDescriptor.TYPE_DOUBLE:
            return rng.choice([0.0, -1.0, 1e308, float("nan"), float("inf"), 15.0])
        case FieldDescriptor.TYPE_UINT64 | FieldDescriptor.TYPE_FIXED64:
            return rng.choice([*NUMBERS, (1 << 64) - 1])
        case FieldDescriptor.TYPE_INT64:
            return rng.choice([*NUMBERS, -1, -(1 << 63)])
        case FieldDescriptor.TYPE_SINT32 | FieldDescriptor.TYPE_INT32:
            return rng.choice([*NUMBERS, -1, -(1 << 31)])
    return rng.choice([*NUMBERS, (1 << 32) - 1])


def fill(message: Any, rng: random.Random, depth: int = 3) -> None:
    """Gives some of the fields values that are odd."""
    for field in message.DESCRIPTOR.fields:
        if rng.random() < 0.4:
            continue
        values = [odd_value(field, rng, depth) for _ in range(rng.choice([1, 1, 2, 5]))]
        if field.is_repeated:
            getattr(message, field.name).extend(values)
        elif field.message_type is not None:
            getattr(message, field.name).CopyFrom(values[0])
        else:
            setattr(message, field.name, values[0])


def changed(data: bytes, rng: random.Random) -> bytes:
    """*data* with some of its bytes changed, left out, or doubled."""
    out = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(out) + 1)
        match rng.randrange(4):
            case 0 if out:
                out[at % len(out)] = rng.randrange(256)
            case 1:
                del out[at : at + rng.randrange(1, 8)]
            case 2:
                out[at:at] = rng.randbytes(rng.randrange(1, 8))
            case _:
                out[at:at] = out[: rng.randrange(1, 40)]
    return bytes(out)


def odd_answer(decision: table_pb2.Decision, rng: random.Random) -> bytes:
    """An answer, or something like it."""
    good = table_pb2.FromBot.FromString(first_legal(decision))
    kind = rng.randrange(5)
    if kind == 0:
        return good.SerializeToString()
    if kind == 1:
        field = rng.choice(good.answers[0].DESCRIPTOR.fields)
        value = odd_value(field, rng, 3)
        if field.is_repeated:
            getattr(good.answers[0], field.name).append(value)  # Beside what is there.
        else:
            setattr(good.answers[0], field.name, value)
        return good.SerializeToString()
    if kind == 2:
        message = table_pb2.FromBot()
        fill(message, rng)
        message.ClearField("hello")
        return message.SerializeToString()
    if kind == 3:
        return changed(good.SerializeToString(), rng)
    return rng.randbytes(rng.randrange(1, 200))


def odd_hello(number: int, rng: random.Random) -> bytes:
    """What a stream begins with."""
    message = table_pb2.FromBot()
    fill(message, rng)
    if rng.random() < 0.7:
        message.hello.token, message.hello.protocol = token(number), codec.PROTOCOL
        message.ClearField("answers")
    return rng.choice([message.SerializeToString(), changed(message.SerializeToString(), rng), rng.randbytes(50)])


async def misbehave(
    channel: grpc.aio.Channel, number: int, rng: random.Random, count: Counter[str], over: Callable[[], bool]
) -> None:
    """Dials in again and again as bot *number*, with anything for a hello and anything for an answer."""
    while not over():
        bot = Bot(channel)
        count["dialled"] += 1
        try:
            if rng.random() < 0.3:
                await bot.send(odd_hello(number, rng))
            else:
                await bot.hello(token(number), push_events=rng.random() < 0.5)
            for _ in range(rng.randrange(30)):
                async with asyncio.timeout(1.0):
                    if over() or not await bot.read():
                        break
                for decision in bot.asked:
                    await bot.send(odd_answer(decision, rng))
                    count["answers"] += 1
                bot.asked.clear()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, TimeoutError):
            pass
        finally:
            bot.call.cancel()
        await asyncio.sleep(0)


def busy(stage: Stage) -> Iterator[int]:
    """Whose answers are waited for, or who has not yet read what was sent."""
    for number in range(1, 7):
        for lane in stage.hall.lobby.lanes([LaneKey(number, 0)]):
            writing = lane.connection is not None and lane.connection.writing_since is not None
            if writing or any(chair.open is not None for chair in lane.chairs.values()):
                yield number


async def keep_asking(stage: Stage, rng: random.Random, count: Counter[str], over: Callable[[], bool]) -> None:
    """Asks for anything until it is over."""
    while not over():
        await ask_oddly(stage, rng, count)


async def ask_oddly(stage: Stage, rng: random.Random, count: Counter[str]) -> None:
    """Calls everything that is served with requests of every kind; every refusal has a status that means something."""
    order = arbiter_pb2.Order()
    fill(order, rng)
    real = an_order(1_000_000 + rng.randrange(1000), (8, 9)).SerializeToString()
    request = rng.choice([order.SerializeToString(), changed(real, rng), rng.randbytes(80)])
    method, channel, metadata = rng.choice(
        [
            ("/rummy.wire.v1.Arbiter/Play", stage.workers_channel, bearer(CREDENTIAL)),
            ("/rummy.wire.v1.Arbiter/Status", stage.workers_channel, bearer(CREDENTIAL)),
            ("/rummy.wire.v1.Watch/Follow", stage.bots_channel, ()),
        ]
    )
    calling: Any = channel.unary_stream(method)
    call = calling(request, metadata=metadata)
    try:
        async with asyncio.timeout(0.05):
            await call.read()
        count["accepted"] += 1
    except TimeoutError:
        count["accepted"] += 1
    except grpc.aio.AioRpcError as error:
        assert error.code() in REFUSALS, error
        assert error.details(), method
        count["refused"] += 1
    finally:
        call.cancel()


REFUSALS = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}


def fixtures(rng: random.Random) -> Iterator[arbiter_pb2.Order]:
    """Orders of all games between good bots (1 to 5) and one that misbehaves (6)."""
    number = 1 << 40  # No order that is made up meets one of these.
    while True:
        for key, kind in GAMES.items():
            number += 1
            seats = rng.randrange(kind.spec.min_seats, min(kind.spec.max_seats, 5) + 1)
            yield an_order(number, [6, *range(1, seats)], key, options=SHORT[key])


async def storm(stage: Stage, rng: random.Random, going: Callable[[int], bool]) -> Counter[str]:
    """Plays fixtures one after the other while a bot and a client misbehave; counts what came of them."""
    count: Counter[str] = Counter()
    over = False
    players = [await stage.player(number) for number in range(1, 6)]
    for player in players:
        player.patience = None  # It may have no match for long.
    channel = grpc.aio.insecure_channel(stage.address, [("grpc.use_local_subchannel_pool", 1)])
    beside = [
        stage.spawn(misbehave(channel, 6, rng, count, lambda: over)),
        stage.spawn(keep_asking(stage, rng, count, lambda: over)),
    ]
    try:
        for order in fixtures(rng):
            if not going(count["matches"]) or any(task.done() for task in beside):
                break
            count[await play_beside(stage, order)] += 1
            count["matches"] += 1
            for player in players:
                player.forget()
    finally:
        over = True
        await asyncio.gather(*beside)
        await channel.close()
    assert stage.hall.orders.running <= count["accepted"]
    return count


async def play_beside(stage: Stage, order: arbiter_pb2.Order) -> str:
    """Plays a fixture; what became of bot 6, which misbehaves. Nobody else has a fault."""
    playing = stage.start(order)
    while not playing.done():
        await asyncio.sleep(0.005)
        if set(busy(stage)) <= {6}:  # Time passes for whoever misbehaves: good bots are as fast as the machine.
            stage.pass_time(0.05)
    stage.forget(playing)
    [match] = checked(await playing)
    assert not any(match.result.forfeits[1:]), (order.game, match.result.forfeits)
    assert not any(match.strikes[1:]), (order.game, match.strikes)
    return match.result.forfeits[0] or "stayed"


async def test_nothing_that_is_sent_hurts_anybody_else(stage: Stage) -> None:
    count = await storm(stage, random.Random(1), lambda matches: matches < ROUNDS)
    assert count["matches"] == ROUNDS
    assert count["refused"] > ROUNDS and len(count) > 4, count


async def test_a_storm_that_fails_ends(stage: Stage) -> None:
    def going(matches: int) -> bool:
        assert matches < 3, "on purpose"
        return True

    with pytest.raises(AssertionError, match="on purpose"):
        await storm(stage, random.Random(3), going)


@dataclass(frozen=True)
class Used:
    """What this process, in which bots and arbiter are, has taken."""

    bytes: int
    files: int
    tasks: int

    @staticmethod
    def now() -> Used:
        gc.collect()
        own = Path("/proc/self")
        resident = int(own.joinpath("statm").read_text().split()[1]) * 4096
        return Used(resident, sum(1 for _ in own.joinpath("fd").iterdir()), len(asyncio.all_tasks()))


@pytest.mark.long
@pytest.mark.realtime
async def test_an_hour_of_anything(stage: Stage) -> None:
    ends, used = time.monotonic() + HOUR, [Used.now()]
    stage.patience = STUCK

    def going(matches: int) -> bool:
        if matches % 200 == ROUNDS:
            used.append(Used.now())
            print(f"{ends - time.monotonic():.0f} seconds left, {matches} matches, {used[-1]}")
        return time.monotonic() < ends

    count = await storm(stage, random.Random(2), going)
    used.append(Used.now())
    print(dict(count), used[1], used[-1])
    assert count["matches"] > ROUNDS
    assert used[-1].files <= used[1].files + 20 and used[-1].tasks <= used[1].tasks + MAX_ORDERS * 8, used
    assert used[-1].bytes < used[1].bytes + MOST_MORE, used
