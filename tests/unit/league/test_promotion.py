"""Divisions from season to season: sizes kept, best up, last down, nobody worse off for what others leave."""

from __future__ import annotations

from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy.errors import LeagueError
from rummy.league.promotion import Member, Tiers, final_order, following, steps
from rummy.league.standings import Standing

Divisions = list[list[Member]]


@st.composite
def leagues(draw: st.DrawFn) -> tuple[Tiers, Divisions]:
    """A league and its divisions as a season ended."""
    least = draw(st.integers(2, 6))
    moves = draw(st.integers(0, 3))
    sizes = draw(st.lists(st.integers(max(least, 2 * moves), 10), max_size=4))
    tiers = Tiers(tuple(sizes), moves if sizes else 0, least)
    tiers.check()
    order = draw(st.permutations(range(draw(st.integers(0, 40)))))
    return tiers, following(tiers, [], order)


def places(divisions: Divisions) -> dict[Member, int]:
    return {member: number for number, division in enumerate(divisions) for member in division}


@settings(max_examples=300, deadline=None)
@given(league=leagues(), data=st.data())
def test_divisions_of_the_next_season(league: tuple[Tiers, Divisions], data: st.DataObject) -> None:
    tiers, last = league
    old = list(chain.from_iterable(last))
    gone = data.draw(st.sets(st.sampled_from(old))) if old else set()
    new = list(range(100, 100 + data.draw(st.integers(0, 6))))
    members = [member for member in [*sorted(old), *new] if member not in gone]
    divisions = following(tiers, last, members)
    assert_sizes(tiers, divisions, len(members))
    flat = list(chain.from_iterable(divisions))
    assert sorted(flat) == sorted(members) if divisions else len(members) < tiers.least
    if divisions:  # New entrants at the bottom, in the order of entry.
        assert [member for member in flat if member >= 100] == new
        assert flat[len(flat) - len(new) :] == new
    now = places(divisions)
    for division in last:  # Who ended higher is never below who ended lower.
        for higher, lower in combinations([member for member in division if member in now], 2):
            assert now[higher] <= now[lower]


def assert_sizes(tiers: Tiers, divisions: Divisions, members: int) -> None:
    """All but the last have the size of the league; the last is what is left, with those who were too few."""
    assert sum(map(len, divisions)) == (members if members >= tiers.least else 0)
    assert len(divisions) <= len(tiers.sizes) + 1
    assert [len(division) for division in divisions[:-1]] == list(tiers.sizes[: len(divisions)])[: len(divisions) - 1]
    if divisions and len(divisions) <= len(tiers.sizes):
        assert tiers.least <= len(divisions[-1]) < tiers.sizes[len(divisions) - 1] + tiers.least


@settings(max_examples=300, deadline=None)
@given(league=leagues())
def test_where_nobody_comes_or_goes_as_many_go_up_as_down(league: tuple[Tiers, Divisions]) -> None:
    tiers, last = league
    now = places(following(tiers, last, sorted(chain.from_iterable(last))))
    for number, division in enumerate(last):
        up = min(tiers.moves, len(division)) if number else 0
        down = min(tiers.moves, len(last[number + 1])) if number + 1 < len(last) else 0
        stay = len(division) - up - down
        expected = [number - 1] * up + [number] * stay + [number + 1] * down
        assert [now[member] for member in division] == expected


def test_to_and_from_a_cancelled_division_nobody_moves() -> None:
    assert steps(1, [3, 3, 3, 2]) == [[0, 0, 1], [-1, 0, 1], [-1, 0, 1], [-1, 0]]
    assert steps(1, [3, 3, 3, 2], {1}) == [[0, 0, 0], [0, 0, 0], [0, 0, 1], [-1, 0]]
    assert steps(2, [4, 1], ()) == [[0, 0, 0, 1], [-1]]
    assert steps(0, [], ()) == []


@settings(max_examples=300, deadline=None)
@given(league=leagues(), data=st.data())
def test_nobody_is_worse_off_for_one_who_leaves_or_comes(league: tuple[Tiers, Divisions], data: st.DataObject) -> None:
    tiers, last = league
    members = sorted(chain.from_iterable(last))
    if not members:
        return
    leaver = data.draw(st.sampled_from(members))
    before = places(following(tiers, last, members))
    without = places(following(tiers, last, [member for member in members if member != leaver]))
    assert all(without[member] <= before[member] for member in without)
    joined = places(following(tiers, last, [*members, 100]))
    assert all(abs(joined[member] - before[member]) <= 1 for member in members)


def test_two_divisions_by_hand() -> None:
    tiers = Tiers((4,), 1, 2)
    last = [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert following(tiers, last, range(1, 9)) == [[1, 2, 3, 5], [4, 6, 7, 8]]
    assert following(tiers, last, [1, 2, 3, 5, 6, 7, 8, 9]) == [[1, 2, 3, 5], [6, 7, 8, 9]]  # 4, who was last, left.
    assert following(tiers, last, [2, 3, 4, 5, 6, 7, 8]) == [[2, 3, 5, 4], [6, 7, 8]]  # 1 left: 4 is spared.
    assert following(tiers, last, [1, 2, 3, 4, 6, 7, 8]) == [[1, 2, 3, 4], [6, 7, 8]]  # 5, who had won, left.
    assert following(tiers, last, [1, 2, 3, 4, 5]) == [[1, 2, 3, 5, 4]]  # One alone joins those above.
    assert following(tiers, [[1, 2, 3, 5, 4]], [1, 2, 3, 4, 5, 6]) == [[1, 2, 3, 5], [4, 6]]
    assert following(tiers, last, [6]) == []
    assert following(tiers, last, range(1, 9), {1}) == last  # The lower one was cancelled.
    assert following(Tiers((), 0, 3), [], [7, 3, 5]) == [[7, 3, 5]]


def test_a_shared_place_is_split_by_who_stood_higher_at_the_start() -> None:
    table = [
        Standing(place, entrant, 1500.0, None, 0, 0, 0, 0, 0.0) for place, entrant in [(1, 3), (2, 4), (2, 0), (4, 1)]
    ]
    assert final_order(table) == [3, 0, 4, 1]


@pytest.mark.parametrize(
    ("tiers", "said"),
    [
        (Tiers((4,), -1, 2), "not -1"),
        (Tiers((), 1, 2), "nowhere to move"),
        (Tiers((4, 1), 0, 2), "a division of 1 has not enough bots"),
        (Tiers((4, 3), 2, 2), "a division of 3 is too small for 2 to go up and 2 down"),
    ],
)
def test_divisions_that_contradict_themselves_are_refused(tiers: Tiers, said: str) -> None:
    with pytest.raises(LeagueError, match=said):
        tiers.check()
