"""What submission reads from the store and writes to it. Each method is one transaction, in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

from arbiter.servicers.registry import LOOK_UPS
from rummy.errors import Conflict, Forbidden, Unauthenticated
from rummy.packages import Package
from rummy.store import bots, db, owners
from rummy.store.bots import Version
from rummy.store.db import Connection, Database
from rummy.store.owners import Bearer


class Roster:
    """Owners and their bots."""

    def __init__(self, database: Database, clock: Callable[[Connection], datetime] = db.now) -> None:
        self._database = database
        self._clock = clock
        self._room = asyncio.Semaphore(LOOK_UPS)

    async def owner(self, token: str) -> Bearer:
        """Who shows *token*. Raises `Unauthenticated`, and `Forbidden` where it is a bot's and no owner's."""
        if not token:
            raise Unauthenticated("Show the owner's token as metadata 'authorization: Bearer ...'.")
        async with self._room:
            bearer = await asyncio.to_thread(self._bearer, token)
        if bearer.version_id is not None:
            raise Forbidden("This is the token of a live bot, with which it dials in; submit with the owner's token.")
        return bearer

    async def submitted(self, owner: Bearer, package: Package) -> Version | None:
        """The version that the very *package* has made before. Raises `Conflict` where another one has made it."""
        return await asyncio.to_thread(self._submitted, owner, package)

    async def store(self, owner: Bearer, package: Package, content: bytes) -> Version:
        """The new version, or that of an equal submission that was faster. Raises `Conflict`."""
        return await asyncio.to_thread(self._store, owner, package, content)

    async def register(
        self, owner: Bearer, *, name: str, version: str, games: Sequence[str], language: str
    ) -> tuple[Version, str]:
        """A live version and its only valid token. Raises `Conflict` where it is hosted, or plays other games."""
        async with self._room:
            return await asyncio.to_thread(self._register, owner, name, version, games, language)

    def _bearer(self, token: str) -> Bearer:
        with self._database.transaction() as tx:
            return owners.find_by_token(tx, token)

    def _submitted(self, owner: Bearer, package: Package) -> Version | None:
        said = package.manifest
        with self._database.transaction() as tx:
            known = bots.find_own(tx, owner.owner_id, said.name, said.version)
        if known is not None and known.package != package.digest:
            raise Conflict(
                f"{known.title} was submitted before and differs; a version never changes, so give this one another "
                f"in bot.toml, such as version = {_after(said.version)}."
            )
        return known

    def _store(self, owner: Bearer, package: Package, content: bytes) -> Version:
        said = package.manifest
        try:
            with self._database.transaction() as tx:
                return bots.add_version(
                    tx, owner.owner_id, name=said.name, version=said.version, language=said.language,
                    games=said.games, now=self._clock(tx), entry=said.entry, content=content,
                )  # fmt: skip
        except Conflict:
            known = self._submitted(owner, package)
            if known is None:
                raise
            return known

    def _register(
        self, owner: Bearer, name: str, version: str, games: Sequence[str], language: str
    ) -> tuple[Version, str]:
        with self._database.transaction() as tx:
            now = self._clock(tx)
            known = bots.find_own(tx, owner.owner_id, name, version)
            if known is None:
                known = bots.add_version(
                    tx, owner.owner_id, name=name, version=version, language=language, games=games, now=now
                )
            elif known.hosted or set(known.games) != set(games) or known.language != language:
                raise Conflict(
                    f"{known.title} exists already and is {'hosted' if known.hosted else 'registered differently'}; "
                    f"register this one with another version, such as {_after(version)}."
                )
            owners.revoke_of_version(tx, known.version_id, now=now)
            token = owners.new_token(tx, owner.owner_id, now=now, version_id=known.version_id)
        return known, token


def _after(version: str) -> str:
    """A version that could follow *version*, in quotes."""
    head, dot, last = version.rpartition(".")
    return f'"{head}{dot}{int(last) + 1}"' if last.isdigit() else f'"{version}.1"'
