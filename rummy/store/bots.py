"""Bots and their submitted versions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from psycopg.rows import class_row

from rummy.errors import Conflict, NotFound
from rummy.names import check_name, check_version
from rummy.store.db import Connection, is_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One submitted state of a bot. A hosted one has a package, a live one dials in."""

    version_id: int
    bot_id: int
    owner_id: int
    owner: str
    name: str
    version: str
    language: str
    entry: str | None
    hosted: bool
    package: bytes | None  # Its digest.
    state: str
    games: tuple[str, ...]
    created_at: datetime

    @property
    def title(self) -> str:
        """Name and version, as shown everywhere."""
        return f"{self.name} {self.version}"

    def plays(self, game: str) -> bool:
        """Whether the bot has declared *game*."""
        return game in self.games

    def __post_init__(self) -> None:
        object.__setattr__(self, "games", tuple(self.games))  # An array comes as a list.


_COLUMNS: LiteralString = """
    SELECT version_id, bot_id, owner_id, owner.name AS owner, bot.name, version, language, entry, hosted, package,
           state, games, bot_version.created_at
      FROM bot_version JOIN bot USING (bot_id) JOIN owner USING (owner_id) """

_BOT: LiteralString = """
    INSERT INTO bot (owner_id, name, created_at) VALUES (%(owner_id)s, %(name)s, %(now)s)
    ON CONFLICT (owner_id, name) DO NOTHING"""
_BOT_ID: LiteralString = "SELECT bot_id FROM bot WHERE owner_id = %(owner_id)s AND name = %(name)s"
_PACKAGE: LiteralString = """
    INSERT INTO package (digest, content) VALUES (%(digest)s, %(content)s) ON CONFLICT (digest) DO NOTHING"""
_VERSION: LiteralString = """
    INSERT INTO bot_version (bot_id, version, language, entry, hosted, package, games, created_at)
    VALUES (%(bot_id)s, %(version)s, %(language)s, %(entry)s, %(hosted)s, %(package)s, %(games)s, %(now)s)
    ON CONFLICT (bot_id, version) DO NOTHING
    RETURNING version_id"""


def add_version(
    tx: Connection,
    owner_id: int,
    *,
    name: str,
    version: str,
    language: str,
    games: Sequence[str],
    now: datetime,
    entry: str | None = None,
    content: bytes | None = None,
) -> Version:
    """A new version of the owner's bot *name*, made with it where it is the first; hosted where it has *content*.

    Raises `BadInput` for an unusable name, `Conflict` where the version exists: a version never changes.
    """
    checked = check_name(name, "name of the bot")
    tx.execute(_BOT, {"owner_id": owner_id, "name": checked, "now": now})
    bot_id = _one(tx, _BOT_ID, {"owner_id": owner_id, "name": checked})
    digest = None if content is None else _store(tx, content)
    values = {
        "bot_id": bot_id,
        "version": check_version(version),
        "language": language,
        "entry": entry,
        "package": digest,
    }
    version_id = _one(tx, _VERSION, {**values, "hosted": digest is not None, "games": list(games), "now": now})
    if version_id is None:
        raise Conflict(f"{checked} {version} has been submitted before; give the new one another version")
    return get(tx, version_id)


def _one(tx: Connection, query: LiteralString, values: dict[str, object]) -> int | None:
    row = tx.execute(query, values).fetchone()
    return None if row is None else int(row[0])


def _store(tx: Connection, content: bytes) -> bytes:
    digest = hashlib.sha256(content).digest()
    tx.execute(_PACKAGE, {"digest": digest, "content": content})
    return digest


def package(tx: Connection, digest: bytes) -> bytes:
    """The package of that digest. Raises `NotFound`."""
    row = tx.execute("SELECT content FROM package WHERE digest = %(digest)s", {"digest": digest}).fetchone()
    if row is None:
        raise NotFound(f"there is no package {digest.hex()}")
    return bytes(row[0])


def get(tx: Connection, version_id: int) -> Version:
    """The version of that id. Raises `NotFound`."""
    found = _versions(tx, _COLUMNS + " WHERE version_id = %(version_id)s", {"version_id": version_id})
    if not found:
        raise NotFound(f"there is no bot version {version_id}; 'arena bot list' shows all")
    return found[0]


def _versions(tx: Connection, query: LiteralString, values: dict[str, object]) -> list[Version]:
    with tx.cursor(row_factory=class_row(Version)) as cursor:
        return cursor.execute(query, values).fetchall()


_BY_NAME: LiteralString = (
    _COLUMNS
    + """
     WHERE (bot.name = %(text)s OR bot.name || ' ' || version = %(text)s OR owner.name || '/' || bot.name = %(text)s)
       AND state = 'ready'
     ORDER BY version_id DESC LIMIT 100"""
)


def find(tx: Connection, text: str) -> Version:
    """The version meant by *text*: its id, a bot's name (the newest version), "NAME VERSION" or "OWNER/NAME".

    Raises `NotFound`, or `Conflict` where bots of several owners have that name.
    """
    if text.isascii() and text.isdigit() and len(text) < 19:
        return get(tx, int(text))
    found = _versions(tx, _BY_NAME, {"text": text}) if is_text(text) else []
    if not found:
        raise NotFound(f"there is no bot {text!r}, or it has been retired; 'arena bot list' shows all, with numbers")
    if len({version.bot_id for version in found}) > 1:
        choices = ", ".join(f"{version.owner}/{version.name} ({version.version_id})" for version in found[:5])
        raise Conflict(f"several bots are called {text!r}: say which by id or owner: {choices}")
    return found[0]


_OWN: LiteralString = (
    _COLUMNS
    + """
     WHERE owner_id = %(owner_id)s AND bot.name = %(name)s AND version = %(version)s"""
)


def find_own(tx: Connection, owner_id: int, name: str, version: str) -> Version | None:
    """The owner's version of that name, or None where it has not been submitted."""
    found = _versions(tx, _OWN, {"owner_id": owner_id, "name": name, "version": version})
    return found[0] if found else None


_LIST: LiteralString = (
    _COLUMNS
    + """
     WHERE %(owner_id)s::bigint IS NULL OR owner_id = %(owner_id)s
     ORDER BY bot.name, version_id LIMIT %(limit)s"""
)


def list_versions(tx: Connection, *, owner_id: int | None = None, limit: int = 1000) -> list[Version]:
    """Versions by name, of all owners or of one."""
    return _versions(tx, _LIST, {"owner_id": owner_id, "limit": limit})


def retire(tx: Connection, version_id: int) -> None:
    """Takes a version out of new tournaments."""
    tx.execute("UPDATE bot_version SET state = 'retired' WHERE version_id = %(version_id)s", {"version_id": version_id})
