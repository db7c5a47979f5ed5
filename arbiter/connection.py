"""What waits to be sent to one bot: everything that is ready goes with the next message.

A message is never held to be filled. But while the last one is under way, that is until the bot answers or for
`HOLD_SECONDS`, what becomes ready goes with the next: the bot is at work and could not begin anyway. With 64 matches
that makes messages of 25 decisions in place of 2, and several times the speed.
"""

from __future__ import annotations

import asyncio

from rummy.errors import RummyError

MAX_BATCH_BYTES = 1 << 20  # Clients take 4 MiB by default.
HOLD_SECONDS = 0.002
"""How long a message may wait for the answer to the one before, while more becomes ready that can go with it."""
TICK_SECONDS = 0.001  # The loop's clock counts milliseconds; less would be at once.
BACKLOG = 4096
"""Items that may wait for a bot before the arbiter stops reading what it sends."""


class Connection:
    """One stream of a bot. Items are parts of `ToBot`: joined together they are a message."""

    def __init__(self) -> None:
        self._items: list[bytes] = []
        self._waiter: asyncio.Future[None] | None = None
        self._drained = asyncio.Event()
        self._drained.set()
        self._closed = False
        self.error: RummyError | None = None  # Why the stream ends, where it does not end well.
        self.writing_since: float | None = None
        self._sender = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        self._held = False  # A message is under way, and unanswered.
        self._held_until = 0.0
        self._timer: asyncio.TimerHandle | None = None  # Looks whether it has been under way for too long.

    def push(self, item: bytes) -> None:
        """Puts *item* behind what waits already."""
        if self._closed:
            return
        self._items.append(item)
        if len(self._items) >= BACKLOG:
            self._drained.clear()
        if not self._held:
            self._wake()
        elif self._timer is None:
            self._watch()

    def close(self, last: bytes = b"", error: RummyError | None = None) -> None:
        """Ends the stream after what waits, and after *last*; with the status of *error* where there is one."""
        if not self._closed:
            if last:
                self._items.append(last)
            self._closed, self.error = True, error
            self._drained.set()
            self._wake()

    def abandon(self, error: RummyError) -> None:
        """Breaks the stream off in the middle of a message that the bot does not take."""
        self._items.clear()
        self.close(error=error)
        if self._sender is not None:
            self._sender.cancel()

    @property
    def full(self) -> bool:
        """Whether more waits for the bot than it should be allowed to add to."""
        return not self._drained.is_set()

    async def drained(self) -> None:
        """Returns once the bot has taken what waits below the limit of the backlog."""
        await self._drained.wait()

    async def ready(self) -> bool:
        """Waits for something to send; False once the stream has ended and everything has been sent."""
        while not self._items or self._held:
            if self._closed:
                self.release()
                return bool(self._items)
            self._waiter = self._loop.create_future()
            await self._waiter
        return True

    def release(self) -> None:
        """The bot has answered the newest message, or has been waited for long enough: the next one may go."""
        self._held = False
        if self._items:
            self._wake()

    def take(self) -> bytes:
        """The next message: all that waits, up to a size."""
        self._held, self._held_until = True, self._loop.time() + HOLD_SECONDS
        message = b"".join(self._items)
        if len(message) > MAX_BATCH_BYTES:
            return self._take_some()
        self._items.clear()
        self._drained.set()
        return message

    def _take_some(self) -> bytes:
        """As many items as the largest message holds, and one at least."""
        items, total, count = self._items, len(self._items[0]), 1
        while count < len(items) and total + len(items[count]) <= MAX_BATCH_BYTES:
            total += len(items[count])
            count += 1
        self._items = items[count:]
        if not self._items:
            self._drained.set()
        elif self._timer is None:
            self._watch()
        return b"".join(items[:count])

    def _watch(self) -> None:
        """Something waits for the answer to the last message: not for ever.

        Where nothing does, which is so with one match, no timer wakes the loop. Where much does, one timer serves all
        the messages that leave meanwhile: to set and cancel one for each is dear.
        """
        left = self._held_until - self._loop.time()
        self._timer = self._loop.call_later(max(left, TICK_SECONDS), self._look)

    def _look(self) -> None:
        if self._held and self._held_until > self._loop.time():
            self._watch()
        else:
            self._timer = None
            self.release()

    def _wake(self) -> None:
        if self._held and not self._closed:
            return
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
