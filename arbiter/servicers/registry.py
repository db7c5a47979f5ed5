"""What the arbiter reads from PostgreSQL, and what it says there of itself: tokens, packages, heartbeat, presence."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from arbiter.directory import Guest, LaneKey
from arbiter.hall import Hall
from rummy.errors import Forbidden, HostFault, NotFound
from rummy.store import arbiters, bots, db, owners
from rummy.store.db import Connection, Database

BEAT_SECONDS = 2.0
LOOK_UPS = 2
"""Tokens that are looked up at once: whoever tries thousands must not keep the heart from beating."""
LOOK_SECONDS = 0.2
"""How soon a bot that has dialled in is shown."""

_log = logging.getLogger(__name__)


class LaneTokens(Protocol):
    """Knows the tokens of hosted processes."""

    def lane_of(self, token: str) -> tuple[int, int] | None:
        """Whose token this is."""

    def name_of(self, version_id: int, lane: int) -> str:
        """Name and version of the bot."""


class StoreDirectory:
    """Tokens of hosted lanes from whoever runs them, all others from the database."""

    def __init__(self, database: Database, lanes: LaneTokens) -> None:
        self._database = database
        self._lanes = lanes
        self._room = asyncio.Semaphore(LOOK_UPS)

    async def guest(self, token: str) -> Guest:
        """Whose token this is. Raises `Unauthenticated` where it is unknown or revoked, `Forbidden` for an owner's."""
        key = self._lanes.lane_of(token)
        if key is not None:
            return Guest(LaneKey(*key), self._lanes.name_of(*key), hosted=True)
        async with self._room:
            return await asyncio.to_thread(self._find, token)

    def _find(self, token: str) -> Guest:
        with self._database.transaction() as tx:
            bearer = owners.find_by_token(tx, token)
            version_id = bearer.version_id
            if version_id is None:
                raise Forbidden("This is an owner's token; a bot dials in with the token that 'register' gave it.")
            version = bots.get(tx, version_id)
        if version.hosted:
            raise Forbidden(f"{version.title} is hosted by the arena: it does not dial in.")
        return Guest(LaneKey(version_id, 0), version.title, token_id=bearer.token_id)


def open_database(url: str) -> Database:
    """The database of the arbiter."""
    return Database(url, name="arena arbiter")


def package_of(database: Database, version_id: int) -> bytes:
    """The package of a hosted version. Raises `NotFound`."""
    with database.transaction() as tx:
        digest = bots.get(tx, version_id).package
        if digest is None:
            raise NotFound(f"Bot version {version_id} has no package: it dials in by itself.")
        return bots.package(tx, digest)


class Announcement:
    """The arbiter's row and the presence of its live bots, kept up to date."""

    def __init__(
        self, database: Database, hall: Hall, *, address: str, bots_address: str, incarnation: str,
        clock: Callable[[Connection], datetime] = db.now,
    ) -> None:  # fmt: skip
        self._database = database
        self._hall = hall
        self._address = address
        self._bots_address = bots_address
        self._incarnation = incarnation
        hall.lobby.address = bots_address
        self._clock = clock  # Workers compare with theirs, on other machines.
        self._id = 0
        self._shown: set[LaneKey] = set()

    async def begin(self) -> None:
        """Makes the arbiter known. Raises `StoreUnavailable`."""
        await asyncio.to_thread(self._announce)

    async def keep(self) -> None:
        """Beats every BEAT_SECONDS, and at once where a bot has come or gone; never returns."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            present = self._present()
            if loop.time() >= due or present != self._shown:
                due = loop.time() + BEAT_SECONDS
                await self._beat(present)
            await asyncio.sleep(LOOK_SECONDS)

    async def drain(self) -> None:
        """Has workers and bots told that the arbiter is about to end: it gets nothing new."""
        await self._try(self._drain)

    async def end(self) -> None:
        """Takes the arbiter out."""
        await self._try(self._withdraw)

    async def _try(self, work: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(work)
        except HostFault as fault:
            _log.warning("The arbiter could not sign off: %s", fault)

    async def _beat(self, present: set[LaneKey]) -> None:
        load = len(self._hall.tables.running)
        tokens = self._hall.lobby.tokens()
        try:
            others, revoked = await asyncio.to_thread(self._write, present, load, tokens)
            self._hall.lobby.name_arbiters(others)
            self._hall.lobby.turn_out(revoked)
        except HostFault as fault:
            _log.warning("No heartbeat: %s", fault)
        except Exception:
            _log.exception("The heartbeat has failed; the next one is due in %g seconds.", BEAT_SECONDS)

    def _present(self) -> set[LaneKey]:
        return {lane.key for lane in self._hall.lobby.present() if not lane.hosted}

    def _announce(self) -> None:
        with self._database.transaction() as tx:
            self._id = arbiters.announce(
                tx, address=self._address, bots_address=self._bots_address, incarnation=self._incarnation,
                now=self._clock(tx),
            )  # fmt: skip
        self._shown = set()

    def _write(self, present: set[LaneKey], load: int, tokens: Sequence[int]) -> tuple[tuple[str, ...], set[int]]:
        """Beats and corrects presence.

        Returns where bots dial the arbiters that are up, and which of *tokens* have been revoked.
        """
        with self._database.transaction() as tx:
            now = self._clock(tx)
            known = arbiters.heartbeat(tx, self._id, self._incarnation, load=load, now=now)
        if not known:
            self._announce()
        with self._database.transaction() as tx:
            for key in present - self._shown:
                arbiters.attach(tx, self._id, key.version_id, key.lane, now=now)
            for key in self._shown - present:
                arbiters.detach(tx, self._id, key.version_id, key.lane)
            arbiters.bury(tx, now=now)
            alive = [arbiter.bots_address for arbiter in arbiters.live(tx, now=now) if not arbiter.draining]
            revoked = owners.revoked(tx, tokens)
        self._shown = present
        return tuple(sorted(alive)), revoked

    def _drain(self) -> None:
        with self._database.transaction() as tx:
            arbiters.drain(tx, self._id, self._incarnation)

    def _withdraw(self) -> None:
        with self._database.transaction() as tx:
            arbiters.withdraw(tx, self._id, self._incarnation)
