"""One against the field: the first entrant meets every other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from rummy.league.model import Entrant, FixtureResult, Round
from rummy.league.pairing.format import Field, Merit, Option, Size


class Gauntlet:
    """A round a cycle, in which entrant 0 meets every other. Seats alternate, within a cycle and between cycles."""

    title: ClassVar[str] = "a gauntlet"
    waits: ClassVar[bool] = False
    by_rating: ClassVar[bool] = False
    eliminates: ClassVar[bool] = False
    defaults: ClassVar[Mapping[str, Option]] = {}
    table_sizes: ClassVar[range] = range(2, 3)
    most_entrants: ClassVar[int] = 10_000

    def size(self, field: Field) -> Size:
        """What is planned for *field*."""
        fixtures = (field.entrants - 1) * field.cycles
        return Size(field.cycles, fixtures, fixtures)

    def draw(self, field: Field, played: Sequence[FixtureResult]) -> Iterator[Round]:
        """All rounds."""
        for cycle in range(field.cycles):
            others = range(1, field.entrants)
            yield Round(cycle, tuple((0, other) if (cycle + other) % 2 else (other, 0) for other in others))

    def merits(self, field: Field, played: Sequence[FixtureResult]) -> dict[Entrant, Merit] | None:
        """None: the points of all matches count."""
        return None
