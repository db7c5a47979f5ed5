"""Swiss: in each round those meet who stand alike and have not met, as far as that can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from rummy.league.model import Entrant, FixtureResult, Round
from rummy.league.pairing.format import Field, Merit, Option, Size
from rummy.league.pairing.matching import Matching


class Swiss:
    """Rounds drawn from the points so far. A pairing is as many fixtures as there are cycles; a bye counts as won."""

    title: ClassVar[str] = "a Swiss tournament"
    waits: ClassVar[bool] = True
    by_rating: ClassVar[bool] = False
    eliminates: ClassVar[bool] = False
    defaults: ClassVar[Mapping[str, Option]] = {"rounds": 0, "seeding": "rating"}
    table_sizes: ClassVar[range] = range(2, 3)
    most_entrants: ClassVar[int] = 256

    def size(self, field: Field) -> Size:
        """What is planned for *field*."""
        rounds = _rounds(field)
        fixtures = rounds * (field.entrants // 2) * field.cycles
        return Size(rounds, fixtures, fixtures, byes=rounds * (field.entrants % 2))

    def draw(self, field: Field, played: Sequence[FixtureResult]) -> Iterator[Round]:
        """The next round; none after the last."""
        so_far = _SoFar(field, played)
        if so_far.rounds < _rounds(field) and len(so_far.order) > 1:
            pairs = _paired(so_far)
            yield Round(so_far.rounds, tuple(t for pair in pairs for t in _tables(pair, so_far, field.cycles)))

    def merits(self, field: Field, played: Sequence[FixtureResult]) -> dict[Entrant, Merit]:
        """Points, byes with them; among equals the points of the opponents (Buchholz), a bye's being one's own."""
        so_far = _SoFar(field, played)
        points = so_far.points
        return {
            entrant: Merit(
                points[entrant],
                (points[entrant], sum(points[o] for o in so_far.met[entrant]) + so_far.byes[entrant] * points[entrant]),
            )
            for entrant in range(field.entrants)
        }


def _rounds(field: Field) -> int:
    """As many as were asked for; else as many as a knockout would have."""
    return int(field.options["rounds"]) or (field.entrants - 1).bit_length()


class _SoFar:
    """What the rounds that were played come to."""

    def __init__(self, field: Field, played: Sequence[FixtureResult]) -> None:
        everybody = range(field.entrants)
        self.rank = {entrant: place for place, entrant in enumerate(field.ranking)}
        self.rounds = 1 + max((result.round_no for result in played), default=-1)
        self.points = dict.fromkeys(everybody, 0.0)
        self.met: dict[Entrant, list[Entrant]] = {entrant: [] for entrant in everybody}  # Once a round.
        self.first = dict.fromkeys(everybody, 0)  # How much more often in the first seat than in the second.
        seen: set[tuple[int, Entrant]] = set()
        for result in played:
            for entrant, other, score, seat in zip(
                result.entrants, reversed(result.entrants), result.scores, (1, -1), strict=True
            ):
                self.points[entrant] += score
                self.first[entrant] += seat
                if (result.round_no, entrant) not in seen:
                    seen.add((result.round_no, entrant))
                    self.met[entrant].append(other)
        last = {entrant: 1 + max((r for r, e in seen if e == entrant), default=-1) for entrant in field.out}
        self.byes = {entrant: last.get(entrant, self.rounds) - len(self.met[entrant]) for entrant in everybody}
        for entrant, byes in self.byes.items():
            self.points[entrant] += byes * field.cycles
        self.order = sorted(
            (entrant for entrant in everybody if entrant not in field.out),
            key=lambda entrant: (-self.points[entrant], self.rank.get(entrant, entrant)),
        )  # Of those who are still in, from the top of the table down.


def _paired(so_far: _SoFar) -> list[tuple[Entrant, Entrant]]:
    """From the top of the table down, each with the best opponent that leaves the fewest meetings to be repeated."""
    order = list(so_far.order)
    if len(order) % 2:
        order.remove(_rests(order, so_far))
    fresh = [[b for b, y in enumerate(order) if a != b and y not in so_far.met[x]] for a, x in enumerate(order)]
    left, places = Matching(fresh), list(range(len(order)))
    pairs: list[tuple[Entrant, Entrant]] = []
    while places:
        top = places.pop(0)
        for place in _by_preference(places, top, order, so_far):
            rest = left.without(top, place)
            if rest.pairs >= left.pairs - (place in fresh[top]):
                break
        left = rest
        places.remove(place)
        pairs.append((order[top], order[place]))
    return pairs


def _rests(order: Sequence[Entrant], so_far: _SoFar) -> Entrant:
    """Who has a bye: the lowest of those who have had the fewest."""
    fewest = min(so_far.byes[entrant] for entrant in order)
    return next(entrant for entrant in reversed(order) if so_far.byes[entrant] == fewest)


def _by_preference(places: Sequence[int], top: int, order: Sequence[Entrant], so_far: _SoFar) -> list[int]:
    """Those it has met least; of those who have equal points, from the first of the lower half on; then who is next."""
    points, met = so_far.points[order[top]], so_far.met[order[top]]
    group = [place for place in places if so_far.points[order[place]] == points]
    half = len(group) // 2  # The one at the top is not in it: of 2n it meets the first of the lower n.
    wished = [*group[half:], *group[:half][::-1], *places[len(group) :]]
    return sorted(wished, key=lambda place: met.count(order[place]))


def _tables(pair: tuple[Entrant, Entrant], so_far: _SoFar, cycles: int) -> Iterator[tuple[Entrant, Entrant]]:
    """Whoever had the first seat less often has it first; then they alternate."""
    one, other = pair
    if so_far.first[one] > so_far.first[other]:
        one, other = other, one
    for cycle in range(cycles):
        yield (other, one) if cycle % 2 else (one, other)
