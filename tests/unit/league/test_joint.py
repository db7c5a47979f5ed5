"""The joint fit: published and closed values, records that say little, and how often its intervals hold the truth."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from math import exp, log, sqrt
from random import Random
from statistics import NormalDist

import pytest
from known_strengths import Design, all_pairs, coverage, played, star, tables

from rummy.league.model import FixtureResult
from rummy.league.ratings import joint, matrix
from rummy.league.ratings.joint import POINTS, PRIOR, Record

WIN, LOSS, DRAW = (1, 2), (2, 1), (1, 1)

# American League East 1987, wins of the row over the column: A. Agresti, Categorical Data Analysis (2nd edition, 2002),
# table 10.10, and the estimates of the Bradley-Terry model that section 10.6.2 gives, Baltimore being 0.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
PUBLISHED = (1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0)


def records(*found: tuple[tuple[int, ...], tuple[tuple[int, ...], ...], int]) -> dict[Record, int]:
    return {(entrants, legs): times for entrants, legs, times in found}


def ratings(found: joint.Fit) -> dict[int, float]:
    return {each.entrant: each.rating for each in found.strengths}


def errors(found: joint.Fit) -> dict[int, float]:
    return {each.entrant: each.error for each in found.strengths}


class TestKnownValues:
    def test_a_published_table(self) -> None:
        played = Counter[Record]()
        for one, other in combinations(range(7), 2):
            played[(one, other), (WIN,)] = WINS[one][other]
            played[(one, other), (LOSS,)] = WINS[other][one]
        found = joint.fit(played)
        for team, published in enumerate(PUBLISHED):
            ahead = ratings(found)[team] - ratings(found)[6]
            assert ahead / POINTS == pytest.approx(published, abs=0.02), TEAMS[team]  # 0.015 are the prior's.

    def test_two_bots_differ_by_the_odds_of_their_wins(self) -> None:
        found = joint.fit(records(((0, 1), (WIN,), 3_000_000), ((0, 1), (LOSS,), 1_000_000)))
        assert ratings(found)[0] - ratings(found)[1] == pytest.approx(POINTS * log(3), abs=1e-3)
        error = POINTS * sqrt(1 / 3_000_000 + 1 / 1_000_000)
        assert found.error_between(0, 1) == pytest.approx(error, rel=1e-3)
        assert errors(found)[0] == errors(found)[1] == pytest.approx(error / 2, rel=1e-3)

    def test_draws_leave_the_odds_of_the_decided_matches(self) -> None:
        """Davidson (1970): for one pair the strengths are as the wins, and ν = draws / √(wins · losses)."""
        found = joint.fit(records(((0, 1), (WIN,), 400_000), ((0, 1), (LOSS,), 100_000), ((0, 1), (DRAW,), 300_000)))
        assert ratings(found)[0] - ratings(found)[1] == pytest.approx(POINTS * log(4), abs=0.01)

    def test_legs_of_which_each_wins_one_tell_more_than_as_many_fixtures_apart(self) -> None:
        apart = joint.fit(records(((0, 1), (WIN,), 500), ((0, 1), (LOSS,), 500)))
        mirrored = joint.fit(records(((0, 1), (WIN, LOSS), 500)))
        same = joint.fit(records(((0, 1), (WIN, WIN), 250), ((0, 1), (LOSS, LOSS), 250)))
        assert errors(mirrored)[0] < 0.1 * errors(apart)[0]
        assert errors(same)[0] == pytest.approx(sqrt(2) * errors(apart)[0], rel=0.01)

    def test_three_seats_without_ties_are_plackett_and_luce(self) -> None:
        """Against the iteration of D. Hunter, MM algorithms for generalized Bradley-Terry models (2004), section 5."""
        results = played(Random(7), [0.5, 0.2, 0.0, -0.7], tables(3, 4_000), ties=0, shared=0)
        found = ratings(joint.fit(joint.counted(results)))
        expected = hunter([leg for result in results for leg in ordered(result)], 4)
        for entrant in range(1, 4):
            assert (found[entrant] - found[0]) / POINTS == pytest.approx(log(expected[entrant] / expected[0]), abs=1e-3)

    def test_with_ties_the_strengths_behind_the_chances_are_found_again(self) -> None:
        """Each placement as often as its chance by the definition, written out below, says."""
        strengths, ties = [0.8, 0.1, -0.9], {2: -1.2, 3: -2.0}
        chances = weak_orders(strengths, ties)
        assert sum(chances.values()) == pytest.approx(1)
        seen = (((0, 1, 2), (places,), round(10_000_000 * chance)) for places, chance in chances.items())
        found = ratings(joint.fit(records(*seen)))
        for entrant in (1, 2):
            ahead = (found[0] - found[entrant]) / POINTS
            assert ahead == pytest.approx(strengths[0] - strengths[entrant], abs=1e-4)


def ordered(result: FixtureResult) -> list[list[int]]:
    return [
        [entrant for _, entrant in sorted(zip(leg, result.entrants, strict=True))] for leg in result.legs
    ]  # fmt: skip


def hunter(orders: list[list[int]], count: int) -> list[float]:
    strengths = [1.0] * count
    for _ in range(200):
        wins, shares = [0.0] * count, [0.0] * count
        for order, times in Counter(map(tuple, orders)).items():
            for at in range(len(order) - 1):
                left = sum(strengths[each] for each in order[at:])
                wins[order[at]] += times
                for each in order[at:]:
                    shares[each] += times / left
        strengths = [won / share for won, share in zip(wins, shares, strict=True)]
    return strengths


def weak_orders(strengths: list[float], ties: dict[int, float]) -> dict[tuple[int, ...], float]:
    """The chance of every placement of three, written out from the definition."""
    chances = {}
    for places in set(product((1, 2, 3), repeat=3)):
        if places != tuple(1 + sum(other < place for other in places) for place in places):
            continue
        chance, left = 1.0, [0, 1, 2]
        while left:
            best = [at for at in left if places[at] == min(places[each] for each in left)]
            sets = [each for size in range(1, len(left) + 1) for each in combinations(left, size)]
            chance *= weight(best, strengths, ties) / sum(weight(each, strengths, ties) for each in sets)
            left = [at for at in left if at not in best]
        chances[places] = chance
    return chances


def weight(members: list[int] | tuple[int, ...], strengths: list[float], ties: dict[int, float]) -> float:
    size = len(members)
    return exp(sum(strengths[at] for at in members) / size + ties.get(size, 0.0))


class TestRecordsThatSayLittle:
    def test_no_record_at_all(self) -> None:
        assert joint.fit({}).strengths == ()
        (alone,) = joint.fit({}, [7]).strengths
        assert (alone.rating, alone.error, alone.fixtures) == (1500, PRIOR, 0)
        assert joint.rate({3: 1700.0}, []) == {3: 1500.0}

    @pytest.mark.parametrize("fixtures", [1, 2, 10, 500, 100_000])
    def test_wins_alone_are_finite_and_never_certain(self, fixtures: int) -> None:
        found = joint.fit(records(((0, 1), (WIN, WIN), fixtures)))
        ahead, error = ratings(found)[0] - ratings(found)[1], found.error_between(0, 1)
        assert error is not None
        assert 100 < ahead < 4_000
        assert error > 200  # The odds may be any from some bound on.
        # The truth may be as low as the odds at which so many wins in a row are one case in twenty.
        least = POINTS * log(1 / (0.05 ** (-1 / (2 * fixtures)) - 1))
        assert ahead - 1.96 * error < least
        assert 0.5 < (found.chance_better(0, 1) or 0) <= 1

    def test_a_gap_that_nobody_ever_crossed_is_not_certain_either(self) -> None:
        """Two groups that are well measured in themselves, and all matches between them have gone one way."""
        dice = Random(2)
        results = played(dice, [0.0] * 8, all_pairs(20), ties=0, shared=0)
        inside = [r for r in results if (r.entrants[0] < 4) == (r.entrants[1] < 4)]
        across = [FixtureResult(9_999, n, (n % 4, 4 + n % 3), (WIN, WIN)) for n in range(60)]
        found = joint.fit(joint.counted(inside + across))
        near, far = found.error_between(0, 1), found.error_between(0, 5)
        assert near is not None
        assert far is not None
        assert near < 50
        assert far > 150

    @pytest.mark.parametrize("draw", [(DRAW,), (DRAW, DRAW)])
    def test_draws_alone_leave_all_equal_and_open(self, draw: tuple[tuple[int, ...], ...]) -> None:
        found = joint.fit(records(((0, 1), draw, 200)))
        assert ratings(found) == {0: 1500, 1: 1500}
        assert found.chance_better(0, 1) == 0.5
        assert 100 < errors(found)[0] < PRIOR  # Davidson: draws tell nothing of the odds of a decided match.
        found = joint.fit(records(((0, 1, 2), ((1, 1, 1),) * 3, 50)))
        assert set(ratings(found).values()) == {1500}

    def test_groups_that_never_met_are_not_comparable(self) -> None:
        found = joint.fit(records(((0, 1), (WIN, LOSS), 9), ((2, 3), (WIN, WIN), 9), ((3, 4), (WIN, LOSS), 9)), [9])
        groups = {each.entrant: each.group for each in found.strengths}
        assert groups == {2: 0, 3: 0, 4: 0, 0: 1, 1: 1, 9: 2}
        assert found.chance_better(0, 2) is found.error_between(0, 2) is None
        assert found.chance_better(2, 3) is not None
        for group in (0, 1, 2):
            inside = [each.rating for each in found.strengths if each.group == group]
            assert sum(inside) / len(inside) == pytest.approx(1500)

    def test_one_fixture_between_groups_compares_them_widely(self) -> None:
        dice = Random(3)
        results = [
            r for r in played(dice, [0.0] * 6, all_pairs(50), 0, 0.5) if r.entrants[0] // 3 == r.entrants[1] // 3
        ]
        bridge = FixtureResult(9_999, 0, (0, 3), (WIN, LOSS))
        found = joint.fit(joint.counted([*results, bridge]))
        inside, across = found.error_between(1, 2), found.error_between(1, 4)
        assert inside is not None
        assert across is not None
        assert across > 5 * inside

    def test_in_a_star_the_tips_are_less_sure_than_the_middle(self) -> None:
        found = joint.fit(joint.counted(played(Random(4), [0.0] * 6, star(20), 0.1, 0.5)))
        assert all(errors(found)[tip] > 1.5 * errors(found)[0] for tip in range(1, 6))
        tips, spoke = found.error_between(1, 2), found.error_between(0, 1)
        assert tips is not None
        assert spoke is not None
        assert 1.1 * spoke < tips < 1.7 * spoke  # On average √2, as two errors that have nothing to do with each other.


class TestInvariance:
    def test_neither_order_nor_seats_nor_how_results_are_grouped_changes_a_bit(self) -> None:
        results = played(Random(6), [0.3, 0.1, -0.1, -0.3], all_pairs(5), 0.2, 0.5)
        mixed = [
            FixtureResult(r.round_no, r.table_no, r.entrants[::-1], tuple(leg[::-1] for leg in r.legs[::-1]))
            for r in Random(1).sample(results, len(results))
        ]
        assert joint.fit(joint.counted(mixed)).strengths == joint.fit(joint.counted(results)).strengths

    def test_names_do_not_matter(self) -> None:
        results = played(Random(6), [0.3, 0.1, -0.1, -0.3], all_pairs(5), 0.2, 0.5)
        renamed = [
            FixtureResult(r.round_no, 0, tuple(100 - entrant for entrant in r.entrants), r.legs) for r in results
        ]
        one, other = joint.fit(joint.counted(results)), joint.fit(joint.counted(renamed))
        assert {100 - entrant: rating for entrant, rating in ratings(other).items()} == pytest.approx(ratings(one))
        assert {100 - entrant: error for entrant, error in errors(other).items()} == pytest.approx(errors(one))

    def test_chances_of_two_add_up_and_follow_from_the_error(self) -> None:
        found = joint.fit(joint.counted(played(Random(8), [0.2, 0, -0.2], all_pairs(10), 0, 0.5)))
        one, other = found.chance_better(0, 2), found.chance_better(2, 0)
        error = found.error_between(0, 2)
        assert one is not None
        assert other is not None
        assert error is not None
        assert one + other == pytest.approx(1)
        assert one == pytest.approx(NormalDist().cdf((ratings(found)[0] - ratings(found)[2]) / error))


def test_an_inverse_is_one() -> None:
    dice = Random(1)
    half = [[dice.gauss(0, 1) for _ in range(7)] for _ in range(7)]
    whole = [[sum(a * b for a, b in zip(row, other, strict=True)) + (row is other) for other in half] for row in half]
    found = matrix.inverse(whole)
    for i, j in product(range(7), repeat=2):
        assert sum(whole[i][k] * found[k][j] for k in range(7)) == pytest.approx(float(i == j), abs=1e-9)
    assert matrix.solved(matrix.cholesky(whole), [1.0] * 7) == pytest.approx([sum(row) for row in found])
    with pytest.raises(ValueError):
        matrix.cholesky([[1.0, 2.0], [2.0, 1.0]])


# Designs, entrants, how far apart they are, the share of ties, and how much luck the legs of a fixture share.
SCHEDULES: dict[str, tuple[Design, int, dict[str, float]]] = {
    "two": (all_pairs(20), 2, {}),
    "all pairs, few": (all_pairs(2), 6, {}),
    "all pairs, many": (all_pairs(10), 6, {"shared": 0.9}),
    "all pairs, independent legs": (all_pairs(4), 6, {"shared": 0.0, "ties": 0.3}),
    "all pairs, far apart": (all_pairs(5), 6, {"spread": 400}),
    "star": (star(15), 6, {}),
    "star, far apart": (star(40), 6, {"spread": 300, "shared": 0.8}),
    "tables of three": (tables(3, 60), 6, {"shared": 0.5}),
    "tables of four": (tables(4, 60), 6, {"shared": 0.8}),
}


@pytest.mark.parametrize("name", ["two", "all pairs, few", "star"])
def test_intervals_hold_the_truth(name: str) -> None:
    design, entrants, nature = SCHEDULES[name]
    found = coverage(design, entrants, 150, **nature)
    assert 0.91 < found.ratings < 0.99
    assert 0.91 < found.differences < 0.99


@pytest.mark.long
@pytest.mark.parametrize("name", SCHEDULES)
def test_intervals_hold_the_truth_93_to_97_times_in_a_hundred(name: str) -> None:
    design, entrants, nature = SCHEDULES[name]
    found = coverage(design, entrants, 2_000, **nature)
    print(f"\n{name}: ratings {found.ratings:.1%}, differences {found.differences:.1%}")
    assert 0.93 <= found.ratings <= 0.97
    assert 0.93 <= found.differences <= 0.97
