"""What a bot says in hello, and a tournament's terms: offers, pushed events, increments and measured times."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from stage import (
    BANK_MS,
    CREDENTIAL,
    GRACE,
    LIMIT_MS,
    QUICK,
    Clock,
    Stage,
    an_order,
    answer,
    checked,
    everybody,
    first_legal,
)

from arbiter.hall import Hall
from rummy.rules.actions import DrawStock, Pass
from rummy.wire.v1 import arbiter_pb2, table_pb2, view_pb2


@pytest.mark.parametrize(
    "offer",
    [
        table_pb2.GameOffer(game="one_oh_one"),
        table_pb2.GameOffer(game="gin", options=["{}", '{"target":11}']),
    ],
    ids=["another game", "other options"],
)
async def test_a_match_that_the_hello_does_not_offer_is_lost(stage: Stage, offer: table_pb2.GameOffer) -> None:
    choosy = await stage.bot(1, games=[offer])
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    await choosy.until(lambda: choosy.ends)
    [match] = checked(await order)
    assert match.result.forfeits == ("never started", None)
    assert match.actions == 0


@pytest.mark.parametrize("options", [[], [QUICK["gin"]], ["{}", '{ "target" : 10 }']], ids=str)
async def test_a_match_that_the_hello_offers_is_played(stage: Stage, options: list[str]) -> None:
    bot = await stage.bot(1, games=[table_pb2.GameOffer(game="gin", options=options)])
    stage.spawn(bot.play())
    await stage.player(2)
    [match] = checked(await stage.start(an_order(1, (1, 2))))
    assert match.result.forfeits == (None, None)


async def test_a_bot_that_asks_for_it_hears_of_events_before_it_is_its_turn(stage: Stage) -> None:
    """The other seat draws, and has yet to discard: the draw is told, and the card is not."""
    eager, other = await stage.bot(1, push_events=True), await stage.bot(2)
    stage.start(an_order(1, (1, 2)))
    for bot, action in ((other, Pass()), (eager, Pass()), (other, DrawStock())):
        await bot.send(answer(await bot.decision(), action))
    await eager.until(lambda: eager.heard and eager.heard[-1].kind == view_pb2.Event.KIND_DRAW_STOCK)
    assert (eager.heard[-1].seat, eager.heard[-1].cards, eager.asked) == (1, b"", [])
    assert (await other.decision()).phase == view_pb2.PHASE_DISCARD


async def test_pushed_or_not_everybody_hears_of_every_event_once(stage: Stage) -> None:
    eager, plain = await stage.bot(1, push_events=True), await stage.bot(2)
    for bot in (eager, plain):
        stage.spawn(bot.play())
    checked(await stage.start(an_order(1, (1, 2))))
    await stage.settle(lambda: eager.ends and plain.ends)
    assert eager.news and not plain.news
    assert [(event.kind, event.seat) for event in eager.heard] == [(event.kind, event.seat) for event in plain.heard]


async def test_every_answer_in_time_adds_to_the_bank(stage: Stage) -> None:
    bot = await stage.bot(1)
    await stage.player(2)
    terms = arbiter_pb2.ClockTerms(limit_ms=LIMIT_MS, bank_ms=BANK_MS, increment_ms=300)
    order = stage.start(an_order(1, (1, 2), clock=terms))
    first = await bot.decision()
    assert bot.starts[0].increment_ms == 300
    assert first.bank_ms == BANK_MS
    await bot.send(first_legal(first))
    second = await bot.decision()
    assert second.bank_ms == BANK_MS + 300
    stage.clock.time += LIMIT_MS / 1000 + 0.5
    await bot.send(first_legal(second))
    third = await bot.decision()
    assert third.bank_ms == BANK_MS + 600 - 500
    bot.asked.append(third)
    await bot.play_until_end(order)
    checked(await order)


async def test_a_match_says_its_own_fault_policy(stage: Stage) -> None:
    """What the arbiter grants to streams is another thing: with a grace of a second, who is away for two has lost."""
    bot = await stage.bot(1)
    await stage.player(2)
    faults = arbiter_pb2.FaultPolicy(strikes=7, grace_seconds=1.0, deaths=2)
    order = stage.start(an_order(1, (1, 2), faults=faults))
    await bot.decision()
    [start] = bot.starts
    assert (start.strikes, start.grace_seconds, start.deaths) == (7, 1.0, 2)
    assert bot.welcome is not None and bot.welcome.grace_seconds == GRACE
    bot.call.cancel()
    await stage.settle(lambda: [lane.key.version_id for lane in stage.hall.lobby.present()] == [2])
    stage.pass_time(1.1)
    [match] = checked(await order)
    assert match.result.forfeits[0] == "disconnected"


DECISIONS, TIGHT_MS = 20_000, 20


@pytest.mark.long
@pytest.mark.realtime
async def test_of_twenty_thousand_instant_answers_none_is_late() -> None:
    """Fault P19, at the tightest limit for which the protocol's page vouches, without a bank, in real time."""
    hall = Hall()
    [address] = await hall.open_to_bots(everybody(), ["127.0.0.1:0"])
    [workers] = await hall.open_to_workers(CREDENTIAL, ["127.0.0.1:0"], "one")
    hall.start_clock()
    stage = Stage(address, workers, hall, Clock())
    for number in (1, 2):
        await stage.player(number)
    terms = arbiter_pb2.ClockTerms(limit_ms=TIGHT_MS)
    fixture, longest, strikes = 0, 0, 0
    while hall.tables.decisions < DECISIONS:
        orders = [stage.start(an_order(fixture := fixture + 1, (1, 2), options="{}", clock=terms)) for _ in range(8)]
        for order in orders:
            record = await order
            lines = [json.loads(line) for line in record.record.replays[0].splitlines()]
            longest = max(longest, *(line["us"] for line in lines if "act" in line))
            strikes += sum(checked(record)[0].strikes)
    print(f"{hall.tables.decisions} decisions, the longest was charged {longest / 1000:.1f} ms")
    await stage.close()
    assert strikes == 0


BUSY = 0.05


@pytest.mark.realtime
async def test_what_waits_while_the_loop_is_busy_is_not_charged() -> None:
    """Fault P17, for stalls that are shorter than any limit: an answer comes, and the loop has 50 ms of other work."""
    hall = Hall()
    [address] = await hall.open_to_bots(everybody(), ["127.0.0.1:0"])
    [workers] = await hall.open_to_workers(CREDENTIAL, ["127.0.0.1:0"], "one")
    hall.start_clock()
    stage = Stage(address, workers, hall, Clock())
    bot = await stage.bot(1)
    await stage.player(2)
    stage.start(an_order(1, (1, 2), options='{"target":500}'))
    charged = []
    for _ in range(21):
        decision = await bot.decision()
        charged.append(decision.last_us)
        sending = asyncio.ensure_future(bot.send(first_legal(decision)))
        await asyncio.sleep(0)  # It is on its way, and the loop does not look.
        time.sleep(BUSY)
        await sending
    await stage.close()
    assert sorted(charged[1:])[10] < BUSY / 2 * 1e6, charged


async def test_both_times_of_a_decision_are_told_to_the_bot_and_written_down(stage: Stage) -> None:
    """Two decisions answered in one message after 600 ms: each was open for all of it, and is charged half."""
    busy = await stage.bot(1)
    await stage.player(2)
    orders = [stage.start(an_order(fixture, (1, 2))) for fixture in (1, 2)]
    await busy.until(lambda: len(busy.asked) == 2)
    stage.clock.time += 0.6
    await busy.send(b"".join(map(first_legal, busy.asked)))
    busy.asked.clear()
    again = await busy.decision()
    assert (again.last_us, again.last_wait_us) == (300_000, 600_000)
    busy.asked.append(again)
    await busy.play_until_end(asyncio.gather(*orders))
    for order in orders:
        lines = map(json.loads, (await order).record.replays[0].splitlines())
        first = next(line for line in lines if "act" in line and line["seat"] == 0)
        assert (first["us"], first["wait"]) == (300_000, 600_000)
