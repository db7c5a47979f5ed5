"""Qualifying: before a package is stored, its bot plays a deal of each of its games against itself without a fault."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from arbiter.clock import Terms
from arbiter.directory import LaneKey
from arbiter.hosting.lanes import Lanes
from arbiter.referee import Played, Policy
from arbiter.tables import Leg, SeatOf, Tables
from rummy.errors import BotFault, BotTimeout
from rummy.manifest import Manifest
from rummy.rules.game import Game
from rummy.rules.games import find_game

SEATS = 3  # As many as the game allows, and no more than this.
TERMS = Terms(limit_ms=2_000, bank_ms=10_000)
SPOTLESS = Policy(strikes=1, grace_seconds=15.0, deaths=1)
SECONDS = 120.0
AT_ONCE = 2  # So that the matches of tournaments keep their pace.
LOG_LINES = 12


class Qualifier:
    """Plays the qualifying deals of submitted packages."""

    def __init__(self, tables: Tables, lanes: Lanes) -> None:
        self._tables = tables
        self._lanes = lanes
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def play(self, content: bytes, said: Manifest, key: str) -> str:
        """Plays a deal of game *key* with the bot in every seat, and tells of it in a sentence.

        Raises the `BotFault` of a bot that forfeits, with the last lines that it wrote, or a host fault.
        """
        game = find_game(key)
        async with self._turns, self._seats(content, min(SEATS, game.spec.max_seats)) as seats:
            try:
                async with asyncio.timeout(SECONDS):
                    played = await self._tables.play(_leg(game, said, seats))
            except TimeoutError:
                raise BotTimeout(f"A deal of {key} took more than {SECONDS:g} seconds.") from None
            self._judge(key, seats, played)
            return f"{len(seats)} seats, one deal, {_actions(played)} actions, no fault"

    @asynccontextmanager
    async def _seats(self, content: bytes, number: int) -> AsyncIterator[list[int]]:
        """Provisional versions, so that each seat is a process of its own."""
        seats = [self._lanes.admit(content) for _ in range(number)]
        try:
            yield seats
        finally:
            await asyncio.gather(*map(self._lanes.dismiss, seats))

    def _judge(self, key: str, seats: Sequence[int], played: Played) -> None:
        for seat, cause in enumerate(played.result.forfeits):
            if cause is not None:
                log = self._lanes.tail(seats[seat], 0, LOG_LINES) or "nothing"
                raise _fault(cause)(
                    f"The bot has failed its deal of {key} ({cause}): {_reason(played, seat)} Its log ends with: {log}"
                )


def _leg(game: Game, said: Manifest, seats: Sequence[int]) -> Leg:
    name = f"{said.name} {said.version}"
    sitting = [SeatOf(LaneKey(version_id, 0), name, hosted=True) for version_id in seats]
    return Leg(game, secrets.token_bytes(32), sitting, TERMS, SPOTLESS, max_deals=1)


def _fault(cause: str) -> type[BotFault]:
    return next((kind for kind in BotFault.__subclasses__() if kind.cause == cause), BotFault)


def _reason(played: Played, seat: int) -> str:
    lines = map(json.loads, played.replay.splitlines())
    return next((line["reason"] for line in lines if "forfeit" in line and line.get("seat") == seat), "")


def _actions(played: Played) -> int:
    return sum("act" in json.loads(line) for line in played.replay.splitlines())
