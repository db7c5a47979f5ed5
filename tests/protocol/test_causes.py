"""Seven ways to forfeit a match, each told from the others: to the record, and to the opponent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from stage import BANK_MS, GRACE, LIMIT_MS, Bot, Stage, an_order, checked
from test_orders import Death, Processes
from test_shelf import here, illegal, leave

from arbiter.directory import LaneKey
from rummy import errors
from rummy.wire.v1 import arbiter_pb2, view_pb2

PATIENT = arbiter_pb2.ClockTerms(limit_ms=60_000)
Scene = Callable[[Stage, arbiter_pb2.Order], Awaitable[None]]


async def cheats(stage: Stage, order: arbiter_pb2.Order) -> None:
    await stage.player(1, illegal)
    stage.start(order)


async def is_silent(stage: Stage, order: arbiter_pb2.Order) -> None:
    silent = await stage.bot(1)
    stage.start(order)
    for _ in range(3):
        await silent.decision()
        stage.pass_time((LIMIT_MS + BANK_MS) / 1000 + 0.1)


async def vanishes(stage: Stage, order: arbiter_pb2.Order) -> None:
    bot = await stage.bot(1)
    order.clock.CopyFrom(PATIENT)
    stage.start(order)
    await bot.decision()
    await leave(stage, bot, 1)
    stage.pass_time(GRACE + 0.1)


async def sends_garbage(stage: Stage, order: arbiter_pb2.Order) -> None:
    bot = await stage.bot(1)
    order.clock.CopyFrom(PATIENT)
    stage.start(order)
    await bot.decision()
    await bot.send(b"\xff garbage")
    await stage.settle(lambda: not here(stage, 1))
    stage.pass_time(GRACE + 0.1)


async def never_comes(stage: Stage, order: arbiter_pb2.Order) -> None:
    stage.start(order)
    await stage.settle(lambda: stage.hall.tables.waiting)
    stage.pass_time(GRACE + 0.1)


def dies(cause: str) -> Scene:
    """Three times, which the arena that runs it has seen."""

    async def scene(stage: Stage, order: arbiter_pb2.Order) -> None:
        order.entrants[0].hosted = True
        processes = Processes(stage)
        processes.death = Death(cause, "ended by the test")
        order.entrants[0].version_id = 11
        processes.lives = {LaneKey(11, 0): 3}
        stage.start(order)

    return scene


SCENES: dict[type[errors.BotFault], Scene] = {
    errors.BotIllegalAction: cheats,
    errors.BotTimeout: is_silent,
    errors.BotDisconnected: vanishes,
    errors.BotCrashed: dies("crashed"),
    errors.BotResourceLimit: dies("resources"),
    errors.BotProtocolFault: sends_garbage,
    errors.BotNeverStarted: never_comes,
}


def test_there_is_a_scene_for_each_cause() -> None:
    assert {fault.cause for fault in SCENES} == {fault.cause for fault in errors.BotFault.__subclasses__()}


@pytest.mark.parametrize("fault", SCENES, ids=lambda fault: fault.cause)
async def test_each_cause_is_told_apart_and_the_opponent_is_told(stage: Stage, fault: type[errors.BotFault]) -> None:
    opponent: Bot = await stage.player(2)
    order = an_order(1, (1, 2))
    await SCENES[fault](stage, order)
    await stage.settle(lambda: opponent.ends)
    [end] = opponent.ends
    assert (list(end.placements), end.reason) == ([2, 1], "forfeit")
    [out] = [event for event in end.events if event.kind == view_pb2.Event.KIND_OUT]
    assert (out.seat, out.reason) == (0, fault.cause)
    [match] = checked(await stage.play(order))
    assert match.result.forfeits == (fault.cause, None)
