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
OPTIONS: dict[str, range | tuple[str, ...]] = {
    "rounds": range(1_001),
    "ties": range(101),
    "seeding": ("rating", "entry"),
}
"""What an option of a format may be. `rounds`: how many, 0 for the usual number. `ties`: how many fixtures more a pair
plays that is equal. `seeding`: by what entrants are ranked at the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Who plays, on which terms. *options* has every option of the format."""

    entrants: int
    table_size: int = 2
    cycles: int = 1  # How often those who are drawn together meet.
    options: Mapping[str, Option] = field(default_factory=dict)
    ranking: tuple[Entrant, ...] = ()  # The best first, as settled at the start; only for formats with a `seeding`.
    out: frozenset[Entrant] = frozenset()  # Who has left, and is not paired any more by a format that waits.
    seed: bytes = b""  # What is left to lots follows from it; only for formats that do not wait.


@dataclass(frozen=True, slots=True)
class Size:
    """How large a tournament becomes; *most* where ties that are played off could add fixtures."""

    rounds: int
    fixtures: int
    most: int
    byes: int = 0  # Rounds of an entrant without an opponent, which count as won.


@dataclass(frozen=True, slots=True)
class Merit:
    """What a format makes of an entrant's results: the points that the table shows, and by what it is ordered."""

    points: float
    order: tuple[float, ...]  # More is better; those alike share a place.


class Format(Protocol):
    """Who meets whom. Stateless; checked by `check` before anything is drawn."""

    title: ClassVar[str]  # With its article, as in "a round robin".
    waits: ClassVar[bool]  # Whether each round is drawn from the results of those before.
    eliminates: ClassVar[bool]  # Whether a result settles who goes on.
    by_rating: ClassVar[bool]  # Whether the table is ordered by rating, not by what was won.
    defaults: ClassVar[Mapping[str, Option]]  # Its options; 0 leaves a number to the format.
    table_sizes: ClassVar[range]
    most_entrants: ClassVar[int]

    def size(self, field: Field) -> Size:
        """What is planned for *field*."""

    def draw(self, field: Field, played: Sequence[FixtureResult]) -> Iterator[Round]:
        """The rounds that follow on *played*: all of them, or the next one where the format waits; none at the end."""

    def merits(self, field: Field, played: Sequence[FixtureResult]) -> dict[Entrant, Merit] | None:
        """What the table is ordered by; None where that is the points of all matches, or the rating."""


def ranks(form: Format) -> bool:
    """Whether a ranking settled at the start decides who meets whom."""
    return "seeding" in form.defaults


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


def check_options(form: Format, given: Mapping[str, object]) -> dict[str, Option]:
    """Every option of *form*, as given or by default. Raises `LeagueError` for what it does not have or cannot take."""
    for name, value in given.items():
        if name not in form.defaults:
            there = ", ".join(form.defaults) or "none"
            raise LeagueError(f"{form.title} has no option {name!a}; there are: {there}")
        allowed = OPTIONS[name]
        if isinstance(value, bool) or value not in allowed:
            words = f"from {allowed[0]} to {allowed[-1]}" if isinstance(allowed, range) else " or ".join(allowed)
            raise LeagueError(f"the option {name!a} of {form.title} is {words}, not {value!a}")
    return {**form.defaults, **{name: value for name, value in given.items() if isinstance(value, int | str)}}


def lots(seed: bytes, what: str, count: int) -> list[int]:
    """The numbers below *count* in an order drawn by lot: by SHA-256 of *seed*, *what*, and the number in 4 bytes."""
    label = seed + what.encode()
    return sorted(range(count), key=lambda number: hashlib.sha256(label + number.to_bytes(4, "big")).digest())
