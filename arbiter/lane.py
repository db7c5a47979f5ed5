"""One bot process, or the one stream of a live bot: what it is asked, what it answers, and whether it is there.

A lane outlives its streams. A bot that comes back is asked everything again that is still open; meanwhile its clock
runs, unless the arena itself has to start its process again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Protocol

from arbiter.allowance import Allowance
from arbiter.clock import LaneClock, Now, Purse
from arbiter.connection import Connection
from arbiter.directory import LaneKey
from rummy.errors import BotCrashed, BotDisconnected, BotNeverStarted, BotProtocolFault, BotTimeout, Conflict
from rummy.wire.codec import Answer, Greeting
from rummy.wire.encoder import goodbye_part, rejection_part

TAKEN_OVER = "Another stream with this bot's token has taken over."
MOST_IDLE, IDLE_AGAIN = 1024, 10.0
"""So many answers to nothing, or empty messages, may come at once, and so many a second."""
START_SECONDS = 30.0
"""A hosted process that has not said hello for so long never will."""


@dataclass(slots=True, eq=False)
class Asked:
    """An open decision: its number in the match, and the part of a message that asks it."""

    number: int
    item: bytes
    sent_at: float | None = None


class Chair(Protocol):
    """A seat in a match, as the lane that plays it sees it."""

    open: Asked | None
    purse: Purse
    strikes: int
    start: bytes  # The part that tells of the match.
    grace: float

    def begin_anew(self) -> None:
        """A new stream begins: what is open is asked with all events of the match."""

    def answered(self, answer: Answer, share: float, wall: float) -> None:
        """The lane has answered what was open, in time or not; *share* is what it is charged."""

    def late(self, number: int, cause: str, wall: float) -> None:
        """No answer to decision *number*, and the time is over."""

    def died(self, cause: str, text: str) -> None:
        """The process of the lane has died, and is started again unless this was too often."""

    def gone(self, cause: str, text: str) -> None:
        """The lane does not come back."""

    def void(self, text: str) -> None:
        """The arena cannot go on with this match, by no fault of a bot."""


class Waits(Protocol):
    """A leg that needs the lane and has not begun."""

    def void(self, text: str) -> None:
        """The arena cannot bring the bot here."""


class Lane:
    """One bot version's process number *k*, with all its matches."""

    def __init__(self, key: LaneKey, name: str, *, hosted: bool, now: Now) -> None:
        self.key = key
        self.name = name
        self.hosted = hosted
        self.chairs: dict[int, Chair] = {}
        self.waiting: set[Waits] = set()
        self.connection: Connection | None = None
        self.concurrency = 0
        self.pushes = False  # Whether the bot wants to hear of events as they happen.
        self._greeting = Greeting("")
        self.token_id: int | None = None  # Of the bot that is here.
        self.gone_since = now()
        self.gone_cause = BotNeverStarted.cause
        self.gone_text = "the bot has not said hello"
        self.silent_deaths = 0  # Since its last hello.
        self._overdue = False
        self._now = now
        self._clock = LaneClock()
        self._borne = Allowance(MOST_IDLE, IDLE_AGAIN, self.gone_since)
        self._paused = hosted  # The arena has to start the process: nobody's time runs.
        self._unsent: list[Asked] = []
        self._newest = inf  # When the newest message with decisions has left.
        self._due = inf  # Nothing is late before.
        self._least = inf  # The shortest limit in play.

    @property
    def free(self) -> bool:
        """Whether the bot is there and takes another match."""
        return self.connection is not None and len(self.chairs) < self.concurrency

    @property
    def wanted(self) -> bool:
        """Whether a match needs this lane, or waits for it."""
        return bool(self.chairs or self.waiting)

    def plays(self, game: str, options: str) -> bool:
        """Whether the bot that is here has offered *game* with *options*, which are canonical JSON."""
        offers = self._greeting.offers
        return not offers or any(offer.game == game and options in (offer.options or (options,)) for offer in offers)

    def patience(self, grace: float) -> float:
        """The seconds for which this lane may be away."""
        return max(grace, START_SECONDS) if self.hosted else grace

    def attach(self, connection: Connection, greeting: Greeting, concurrency: int) -> None:
        """Makes *connection* the lane's stream: the old one is told, and everything open is asked again in full."""
        if self.connection is not None:
            self.connection.close(goodbye_part(TAKEN_OVER), Conflict(TAKEN_OVER))
        self.connection, self.concurrency = connection, concurrency
        self._greeting, self.pushes = greeting, greeting.push_events
        self.silent_deaths, self._paused, self._overdue = 0, False, False
        for chair in self.chairs.values():
            chair.begin_anew()
            connection.push(chair.start)
        for asked in self._open():
            connection.push(asked.item)

    def detach(self, connection: Connection, cause: str, text: str) -> None:
        """*connection* has ended, because of *text*; nothing happens where it is no longer the lane's stream."""
        if self.connection is connection:
            self.connection = None
            self.gone_since, self.gone_cause, self.gone_text = self._now(), cause, text
            self.sent(self._now())

    def fail(self, text: str) -> None:
        """The arena cannot run the process: nobody's matches count."""
        for affected in [*self.chairs.values(), *self.waiting]:
            affected.void(text)

    def died(self, cause: str, text: str) -> None:
        """The process has ended: time stands still until the next one says hello. Each match counts it."""
        if self._paused and cause == BotCrashed.cause:
            cause = BotNeverStarted.cause  # It has not said hello.
        self.pause(text)
        self.silent_deaths += 1
        for chair in list(self.chairs.values()):
            chair.died(cause, text)

    def pause(self, text: str) -> None:
        """Ends the stream and stops the time: the arena starts a new process."""
        if self.connection is not None:
            self.connection.close()
        self.connection, self._paused, self._overdue = None, True, False
        self.gone_since, self.gone_cause, self.gone_text = self._now(), BotNeverStarted.cause, text
        for asked in self._open():
            if asked.sent_at is not None:
                asked.sent_at = None
                self._clock.dropped()
                self._unsent.append(asked)

    def join(self, number: int, chair: Chair) -> None:
        """The match *number* begins for this lane."""
        self.chairs[number] = chair
        self._least = min(self._least, chair.purse.limit)
        self.tell(chair.start)

    def leave(self, number: int) -> None:
        """The match *number* is over for this lane."""
        del self.chairs[number]
        if not self.chairs:
            self._least = inf

    def tell(self, item: bytes) -> None:
        """Sends *item*, if it is anything, where the bot is there to read it."""
        if item and self.connection is not None:
            self.connection.push(item)

    def ask(self, asked: Asked) -> None:
        """Sends a decision. Its time begins when it leaves, or at once where a live bot is away."""
        self._unsent.append(asked)
        if self.connection is not None:
            self.connection.push(asked.item)
        elif not self._paused:
            self.sent(self._now())

    def withdraw(self, asked: Asked) -> None:
        """*asked* is no longer open, although nobody has answered it."""
        if asked.sent_at is not None:
            self._clock.dropped()
        else:
            self._unsent.remove(asked)

    def sent(self, now: float) -> None:
        """What has been asked is on its way since *now*."""
        if self._paused or not self._unsent:
            return
        for asked in self._unsent:
            asked.sent_at = now
        self._clock.sent(now, len(self._unsent))
        self._newest = now
        self._unsent.clear()
        self._due = min(self._due, now + self._least)

    def answer(self, answers: Iterable[Answer]) -> None:
        """Gives each of the *answers* of one message to its match; they share the time in which the lane was busy.

        Raises `BotProtocolFault` where too many of late answer nothing.
        """
        now, since, idle = self._now(), [], 0
        good: list[tuple[Chair, Answer]] = []
        for answer in answers:
            chair = self.chairs.get(answer.match)
            asked = None if chair is None else chair.open
            if chair is None or asked is None or asked.number != answer.number or asked.sent_at is None:
                self._refuse(answer, chair)
                idle += 1
            else:
                chair.open = None
                good.append((chair, answer))
                since.append(asked.sent_at)
        if good:
            if self.connection is not None and max(since) >= self._newest:
                self.connection.release()  # Before the next questions: what is asked of a bot that is free is not held.
            walls = [now - sent_at for sent_at in since]
            charges = self._clock.answered(now, walls)
            for (chair, answer), charge, wall in zip(good, charges, walls, strict=True):
                chair.answered(answer, charge, wall)
        if idle or not good:
            self._bear(max(idle, 1), now)

    def sweep(self, now: float) -> None:
        """Finds what is late, and whether the bot has been away for too long."""
        if self.connection is None:
            self._sweep_away(now)
        if now >= self._due:
            self._sweep_late(now)

    def overdue(self, now: float) -> bool:
        """Whether a hosted process has kept the arena waiting for too long; said once, so that it is ended once."""
        if self._overdue or not self.hosted or self.connection is not None:
            return False
        self._overdue = now - self.gone_since > START_SECONDS
        return self._overdue

    def _sweep_away(self, now: float) -> None:
        away = now - self.gone_since
        for chair in list(self.chairs.values()):
            if away > self.patience(chair.grace):
                chair.gone(self.gone_cause, f"{self.gone_text}, and it has not come back within the grace time")

    def _sweep_late(self, now: float) -> None:
        cause = BotDisconnected.cause if self.connection is None else BotTimeout.cause
        self._due = inf
        for chair in list(self.chairs.values()):
            asked = chair.open
            if asked is None or asked.sent_at is None:
                continue
            due = asked.sent_at + self._clock.wall(chair.purse)
            if now > due:
                self._clock.dropped()
                chair.open = None
                chair.late(asked.number, cause, now - asked.sent_at)
            else:
                self._due = min(self._due, due)

    def _bear(self, idle: int, now: float) -> None:
        """Bears answers to nothing, which may be late; who floods the arbiter with them is turned out."""
        if not self._borne.takes(idle, now):
            raise BotProtocolFault(
                f"More than {MOST_IDLE} answers to decisions that were not open, or messages without an answer, "
                "have come within a short time."
            )

    def _refuse(self, answer: Answer, chair: Chair | None) -> None:
        reason = (
            "You are in no match of this number, or it is over."
            if chair is None
            else "This decision is not open: it has been answered, or its time is over."
        )
        self.tell(rejection_part(answer.match, answer.number, reason, 0 if chair is None else chair.strikes))

    def _open(self) -> list[Asked]:
        return [chair.open for chair in self.chairs.values() if chair.open is not None]
