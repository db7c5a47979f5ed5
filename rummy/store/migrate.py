"""Brings a database to the newest schema: numbered SQL files, each applied once, in order, all or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import LiteralString

from psycopg import sql

from rummy.errors import SettingsError
from rummy.store.db import Connection

OLDEST_SERVER = 150000
ROLES = ("arena_arbiter", "arena_worker", "arena_dashboard")
_LOCK = 0x61726E61  # "arna": whoever migrates holds this advisory lock.

_LOG: LiteralString = """
    CREATE TABLE IF NOT EXISTS migration (
        number integer PRIMARY KEY, name text NOT NULL, digest bytea NOT NULL, applied_at timestamptz NOT NULL
    )"""
_NOTE: LiteralString = """
    INSERT INTO migration (number, name, digest, applied_at)
    VALUES (%(number)s, %(name)s, %(digest)s, clock_timestamp())"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file."""

    number: int
    name: str
    text: str

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.text.encode()).digest()


def available() -> list[Migration]:
    """Every migration that this version of the program has, in order."""
    found = [file for file in files("rummy.store.migrations").iterdir() if file.name.endswith(".sql")]
    return sorted(
        (Migration(int(file.name.split("_")[0]), file.name, file.read_text("utf-8")) for file in found),
        key=lambda migration: migration.number,
    )


def migrate(connection: Connection) -> list[str]:
    """Applies what is missing and returns the names. Safe to run from several processes at once.

    Raises `SettingsError` where the server is too old, or the database was made by other files than these.
    """
    if connection.info.server_version < OLDEST_SERVER:
        raise SettingsError(f"PostgreSQL {connection.info.server_version // 10000} is too old: 15 or newer is needed")
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%(lock)s)", {"lock": _LOCK})
        connection.execute(_LOG)
        missing = _missing(connection, available())
        for migration in missing:
            connection.execute(migration.text.encode())
            connection.execute(_NOTE, {"number": migration.number, "name": migration.name, "digest": migration.digest})
    return [migration.name for migration in missing]


def _missing(connection: Connection, known: list[Migration]) -> list[Migration]:
    applied: dict[int, bytes] = dict(connection.execute("SELECT number, digest FROM migration").fetchall())
    if unknown := set(applied) - {migration.number for migration in known}:
        raise SettingsError(f"the database is newer than this program: it has migration {max(unknown)}; update it")
    for migration in known:
        if applied.get(migration.number, migration.digest) != migration.digest:
            raise SettingsError(
                f"the database was made by another text of {migration.name}; use a new database or data folder"
            )
    return [migration for migration in known if migration.number not in applied]


def set_passwords(connection: Connection, passwords: Mapping[str, str]) -> None:
    """Gives each role of *passwords* its password. Raises `SettingsError` for a role that is not one of the arena's."""
    for role, password in passwords.items():
        if role not in ROLES:
            raise SettingsError(f"{role!r} is no role of the arena; there are: {', '.join(ROLES)}")
        connection.execute(
            sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(role), sql.Literal(password))
        )
