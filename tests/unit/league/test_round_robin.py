"""Schedules: everybody meets everybody equally often, seats even (faults P10, P11)."""

from collections import Counter
from itertools import combinations

import pytest

from rummy.errors import LeagueError, NotEnoughEntrants
from rummy.league.pairing import PAIRINGS
from rummy.league.pairing.round_robin import round_robin


@pytest.mark.parametrize("entrants", range(2, 14))
def test_pairs_meet_equally_often_and_seats_are_even(entrants: int) -> None:
    rounds = round_robin(entrants, 2, 1)
    met = Counter(frozenset(table) for drawn in rounds for table in drawn.tables)
    assert met == Counter(frozenset(pair) for pair in combinations(range(entrants), 2))
    first = Counter(table[0] for drawn in rounds for table in drawn.tables)
    second = Counter(table[1] for drawn in rounds for table in drawn.tables)
    assert max(abs(first[e] - second[e]) for e in range(entrants)) <= 1


@pytest.mark.parametrize("entrants", range(2, 65))
@pytest.mark.parametrize("name", PAIRINGS)
def test_two_cycles_are_exactly_balanced(name: str, entrants: int) -> None:
    rounds = PAIRINGS[name](entrants, 2, 2)
    seats = Counter((seat, entrant) for drawn in rounds for table in drawn.tables for seat, entrant in enumerate(table))
    assert set(seats.values()) == {entrants - 1}


@pytest.mark.parametrize("table_size", range(2, 7))
@pytest.mark.parametrize("entrants", range(2, 9))
def test_every_table_once_a_cycle_and_nobody_twice_in_a_round(entrants: int, table_size: int) -> None:
    if entrants < table_size:
        with pytest.raises(NotEnoughEntrants, match=f"at least {table_size} entrants"):
            round_robin(entrants, table_size, 1)
        return
    rounds = round_robin(entrants, table_size, 3)
    assert [drawn.number for drawn in rounds] == list(range(len(rounds)))
    met = Counter(frozenset(table) for drawn in rounds for table in drawn.tables)
    assert met == Counter({frozenset(c): 3 for c in combinations(range(entrants), table_size)})
    for drawn in rounds:
        seated = [entrant for table in drawn.tables for entrant in table]
        assert len(seated) == len(set(seated))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((1, 2, 1), "needs at least 2 entrants, there is 1"),
        ((4, 1, 1), "2 to 6 seats"),
        ((8, 7, 1), "2 to 6 seats"),
        ((4, 2, 0), "at least one cycle"),
        ((64, 6, 1), "the limit is 250,000"),
    ],
)
def test_an_impossible_schedule_is_refused(arguments: tuple[int, int, int], sentence: str) -> None:
    with pytest.raises(LeagueError, match=sentence):
        round_robin(*arguments)
