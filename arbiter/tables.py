"""Seats matches: a leg begins as soon as all its bots are here and have room, or are known not to come."""

from __future__ import annotations

import asyncio
import itertools
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from arbiter.clock import Terms
from arbiter.directory import LaneKey
from arbiter.lane import Lane
from arbiter.lobby import Lobby
from arbiter.metrics import Counts
from arbiter.referee import Played, Policy, Referee
from rummy.errors import HostFault
from rummy.rules.game import Game
from rummy.rules.games import options_json
from rummy.rules.match import Match
from rummy.rules.replay import Recorder
from rummy.rules.shuffle import bot_seed

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SeatOf:
    """Who plays a seat."""

    key: LaneKey
    name: str
    hosted: bool


@dataclass(frozen=True, slots=True)
class Leg:
    """One match to be played; *header* adds to what its replay says of itself."""

    game: Game
    seed: bytes
    seats: Sequence[SeatOf]
    terms: Terms
    policy: Policy
    leg: int = 0
    max_deals: int | None = None
    header: Mapping[str, object] = field(default_factory=dict)


class _Waiting:
    """A leg whose bots are not all here."""

    def __init__(self, leg: Leg, lanes: Sequence[Lane], since: float) -> None:
        self.leg = leg
        self.lanes = lanes
        self.since = since
        self.begun: asyncio.Future[Referee] = asyncio.get_running_loop().create_future()

    def void(self, text: str) -> None:
        """The arena cannot bring the bots here."""
        if not self.begun.done():
            self.begun.set_exception(HostFault(text))

    def lost(self, lane: Lane, now: float) -> bool:
        """Whether the bot of *lane* is not coming."""
        if lane.connection is not None:
            return False
        policy, away = self.leg.policy, now - max(lane.gone_since, self.since)
        return away > lane.patience(policy.grace_seconds) or lane.silent_deaths >= policy.deaths


class Tables:
    """All matches in play, and the legs that wait for their bots."""

    def __init__(self, lobby: Lobby, first_number: int | None = None) -> None:
        self.lobby = lobby
        self.running: set[Referee] = set()
        self.counts = Counts()
        self._decisions = 0  # Of the matches that are over.
        # Numbers begin at random: an answer from before a restart must not meet a match of today.
        self._numbers = itertools.count(secrets.randbelow(1 << 40) + 1 if first_number is None else first_number)
        self._waiting: dict[_Waiting, None] = {}
        self._called = False
        lobby.changed = self._call

    @property
    def decisions(self) -> int:
        """Decisions asked so far."""
        return self._decisions + sum(referee.decisions for referee in self.running)

    @property
    def waiting(self) -> int:
        """Legs whose bots are not all here, or have no room."""
        return len(self._waiting)

    async def play(self, leg: Leg, on_begin: Callable[[Referee], None] | None = None) -> Played:
        """Plays *leg* to its end. Raises `HostFault` where the arena cannot; what bots do wrong is in the result."""
        referee = await self._seat(leg)
        if on_begin is not None:
            on_begin(referee)
        try:
            await asyncio.wait([referee.played])  # Where we are cancelled, it is not.
        finally:
            referee.void("The match was called off.")
            referee.played.exception()  # Nobody may be left to ask for it.
            self.running.discard(referee)
            self._decisions += referee.decisions
            for lane in referee.lanes:
                self.lobby.release(lane)
        return referee.played.result()

    async def _seat(self, leg: Leg) -> Referee:
        lanes = [self.lobby.lane(seat.key, seat.name, hosted=seat.hosted) for seat in leg.seats]
        waiting = _Waiting(leg, lanes, self.lobby.now())
        self._waiting[waiting] = None
        for lane in lanes:
            lane.waiting.add(waiting)
            self.lobby.summon(lane)
        self._call()
        try:
            return await waiting.begun
        finally:
            del self._waiting[waiting]
            for lane in lanes:
                lane.waiting.discard(waiting)
                self.lobby.release(lane)

    def _call(self) -> None:
        """Looks at what waits, once for all that has changed in this pass of the loop."""
        if self._waiting and not self._called:
            self._called = True
            asyncio.get_running_loop().call_soon(self._admit)

    def _admit(self) -> None:
        self._called = False
        now = self.lobby.now()
        for waiting in self._waiting:
            if not waiting.begun.done() and all(lane.free or waiting.lost(lane, now) for lane in waiting.lanes):
                self._begin(waiting)

    def _begin(self, waiting: _Waiting) -> None:
        try:
            referee = self._referee(waiting)
        except Exception:
            _log.exception("A match could not begin by a fault of the arena.")
            waiting.void("The arena could not begin a match; its log says why.")
            return
        self.running.add(referee)
        waiting.begun.set_result(referee)
        try:
            referee.begin()
        except Exception:
            referee.failed()

    def _referee(self, waiting: _Waiting) -> Referee:
        leg = waiting.leg
        match = Match(leg.game, len(leg.seats), leg.seed, leg.max_deals)
        bots = [seat.name for seat in leg.seats]
        recorder = Recorder({**leg.header, "leg": leg.leg, "bots": bots}, match)
        seeds = [bot_seed(leg.seed, leg.leg, seat) for seat in range(match.seats)]
        return Referee(
            next(self._numbers), match, recorder, waiting.lanes, leg.terms, leg.policy, options_json(leg.game), seeds,
            self.counts,
        )  # fmt: skip
