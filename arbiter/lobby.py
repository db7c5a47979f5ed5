"""Who is here: all lanes, their streams, and the processes of hosted bots behind them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Sequence
from typing import Any, Protocol

from arbiter.allowance import Allowance
from arbiter.clock import Now
from arbiter.connection import Connection
from arbiter.directory import Guest, LaneKey
from arbiter.lane import Lane
from rummy.errors import (
    BotDisconnected,
    BotFault,
    BotNeverStarted,
    BotProtocolFault,
    RummyError,
    TooMany,
    Unauthenticated,
)
from rummy.wire.codec import MAX_MESSAGE_BYTES, PROTOCOL, Greeting
from rummy.wire.encoder import arbiters_part, goodbye_part, welcome_part
from rummy.wire.v1 import table_pb2

MAX_CONCURRENCY = 256
"""Matches that one bot may play at once."""
MOST_DIALLED, DIALLED_AGAIN = 32, 0.5
"""So often may a bot dial at once, and so often a second: each new stream is told everything again."""
MOST_COUNTED = 4096  # Bots whose dialling is kept count of, before those that are quiet are forgotten.
REVOKED = "The bot's token has been revoked."

MAX_TOLD = 300  # Characters of a log line.

_log = logging.getLogger(__name__)


class Hosting(Protocol):
    """Runs the processes of hosted bots."""

    async def ensure(self, version_id: int, lane: int) -> None:
        """The process runs, or is starting. Raises `BotNeverStarted` or `HostFault`."""

    async def stop(self, version_id: int, lane: int) -> None:
        """Ends the process."""


class Death(Protocol):
    """How a process ended: a cause of forfeits, and a sentence."""

    @property
    def cause(self) -> str: ...
    @property
    def text(self) -> str: ...


class Lobby:
    """Keeps the lanes. *changed* is called whenever a lane has come, gone, or got room for another match."""

    def __init__(self, now: Now, *, grace_seconds: float = 15.0, hello_seconds: float = 10.0) -> None:
        self.now = now
        self.grace_seconds = grace_seconds
        self.hello_seconds = hello_seconds
        self.address = ""  # Of this arbiter, as bots dial it.
        self.arbiters: tuple[str, ...] = ()  # All that a bot should dial; empty where there is only this one.
        self.hosting: Hosting | None = None
        self.changed: Callable[[], None] = lambda: None
        self._lanes: dict[LaneKey, Lane] = {}
        self._dialled: dict[LaneKey, Allowance] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def lane(self, key: LaneKey, name: str, *, hosted: bool) -> Lane:
        """The lane *key*, whether its bot is here or not."""
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(key, name, hosted=hosted, now=self.now)
        return lane

    def lanes(self, keys: Iterable[LaneKey]) -> list[Lane]:
        """Those of *keys* that there are."""
        return [self._lanes[key] for key in keys if key in self._lanes]

    def attach(self, guest: Guest, greeting: Greeting) -> tuple[Lane, Connection]:
        """Lets a bot in whose token is good, on the terms of its *greeting*; `TooMany` where it dials too often."""
        self._check_dialled(guest.key)
        lane = self.lane(guest.key, guest.name, hosted=guest.hosted)
        connection = Connection()
        concurrency = min(greeting.concurrency or MAX_CONCURRENCY, MAX_CONCURRENCY)
        connection.push(self._welcome(guest, concurrency))
        lane.attach(connection, greeting, concurrency)
        lane.token_id = guest.token_id
        _log.info("A bot has come, with %s.", greeting.sdk or "no SDK named", extra={"bot": guest.name})
        self.changed()
        return lane, connection

    def detach(self, lane: Lane, connection: Connection, error: RummyError | None) -> None:
        """The stream has ended, with *error* where it was the bot's fault."""
        cause = error.cause if isinstance(error, BotFault) else BotDisconnected.cause
        text = str(error) if error else "the bot has closed its stream"
        _log.info("A stream has ended: %s", text[:MAX_TOLD], extra={"bot": lane.name})
        lane.detach(connection, cause, text)
        self._forget(lane)
        self.changed()

    def lane_died(self, key: tuple[int, int], death: Death) -> None:
        """The process of a hosted lane has ended: it is started again while a match wants it."""
        lane = self._lanes.get(LaneKey(*key))
        if lane is not None:
            self._bury(lane, death.cause, death.text)

    def summon(self, lane: Lane) -> None:
        """Has the process of a hosted lane started, unless it runs; live bots come by themselves."""
        if lane.hosted and lane.connection is None and self.hosting is not None:
            self._spawn(self._ensure(lane, self.hosting))

    def release(self, lane: Lane) -> None:
        """A match does not need *lane* any longer."""
        self._forget(lane)
        self.changed()

    async def renew(self, lane: Lane) -> None:
        """Replaces the process of a hosted lane, which then has never seen a deal; nobody's fault, nobody's time."""
        if lane.hosted and self.hosting is not None:
            lane.pause("the arena has replaced its process")
            await self.hosting.stop(*lane.key)
            if lane.wanted:
                self.summon(lane)

    def sweep(self) -> None:
        """Finds what is late and who is gone; called every TICK."""
        now = self.now()
        overdue = [lane for lane in self._lanes.values() if lane.wanted and lane.overdue(now)]
        for lane in list(self._lanes.values()):
            if lane.chairs:
                lane.sweep(now)
            if lane.connection is not None:
                self._sweep_writing(lane.connection, now)
        self.changed()  # Legs that wait look first: a replaced process would have all its time before it again.
        for lane in overdue:
            if self.hosting is not None:
                self._spawn(self._replace(lane, self.hosting))

    def present(self) -> Iterator[Lane]:
        """The lanes whose bots are here."""
        return (lane for lane in self._lanes.values() if lane.connection is not None)

    def tokens(self) -> list[int]:
        """The tokens of those that are here, where they may be revoked."""
        return [lane.token_id for lane in self.present() if lane.token_id is not None]

    def turn_out(self, tokens: Collection[int]) -> None:
        """Ends the streams of those whose tokens have been revoked."""
        for lane in list(self.present()):
            if lane.token_id in tokens and lane.connection is not None:
                lane.connection.close(goodbye_part(REVOKED), Unauthenticated(REVOKED))

    def name_arbiters(self, addresses: Sequence[str]) -> None:
        """From now on the arbiters are at *addresses*, this one's among them; live bots that are here are told."""
        known, self.arbiters = self.arbiters, tuple(addresses) if len(addresses) > 1 else ()
        if set(known) != set(self.arbiters):
            part = arbiters_part(addresses)
            for lane in self.present():
                if not lane.hosted:
                    lane.tell(part)

    def close(self, text: str) -> None:
        """Says goodbye to everybody."""
        for lane in list(self._lanes.values()):
            if lane.connection is not None:
                lane.connection.close(goodbye_part(text))

    def _check_dialled(self, key: LaneKey) -> None:
        """Keeps count of how often a bot dials, for as long as it matters."""
        now = self.now()
        if len(self._dialled) > MOST_COUNTED:
            self._dialled = {key: allowance for key, allowance in self._dialled.items() if not allowance.whole(now)}
        allowance = self._dialled.setdefault(key, Allowance(MOST_DIALLED, DIALLED_AGAIN, now))
        if not allowance.takes(1, now):
            raise TooMany("This bot has dialled too often in the last minute; it may dial again in a few seconds.")

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _replace(self, lane: Lane, hosting: Hosting) -> None:
        """Ends a process that does not say hello; that is as good as a death."""
        await hosting.stop(*lane.key)
        if lane.connection is None:
            self._bury(lane, BotNeverStarted.cause, "it has not said hello")

    async def _ensure(self, lane: Lane, hosting: Hosting) -> None:
        try:
            await hosting.ensure(*lane.key)
        except BotFault as fault:
            self._bury(lane, BotNeverStarted.cause, str(fault))
        except RummyError as fault:
            lane.fail(str(fault))
        except Exception:
            _log.exception("The process of lane %s could not be started.", lane.key)
            lane.fail("The arena could not start a bot's process; its log says why.")

    def _bury(self, lane: Lane, cause: str, text: str) -> None:
        lane.died(cause, text)
        if lane.wanted:
            self.summon(lane)
        self._forget(lane)
        self.changed()

    def _forget(self, lane: Lane) -> None:
        if lane.connection is None and not lane.wanted:
            self._lanes.pop(lane.key, None)

    def _sweep_writing(self, connection: Connection, now: float) -> None:
        since = connection.writing_since
        if since is not None and now - since > self.grace_seconds:
            connection.abandon(BotProtocolFault("the bot does not read what it is sent"))

    def _welcome(self, guest: Guest, concurrency: int) -> bytes:
        return welcome_part(
            table_pb2.Welcome(
                protocol=PROTOCOL, bot=guest.name, concurrency=concurrency, max_message_bytes=MAX_MESSAGE_BYTES,
                grace_seconds=self.grace_seconds, arbiters=() if guest.hosted else self.arbiters,
                arbiter="" if guest.hosted else self.address,
            )
        )  # fmt: skip
