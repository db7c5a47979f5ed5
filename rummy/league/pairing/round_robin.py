"""Everybody meets everybody equally often, or as nearly so as tables of three and more allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from math import comb
from typing import ClassVar

from rummy.errors import LeagueError
from rummy.league.model import Entrant, FixtureResult, Round
from rummy.league.pairing import design
from rummy.league.pairing.design import Drawn, Table
from rummy.league.pairing.format import Field, Merit, Option, Size, lots

MOST_BALANCED = 128
"""A balanced design for more entrants would take longer to make than anybody waits for."""


class RoundRobin:
    """Rounds in which nobody sits twice. Pairs meet once a cycle; for larger tables see `design`."""

    title: ClassVar[str] = "a round robin"
    waits: ClassVar[bool] = False
    by_rating: ClassVar[bool] = False
    eliminates: ClassVar[bool] = False
    defaults: ClassVar[Mapping[str, Option]] = {}
    table_sizes: ClassVar[range] = range(2, 7)
    most_entrants: ClassVar[int] = 1_000

    def size(self, field: Field) -> Size:
        """What is planned for *field*. Raises `LeagueError` for a balanced design that would take too long."""
        entrants, seats = field.entrants, field.table_size
        if seats > 2 and not design.is_complete(entrants, seats) and entrants > MOST_BALANCED:
            raise LeagueError(f"{self.title} at tables of {seats} has at most {MOST_BALANCED} entrants, not {entrants}")
        if seats == 2:
            rounds, tables = entrants - 1 + entrants % 2, comb(entrants, 2)
        else:
            rounds = design.rounds_a_cycle(entrants, seats)
            tables = design.tables_a_cycle(entrants, seats)
        return Size(rounds * field.cycles, tables * field.cycles, tables * field.cycles)

    def draw(self, field: Field, played: Sequence[FixtureResult]) -> Iterator[Round]:
        """All rounds, cycle by cycle."""
        number = 0
        for drawn in _pairs(field) if field.table_size == 2 else _designed(field):
            for tables in drawn:
                yield Round(number, tables)
                number += 1

    def merits(self, field: Field, played: Sequence[FixtureResult]) -> dict[Entrant, Merit] | None:
        """None: the points of all matches count."""
        return None


def _pairs(field: Field) -> Iterator[Drawn]:
    there = tuple(circle(field.entrants))
    back = tuple(tuple((b, a) for a, b in tables) for tables in there)
    for number in range(field.cycles):
        yield back if number % 2 else there


def circle(entrants: int) -> Iterator[tuple[Table, ...]]:
    """Pairs by the circle method: one place stays, the others turn. For an odd number who meets it rests."""
    odd = entrants % 2 == 1
    stays = entrants if odd else 0
    turning = list(range(entrants)) if odd else list(range(1, entrants))
    for number in range(len(turning)):
        ring = [stays, *turning[number:], *turning[:number]]
        pairs = [(ring[i], ring[-1 - i]) for i in range(len(ring) // 2)]
        # Seats alternate by place in the ring, for the one that stays by round: evenly to one.
        seated = [(b, a) if (i if i else number) % 2 else (a, b) for i, (a, b) in enumerate(pairs)]
        yield tuple(pair for pair in seated if max(pair) < entrants)


def _designed(field: Field) -> Iterator[Drawn]:
    """By cycle: its rounds, in seat order.

    As many passes through the block as a table has seats are even in their seats by rotation. Then the entrants change
    places, so that what was uneven in their meetings does not add up. What is left over is seated for itself.
    """
    entrants, seats = field.entrants, field.table_size
    block = design.block(entrants, seats, field.cycles)
    even = len(block) * seats
    for first in range(0, field.cycles, even):
        places = _places(field, first // even)
        if field.cycles - first >= even:
            yield from _rotations(list(_seated(block, seats, places)), seats)
        else:
            yield from _seated(list(islice(cycle(block), field.cycles - first)), seats, places)


def _places(field: Field, turn: int) -> list[Entrant]:
    """By place in the design: who takes it. Lots say who, so that nobody chooses whom he meets."""
    if design.is_complete(field.entrants, field.table_size):
        return list(range(field.entrants))
    drawn = lots(field.seed, "places", field.entrants)
    return [drawn[place] for place in lots(b"", f"turn {turn}", field.entrants)]


def _rotations(block: Sequence[Drawn], seats: int) -> Iterator[Drawn]:
    for turn in range(seats):
        for drawn in block:
            yield tuple(tuple(_rotated(table, turn) for table in tables) for tables in drawn)


def _seated(cycles: Sequence[Drawn], seats: int, places: Sequence[Entrant]) -> Iterator[Drawn]:
    tables = [tuple(places[place] for place in table) for rounds in cycles for drawn in rounds for table in drawn]
    in_order = iter(design.seated(tables, seats))
    for rounds in cycles:
        yield tuple(tuple(islice(in_order, len(drawn))) for drawn in rounds)


def _rotated(table: Table, by: int) -> Table:
    shift = by % len(table)
    return table[shift:] + table[:shift]
