"""The arbiter's edge towards spectators.

They are told what everybody at the table may know, and only of deals whose last use this is; of others only how far
they are. A spectator that reads slowly waits for itself alone.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

import grpc
from google.protobuf.message import DecodeError

from arbiter.clock import Now
from arbiter.orders import Order, Orders
from arbiter.server import Context, Handlers
from rummy.errors import BadInput, TooMany
from rummy.wire.encoder import followed_part
from rummy.wire.status import abort_on_error
from rummy.wire.v1 import watch_pb2

SERVICE = "rummy.wire.v1.Watch"
STEP_SECONDS = 0.1
"""How often a spectator is told what is new."""
MAX_FOLLOWERS = 256
LOOKS = 100
"""At how many moments of its delay a spectator's table is noted."""
MAX_EVENTS = 512
"""Events in one update: who comes late is told a long match in parts, and the arbiter does other things between."""


class WatchServicer:
    """Lets fixtures in play be followed, *delay* seconds behind."""

    def __init__(self, orders: Orders, now: Now, delay: float) -> None:
        self._orders = orders
        self._now = now
        self._delay = delay
        self._followers = 0

    def handlers(self) -> Handlers:
        """The methods, on bytes."""
        return {"Follow": grpc.unary_stream_rpc_method_handler(self.follow)}

    async def follow(self, request: bytes, context: Context) -> AsyncIterator[bytes]:
        """A fixture from its beginning to its end."""
        async with abort_on_error(context):
            order = self._orders.of_fixture(_fixture(request))
            with self._place(), order.followed():
                story = Story(order, self._now, self._delay)
                yield story.start()
                while not story.told:
                    news = story.news()
                    if news:
                        yield news
                    else:
                        await story.moment()

    @contextmanager
    def _place(self) -> Iterator[None]:
        if self._followers >= MAX_FOLLOWERS:
            raise TooMany(f"{MAX_FOLLOWERS} spectators are here already; try again later.")
        self._followers += 1
        try:
            yield
        finally:
            self._followers -= 1


class Story:
    """What one spectator has been told of *order*, and what comes next."""

    def __init__(self, order: Order, now: Now, delay: float) -> None:
        self.told = False  # All of it.
        self._order = order
        self._now = now
        self._delay = delay
        self._open = not order.hosted
        self._known = 0  # Events that have been told.
        self._there = 0  # Events that there were at the last look.
        self._seen: deque[tuple[float, int, bytes]] = deque()  # When how many events were there, and which table.
        self._look_at = 0.0  # Not before.
        self._progress = watch_pb2.FollowProgress()

    def start(self) -> bytes:
        """The first update."""
        asked = self._order.asked
        start = watch_pb2.FollowStart(
            game=asked.game, options=asked.options, bots=[entrant.name for entrant in asked.entrants],
            legs=asked.legs, open=self._open, delay_seconds=self._delay,
        )  # fmt: skip
        return watch_pb2.FollowUpdate(start=start).SerializeToString()

    def news(self) -> bytes:
        """The next update, or nothing where there is nothing to tell."""
        over = self._order.over.is_set()
        events = self._fresh()
        if over and self._known == len(self._order.events):
            self.told = True
            return events + self._last().SerializeToString()
        return self._progressed() + events

    async def moment(self) -> None:
        """Returns when there may be news."""
        order = self._order
        waited_for = order.over if order.begun.is_set() else order.begun
        if waited_for.is_set():  # What is left is too young to be told.
            await asyncio.sleep(STEP_SECONDS)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(STEP_SECONDS):
                await waited_for.wait()

    def _fresh(self) -> bytes:
        """The events that are old enough and have not been told."""
        now, events = self._now(), self._order.events
        self._look(now, len(events))
        known, table = self._known, b""
        while self._seen and self._seen[0][0] <= now - self._delay:
            _, known, table = self._seen.popleft()
        if known - self._known > MAX_EVENTS:  # The rest is old enough at the next look.
            self._seen.appendleft((now - self._delay, known, table))
            known, table = self._known + MAX_EVENTS, b""
        fresh, self._known = events[self._known : known], known
        return followed_part(fresh) + table

    def _look(self, now: float, there: int) -> None:
        """Notes what there is to be told, *delay* seconds from now; not more often than `LOOKS` in that time."""
        if there != self._there and (now >= self._look_at or self._order.over.is_set()):
            self._there, self._look_at = there, now + self._delay / LOOKS
            self._seen.append((now, there, self._order.table()))

    def _progressed(self) -> bytes:
        """How far the order is, where this is news; nothing where it would be ahead of the events."""
        now = self._order.progress().progress
        progress = watch_pb2.FollowProgress(legs_done=now.legs_done, deals_done=now.deals_done)
        if progress == self._progress or (self._open and self._delay):
            return b""
        self._progress = progress
        return watch_pb2.FollowUpdate(progress=progress).SerializeToString()

    def _last(self) -> watch_pb2.FollowUpdate:
        replays = self._order.replays
        if replays is None:
            return watch_pb2.FollowUpdate(void=self._order.voided)
        return watch_pb2.FollowUpdate(results=[_result(replay) for replay in replays])


def _fixture(request: bytes) -> int:
    try:
        return watch_pb2.FollowRequest.FromString(request).fixture
    except DecodeError:
        raise BadInput(f"A request of {len(request)} bytes could not be read as FollowRequest; see proto/.") from None


def _result(replay: bytes) -> watch_pb2.FollowResult:
    footer = json.loads(replay.splitlines()[-1])
    return watch_pb2.FollowResult(placements=footer["placements"], scores=footer["scores"], reason=footer["reason"])
