"""What a format of tournaments is: a function of entrants, terms and seed, and of results where it waits for them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from rummy.errors import LeagueError, NotEnoughEntrants
from rummy.league.model import Entrant, FixtureResult, Round

MAX_FIXTURES = 250_000
"""A larger schedule is refused: it is more than a season of play, and most likely a slip of the keyboard."""

Option = int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Who plays, on which terms. *options* has every option of the format."""

    entrants: int
    table_size: int = 2
    cycles: int = 1  # How often those who are drawn together meet.
    options: Mapping[str, Option] = field(default_factory=dict)
    ranking: tuple[Entrant, ...] = ()  # The best first, as it stood at the start; only for formats that wait.
    seed: bytes = b""  # What is left to lots follows from it.


@dataclass(frozen=True, slots=True)
class Size:
    """How large a tournament becomes; *most* where ties that are played off could add fixtures."""

    rounds: int
    fixtures: int
    most: int


class Format(Protocol):
    """Who meets whom. Stateless; checked by `check` before anything is drawn."""

    title: ClassVar[str]  # With its article, as in "a round robin".
    waits: ClassVar[bool]  # Whether each round is drawn from the results of those before.
    defaults: ClassVar[Mapping[str, Option]]  # Its options; 0 leaves a number to the format.
    table_sizes: ClassVar[range]
    most_entrants: ClassVar[int]

    def size(self, field: Field) -> Size:
        """What is planned for *field*."""

    def draw(self, field: Field, played: Sequence[FixtureResult]) -> Iterator[Round]:
        """The rounds that follow on *played*: all of them, or the next one where the format waits; none at the end."""


def check_table(form: Format, table_size: int) -> None:
    """Raises `LeagueError` unless *form* can be played at tables of that size."""
    if table_size not in form.table_sizes:
        least, most = form.table_sizes[0], form.table_sizes[-1]
        seats = f"{least} seats" if least == most else f"{least} to {most} seats"
        raise LeagueError(f"a table of {form.title} has {seats}, not {table_size}")


def check(form: Format, field: Field) -> Size:
    """What is planned, if *form* can be played by *field*. Raises `NotEnoughEntrants` or `LeagueError`."""
    check_table(form, field.table_size)
    if field.cycles < 1:
        raise LeagueError(f"a tournament has at least one cycle, not {field.cycles}")
    if field.entrants < field.table_size:
        there = "there is 1" if field.entrants == 1 else f"there are {field.entrants}"
        raise NotEnoughEntrants(
            f"{form.title} at tables of {field.table_size} needs at least {field.table_size} entrants, {there}"
        )
    if field.entrants > form.most_entrants:
        raise LeagueError(f"{form.title} has at most {form.most_entrants:,} entrants, not {field.entrants:,}")
    size = form.size(field)
    if size.most > MAX_FIXTURES:
        raise LeagueError(
            f"{form.title} of {field.entrants} entrants at tables of {field.table_size}, {field.cycles} times over, "
            f"has {size.most:,} fixtures; the limit is {MAX_FIXTURES:,}: take fewer cycles or entrants"
        )
    return size


def lots(seed: bytes, what: str, count: int) -> list[int]:
    """The numbers below *count* in an order drawn by lot: by SHA-256 of *seed*, *what*, and the number in 4 bytes."""
    label = seed + what.encode()
    return sorted(range(count), key=lambda number: hashlib.sha256(label + number.to_bytes(4, "big")).digest())
