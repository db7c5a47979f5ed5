"""Who a token belongs to. The registry in PostgreSQL is another implementation, in servicers/registry.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from rummy.errors import Unauthenticated


class LaneKey(NamedTuple):
    """A bot version and the number of one of its isolated processes; a live bot has lane 0 alone."""

    version_id: int
    lane: int


@dataclass(frozen=True, slots=True)
class Guest:
    """A bot whose token is good."""

    key: LaneKey
    name: str
    hosted: bool = False
    token_id: int | None = None  # In the registry, where the token may be revoked.


class Directory(Protocol):
    """Knows the tokens of bots."""

    async def guest(self, token: str) -> Guest:
        """Whose token this is. Raises `Unauthenticated` where it is unknown or revoked."""


class MemoryDirectory:
    """Tokens that were given at the start, and no others."""

    def __init__(self, guests: Mapping[str, Guest]) -> None:
        self._guests = dict(guests)

    async def guest(self, token: str) -> Guest:
        """Whose token this is. Raises `Unauthenticated` where it is unknown."""
        found = self._guests.get(token)
        if found is None:
            raise Unauthenticated("The token is unknown or was revoked; ask the organiser for a new one.")
        return found
