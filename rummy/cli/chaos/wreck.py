"""What is done to an arena in play: kills at known points and at random, freezes, cuts; all of it drawn from a seed."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import LiteralString, TypeVar

import psycopg
import redis

from rummy.cli.chaos import points, victims
from rummy.cli.chaos.cuts import Detour
from rummy.cli.chaos.points import Missed, Point, Spot
from rummy.cli.chaos.victims import Kind, Victim
from rummy.cli.ground import Ground
from rummy.cli.plan import own_folder
from rummy.errors import StoreUnavailable

T = TypeVar("T")
CELLS = tuple((kind, point) for kind in Kind for point in Point)
SHARES = {"aimed": 60, "random": 15, "freeze": 15, "cut": 10}
PAUSE = (0.0, 1.5)
SHORT, LONG = (0.1, 2.0), (10.5, 12.5)
"""Seconds of a freeze; the long ones outlast a worker's lease and an arbiter's good name."""
LONG_SHARE = 0.1
SPARED = 30.0
"""Seconds for which a bot that was killed is left alone: its third death in one match would forfeit it, by the rule."""
TO_ARBITERS = {
    "connections of workers to arbiters": "arbiter.sock",
    "connections of hosted bots to arbiters": "bots.sock",
}
"""What can be cut at an arbiter, and the socket in its folder that is dialled for it."""
CUTS = ("sessions of PostgreSQL", "connections of Valkey", *TO_ARBITERS)

_END_SESSIONS: LiteralString = """
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
     WHERE usename LIKE 'arena\\_%%' AND random() < 0.7"""


@dataclass(frozen=True, slots=True)
class Kill:
    """A death: who, and at which point of which fixture, where it was aimed."""

    kind: Kind
    victim: str
    pid: int
    point: Point | None
    spot: Spot | None


@dataclass(slots=True)
class Wreck:
    """Harms an arena, one thing at a time."""

    ground: Ground
    detours: Mapping[str, Detour]
    chance: random.Random
    kills: list[Kill] = field(default_factory=list)
    freezes: Counter[str] = field(default_factory=Counter)
    cuts: Counter[str] = field(default_factory=Counter)
    missed: int = 0
    _bots_killed: dict[str, float] = field(default_factory=dict)

    def missing(self) -> list[tuple[Kind, Point]]:
        """Who has not yet died where."""
        happened = {(kill.kind, kill.point) for kill in self.kills}
        return [cell for cell in CELLS if cell not in happened]

    def uncut(self) -> list[str]:
        """What has not yet been cut."""
        return [what for what in CUTS if not self.cuts[what]]

    def once(self) -> str:
        """Does one more thing, and waits for a moment. Returns what was done, in words."""
        act = self.chance.choices(list(SHARES), list(SHARES.values()))[0]
        try:
            said = str(getattr(self, f"_{act}")())
        except (Missed, StoreUnavailable, psycopg.Error, redis.RedisError) as error:
            self.missed += 1
            said = f"nothing done: {(str(error) or type(error).__name__).splitlines()[0]}"
        time.sleep(self.chance.uniform(*PAUSE))
        return said

    def _aimed(self) -> str:
        kind, point = self.chance.choice(self.missing() or CELLS)
        try:
            (self._in_play if point is Point.IN_PLAY else self._held)(kind, point)
        except Missed as error:
            raise Missed(f"{kind} {point}: {error}") from None
        return f"{kind} killed {point}"

    def _held(self, kind: Kind, point: Point) -> None:
        with points.gate(self.ground.database, point) as gate:
            worker, spot = gate.wait()
            victim = self._victim(kind, spot, worker)
            if point is Point.AFTER_COMMIT:
                gate.open()
                points.until(lambda: points.is_done(self.ground.database, spot))
                self._kill(victim, point, spot)
            elif kind is Kind.POSTGRES:  # Who would tell of its state? It cannot move on: the row is ours.
                self._kill(victim, point, spot)
            else:
                with _frozen(victim):
                    if gate.waiting() != (worker, spot):
                        raise Missed("the point was passed too soon")
                    self._kill(victim, point, spot)

    def _in_play(self, kind: Kind, point: Point) -> None:
        arbiter = self._one(victims.services(self.ground, Kind.ARBITER))
        with _frozen(arbiter):
            spot = self._one(points.in_play(self.ground.database, self._address(arbiter)))
            self._kill(self._victim(kind, spot, spot.holder.partition("#")[0]), point, spot)

    def _random(self) -> str:
        victim = self._anyone()
        self._kill(victim, None, None)
        return f"{victim.kind} killed at random"

    def _freeze(self) -> str:
        victim = self._anyone()
        may_be_long = victim.kind in (Kind.WORKER, Kind.ARBITER) and self.chance.random() < LONG_SHARE
        seconds = self.chance.uniform(*(LONG if may_be_long else SHORT))
        with _frozen(victim):
            self.freezes[victim.kind] += 1
            time.sleep(seconds)
        return f"{victim.kind} frozen for {seconds:.1f} s"

    def _cut(self) -> str:
        what = self.chance.choice(self.uncut() or CUTS)
        if what == CUTS[0]:
            with self.ground.database.transaction() as tx:
                row = tx.execute(_END_SESSIONS).fetchone()
            ended = 0 if row is None else int(row[0])
        elif what == CUTS[1]:
            with self.ground.broker() as client:
                ended = int(client.client_kill_filter(_type="normal", skipme=True))
        else:
            ended = self.detours[what].cut()
        self.cuts[what] += ended
        return f"{ended} {what} cut"

    def _anyone(self) -> Victim:
        kind = self.chance.choice(list(Kind))
        return self._bot() if kind is Kind.BOT else self._one(victims.services(self.ground, kind))

    def _victim(self, kind: Kind, spot: Spot, worker: str) -> Victim:
        """Of that kind, the one that has to do with the fixture."""
        if kind is Kind.BOT:
            return self._bot(spot)
        found = victims.services(self.ground, kind)
        if kind is Kind.WORKER:
            return victims.by_name(found, worker)
        if kind is Kind.ARBITER and spot.address:
            return victims.by_name(found, _arbiter(spot))
        return self._one(found)

    def _bot(self, spot: Spot | None = None) -> Victim:
        arbiter = _arbiter(spot) if spot is not None and spot.address else ""
        able = [
            bot.victim() for bot in victims.bots(self.ground)
            if (not arbiter or bot.arbiter == arbiter) and (spot is None or (bot.version_id, bot.lane) in spot.lanes)
        ]  # fmt: skip
        now = time.monotonic()
        return self._one([bot for bot in able if now - self._bots_killed.get(bot.name, -SPARED) >= SPARED])

    def _kill(self, victim: Victim, point: Point | None, spot: Spot | None) -> None:
        victim.kill()
        self.kills.append(Kill(victim.kind, victim.name, victim.pids[0], point, spot))
        if victim.kind is Kind.BOT:
            self._bots_killed[victim.name] = time.monotonic()

    def _one(self, of: Iterable[T]) -> T:
        """Any of them. Raises `Missed` where there is none."""
        able = list(of)
        if not able:
            raise Missed("there is none")
        return self.chance.choice(able)

    def _address(self, arbiter: Victim) -> str:
        return f"unix:{own_folder(self.ground.run, arbiter.name)}/arbiter.sock"


def _arbiter(spot: Spot) -> str:
    """The name of the arbiter that has the order: that of the folder with its socket."""
    return Path(spot.address).parent.name


@contextmanager
def _frozen(victim: Victim) -> Iterator[None]:
    victim.freeze()
    try:
        yield
    finally:
        victim.thaw()
