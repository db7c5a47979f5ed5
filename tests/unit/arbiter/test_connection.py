"""What waits for a bot: when it goes, and that nothing is woken for nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from arbiter.connection import HOLD_SECONDS, MAX_BATCH_BYTES, TICK_SECONDS, Connection
from arbiter.servicers.table import _Reader
from rummy.rules.actions import DrawStock
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


class Stream:
    """What one bot sends; nothing after that."""

    def __init__(self, *messages: bytes) -> None:
        self._messages = list(messages)

    async def read(self) -> object:
        return self._messages.pop(0) if self._messages else None


class Asking:
    """A lane that asks the next question as soon as it has an answer."""

    key = "lane"

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def answer(self, answers: Sequence[object]) -> None:
        self.connection.push(b"next" * len(answers))


async def test_what_an_answer_brings_about_goes_at_once(made: tuple[Connection, Loop]) -> None:
    held, loop = made
    held.push(b"question")
    held.take()
    reader = _Reader(cast(Any, Stream(b"hello", answer_part(1, 1, [DrawStock()]))))
    reader.feed(cast(Any, Asking(held)), held)
    while not held._closed:
        await asyncio.sleep(0)
    assert held.take() == b"next"
    assert loop.timers == [], "what is asked of a bot that has answered waits for nothing"
