"""How even a schedule is: what is left of imbalance once a format has done what it can."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from rummy.league.model import Round


@dataclass(frozen=True, slots=True)
class Balance:
    """The fewest and the most, over all entrants or pairs of entrants."""

    rounds: int
    fixtures: int
    each: tuple[int, int]  # Fixtures of an entrant.
    pairs: tuple[int, int]  # Meetings of a pair.
    seats: int  # By how much the seats of one entrant differ, in leg 0, where they differ most.


def balance(entrants: int, drawn: Iterable[Round]) -> Balance:
    """The balance of a schedule, read round by round: it may be longer than what fits into memory."""
    met = [[0] * entrants for _ in range(entrants)]
    seats = [[0] * 6 for _ in range(entrants)]
    rounds = fixtures = table_size = 0
    for each in drawn:
        rounds += 1
        for table in each.tables:
            fixtures += 1
            table_size = len(table)
            for seat, one in enumerate(table):
                seats[one][seat] += 1
            for one, other in combinations(table, 2):
                met[min(one, other)][max(one, other)] += 1
    played = [sum(line) for line in seats]
    pairs = [met[one][other] for one, other in combinations(range(entrants), 2)]
    uneven = max(max(line[:table_size]) - min(line[:table_size]) for line in seats)
    return Balance(rounds, fixtures, (min(played), max(played)), (min(pairs), max(pairs)), uneven)
