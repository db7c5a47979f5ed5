"""Schedules: everybody meets everybody equally often, seats even (faults P10, P11)."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy.errors import LeagueError, NotEnoughEntrants
from rummy.league.model import Round
from rummy.league.pairing import PAIRINGS, design, find_format
from rummy.league.pairing.balance import Balance, balance
from rummy.league.pairing.format import Field, check


def drawn(entrants: int, table_size: int, cycles: int, *, name: str = "round_robin", seed: bytes = b"") -> list[Round]:
    """A checked schedule."""
    field = Field(entrants=entrants, table_size=table_size, cycles=cycles, seed=seed)
    size = check(PAIRINGS[name], field)
    rounds = list(PAIRINGS[name].draw(field, ()))
    assert (size.rounds, size.fixtures) == (len(rounds), sum(len(each.tables) for each in rounds))
    assert [each.number for each in rounds] == list(range(len(rounds)))
    return rounds


@pytest.mark.parametrize("entrants", range(2, 14))
def test_pairs_meet_equally_often_and_seats_are_even(entrants: int) -> None:
    even = balance(entrants, drawn(entrants, 2, 1))
    assert even.pairs == (1, 1)
    assert even.seats <= 1


@pytest.mark.parametrize("entrants", range(2, 65))
def test_two_cycles_are_exactly_balanced(entrants: int) -> None:
    even = balance(entrants, drawn(entrants, 2, 2))
    assert (even.pairs, even.seats) == ((2, 2), 0)


@pytest.mark.parametrize("table_size", range(2, 7))
@pytest.mark.parametrize("entrants", range(2, 9))
def test_every_table_once_a_cycle_where_they_are_few(entrants: int, table_size: int) -> None:
    if entrants < table_size:
        with pytest.raises(NotEnoughEntrants, match=f"at least {table_size} entrants"):
            drawn(entrants, table_size, 1)
        return
    rounds = drawn(entrants, table_size, 3)
    met = Counter(frozenset(table) for each in rounds for table in each.tables)
    assert met == Counter({frozenset(c): 3 for c in combinations(range(entrants), table_size)})
    assert balance(entrants, rounds).seats <= 1


def assert_nobody_sits_twice(rounds: list[Round]) -> None:
    for each in rounds:
        seated = [entrant for table in each.tables for entrant in table]
        assert len(seated) == len(set(seated))


@settings(max_examples=40, deadline=None)
@given(entrants=st.integers(6, 64), table_size=st.integers(2, 6), cycles=st.integers(1, 8), seed=st.binary(max_size=4))
def test_any_field_plays_evenly(entrants: int, table_size: int, cycles: int, seed: bytes) -> None:
    rounds = drawn(entrants, table_size, cycles, seed=seed)
    assert_nobody_sits_twice(rounds)
    even = balance(entrants, rounds)
    assert even.each[0] == even.each[1]
    assert even.seats <= 1
    spread = even.pairs[1] - even.pairs[0]
    assert spread <= (0 if table_size == 2 or design.is_complete(entrants, table_size) else 6)
    assert rounds == drawn(entrants, table_size, cycles, seed=seed)


@settings(max_examples=20, deadline=None)
@given(entrants=st.integers(7, 64), table_size=st.integers(3, 6))
def test_a_cycle_of_a_balanced_design_is_short_and_has_nearly_every_pair(entrants: int, table_size: int) -> None:
    if design.is_complete(entrants, table_size):
        return
    tables = design.tables_a_cycle(entrants, table_size)
    assert tables * table_size * (table_size - 1) >= entrants * (entrants - 1)
    assert tables <= entrants * (entrants - 1) / (table_size * (table_size - 1)) + entrants
    even = balance(entrants, drawn(entrants, table_size, 1))
    assert even.fixtures == tables


def test_what_is_uneven_in_a_block_does_not_add_up() -> None:
    """Past its first block a schedule is made of the same tables, but not of the same entrants."""
    even = balance(64, drawn(64, 3, 50))
    assert even.seats <= 1
    assert even.pairs[1] - even.pairs[0] <= 25  # A pair meets 52 times on average; 50 without a change of places.


def test_lots_say_who_takes_which_place_of_a_design_and_nothing_else() -> None:
    one, other = drawn(20, 4, 2, seed=b"one"), drawn(20, 4, 2, seed=b"other")
    assert one != other
    assert balance(20, one) == balance(20, other)
    assert drawn(9, 3, 1, seed=b"one") == drawn(9, 3, 1, seed=b"other")


@settings(deadline=None)
@given(
    seats=st.integers(2, 6),
    tables=st.lists(st.permutations(range(9)), min_size=1, max_size=60),
)
def test_seats_are_even_to_one_whoever_sits_together(seats: int, tables: list[list[int]]) -> None:
    wanted = [tuple(table[:seats]) for table in tables]
    found = design.seated(wanted, seats)
    assert [set(table) for table in found] == [set(table) for table in wanted]
    for entrant in range(9):
        counts = Counter(table.index(entrant) for table in found if entrant in table)
        assert max(counts[seat] for seat in range(seats)) - min(counts[seat] for seat in range(seats)) <= 1


@settings(max_examples=30, deadline=None)
@given(entrants=st.integers(2, 64), cycles=st.integers(1, 7))
def test_a_gauntlet_has_one_against_all_others(entrants: int, cycles: int) -> None:
    rounds = drawn(entrants, 2, cycles, name="gauntlet")
    assert len(rounds) == cycles
    for each in rounds:
        assert sorted(sum(table) for table in each.tables) == list(range(1, entrants))
        assert all(0 in table for table in each.tables)
    even = balance(entrants, rounds)
    assert even.seats <= 1
    assert even.each == ((cycles, cycles) if entrants == 2 else (cycles, cycles * (entrants - 1)))


def test_a_long_schedule_is_drawn_in_little_memory() -> None:
    """All pairs of 64, a hundred times: 201,600 fixtures, of which no more than a cycle is there at once."""
    field = Field(entrants=64, cycles=100)
    tracemalloc.start()
    even = balance(64, PAIRINGS["round_robin"].draw(field, ()))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert even == Balance(rounds=6300, fixtures=201_600, each=(6300, 6300), pairs=(100, 100), seats=0)
    assert most < 4_000_000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((1, 2, 1), "a round robin at tables of 2 needs at least 2 entrants, there is 1"),
        ((0, 2, 1), "needs at least 2 entrants, there are 0"),
        ((5, 6, 1), "needs at least 6 entrants, there are 5"),
        ((4, 1, 1), "2 to 6 seats"),
        ((8, 7, 1), "2 to 6 seats"),
        ((4, 2, 0), "at least one cycle"),
        ((64, 2, 1000), "has 2,016,000 fixtures; the limit is 250,000"),
        ((129, 6, 1), "at most 128 entrants, not 129"),
        ((1001, 2, 1), "at most 1,000 entrants, not 1,001"),
    ],
)
def test_an_impossible_schedule_is_refused(arguments: tuple[int, int, int], sentence: str) -> None:
    with pytest.raises(LeagueError, match=sentence):
        drawn(*arguments)


def test_a_gauntlet_has_tables_of_two() -> None:
    with pytest.raises(LeagueError, match="a table of a gauntlet has 2 seats, not 3"):
        drawn(4, 3, 1, name="gauntlet")


def test_an_unknown_format_is_told_which_there_are() -> None:
    with pytest.raises(LeagueError, match="no format 'swis'; there are: round_robin, gauntlet"):
        find_format("swis")
