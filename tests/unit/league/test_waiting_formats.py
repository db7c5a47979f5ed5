"""Formats that draw each round from the results of those before: Swiss and knockout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rummy.errors import LeagueError
from rummy.league.model import Entrant, FixtureResult, Round
from rummy.league.pairing import PAIRINGS
from rummy.league.pairing.format import Field, check
from rummy.league.pairing.knockout import seats_of_bracket
from rummy.league.pairing.matching import Matching

Legs = tuple[tuple[int, ...], ...]
WON, LOST, DRAWN = ((1, 2), (1, 2)), ((2, 1), (2, 1)), ((1, 2), (2, 1))
Judge = Callable[[Entrant, Entrant], Legs]  # The legs of a fixture between two, by entrant.


def field_of(name: str, entrants: int, cycles: int = 1, **options: int) -> Field:
    """A field ranked in the order of entry."""
    return Field(
        entrants=entrants, cycles=cycles, ranking=tuple(range(entrants)), options={**PAIRINGS[name].defaults, **options}
    )


def play(name: str, field: Field, judge: Judge) -> tuple[list[Round], list[FixtureResult]]:
    """Plays until nothing is drawn any more. What is drawn depends on results alone, in whatever order they came."""
    size = check(PAIRINGS[name], field)
    rounds: list[Round] = []
    played: list[FixtureResult] = []
    while drawn := list(PAIRINGS[name].draw(field, played)):
        [following] = drawn
        assert following.number == len(rounds)
        assert list(PAIRINGS[name].draw(field, played[::-1])) == drawn
        rounds.append(following)
        for number, table in enumerate(following.tables):
            played.append(FixtureResult(following.number, number, table, judge(*table)))
        assert len(played) <= size.most
    assert sum(len(each.tables) for each in rounds if not each.extra) == size.fixtures
    assert sum(not each.extra for each in rounds) == size.rounds
    return rounds, played


def by_strength(one: Entrant, other: Entrant) -> Legs:
    """The lower number is the stronger."""
    return WON if one < other else LOST


def by_hash(salt: int) -> Judge:
    """Any result, always the same."""
    return lambda one, other: (WON, LOST, DRAWN, DRAWN)[hash((min(one, other), max(one, other), salt)) % 4]


@settings(max_examples=60, deadline=None)
@given(entrants=st.integers(2, 64), cycles=st.integers(1, 3), rounds=st.integers(0, 9), salt=st.integers(0, 99))
def test_swiss_pairs_everybody_and_never_twice_while_that_can_be_avoided(
    entrants: int, cycles: int, rounds: int, salt: int
) -> None:
    field = field_of("swiss", entrants, cycles, rounds=rounds)
    drawn, _ = play("swiss", field, by_hash(salt))
    assert len(drawn) == (rounds or (entrants - 1).bit_length())
    met: Counter[frozenset[int]] = Counter()
    byes: Counter[int] = Counter()
    for each in drawn:
        assert len(each.tables) == entrants // 2 * cycles
        pairs = Counter(frozenset(table) for table in each.tables)
        assert set(pairs.values()) == {cycles}
        seated = Counter(entrant for pair in pairs for entrant in pair)
        assert set(seated.values()) == {1}
        met.update(set(pairs))
        byes.update(set(range(entrants)) - set(seated))
    if entrants > 2 * len(drawn):  # Then somebody new is always left, and for everybody at once (Dirac).
        assert max(met.values()) == 1
    assert byes.total() == check(PAIRINGS["swiss"], field).byes
    assert set(byes.values()) <= ({1} if len(drawn) <= entrants else {1, 2, 3, 4, 5})


@pytest.mark.parametrize("entrants", range(4, 11))
def test_swiss_repeats_as_few_pairings_as_there_must_be(entrants: int) -> None:
    """Round by round against a slow oracle, through more rounds than there are opponents."""
    drawn, _ = play("swiss", field_of("swiss", entrants, rounds=entrants + 3), by_hash(entrants))
    met: Counter[frozenset[int]] = Counter()
    for each in drawn:
        pairs = [frozenset(table) for table in each.tables]
        seated = sorted(entrant for pair in pairs for entrant in pair)
        assert sum(met[pair] > 0 for pair in pairs) == fewest_repeats(tuple(seated), frozenset(met))
        met.update(pairs)


@cache
def fewest_repeats(left: tuple[int, ...], met: frozenset[frozenset[int]]) -> int:
    if not left:
        return 0
    one, rest = left[0], left[1:]
    return min(
        (frozenset((one, other)) in met) + fewest_repeats(tuple(o for o in rest if o != other), met) for other in rest
    )


def test_swiss_follows_the_points() -> None:
    """Eight entrants, the stronger always wins: folded in the first round, then winners meet winners."""
    drawn, played = play("swiss", field_of("swiss", 8), by_strength)
    met = [[tuple(sorted(table)) for table in each.tables] for each in drawn]
    assert met[0] == [(0, 4), (1, 5), (2, 6), (3, 7)]
    assert met[1] == [(0, 2), (1, 3), (4, 6), (5, 7)]
    assert met[2][0] == (0, 1)
    merits = PAIRINGS["swiss"].merits(field_of("swiss", 8), played)
    assert merits is not None
    assert [merits[entrant].points for entrant in (0, 1, 7)] == [3.0, 2.0, 0.0]


def test_a_swiss_bye_is_for_the_lowest_counts_as_won_and_comes_once() -> None:
    drawn, played = play("swiss", field_of("swiss", 5, cycles=2, rounds=5), by_strength)
    resting = [set(range(5)) - {entrant for table in each.tables for entrant in table} for each in drawn]
    assert resting[0] == {4}
    assert sorted(entrant for each in resting for entrant in each) == [0, 1, 2, 3, 4]
    merits = PAIRINGS["swiss"].merits(field_of("swiss", 5, cycles=2, rounds=5), played)
    assert merits is not None
    assert [merits[entrant].points for entrant in range(5)] == [10.0, 8.0, 6.0, 4.0, 2.0]


def test_swiss_seats_alternate() -> None:
    drawn, _ = play("swiss", field_of("swiss", 16, rounds=8), by_hash(1))
    first = Counter(table[0] for each in drawn for table in each.tables)
    assert max(abs(2 * first[entrant] - 8) for entrant in range(16)) <= 4


@settings(max_examples=80, deadline=None)
@given(entrants=st.integers(2, 64), cycles=st.integers(1, 3), ties=st.integers(0, 3), salt=st.integers(0, 99))
def test_a_knockout_leaves_one(entrants: int, cycles: int, ties: int, salt: int) -> None:
    field = field_of("knockout", entrants, cycles, ties=ties)
    _, played = play("knockout", field, by_hash(salt))
    by_pair = Counter(frozenset(result.entrants) for result in played)
    assert len(by_pair) == entrants - 1
    assert all(cycles <= count <= cycles + ties for count in by_pair.values())
    merits = PAIRINGS["knockout"].merits(field, played)
    assert merits is not None
    stages = sorted((merit.order[0] for merit in merits.values()), reverse=True)
    assert stages[0] == (entrants - 1).bit_length()
    assert stages.count(stages[0]) == 1


@pytest.mark.parametrize("entrants", range(2, 65))
def test_in_a_knockout_the_best_two_meet_last_and_byes_are_the_best_ones(entrants: int) -> None:
    drawn, played = play("knockout", field_of("knockout", entrants), by_strength)
    assert set(drawn[-1].tables[0]) == {0, 1}
    resting = set(range(entrants)) - {entrant for table in drawn[0].tables for entrant in table}
    assert resting == set(range((1 << (entrants - 1).bit_length()) - entrants))
    assert len(resting) == check(PAIRINGS["knockout"], field_of("knockout", entrants)).byes
    merits = PAIRINGS["knockout"].merits(field_of("knockout", entrants), played)
    assert merits is not None
    assert [merits[entrant].order[0] for entrant in range(entrants)] == sorted(
        (merits[entrant].order[0] for entrant in range(entrants)), reverse=True
    )


def test_a_bracket_of_eight() -> None:
    assert seats_of_bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]


def test_equal_pairs_play_on_and_then_the_better_ranked_goes_on() -> None:
    field = field_of("knockout", 4, ties=2)
    drawn, _ = play("knockout", field, lambda one, other: DRAWN)
    assert [(each.tables, each.extra) for each in drawn] == [
        (((0, 3), (1, 2)), False),
        (((3, 0), (2, 1)), True),
        (((0, 3), (1, 2)), True),
        (((0, 1),), False),
        (((1, 0),), True),
        (((0, 1),), True),
    ]


@pytest.mark.parametrize("name", ["swiss", "knockout"])
@pytest.mark.parametrize(
    ("field", "said"), [({"entrants": 1}, "at least 2 entrants, there is 1"), ({"table_size": 3}, "has 2 seats, not 3")]
)
def test_what_cannot_be_drawn_is_refused(name: str, field: dict[str, int], said: str) -> None:
    values = {"entrants": 8, **field}
    with pytest.raises(LeagueError, match=said):
        check(PAIRINGS[name], Field(**values, options=PAIRINGS[name].defaults))  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(
    vertices=st.integers(2, 9),
    edges=st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda e: (min(e), max(e))), max_size=16),
    gone=st.tuples(st.integers(0, 8), st.integers(0, 8)),
)
@example(vertices=6, edges={(0, 2), (1, 3), (2, 3), (2, 4), (3, 5)}, gone=(0, 1))  # 2 and 3 must not take each other.
def test_a_matching_is_the_largest(vertices: int, edges: set[tuple[int, int]], gone: tuple[int, int]) -> None:
    real = [(a, b) for a, b in edges if a != b and b < vertices]
    joined = [[b for b in range(vertices) if (a, b) in real or (b, a) in real] for a in range(vertices)]
    matching = Matching(joined)
    assert_matches(matching, real)
    taken = [vertex for vertex in set(gone) if vertex < vertices]
    assert_matches(matching.without(*taken), [edge for edge in real if not set(edge) & set(taken)])


def assert_matches(matching: Matching, edges: list[tuple[int, int]]) -> None:
    for vertex, partner in enumerate(matching.partner):
        if partner is not None:
            assert matching.partner[partner] == vertex
            assert (vertex, partner) in edges or (partner, vertex) in edges
    assert matching.pairs == largest(edges)


def largest(edges: list[tuple[int, int]]) -> int:
    return next(
        size
        for size in range(len(edges), -1, -1)
        if any(len({v for edge in some for v in edge}) == 2 * size for some in combinations(edges, size))
    )
