"""What waits for a bot: when it goes, and that nothing is woken for nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arbiter.connection import HOLD_SECONDS, MAX_BATCH_BYTES, TICK_SECONDS, Connection
from arbiter.directory import LaneKey
from arbiter.lane import Asked, Lane
from rummy.rules.actions import DrawStock
from rummy.wire.codec import Answer, Greeting, read_answers
from rummy.wire.encoder import answer_part


class Loop:
    """A loop whose time is set, and whose timers are called by the test."""

    def __init__(self) -> None:
        self.now = 100.0
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[[], None]) -> object:
        self.timers.append((self.now + delay, callback))
        return object()

    def create_future(self) -> asyncio.Future[None]:
        return asyncio.get_running_loop().create_future()

    def turn(self) -> None:
        """Moves on to the next timer, and calls it."""
        self.now, callback = self.timers.pop(0)
        callback()


@pytest.fixture
async def made(monkeypatch: pytest.MonkeyPatch) -> tuple[Connection, Loop]:
    loop, held = Loop(), Connection()
    monkeypatch.setattr(held, "_loop", loop)
    return held, loop


def waits(held: Connection) -> bool:
    """Whether the sender has to wait."""
    try:
        held.ready().send(None)
    except StopIteration:
        return False
    return True


async def test_no_timer_runs_where_nothing_waits(made: tuple[Connection, Loop]) -> None:
    held, loop = made
    for _ in range(3):
        held.push(b"question")
        assert held.take() == b"question"
        held.release()
    assert loop.timers == []


async def test_what_becomes_ready_meanwhile_goes_with_the_answer(made: tuple[Connection, Loop]) -> None:
    held, _ = made
    held.push(b"1")
    held.take()
    held.push(b"2")
    held.push(b"3")
    assert waits(held)
    held.release()
    assert not waits(held)
    assert held.take() == b"23"


async def test_or_without_an_answer_once_the_hold_is_over(made: tuple[Connection, Loop]) -> None:
    held, loop = made
    held.push(b"1")
    held.take()
    loop.now += HOLD_SECONDS / 2
    held.push(b"2")
    assert [round(at - 100.0, 6) for at, _ in loop.timers] == [HOLD_SECONDS]
    loop.turn()
    assert not waits(held)
    assert loop.timers == []


async def test_one_timer_serves_the_messages_that_leave_meanwhile(made: tuple[Connection, Loop]) -> None:
    held, loop = made
    held.push(b"1")
    held.take()
    held.push(b"2")
    held.release()
    loop.now += HOLD_SECONDS / 2
    held.take()
    held.push(b"3")
    assert len(loop.timers) == 1
    loop.turn()
    assert waits(held), "the hold of the second message is not over"
    loop.turn()
    assert round(loop.now - 100.0, 6) == round(HOLD_SECONDS * 1.5, 6)
    assert held.take() == b"3"


async def test_a_late_push_is_not_held_for_longer_than_a_tick(made: tuple[Connection, Loop]) -> None:
    held, loop = made
    held.push(b"1")
    held.take()
    loop.now += 5.0
    held.push(b"2")
    loop.turn()
    assert loop.now == pytest.approx(105.0 + TICK_SECONDS)
    assert not waits(held)


async def test_what_one_message_cannot_hold_is_not_forgotten(made: tuple[Connection, Loop]) -> None:
    held, loop = made
    held.push(b"a" * MAX_BATCH_BYTES)
    held.push(b"b")
    assert len(held.take()) == MAX_BATCH_BYTES
    loop.turn()
    assert held.take() == b"b"


class Seat:
    """A match of the lane, which asks the next question as soon as it has an answer."""

    start = b""

    def __init__(self, lane: Lane, number: int) -> None:
        self._lane, self._number = lane, number
        self.purse = SimpleNamespace(limit=1.0)
        lane.join(number, cast(Any, self))
        self._ask(1)

    def answered(self, answer: Answer, share: float, wall: float) -> None:
        self._ask(answer.number + 1)

    def _ask(self, decision: int) -> None:
        self.open = Asked(decision, b"%d.%d " % (self._number, decision))
        self._lane.ask(self.open)


class Bot:
    """A lane whose bot takes messages and answers them when the test says so."""

    def __init__(self, held: Connection, loop: Loop) -> None:
        self._held, self._loop = held, loop
        self.lane = Lane(LaneKey(1, 0), "bot", hosted=True, now=loop.time)
        self.lane.attach(held, Greeting("token"), 8)

    def takes(self) -> bytes:
        message = self._held.take()
        self.lane.sent(self._loop.now)
        return message

    def answers(self, match: int, decision: int) -> None:
        self.lane.answer(read_answers(answer_part(match, decision, [DrawStock()])))


async def test_what_an_answer_brings_about_goes_at_once(made: tuple[Connection, Loop]) -> None:
    held, loop = made
    bot = Bot(held, loop)
    Seat(bot.lane, 1)
    assert bot.takes() == b"1.1 "
    bot.answers(1, 1)
    assert not waits(held)
    assert bot.takes() == b"1.2 "
    assert loop.timers == [], "what is asked of a bot that has answered waits for nothing"


async def test_a_bot_that_was_slow_once_has_one_message_under_way_again(made: tuple[Connection, Loop]) -> None:
    held, loop = made
    bot = Bot(held, loop)
    Seat(bot.lane, 1)
    bot.takes()
    Seat(bot.lane, 2)
    loop.turn()
    assert bot.takes() == b"2.1 ", "two messages are under way, since the first was not answered in time"
    bot.answers(1, 1)
    assert waits(held), "it is at work on the second"
    bot.answers(2, 1)
    assert bot.takes() == b"1.2 2.2 "
