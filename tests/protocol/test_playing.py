"""Matches between bots that do as they should, and between bots that do not."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from stage import BANK_MS, GRACE, LIMIT_MS, Bot, Stage, an_order, answer, checked, first_legal

from rummy.rules.actions import Continue, Discard, DrawStock, Knock, Pass, Take
from rummy.rules.games import GAMES
from rummy.wire import codec
from rummy.wire.v1 import table_pb2, view_pb2

LATE = (LIMIT_MS + BANK_MS) / 1000 + 0.1


@pytest.mark.parametrize(("game", "seats"), [(key, min(kind.spec.max_seats, 3)) for key, kind in GAMES.items()])
async def test_a_match_is_played_to_its_end(stage: Stage, game: str, seats: int) -> None:
    bots = [await stage.player(number) for number in range(1, seats + 1)]
    [match] = checked(await stage.play(an_order(1, range(1, seats + 1), game)))
    assert match.result.forfeits == (None,) * seats
    assert match.header["bots"] == [f"bot {number}" for number in range(1, seats + 1)]
    await stage.settle(lambda: all(bot.ends for bot in bots))
    for seat, bot in enumerate(bots):
        assert [(start.seat, start.seats, start.limit_ms) for start in bot.starts] == [(seat, seats, LIMIT_MS)]
        assert tuple(bot.ends[0].placements) == match.result.placements
        assert not bot.rejections


async def test_many_matches_share_one_stream(stage: Stage) -> None:
    for number in (1, 2):
        await stage.player(number)
    orders = [stage.start(an_order(fixture, (1, 2))) for fixture in range(1, 17)]
    for order in orders:
        [match] = checked(await order)
        assert match.result.forfeits == (None, None)


async def test_a_bot_has_no_more_matches_at_once_than_it_wants(stage: Stage) -> None:
    careful = await stage.bot(1, concurrency=2)
    await stage.player(2)
    orders = [stage.start(an_order(fixture, (1, 2))) for fixture in range(1, 6)]
    playing = stage.spawn(careful.play())
    for order in orders:
        checked(await order)
        assert len(careful.starts) - len(careful.ends) <= 2
    playing.cancel()


async def test_a_silent_bot_loses_by_its_third_strike(stage: Stage) -> None:
    """Fault P18: the limit is kept although no answer comes; then the slots are free."""
    silent = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    await silent.decision()
    stage.pass_time(LATE)
    for _ in range(2):
        await silent.decision()
        stage.pass_time(LIMIT_MS / 1000 + 0.1)  # The bank is spent.
    [match] = checked(await order)
    assert match.result.forfeits == ("timeout", None)
    assert match.result.placements == (2, 1)
    assert match.strikes[0] == 2
    await silent.until(lambda: silent.ends)
    assert [rejection.strikes for rejection in silent.rejections] == [1, 2, 3]
    assert not stage.hall.tables.running and all(not lane.chairs for lane in stage.hall.lobby.present())


async def test_two_silent_bots_end_too(stage: Stage) -> None:
    bots = [await stage.bot(1), await stage.bot(2)]
    for bot in bots:
        stage.spawn(bot.listen())
    order = stage.start(an_order(1, (1, 2)))
    while not order.done():
        await stage.settle(lambda: order.done() or any(bot.asked for bot in bots))
        for bot in bots:
            bot.asked.clear()
        stage.pass_time(LATE)
    [match] = checked(await order)
    assert "timeout" in match.result.forfeits


async def test_a_late_answer_is_a_strike_and_the_match_goes_on(stage: Stage) -> None:
    slow = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    decision = await slow.decision()
    stage.clock.time += LATE  # The arbiter has not looked at its clock when the answer comes.
    await slow.send(first_legal(decision))
    await slow.until(lambda: slow.rejections)
    assert "limit" in slow.rejections[0].reason
    await slow.play_until_end(order)
    [match] = checked(await order)
    assert match.strikes[0] == 1 and match.result.forfeits == (None, None)


async def test_the_bank_is_spent_once(stage: Stage) -> None:
    slow = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    first = await slow.decision()
    assert first.bank_ms == BANK_MS
    stage.clock.time += LIMIT_MS / 1000 + 1.5
    await slow.send(first_legal(first))
    second = await slow.decision()
    assert (second.bank_ms, second.last_us) == (BANK_MS - 1500, 2_500_000)
    await slow.send(first_legal(second))
    await slow.play_until_end(order)
    [match] = checked(await order)
    assert match.strikes == (0, 0)


async def test_time_is_shared_by_what_is_answered_in_it(stage: Stage) -> None:
    busy = await stage.bot(1)
    await stage.player(2)
    orders = [stage.start(an_order(fixture, (1, 2))) for fixture in range(1, 5)]
    await busy.until(lambda: len(busy.asked) == 4)
    stage.pass_time(3.9)  # Less than four limits, for four decisions.
    await busy.send(b"".join(map(first_legal, busy.asked)))
    busy.asked.clear()
    again = await busy.decision()
    assert 0 < again.last_us <= 1_000_000
    busy.asked.append(again)
    await busy.play_until_end(asyncio.gather(*orders))
    for order in orders:
        assert checked(await order)[0].strikes == (0, 0)


@pytest.mark.parametrize("wrong", ["no action", "not legal"])
async def test_the_third_illegal_answer_forfeits(stage: Stage, wrong: str) -> None:
    cheat = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    for strike in (1, 2, 3):
        decision = await cheat.decision()
        await cheat.send(_illegal(decision) if wrong == "not legal" else _unreadable(decision))
        while len(cheat.rejections) < strike:
            assert await cheat.read()
    [match] = checked(await order)
    assert match.result.forfeits == ("illegal", None)
    assert match.strikes == (2, 0)
    assert all(rejection.reason for rejection in cheat.rejections)


def _illegal(decision: table_pb2.Decision) -> bytes:
    held = next(card for card in range(52) if card not in decision.view.hand)
    return answer(decision, Discard(held))


def _unreadable(decision: table_pb2.Decision) -> bytes:
    wrong = table_pb2.Answer(match=decision.match, number=decision.number, codes=b"\xff\x00\x8f")
    return table_pb2.FromBot(answers=[wrong]).SerializeToString()


async def test_a_cheat_at_a_table_of_three_leaves_the_others_playing(stage: Stage) -> None:
    cheat = await stage.player(1, _illegal)
    for number in (2, 3):
        await stage.player(number)
    [match] = checked(await stage.play(an_order(1, (1, 2, 3), "one_oh_one")))
    assert match.result.forfeits == ("illegal", None, None)
    assert match.result.placements[0] == 3
    await stage.settle(lambda: cheat.ends)


async def test_all_may_cheat_and_the_match_ends(stage: Stage) -> None:
    for number in (1, 2, 3):
        await stage.player(number, _illegal)
    [match] = checked(await stage.play(an_order(1, (1, 2, 3), "one_oh_one")))
    assert sum(cause == "illegal" for cause in match.result.forfeits) == 2


async def _to_a_turn(bot: Bot) -> table_pb2.Decision:
    """Plays on until *bot* begins a turn."""
    while True:
        decision = await bot.decision()
        if decision.phase == view_pb2.PHASE_START:
            return decision
        await bot.send(answer(decision, Pass() if decision.phase == view_pb2.PHASE_OFFER else _only(decision)))


def _only(decision: table_pb2.Decision) -> Discard | Knock | Take:
    action = codec.simple_actions(decision.legal[:1])[0]
    assert isinstance(action, Discard | Knock | Take)
    return action


def _throws_first(decision: table_pb2.Decision) -> bytes:
    """Never ends the deal before the stock does."""
    if decision.phase == view_pb2.PHASE_OFFER:
        return answer(decision, Pass())
    if decision.phase == view_pb2.PHASE_START:
        return answer(decision, DrawStock())
    return first_legal(decision)


async def test_one_answer_may_hold_the_whole_turn(stage: Stage) -> None:
    brisk = await stage.bot(1)
    await stage.player(2, _throws_first)
    order = stage.start(an_order(1, (1, 2)))
    decision = await _to_a_turn(brisk)
    card = decision.view.hand[0]
    await brisk.send(answer(decision, DrawStock(), Discard(card)))
    following = await brisk.decision()
    assert following.ply >= decision.ply + 3
    assert card not in following.view.hand
    assert not brisk.rejections
    await brisk.send(first_legal(following))
    await brisk.play_until_end(order)
    checked(await order)


async def test_going_out_is_a_part_of_the_turn_that_has_discarded(stage: Stage) -> None:
    asked: list[int] = []

    def whole_turns(decision: table_pb2.Decision) -> bytes:
        """Melds where it can, and says with its discard that it goes on."""
        asked.append(decision.phase)
        if decision.moves:
            return answer(decision, codec.read_action(decision.moves[0]))
        if decision.phase == view_pb2.PHASE_DISCARD:
            return answer(decision, codec.read_action(decision.fallback), Continue())
        return answer(decision, codec.read_action(decision.fallback))

    await stage.player(1, whole_turns)
    await stage.player(2)
    update = await stage.play(an_order(1, (1, 2), "club"))
    assert checked(update)[0].strikes == (0, 0)
    after_discard = [later for phase, later in pairwise(asked) if phase == view_pb2.PHASE_DISCARD]
    assert view_pb2.PHASE_GO_OUT not in after_discard
    went_on = [line for line in update.record.replays[0].splitlines() if b'"act":"C"' in line and b'"seat":0' in line]
    assert len(went_on) > asked.count(view_pb2.PHASE_GO_OUT)


async def test_a_turn_that_fails_in_the_middle_is_one_strike(stage: Stage) -> None:
    brisk = await stage.bot(1)
    await stage.player(2, _throws_first)
    order = stage.start(an_order(1, (1, 2)))
    decision = await _to_a_turn(brisk)
    not_held = [card for card in range(52) if card not in decision.view.hand and card not in decision.view.pile]
    held = decision.view.hand[0]
    # One of three unknown cards may be drawn, so the turn names two: at most one can be good.
    await brisk.send(answer(decision, DrawStock(), DrawStock(), Discard(held), Discard(not_held[0])))
    await brisk.until(lambda: brisk.rejections)
    following = await brisk.decision()
    assert len(brisk.rejections) == 1 and brisk.rejections[0].strikes == 1
    assert following.ply >= decision.ply + 3  # Drew, the default was played, and the other seat has moved.
    await brisk.send(first_legal(following))
    await brisk.play_until_end(order)
    [match] = checked(await order)
    assert match.strikes == (1, 0)


async def test_what_stands_behind_the_end_of_the_turn_is_dropped_without_a_strike(stage: Stage) -> None:
    brisk = await stage.bot(1)
    await stage.player(2, _throws_first)
    order = stage.start(an_order(1, (1, 2)))
    decision = await _to_a_turn(brisk)
    first, second = decision.view.hand[:2]
    await brisk.send(answer(decision, DrawStock(), Discard(first), Discard(second)))
    await brisk.until(lambda: brisk.rejections)
    assert brisk.rejections[0].strikes == 0
    following = await brisk.decision()
    assert second in following.view.hand
    await brisk.send(first_legal(following))
    await brisk.play_until_end(order)
    assert checked(await order)[0].strikes == (0, 0)


async def test_an_answer_to_another_decision_changes_nothing(stage: Stage) -> None:
    confused = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    decision = await confused.decision()
    action = codec.simple_actions(decision.legal[:1])[0]
    await confused.send(answer(decision, action, number=decision.number + 1))
    await confused.send(answer(decision, action, number=decision.number - 1))
    await confused.until(lambda: len(confused.rejections) == 2)
    assert [rejection.strikes for rejection in confused.rejections] == [0, 0]
    both = first_legal(decision)
    await confused.send(both + both)  # The same answer twice in one message.
    await confused.until(lambda: len(confused.rejections) == 3)
    await confused.play_until_end(order)
    assert checked(await order)[0].strikes == (0, 0)


async def test_an_answer_for_a_match_of_others_changes_nothing(stage: Stage) -> None:
    stranger = await stage.bot(3)
    mine = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    decision = await mine.decision()
    await stranger.send(first_legal(decision))
    await stranger.until(lambda: stranger.rejections)
    assert "no match" in stranger.rejections[0].reason
    await mine.send(first_legal(decision))
    await mine.play_until_end(order)
    checked(await order)


async def test_who_never_comes_forfeits_after_the_grace_time(stage: Stage) -> None:
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    await stage.settle(lambda: stage.hall.tables.waiting)
    stage.pass_time(GRACE + 1)
    [match] = checked(await order)
    assert match.result.forfeits == ("never started", None)


async def test_nobody_comes_and_the_match_ends(stage: Stage) -> None:
    order = stage.start(an_order(1, (1, 2, 3), "one_oh_one"))
    await stage.settle(lambda: stage.hall.tables.waiting)
    stage.pass_time(GRACE + 1)
    [match] = checked(await order)
    assert match.result.forfeits.count("never started") == 2
