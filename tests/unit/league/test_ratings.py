"""Ratings: known values, invariances, error bars."""

from math import sqrt
from random import Random

import pytest

from rummy.errors import LeagueError
from rummy.league.model import (
    MOVES,
    FixtureResult,
    TournamentState,
    check_move,
    fixture_scores,
    match_scores,
)
from rummy.league.ratings import RATINGS, elo, jackknife
from rummy.league.standings import table


def win(round_no: int, table_no: int, *entrants: int) -> FixtureResult:
    """A fixture of one leg whose entrants finish in the order given."""
    return FixtureResult(round_no, table_no, entrants, (tuple(range(1, len(entrants) + 1)),))


def season(seed: int, rounds: int = 12) -> list[FixtureResult]:
    rng = Random(seed)
    results = []
    for number in range(rounds):
        order = rng.sample(range(6), 6)
        size = rng.choice([2, 3, 6])
        for at in range(0, 6, size):
            legs = tuple(tuple(rng.choice([1, 1, 2]) for _ in range(size)) for _ in range(size))
            results.append(FixtureResult(number, at, tuple(order[at : at + size]), legs))
    return results


def test_scores_of_a_match() -> None:
    assert match_scores([1, 2]) == (1.0, 0.0)
    assert match_scores([1, 1]) == (0.5, 0.5)
    assert match_scores([2, 1, 2]) == (0.25, 1.0, 0.25)
    assert match_scores([1, 1, 1, 1]) == (0.5,) * 4
    assert fixture_scores([[1, 2], [2, 1]]) == (0.5, 0.5)


def test_the_usual_example() -> None:
    # Four points apart: the stronger is expected to score 0.5058.
    assert elo.expectation(1613, 1609) == pytest.approx(0.50576, abs=1e-5)
    after = elo.rate_round({0: 1613.0, 1: 1609.0}, [win(0, 0, 0, 1)])
    assert after[0] == pytest.approx(1613 + 32 * (1 - 0.50576), abs=1e-3)
    assert elo.expectation(1900, 1500) == pytest.approx(10 / 11)


@pytest.mark.parametrize("name", RATINGS)
class TestEveryRating:
    def test_the_order_of_arrival_and_of_seats_does_not_matter(self, name: str) -> None:
        results = season(3)
        shuffled = [
            FixtureResult(r.round_no, r.table_no, r.entrants[::-1], tuple(leg[::-1] for leg in r.legs))
            for r in Random(1).sample(results, len(results))
        ]
        expected = RATINGS[name]({}, results)
        assert RATINGS[name]({}, shuffled) == pytest.approx(expected, abs=1e-9)

    def test_the_sum_stays(self, name: str) -> None:
        assert sum(RATINGS[name]({}, season(5)).values()) == pytest.approx(6 * 1500)

    def test_one_sided_and_empty_records_are_finite(self, name: str) -> None:
        after = RATINGS[name]({}, [win(n, 0, 0, 1) for n in range(500)])
        assert 1500 < after[0] < 3000 and after[1] == pytest.approx(3000 - after[0])
        assert RATINGS[name]({0: 1500.0}, []) == {0: 1500.0}

    def test_all_draws_move_nothing(self, name: str) -> None:
        drawn = [FixtureResult(n, 0, (0, 1, 2), ((1, 1, 1),) * 3) for n in range(9)]
        assert RATINGS[name]({}, drawn) == {0: 1500.0, 1: 1500.0, 2: 1500.0}


def test_a_round_is_rated_from_its_opening() -> None:
    both = elo.rate_round({}, [win(0, 0, 0, 1), win(0, 1, 0, 2)])
    assert both[0] == 1532.0
    assert elo.rate_rounds({}, [win(0, 0, 0, 1), win(1, 0, 0, 2)])[0] < 1532.0


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    results = [FixtureResult(n, 0, (0, 1), ((1, 2),) if n % 3 else ((2, 1),)) for n in range(60)]
    values = [r.scores[0] for r in results]
    mean = sum(values) / 60
    expected = sqrt(sum((v - mean) ** 2 for v in values) / 59 / 60)
    errors = jackknife.standard_errors(lambda part: {0: sum(r.scores[0] for r in part) / len(part)}, results)
    assert errors[0] == pytest.approx(expected)


def test_grouping_keeps_the_error() -> None:
    rng = Random(8)
    results = [FixtureResult(n, 0, (0, 1), ((1, 2),) if rng.random() < 0.6 else ((2, 1),)) for n in range(4000)]
    errors = jackknife.standard_errors(lambda part: {0: sum(r.scores[0] for r in part) / len(part)}, results)
    assert errors[0] == pytest.approx(sqrt(0.24 / 4000), rel=0.15)


def test_too_few_fixtures_have_no_error_bar() -> None:
    assert jackknife.standard_errors(lambda part: {0: 0.0}, [win(0, 0, 0, 1)]) == {}
    assert table([0, 1], [], {})[0].error is None


def test_a_record_without_a_loss_has_no_error_bar_rather_than_an_error_of_0() -> None:
    for fixtures in (2, 100, 500):
        lines = table([0, 1], [win(0, n, 0, 1) for n in range(fixtures)], {})
        assert [line.error for line in lines] == [None, None]
        lines = table([0, 1], [win(n, 0, 0, 1) for n in range(fixtures)], {})  # As a round robin has them.
        assert [line.error for line in lines] == [None, None]
    mixed = [win(n, 0, 0, 1) for n in range(20)] + [win(20, 0, 1, 0)]
    assert all(line.error and line.error > 1 for line in table([0, 1], mixed, {}))


def test_many_fixtures_are_left_out_in_fewer_groups() -> None:
    assert [jackknife.group_count(n) for n in (2, 199, 200, 2_000)] == [2, 199, 200, 200]
    assert [jackknife.group_count(n) for n in (2_001, 4_000, 20_000, 10**6)] == [199, 100, 20, 20]
    for n in range(2_001, 20_000, 97):
        assert n * jackknife.group_count(n) <= jackknife.WORK


def test_a_table_counts_matches_and_orders_by_points() -> None:
    results = [
        FixtureResult(0, 0, (0, 1), ((1, 2), (1, 1))),
        FixtureResult(1, 0, (2, 0), ((1, 2), (1, 2))),
        FixtureResult(2, 0, (1, 2), ((2, 1), (2, 1))),
    ]
    lines = table([0, 1, 2, 3], results, {})
    assert [(s.place, s.entrant, s.matches, s.wins, s.draws, s.points) for s in lines] == [
        (1, 2, 4, 4, 0, 4.0),
        (2, 0, 4, 1, 1, 1.5),
        (3, 1, 4, 0, 1, 0.5),
        (4, 3, 0, 0, 0, 0.0),
    ]
    assert lines[0].rating == elo.rate_rounds({}, results)[2] and lines[0].error is not None


def test_equal_lines_share_a_place() -> None:
    assert [s.place for s in table([0, 1], [FixtureResult(0, 0, (0, 1), ((1, 2), (2, 1)))], {})] == [1, 1]


@pytest.mark.parametrize("now", TournamentState)
@pytest.mark.parametrize("move", MOVES)
def test_the_table_of_moves(now: TournamentState, move: str) -> None:
    if now in MOVES[move].legal:
        check_move(move, "Cup", now)
        assert now not in (TournamentState.FINISHED, TournamentState.CANCELLED)
    else:
        with pytest.raises(LeagueError, match=f"'Cup' cannot be {move}: the tournament is {now}; it can be while"):
            check_move(move, "Cup", now)
