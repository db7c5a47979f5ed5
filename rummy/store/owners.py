"""Owners, and the tokens of owners and of live bots. A token is shown once; only its digest is kept."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from psycopg.rows import class_row

from rummy.errors import Conflict, NotFound, Unauthenticated
from rummy.names import check_name
from rummy.store.db import Connection, is_text

PREFIX = "arena_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who answers for bots."""

    owner_id: int
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """Who shows a valid token: an owner, or with *version_id* a live bot of that owner."""

    token_id: int
    owner_id: int
    owner: str
    version_id: int | None


def digest(token: str) -> bytes:
    """What is kept of *token*."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


_CREATE: LiteralString = """
    INSERT INTO owner (name, created_at) VALUES (%(name)s, %(now)s)
    ON CONFLICT (name) DO NOTHING
    RETURNING owner_id, name, created_at"""


def create(tx: Connection, name: str, *, now: datetime) -> Owner:
    """A new owner. Raises `BadInput` for an unusable name, `Conflict` where the name is taken."""
    checked = check_name(name, "name of the owner")
    with tx.cursor(row_factory=class_row(Owner)) as cursor:
        owner = cursor.execute(_CREATE, {"name": checked, "now": now}).fetchone()
    if owner is None:
        raise Conflict(f"there is an owner {checked!r} already; choose another name")
    return owner


_FIND: LiteralString = "SELECT owner_id, name, created_at FROM owner WHERE name = %(name)s"


def find(tx: Connection, name: str) -> Owner:
    """The owner of that name. Raises `NotFound`."""
    with tx.cursor(row_factory=class_row(Owner)) as cursor:
        owner = cursor.execute(_FIND, {"name": name}).fetchone() if is_text(name) else None
    if owner is None:
        raise NotFound(f"there is no owner {name!r}; 'arena owner list' shows all")
    return owner


_LIST: LiteralString = "SELECT owner_id, name, created_at FROM owner ORDER BY name LIMIT %(limit)s"


def list_all(tx: Connection, *, limit: int = 1000) -> list[Owner]:
    """Owners by name."""
    with tx.cursor(row_factory=class_row(Owner)) as cursor:
        return cursor.execute(_LIST, {"limit": limit}).fetchall()


_NEW_TOKEN: LiteralString = """
    INSERT INTO token (digest, owner_id, version_id, created_at)
    SELECT %(digest)s, owner_id, %(version_id)s, %(now)s FROM owner WHERE owner_id = %(owner_id)s AND NOT imported"""


def new_token(tx: Connection, owner_id: int, *, now: datetime, version_id: int | None = None) -> str:
    """A new token of the owner, or of the live bot *version_id*. It cannot be had again.

    Raises `Conflict` for an owner of bots that were imported, for whom nobody speaks here.
    """
    token = PREFIX + secrets.token_urlsafe(32)
    values = {"digest": digest(token), "owner_id": owner_id, "version_id": version_id, "now": now}
    if tx.execute(_NEW_TOKEN, values).rowcount == 0:
        raise Conflict("bots of that owner were imported with a tournament; there is no token for it here")
    return token


_BEARER: LiteralString = """
    SELECT token_id, owner_id, owner.name AS owner, version_id
      FROM token JOIN owner USING (owner_id)
     WHERE digest = %(digest)s AND revoked_at IS NULL"""


def find_by_token(tx: Connection, token: str) -> Bearer:
    """Who shows *token*. Raises `Unauthenticated` where it is unknown or revoked."""
    with tx.cursor(row_factory=class_row(Bearer)) as cursor:
        bearer = cursor.execute(_BEARER, {"digest": digest(token)}).fetchone()
    if bearer is None:
        raise Unauthenticated("the token is unknown or was revoked; ask the organiser for a new one")
    return bearer


_REVOKED: LiteralString = """
    SELECT token_id FROM token WHERE token_id = ANY(%(tokens)s) AND revoked_at IS NOT NULL"""


def revoked(tx: Connection, tokens: Sequence[int]) -> set[int]:
    """Those of *tokens* that have been revoked."""
    return {row[0] for row in tx.execute(_REVOKED, {"tokens": list(tokens)})} if tokens else set()


_REVOKE: LiteralString = """
    UPDATE token SET revoked_at = %(now)s WHERE owner_id = %(owner_id)s AND revoked_at IS NULL"""


def revoke(tx: Connection, owner_id: int, *, now: datetime) -> int:
    """Revokes every token of the owner and of the owner's live bots; returns how many there were."""
    return tx.execute(_REVOKE, {"owner_id": owner_id, "now": now}).rowcount


_REVOKE_VERSION: LiteralString = """
    UPDATE token SET revoked_at = %(now)s WHERE version_id = %(version_id)s AND revoked_at IS NULL"""


def revoke_of_version(tx: Connection, version_id: int, *, now: datetime) -> int:
    """Revokes the tokens of one live bot; returns how many there were."""
    return tx.execute(_REVOKE_VERSION, {"version_id": version_id, "now": now}).rowcount
