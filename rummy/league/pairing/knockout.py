"""Knockout: who loses is out, until one is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from rummy.league.model import Entrant, FixtureResult, Round
from rummy.league.pairing.format import Field, Merit, Option, Size

Pair = tuple[Entrant, Entrant]  # The better ranked first.


class Knockout:
    """A bracket by ranking, in which the best have byes. Equal pairs play on, then the better ranked goes on."""

    title: ClassVar[str] = "a knockout"
    waits: ClassVar[bool] = True
    by_rating: ClassVar[bool] = False
    eliminates: ClassVar[bool] = True
    defaults: ClassVar[Mapping[str, Option]] = {"ties": 3, "seeding": "rating"}
    table_sizes: ClassVar[range] = range(2, 3)
    most_entrants: ClassVar[int] = 1_024

    def size(self, field: Field) -> Size:
        """What is planned for *field*."""
        pairs = field.entrants - 1
        most = pairs * (field.cycles + int(field.options["ties"]))
        byes = (1 << pairs.bit_length()) - field.entrants
        return Size(pairs.bit_length(), pairs * field.cycles, most, byes)

    def draw(self, field: Field, played: Sequence[FixtureResult]) -> Iterator[Round]:
        """The next round: of the pairs that are equal, else of those who are left; none when one is left."""
        number = 1 + max((result.round_no for result in played), default=-1)
        bracket = _Bracket(field, played)
        if bracket.equal:
            yield Round(number, tuple(bracket.table(pair, bracket.count(pair)) for pair in bracket.equal), extra=True)
        elif bracket.next:
            tables = (bracket.table(pair, cycle) for pair in bracket.next for cycle in range(field.cycles))
            yield Round(number, tuple(tables))

    def merits(self, field: Field, played: Sequence[FixtureResult]) -> dict[Entrant, Merit]:
        """By how far they have come, with byes; those who went out at the same stage share a place."""
        bracket = _Bracket(field, played)
        points = dict.fromkeys(range(field.entrants), 0.0)
        for result in played:
            for entrant, score in zip(result.entrants, result.scores, strict=True):
                points[entrant] += score
        return {entrant: Merit(points[entrant], (float(stage),)) for entrant, stage in bracket.stage.items()}


class _Bracket:
    """Where a knockout stands: *next* has the pairs to be drawn, *equal* those that have to play on."""

    def __init__(self, field: Field, played: Sequence[FixtureResult]) -> None:
        self._most = field.cycles + int(field.options["ties"])
        self._results: dict[frozenset[Entrant], list[FixtureResult]] = {}
        for result in played:
            self._results.setdefault(frozenset(result.entrants), []).append(result)
        ranking = field.ranking or tuple(range(field.entrants))
        self._rank = {entrant: place for place, entrant in enumerate(ranking)}
        self.stage = dict.fromkeys(range(field.entrants), 0)  # How many opponents each has left behind, with byes.
        self.next: list[Pair] = []
        self.equal: list[Pair] = []
        alive = [ranking[place] if place < field.entrants else None for place in seats_of_bracket(field.entrants)]
        while len(alive) > 1 and not self.next and not self.equal:
            alive = [self._meet(one, other) for one, other in zip(alive[::2], alive[1::2], strict=True)]

    def _meet(self, one: Entrant | None, other: Entrant | None) -> Entrant | None:
        """Who goes on of two, one of whom may be missing; None, and a pair noted, where that is to be played."""
        if one is None or other is None:
            winner = other if one is None else one
        else:
            winner = self._winner((one, other) if self._rank[one] < self._rank[other] else (other, one))
        if winner is not None:
            self.stage[winner] += 1
        return winner

    def _winner(self, pair: Pair) -> Entrant | None:
        better, _ = pair
        fixtures = self._results.get(frozenset(pair), [])
        if not fixtures:
            self.next.append(pair)
            return None
        ahead = sum(_lead(result, better) for result in fixtures)
        if ahead == 0 and len(fixtures) < self._most:
            self.equal.append(pair)
            return None
        return pair[0] if ahead >= 0 else pair[1]

    def count(self, pair: Pair) -> int:
        """How many fixtures a pair has played."""
        return len(self._results[frozenset(pair)])

    def table(self, pair: Pair, number: int) -> tuple[Entrant, Entrant]:
        """The seats of fixture *number* of a pair: the better ranked has the first seat first, then they alternate."""
        return (pair[1], pair[0]) if number % 2 else pair


def _lead(result: FixtureResult, entrant: Entrant) -> float:
    at = result.entrants.index(entrant)
    return result.scores[at] - result.scores[1 - at]


def seats_of_bracket(entrants: int) -> list[int]:
    """The places of a ranking in the order of the bracket: the best two can meet in the last round only, and so on."""
    order = [0]
    while len(order) < entrants:
        order = [place for best in order for place in (best, 2 * len(order) - 1 - best)]
    return order
