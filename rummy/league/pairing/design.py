"""Tables of three to six for everybody: all of them where they are few, else a design that is as even as can be found.

A balanced design is built round by round on the meetings so far. Who has played least plays next, so that all play
equally often. Tables are filled with those who have met each other least, then entrants are swapped between the
tables of the round for as long as that makes meetings more even. The seats come last, and exactly: see `_seated`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, gcd

from rummy.league.model import Entrant
from rummy.league.pairing.format import lots

Table = tuple[Entrant, ...]
Drawn = tuple[tuple[Table, ...], ...]  # By round: its tables.

COMPLETE = 250
"""Where all tables are at most so many, a cycle has each of them; else it is a balanced design."""
SECOND_LOOKS = 3
"""So often each round of a cycle is mended once more, with all the others as they have become."""
BLOCK = 2_000
"""A balanced design is made for so many tables at least, or for all; then it begins again, with other seats."""


def is_complete(entrants: int, seats: int) -> bool:
    """Whether a cycle has every table there is."""
    return comb(entrants, seats) <= COMPLETE


def tables_a_cycle(entrants: int, seats: int) -> int:
    """How many tables a cycle has. In it all play equally often, and on average a pair meets once or more."""
    if is_complete(entrants, seats):
        return comb(entrants, seats)
    step = entrants // gcd(entrants, seats)  # With fewer tables more, some would play more than others.
    wanted = -(-entrants * (entrants - 1) // (seats * (seats - 1)))
    return -(-wanted // step) * step


def rounds_a_cycle(entrants: int, seats: int) -> int:
    """How many rounds a cycle has."""
    if is_complete(entrants, seats):
        return len(block(entrants, seats, 1)[0])
    return -(-tables_a_cycle(entrants, seats) // (entrants // seats))


@lru_cache(maxsize=8)
def block(entrants: int, seats: int, cycles: int) -> tuple[Drawn, ...]:
    """By cycle: rounds of tables, with no seats meant by their order yet. At most *cycles*, at least one."""
    if is_complete(entrants, seats):
        return (_complete(entrants, seats),)
    a_cycle = tables_a_cycle(entrants, seats)
    maker = _Maker(entrants, seats)
    return tuple(maker.cycle(a_cycle) for _ in range(max(1, min(cycles, -(-BLOCK // a_cycle)))))


def _complete(entrants: int, seats: int) -> Drawn:
    """All tables, each in the first round in which none of its entrants sits yet."""
    rounds: list[list[Table]] = []
    seated: list[set[Entrant]] = []
    for table in combinations(range(entrants), seats):
        place = next((number for number, taken in enumerate(seated) if taken.isdisjoint(table)), len(rounds))
        if place == len(rounds):
            rounds.append([])
            seated.append(set())
        rounds[place].append(table)
        seated[place].update(table)
    return tuple(tuple(tables) for tables in rounds)


class _Maker:
    """Makes the rounds of a balanced design, one on top of the other."""

    def __init__(self, entrants: int, seats: int) -> None:
        self._entrants = entrants
        self._seats = seats
        self._met = [[0] * entrants for _ in range(entrants)]
        self._played = [0] * entrants
        self._rounds = 0

    def cycle(self, tables: int) -> Drawn:
        """The rounds of one more cycle of so many *tables*."""
        at_once = self._entrants // self._seats
        sizes = [at_once] * (tables // at_once) + [tables % at_once] * (tables % at_once > 0)
        rounds = [self._round(size) for size in sizes]
        for _ in range(SECOND_LOOKS):
            for drawn in rounds:
                self._count(drawn, -1)
                self._improve(drawn)
                self._count(drawn, 1)
        return tuple(tuple(tuple(table) for table in drawn) for drawn in rounds)

    def _round(self, size: int) -> list[list[Entrant]]:
        tables = self._filled(lots(b"", f"round {self._rounds}", self._entrants), size)
        self._improve(tables)
        self._count(tables, 1)
        self._rounds += 1
        return tables

    def _count(self, tables: list[list[Entrant]], by: int) -> None:
        for table in tables:
            for one in table:
                self._played[one] += by
                for other in table:
                    self._met[one][other] += by * (one != other)

    def _filled(self, free: list[Entrant], size: int) -> list[list[Entrant]]:
        """So many tables: who has played least first, of those who has met the others least, of those by lot."""
        tables = []
        for _ in range(size):
            table: list[Entrant] = []
            while len(table) < self._seats:
                best = min(free, key=lambda one: (self._played[one], sum(self._met[one][other] for other in table)))
                free.remove(best)
                table.append(best)
            tables.append(table)
        return tables

    def _improve(self, tables: list[list[Entrant]]) -> None:
        """Swaps while a swap lowers the sum of the meetings so far; every swap does by at least one, so it ends."""
        costs = [[sum(self._met[one][other] for other in table) for table in tables] for one in range(self._entrants)]
        better = True
        while better:
            better = False
            for a, b in combinations(range(len(tables)), 2):
                better |= self._swap(tables[a], tables[b], a, b, costs)

    def _swap(self, first: list[Entrant], second: list[Entrant], a: int, b: int, costs: list[list[int]]) -> bool:
        """The best of all swaps between two tables, if it is one that helps."""
        met = self._met
        gain, x, y = max(
            (costs[x][a] + costs[y][b] - costs[x][b] - costs[y][a] + 2 * met[x][y], x, y) for x in first for y in second
        )
        if gain <= 0:
            return False
        first[first.index(x)], second[second.index(y)] = y, x
        for entrant, cost in enumerate(costs):
            change = met[entrant][y] - met[entrant][x]
            cost[a] += change
            cost[b] -= change
        return True


def seated(tables: Sequence[Table], seats: int) -> list[Table]:
    """The same tables in seat order: the seats of each entrant are even to one.

    Cut what an entrant plays into pieces of as many tables as there are seats. Then a seat must occur once at each
    table and at most once in each piece: a colouring of the edges between tables and pieces, which has no more colours
    than edges meet at one of them (König), and which is found one edge at a time by swapping two colours along a path.
    """
    played: dict[Entrant, int] = {}
    at_table: list[dict[int, int]] = [{} for _ in tables]  # By table: piece by seat.
    at_piece: dict[int, dict[int, int]] = {}  # By piece: table by seat.
    names: dict[int, Entrant] = {}
    for number, table in enumerate(tables):
        for entrant in table:
            count = played.get(entrant, 0)
            played[entrant] = count + 1
            piece = count // seats * _STRIDE + entrant
            names[piece] = entrant
            _give_seat(number, piece, seats, at_table, at_piece)
    return [tuple(names[at[seat]] for seat in range(seats)) for at in at_table]


_STRIDE = 1 << 20  # Above every number of an entrant.


def _give_seat(
    number: int, piece: int, seats: int, at_table: list[dict[int, int]], at_piece: dict[int, dict[int, int]]
) -> None:
    mine, theirs = at_table[number], at_piece.setdefault(piece, {})
    free = next(seat for seat in range(seats) if seat not in mine)
    other = next(seat for seat in range(seats) if seat not in theirs)
    if free in theirs and other in mine:
        _swap_path(piece, free, other, at_table, at_piece)
    elif free in theirs:
        free = other
    mine[free] = piece
    theirs[free] = number


def _swap_path(
    piece: int, free: int, other: int, at_table: list[dict[int, int]], at_piece: dict[int, dict[int, int]]
) -> None:
    """Swaps both seats along the path that leaves *piece* by *free*, which is free in it afterwards."""
    edges, seat, at = [], free, piece
    while True:
        table = at_piece[at].get(seat)
        if table is None:
            break
        edges.append((at, table, seat))
        seat = other if seat == free else free
        following = at_table[table].get(seat)
        if following is None:
            break
        edges.append((following, table, seat))
        at, seat = following, other if seat == free else free
    for at, table, seat in edges:
        del at_piece[at][seat], at_table[table][seat]
    for at, table, seat in edges:
        swapped = other if seat == free else free
        at_piece[at][swapped] = table
        at_table[table][swapped] = at
