"""Everybody meets everybody equally often."""

from __future__ import annotations

from itertools import combinations
from math import comb

from rummy.errors import LeagueError, NotEnoughEntrants
from rummy.league.model import Entrant, Round

MAX_FIXTURES = 250_000
"""A larger schedule is refused: it is more than a season of play, and most likely a slip of the keyboard."""

Table = tuple[Entrant, ...]


def round_robin(entrants: int, table_size: int, cycles: int) -> list[Round]:
    """Rounds in which every table of *table_size* out of *entrants* meets once a cycle; nobody sits twice in a round.

    In each further cycle the seats rotate by one. Raises `NotEnoughEntrants` or `LeagueError`.
    """
    _check(entrants, table_size, cycles)
    drawn = _circle(entrants) if table_size == 2 else _disjoint(entrants, table_size)
    return [
        Round(cycle * len(drawn) + number, tuple(_rotated(table, cycle) for table in tables))
        for cycle in range(cycles)
        for number, tables in enumerate(drawn)
    ]


def _check(entrants: int, table_size: int, cycles: int) -> None:
    if not 2 <= table_size <= 6:
        raise LeagueError(f"a table has 2 to 6 seats, not {table_size}")
    if cycles < 1:
        raise LeagueError(f"a tournament has at least one cycle, not {cycles}")
    if entrants < table_size:
        raise NotEnoughEntrants(
            f"a round robin at tables of {table_size} needs at least {table_size} entrants, there "
            + ("is 1" if entrants == 1 else f"are {entrants}")
        )
    planned = comb(entrants, table_size) * cycles
    if planned > MAX_FIXTURES:
        raise LeagueError(
            f"{entrants} entrants at tables of {table_size}, {cycles} times over, are {planned:,} fixtures; "
            f"the limit is {MAX_FIXTURES:,}: take fewer cycles or entrants"
        )


def _rotated(table: Table, by: int) -> Table:
    shift = by % len(table)
    return table[shift:] + table[:shift]


def _circle(entrants: int) -> list[tuple[Table, ...]]:
    """Pairs by the circle method: one place stays, the others turn. Empty for an odd number; who meets it rests."""
    odd = entrants % 2 == 1
    stays = entrants if odd else 0
    turning = list(range(entrants)) if odd else list(range(1, entrants))
    rounds: list[tuple[Table, ...]] = []
    for number in range(len(turning)):
        ring = [stays, *turning[number:], *turning[:number]]
        pairs = [(ring[i], ring[-1 - i]) for i in range(len(ring) // 2)]
        # Seats alternate by place in the ring, for the one that stays by round: evenly to one.
        seated = [(b, a) if (i if i else number) % 2 else (a, b) for i, (a, b) in enumerate(pairs)]
        rounds.append(tuple(pair for pair in seated if max(pair) < entrants))
    return rounds


def _disjoint(entrants: int, table_size: int) -> list[tuple[Table, ...]]:
    """All tables, each in the first round in which none of its entrants sits yet."""
    rounds: list[list[Table]] = []
    seated: list[int] = []  # Of each round that has room: a mask of who sits in it.
    room: list[int] = []  # Numbers of the rounds that have room for another table.
    for number, combination in enumerate(combinations(range(entrants), table_size)):
        table = _rotated(combination, number)
        wanted = sum(1 << entrant for entrant in table)
        place = next((r for r in room if not seated[r] & wanted), None)
        if place is None:
            place = len(rounds)
            rounds.append([])
            seated.append(0)
            room.append(place)
        rounds[place].append(table)
        seated[place] |= wanted
        if entrants - seated[place].bit_count() < table_size:
            room.remove(place)
    return [tuple(tables) for tables in rounds]
