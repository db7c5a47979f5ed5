"""What a bot says in hello, and a tournament's terms: offers, pushed events, increments and measured times."""

from __future__ import annotations

import pytest
from stage import BANK_MS, LIMIT_MS, QUICK, Stage, an_order, answer, checked, first_legal

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
