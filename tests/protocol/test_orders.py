"""Orders: refused, met again, void, handed back; and the processes of hosted bots."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from stage import CREDENTIAL, Bot, Stage, an_order, bearer, checked, first_legal

from arbiter.directory import LaneKey
from arbiter.lane import START_SECONDS
from arbiter.orders import KEEP_SECONDS
from arbiter.server import MAX_STREAMS
from rummy.errors import ArbiterUnavailable, BotNeverStarted
from rummy.rules.match import Match
from rummy.rules.replay import Recorder
from rummy.wire.v1 import arbiter_pb2

ENTRANTS = [arbiter_pb2.OrderEntrant(version_id=number, name=f"bot {number}") for number in (1, 2)]
BAD = [
    ({"game": "poker"}, grpc.StatusCode.NOT_FOUND, "poker"),
    ({"options": '{"jokers":2}'}, grpc.StatusCode.INVALID_ARGUMENT, "jokers"),
    ({"options": '{"target":"many"}'}, grpc.StatusCode.INVALID_ARGUMENT, "target"),
    ({"options": "[1]"}, grpc.StatusCode.INVALID_ARGUMENT, "options"),
    ({"options": "{"}, grpc.StatusCode.INVALID_ARGUMENT, "options"),
    ({"seed": b"short"}, grpc.StatusCode.INVALID_ARGUMENT, "seed"),
    ({"generation": 0, "legs": 9}, grpc.StatusCode.INVALID_ARGUMENT, "legs"),
    ({"entrants": ENTRANTS[:1]}, grpc.StatusCode.INVALID_ARGUMENT, "entrants"),
    ({"entrants": []}, grpc.StatusCode.INVALID_ARGUMENT, "entrants"),
    ({"entrants": [ENTRANTS[0], ENTRANTS[0]]}, grpc.StatusCode.INVALID_ARGUMENT, "different"),
    (
        {"entrants": [ENTRANTS[0], arbiter_pb2.OrderEntrant(version_id=2, name="x" * 100_000)]},
        grpc.StatusCode.INVALID_ARGUMENT,
        "name",
    ),
    ({"legs": 2}, grpc.StatusCode.INVALID_ARGUMENT, "live bot"),
    ({"legs": 0}, grpc.StatusCode.INVALID_ARGUMENT, "legs"),
    ({"clock": arbiter_pb2.ClockTerms()}, grpc.StatusCode.INVALID_ARGUMENT, "limit"),
    ({"clock": arbiter_pb2.ClockTerms(limit_ms=1, bank_ms=4_000_000_000)}, grpc.StatusCode.INVALID_ARGUMENT, "bank"),
    ({"faults": arbiter_pb2.FaultPolicy()}, grpc.StatusCode.INVALID_ARGUMENT, "strike"),
    ({"deadline_seconds": 604_801}, grpc.StatusCode.INVALID_ARGUMENT, "deadline"),
    (
        {"faults": arbiter_pb2.FaultPolicy(strikes=1, deaths=1, grace_seconds=float("nan"))},
        grpc.StatusCode.INVALID_ARGUMENT,
        "grace",
    ),
]


@pytest.mark.parametrize(("changes", "status", "word"), BAD)
async def test_an_impossible_order_is_refused(
    stage: Stage, changes: dict[str, Any], status: grpc.StatusCode, word: str
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await stage.play(an_order(1, (1, 2), **changes))
    assert failure.value.code() is status
    assert word in (failure.value.details() or "")
    assert stage.hall.orders.running == 0


async def test_garbage_in_place_of_an_order(stage: Stage) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        async for _ in stage.raw_play(b"\xff\xff garbage"):
            pass
    assert failure.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_who_takes_over_gets_the_same_record(stage: Stage) -> None:
    for number in (1, 2):
        await stage.player(number)
    order = an_order(1, (1, 2))
    dead = stage.stub.Play(order, metadata=bearer(CREDENTIAL))
    await stage.settle(lambda: stage.hall.orders.running)
    dead.cancel()  # The worker dies, and two take over.
    first, second = await asyncio.gather(stage.play(order), stage.play(order))
    assert first == second == await stage.play(order)
    checked(first)
    assert stage.hall.orders.running == 0


async def test_the_same_order_in_other_words_is_refused(stage: Stage) -> None:
    for number in (1, 2):
        await stage.player(number)
    await stage.play(an_order(1, (1, 2)))
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await stage.play(an_order(1, (1, 2), seed=bytes(32)))
    assert failure.value.code() is grpc.StatusCode.ALREADY_EXISTS
    checked(await stage.play(an_order(1, (1, 2), generation=2, seed=bytes(32))))


async def test_what_is_not_over_at_the_end_is_handed_back(stage: Stage) -> None:
    await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    await stage.settle(lambda: stage.hall.tables.running)
    await stage.hall.orders.close(0.0)
    assert "ended" in (await order).void
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await stage.play(an_order(2, (1, 2)))
    assert failure.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_what_is_in_play_may_end_unless_somebody_is_in_a_hurry(stage: Stage) -> None:
    """Fault P16: a restart is nobody's loss."""
    for number in (1, 2, 3):
        await stage.player(number)
    silent = await stage.bot(4)
    ending, held = stage.start(an_order(1, (1, 2))), stage.start(an_order(2, (3, 4)))
    await silent.decision()
    hurried = asyncio.Event()
    closing = asyncio.ensure_future(stage.hall.drain(600.0, hurried))
    [match] = checked(await ending)
    assert match.result.forfeits == (None, None) and not closing.done()
    hurried.set()
    assert "ended before" in (await held).void
    await closing


PATIENT = arbiter_pb2.ClockTerms(limit_ms=600_000)


@pytest.mark.parametrize("bots", [(1, 2), (11, 12)])
async def test_an_order_in_play_past_its_deadline_is_over_and_frees_its_seats(
    stage: Stage, bots: tuple[int, int]
) -> None:
    """Fault P18, for matches: whoever asks again hears the same, and the bots play on elsewhere."""
    order = an_order(1, bots, clock=PATIENT, deadline_seconds=60)
    silent = [await stage.bot(number, lane=lane) for number in bots for lane in ((0, 1) if number > 10 else (None,))]
    playing = stage.start(order)
    await stage.settle(lambda: len(stage.hall.tables.running) == order.legs)
    stage.pass_time(59.9)
    assert not playing.done() and stage.hall.orders.running == 1
    stage.pass_time(0.2)
    assert "deadline" in (await playing).overdue
    assert stage.hall.orders.running == 0 and not stage.hall.tables.running
    assert not any(lane.wanted for lane in stage.hall.lobby.present())
    assert "deadline" in (await stage.play(order)).overdue
    assert not stage.hall.tables.running
    for bot in silent:
        stage.spawn(bot.play())
    checked(await stage.play(an_order(2, bots)))


async def test_the_wait_for_bots_is_part_of_the_deadline(stage: Stage) -> None:
    patient = arbiter_pb2.FaultPolicy(strikes=3, grace_seconds=600.0, deaths=3)
    playing = stage.start(an_order(1, (1, 2), faults=patient, deadline_seconds=60))
    await stage.settle(lambda: stage.hall.tables.waiting)
    stage.pass_time(60)
    assert "deadline" in (await playing).overdue
    assert not stage.hall.tables.waiting


async def test_what_is_over_in_time_has_no_deadline_any_more(stage: Stage) -> None:
    for number in (1, 2):
        await stage.player(number)
    order = an_order(1, (1, 2), deadline_seconds=60)
    record = await stage.play(order)
    stage.pass_time(61)
    assert await stage.play(order) == record
    checked(record)


async def test_a_worker_may_have_many_orders_under_way(stage: Stage) -> None:
    """More than a bot may have calls on one connection."""
    for fixture in range(1, MAX_STREAMS + 20):
        stage.start(an_order(fixture, (1, 2)))
    await stage.settle(lambda: stage.hall.orders.running == MAX_STREAMS + 19)


@dataclass
class Death:
    cause: str
    text: str


async def test_a_match_that_fails_by_the_arenas_fault_is_void_and_harms_no_other(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        await stage.player(number)
    with monkeypatch.context() as patched:
        patched.setattr(Match, "default_action", _broken)
        assert "fault" in (await stage.play(an_order(1, (1, 2)))).void
        patched.setattr(Recorder, "__init__", _broken)
        assert "begin" in (await stage.play(an_order(2, (1, 2)))).void
    checked(await stage.play(an_order(3, (1, 2))))


def _broken(*_: object) -> None:
    raise ZeroDivisionError


class Processes:
    """Hosting whose processes are streams of the test's own; they live and die as the test says."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.lives: dict[LaneKey, int] = {}  # Deaths that are still to come, by lane: one at each decision.
        self.mute: set[int] = set()
        self.failure: Exception | None = None
        self.death = Death("crashed", "ended with status 1")
        self.started: list[LaneKey] = []
        self.stopped: list[LaneKey] = []
        self.running: dict[LaneKey, Bot | None] = {}
        stage.hall.lobby.hosting = self

    async def ensure(self, version_id: int, lane: int) -> None:
        key = LaneKey(version_id, lane)
        if self.failure is not None:
            raise self.failure
        if key in self.running:
            return
        self.started.append(key)
        self.running[key] = None
        if version_id not in self.mute:
            bot = self.running[key] = await self.stage.bot(version_id, lane=lane)
            self.stage.spawn(self._live(key, bot))

    async def stop(self, version_id: int, lane: int) -> None:
        key = LaneKey(version_id, lane)
        self.stopped.append(key)
        bot = self.running.pop(key, None)
        if bot is not None:
            bot.call.cancel()

    async def _live(self, key: LaneKey, bot: Bot) -> None:
        while self.lives.get(key, 0) == 0:
            decision = await bot.decision()
            if not self.lives.get(key):
                await bot.send(first_legal(decision))
        await bot.decision() if not bot.asked else None
        self.lives[key] -= 1
        bot.call.cancel()
        self.running.pop(key, None)
        self.stage.hall.lobby.lane_died(key, self.death)


async def test_hosted_bots_play_each_leg_in_a_process_of_its_own(stage: Stage) -> None:
    processes = Processes(stage)
    legs = checked(await stage.play(an_order(1, (11, 12, 13), "one_oh_one")))
    assert [leg.header["leg"] for leg in legs] == [0, 1, 2]
    assert [leg.header["bots"] for leg in legs] == [
        ["bot 11", "bot 12", "bot 13"],
        ["bot 12", "bot 13", "bot 11"],
        ["bot 13", "bot 11", "bot 12"],
    ]
    assert len({leg.header["seed"] for leg in legs}) == 1
    assert sorted(processes.started) == [(bot, lane) for bot in (11, 12, 13) for lane in range(3)]


async def test_a_process_that_dies_is_started_again_and_nothing_changes(stage: Stage) -> None:
    processes = Processes(stage)
    calm = checked(await stage.play(an_order(1, (11, 12))))
    processes.lives = {LaneKey(11, 0): 1, LaneKey(12, 0): 2}
    for key in list(processes.running):
        await processes.stop(*key)
    await stage.settle(lambda: not any(True for _ in stage.hall.lobby.present()))
    troubled = checked(await stage.play(an_order(1, (11, 12), generation=2)))
    assert processes.lives == {LaneKey(11, 0): 0, LaneKey(12, 0): 0}
    assert [leg.result for leg in troubled] == [leg.result for leg in calm]
    assert [leg.strikes for leg in troubled] == [(0, 0)] * 2


async def test_the_third_death_in_a_match_forfeits(stage: Stage) -> None:
    processes = Processes(stage)
    processes.lives = {LaneKey(11, 0): 3}
    first, second = checked(await stage.play(an_order(1, (11, 12))))
    assert first.result.forfeits == ("crashed", None)
    assert second.result.forfeits == (None, None)


async def test_a_package_that_cannot_be_started_forfeits(stage: Stage) -> None:
    processes = Processes(stage)
    processes.failure = BotNeverStarted("There is no bot.py.")
    legs = checked(await stage.play(an_order(1, (11, 12))))
    assert all("never started" in leg.result.forfeits for leg in legs)


async def test_a_process_that_never_says_hello_forfeits(stage: Stage) -> None:
    processes = Processes(stage)
    processes.mute = {11}
    order = stage.start(an_order(1, (11, 12)))
    await stage.settle(lambda: len(processes.running) == 4 and len(list(stage.hall.lobby.present())) == 2)
    stage.pass_time(START_SECONDS + 0.1)
    first, second = checked(await order)
    assert first.result.forfeits == ("never started", None)
    assert second.result.forfeits == (None, "never started")
    await stage.settle(lambda: len(processes.stopped) == 2)


async def test_a_fault_of_the_host_makes_the_order_void_and_it_can_be_had_again(stage: Stage) -> None:
    processes = Processes(stage)
    processes.failure = ArbiterUnavailable("No process can be started here: out of memory.")
    assert "out of memory" in (await stage.play(an_order(1, (11, 12)))).void
    processes.failure = None
    checked(await stage.play(an_order(1, (11, 12))))


async def test_processes_that_have_seen_a_void_deal_are_replaced(stage: Stage) -> None:
    processes = Processes(stage)
    processes.mute = {12}
    order = stage.start(an_order(1, (11, 12)))
    await stage.settle(lambda: stage.hall.tables.waiting == 2)
    processes.mute = set()
    for lane in (0, 1):
        await stage.player(12, _never, lane=lane)
    await stage.settle(lambda: len(stage.hall.tables.running) == 2)
    lanes = {lane for referee in stage.hall.tables.running for lane in referee.lanes}
    next(iter(stage.hall.tables.running)).void("The machine is on fire.")  # The other leg is called off.
    assert "fire" in (await order).void
    assert sorted(set(processes.stopped)) == [(11, 0), (11, 1), (12, 0), (12, 1)]
    assert not any(lane.wanted for lane in lanes)


def _never(decision: object) -> bytes:
    return b""


async def test_deals_are_not_shown_twice_where_the_record_is_no_longer_kept(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes, order = Processes(stage), an_order(1, (11, 12))
    first = checked(await stage.play(order))
    with monkeypatch.context() as patched:
        patched.setattr("arbiter.orders.KEEP_BYTES", 0)
        assert "no longer kept" in (await stage.play(order)).void
    assert sorted(processes.stopped) == [(11, 0), (11, 1), (12, 0), (12, 1)]
    again = checked(await stage.play(order))
    assert [leg.result for leg in again] == [leg.result for leg in first]
    assert len(processes.started) == 8


async def test_a_void_order_with_a_live_bot_stays_void_since_its_deals_are_known(stage: Stage) -> None:
    """A worker that has not heard so, and asks again, hears so; it then asks for a new generation, with other deals."""
    bot = await stage.bot(1)
    await stage.player(2)
    order = an_order(1, (1, 2))
    playing = stage.start(order)
    await bot.decision()
    for referee in list(stage.hall.tables.running):
        referee.void("The machine is on fire.")
    assert "fire" in (await playing).void
    assert "fire" in (await stage.play(order)).void
    assert not stage.hall.tables.running
    stage.clock.time += KEEP_SECONDS + 1
    for _ in range(2):
        assert "no longer kept" in (await stage.play(order)).void
    anew = an_order(1, (1, 2), generation=2)
    playing = stage.start(anew)
    stage.spawn(bot.play())
    checked(await playing)
