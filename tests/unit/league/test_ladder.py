"""The ladder: everybody plays equally often, mostly those who are close (fault P7)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy.errors import LeagueError, NotEnoughEntrants
from rummy.league import standings
from rummy.league.model import FixtureResult, Round
from rummy.league.pairing import PAIRINGS
from rummy.league.pairing.balance import balance
from rummy.league.pairing.format import Field, check

LADDER = PAIRINGS["ladder"]


def field_of(
    entrants: int, table_size: int = 2, rounds: int = 0, cycles: int = 1, seed: bytes = b"seed", *, turned: int = 0
) -> Field:
    """A field ranked in the order of entry, but for the first *turned* who stand last."""
    ranking = (*range(turned, entrants), *range(turned))
    options = {**LADDER.defaults, "rounds": rounds}
    return Field(entrants=entrants, table_size=table_size, cycles=cycles, options=options, ranking=ranking, seed=seed)


def drawn(field: Field) -> list[Round]:
    size = check(LADDER, field)
    rounds = list(LADDER.draw(field, ()))
    assert (size.rounds, size.fixtures, size.most) == (len(rounds), sum(len(r.tables) for r in rounds), size.fixtures)
    assert [each.number for each in rounds] == list(range(len(rounds)))
    return rounds


@settings(max_examples=150, deadline=None)
@given(
    entrants=st.integers(2, 64), table_size=st.integers(2, 6), rounds=st.integers(0, 40), cycles=st.integers(1, 3),
    seed=st.binary(max_size=4),
)  # fmt: skip
def test_all_play_equally_often_and_have_each_seat_equally_often(
    entrants: int, table_size: int, rounds: int, cycles: int, seed: bytes
) -> None:
    field = field_of(entrants, table_size, rounds, cycles, seed)
    if entrants < table_size:
        with pytest.raises(NotEnoughEntrants, match=f"at least {table_size} entrants"):
            check(LADDER, field)
        return
    found = drawn(field)
    assert len(found) == (rounds or 4 * (entrants - 1).bit_length())
    for each in found:
        tables = Counter(frozenset(table) for table in each.tables)
        assert set(tables.values()) == {cycles}
        seated = Counter(entrant for table in tables for entrant in table)
        assert set(seated.values()) == {1} and len(seated) == entrants - entrants % table_size
    even = balance(entrants, found)
    assert even.each[1] - even.each[0] <= (cycles if entrants % table_size else 0)
    assert even.seats <= 1


@pytest.mark.parametrize(("entrants", "table_size", "cycles"), [(5, 2, 1), (9, 4, 2), (13, 6, 1), (7, 3, 2)])
def test_seats_stay_even_over_many_blocks(entrants: int, table_size: int, cycles: int) -> None:
    field = field_of(entrants, table_size, rounds=300, cycles=cycles)
    assert balance(entrants, drawn(field)).seats <= 1


@pytest.mark.parametrize("table_size", range(2, 7))
@pytest.mark.parametrize("entrants", [12, 21, 64])
def test_those_who_are_close_meet_more_often_and_all_may_meet(entrants: int, table_size: int) -> None:
    met: Counter[int] = Counter()
    found = drawn(field_of(entrants, table_size, rounds=1000))
    for each in found:
        for table in each.tables:
            met.update(abs(one - other) for one, other in combinations(table, 2))
    # By distance in the ranking, in quarters of the field: meetings of a pair.
    quarters = [range(entrants * q // 4 + (q == 0), entrants * (q + 1) // 4) for q in range(4)]
    often = [sum(met[d] for d in part) / sum(entrants - d for d in part) for part in quarters]
    assert often == sorted(often, reverse=True)
    assert often[0] > (3 if entrants == 64 else 1) * often[2]
    assert often[3] > 0


def test_the_ranking_decides_who_sits_where_and_the_seed_who_meets_whom() -> None:
    straight, turned = (drawn(field_of(12, 3, rounds=8, turned=turned)) for turned in (0, 5))
    places = [tuple(tuple((one + 5) % 12 for one in table) for table in each.tables) for each in straight]
    assert [each.tables for each in turned] == places
    assert drawn(field_of(12, 3, rounds=8)) == straight
    assert drawn(field_of(12, 3, rounds=8, seed=b"other")) != straight


def test_results_change_nothing_that_was_drawn() -> None:
    field = field_of(6, rounds=3)
    results = [FixtureResult(0, at, table, ((1, 2), (1, 2))) for at, table in enumerate(drawn(field)[0].tables)]
    assert list(LADDER.draw(field, results)) == drawn(field)
    assert LADDER.merits(field, results) is None


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (field_of(1), "at least 2 entrants, there is 1"),
        (field_of(3, 4), "at least 4 entrants, there are 3"),
        (field_of(8, 7), "2 to 6 seats, not 7"),
        (field_of(1001), "at most 1,000 entrants, not 1,001"),
        (field_of(600, rounds=1000), "300,000 fixtures; the limit is 250,000"),
    ],
)
def test_what_cannot_be_drawn_is_refused(field: Field, said: str) -> None:
    with pytest.raises(LeagueError, match=said):
        check(LADDER, field)


def test_a_bot_without_hope_gets_its_share_and_a_finite_rating() -> None:
    """P7: twenty epochs, each ranked by the ratings that the ones before left; entrant 0 loses whatever it plays."""
    entrants, rounds = 9, 12
    rating = dict.fromkeys(range(entrants), 1500.0)
    for epoch in range(20):
        ranking = tuple(sorted(rating, key=lambda entrant: -rating[entrant]))
        field = Field(
            entrants=entrants, options={"rounds": rounds, "seeding": "rating"}, ranking=ranking, seed=bytes([epoch])
        )
        results = [
            FixtureResult(each.number, at, table, (tuple(2 if one == min(table) else 1 for one in table),))
            for each in drawn(field)
            for at, table in enumerate(each.tables)
        ]
        lines = standings.table(range(entrants), results, rating, by_rating=True)
        share = {line.entrant: line.fixtures for line in lines}
        assert min(share.values()) >= rounds - 2 and share[0] <= rounds
        rating = {line.entrant: line.rating for line in lines}
    assert [line.place for line in lines] == list(range(1, entrants + 1))
    assert [line.entrant for line in lines][-1] == 0
    assert -1000 < rating[0] < 1300


def test_the_table_of_a_ladder_is_by_rating_and_equals_share_a_place() -> None:
    """Nobody's points tell much where opponents differ: here a draw against the best counts for more than a win."""
    results = [
        FixtureResult(0, 0, (0, 1), ((1, 1),)),
        FixtureResult(0, 1, (2, 3), ((1, 2),)),
        FixtureResult(0, 2, (4, 5), ((1, 1),)),
    ]
    opening = {0: 2000.0, 1: 1900.0, 2: 1000.0, 3: 1000.0, 4: 1500.0, 5: 1500.0}
    lines = standings.table(range(6), results, opening, by_rating=True)
    assert [(line.entrant, line.place) for line in lines] == [(0, 1), (1, 2), (4, 3), (5, 3), (2, 5), (3, 6)]
    assert next(line.entrant for line in standings.table(range(6), results, opening)) == 2
