"""Luck taken out and measured: by hand, by properties, and by simulation where strengths and luck are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import sqrt
from random import Random
from statistics import mean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy.league import luck
from rummy.league.luck import Corrected, Single
from rummy.league.model import FixtureResult
from rummy.league.ratings import joint

Control = Callable[[Random, Sequence[float]], tuple[float, ...]]


def placements(values: Sequence[float]) -> tuple[int, ...]:
    """Who has most is first."""
    return tuple(1 + sum(other > value for other in values) for value in values)


def fair(dice: Random, cards: Sequence[float]) -> tuple[float, ...]:
    """Two tables of reference bots, whose play adds chance of its own."""
    return luck.controls([placements([card + dice.gauss(0, 0.5) for card in cards]) for _ in range(2)])


def perverse(dice: Random, cards: Sequence[float]) -> tuple[float, ...]:
    """Reference bots that lose with the good cards."""
    return luck.controls([placements([-card + dice.gauss(0, 0.5) for card in cards])])


def blind(dice: Random, cards: Sequence[float]) -> tuple[float, ...]:
    """Reference bots whose result has nothing to do with the cards."""
    return luck.controls([placements([dice.random() for _ in cards])])


def season(
    dice: Random, strengths: Sequence[float], rounds: int, seats: int, control: Control, *, adaptive: bool = False
) -> list[list[Single]]:
    """Rounds of tables at which cards, strength and chance decide; *adaptive*: those who are level meet."""
    made: list[list[Single]] = []
    points = [0.0] * len(strengths)
    for number in range(rounds):
        order = list(range(len(strengths)))
        dice.shuffle(order)
        if adaptive:
            order.sort(key=lambda entrant: -points[entrant])
        tables = [order[at : at + seats] for at in range(0, len(order) - seats + 1, seats)]
        made.append([_played(dice, strengths, number, at, table, control) for at, table in enumerate(tables)])
        for single in made[-1]:
            for entrant, score in zip(single.result.entrants, single.result.scores, strict=True):
                points[entrant] += score
    return made


def _played(
    dice: Random, strengths: Sequence[float], number: int, at: int, table: list[int], control: Control
) -> Single:
    dice.shuffle(table)
    cards = [dice.gauss(0, 1) for _ in table]
    values = [strengths[entrant] + card + dice.gauss(0, 0.5) for entrant, card in zip(table, cards, strict=True)]
    return Single(FixtureResult(number, at, tuple(table), (placements(values),)), control(dice, cards))


def flat(rounds: Sequence[Sequence[Single]]) -> list[Single]:
    return [single for fixtures in rounds for single in fixtures]


def test_the_slope_by_hand() -> None:
    """Four fixtures of the same two: scores from their mean times controls from ½, over the squares of the latter."""

    def single(places: tuple[int, int], r: float) -> Single:
        return Single(FixtureResult(0, 0, (7, 3), (places,)), (r, 1 - r))

    fixtures = [single((1, 2), 1.0), single((2, 1), 0.0), single((1, 1), 0.5), single((2, 1), 1.0)]
    # Scores 1, 0, ½, 0 have the mean 3/8: 5/8·½ + 3/8·½ + 0 - 3/8·½ = 5/16 for one, twice for both, times 4/3.
    assert luck.slope(fixtures) == pytest.approx((2 * 5 / 16 * 4 / 3) / (2 * 3 / 4))


def test_a_slope_that_nothing_tells_is_0() -> None:
    lonely = [Single(FixtureResult(0, 0, (1, 2), ((1, 2),)), (1.0, 0.0))]
    level = [Single(FixtureResult(0, at, (1, 2), ((1, 2),)), (0.5, 0.5)) for at in range(30)]
    assert luck.slope([]) == luck.slope(lonely) == luck.slope(level) == 0


def test_controls_are_mean_scores_by_seat() -> None:
    assert luck.controls([(1, 2, 3), (1, 1, 3)]) == pytest.approx((0.875, 0.625, 0))
    assert sum(luck.controls([(2, 1, 4, 3), (1, 1, 1, 4), (1, 1, 1, 1)])) == pytest.approx(2)


def test_without_controls_nothing_is_taken_off() -> None:
    rounds = season(Random(1), [0, 1, 0, 1], 60, 2, fair)
    bare = [[Single(single.result, None) for single in fixtures] for fixtures in rounds]
    for each in luck.corrected(bare):
        assert each.adjusted == each.result.scores
    assert luck.by_control(luck.corrected(bare)) is None


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(1, 60))
def test_adjusted_scores_add_up_to_what_scores_add_up_to(seed: int, seats: int, rounds: int) -> None:
    for each in luck.corrected(season(Random(seed), [0, 0.3, 0.6, 1], rounds, seats, fair)):
        assert sum(each.adjusted) == pytest.approx(seats / 2)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 59))
def test_a_coefficient_does_not_depend_on_its_own_round_or_on_later_ones(seed: int, cut: int) -> None:
    """All that the proof asks of it."""
    rounds = season(Random(seed), [0, 0.5, 0.2, 0.7], 60, 2, fair)
    other = rounds[:cut] + season(Random(seed + 1), [0, 0.5, 0.2, 0.7], 60, 2, blind)[cut:]
    first, second = list(luck.corrected(rounds)), list(luck.corrected(other))
    here = 2 * (cut + 1)
    assert [each.coefficient for each in first[:here]] == [each.coefficient for each in second[:here]]


def test_a_round_is_corrected_by_those_before_it_as_soon_as_there_are_enough() -> None:
    rounds = season(Random(3), [0, 0.5], 60, 2, fair)
    coefficients = [each.coefficient for each in luck.corrected(rounds)]
    assert coefficients[: luck.LEAST] == [0.0] * luck.LEAST
    assert coefficients[luck.LEAST] == luck.slope(flat(rounds[: luck.LEAST]))
    assert len(set(coefficients)) < 8  # Taken anew as the number grows by a quarter.


def _off(fixtures: Sequence[Corrected], entrant: int) -> float:
    """What was taken off the mean score of *entrant*."""
    mine = [each.off[each.result.entrants.index(entrant)] for each in fixtures if entrant in each.result.entrants]
    return sum(mine) / len(mine)


@pytest.mark.parametrize(("control", "seats"), [(fair, 2), (perverse, 2), (blind, 2), (fair, 4), (perverse, 3)])
def test_what_is_taken_off_is_0_on_average_whatever_the_reference_bots_are(control: Control, seats: int) -> None:
    """Even where those meet who are level on points, so that who meets whom follows from how the cards fell."""
    dice = Random(f"{control.__name__} {seats}")
    strengths = [0, 0.4, 0.8, 1.2] if seats != 3 else [0, 0.6, 1.2]
    found = []
    for _ in range(200):
        rounds = season(dice, strengths, 40, seats, control, adaptive=True)
        found.append(_off(list(luck.corrected(rounds)), len(strengths) - 1))
    assert abs(mean(found)) < 4 * stdev(found) / sqrt(len(found))


@pytest.mark.parametrize("seats", [2, 4])
def test_the_error_shrinks_as_the_correlation_has_it(seats: int) -> None:
    """Over seasons the mean scores scatter as much less as one season says, which is √(1 - ρ²)."""
    dice = Random(seats)
    raw, adjusted, told = [], [], []
    for _ in range(150):
        rounds = season(dice, [0, 0.3, 0.3, 0.6], 60, seats, fair)
        fixtures = [each for each in luck.corrected(rounds) if each.coefficient]
        [line] = [line for line in luck.scores(fixtures) if line.entrant == 3]
        gain = luck.by_control(fixtures)
        assert gain is not None
        raw.append(line.raw)
        adjusted.append(line.adjusted)
        told.append(gain.ratio)
    assert stdev(adjusted) / stdev(raw) == pytest.approx(mean(told), abs=0.1)
    assert mean(told) < 0.8


def test_reference_bots_that_tell_nothing_cost_next_to_nothing() -> None:
    gain = luck.by_control(luck.corrected(season(Random(9), [0, 0.5], 1_000, 2, blind)))
    assert gain is not None
    assert gain.ratio == pytest.approx(1, abs=0.02)


def test_the_error_of_a_gain_is_how_much_gains_scatter() -> None:
    dice = Random(4)
    gains = [luck.by_control(luck.corrected(season(dice, [0, 0.5], 150, 2, fair))) for _ in range(100)]
    ratios = [gain.ratio for gain in gains if gain is not None]
    errors = [gain.error for gain in gains if gain is not None and gain.error is not None]
    assert stdev(ratios) == pytest.approx(mean(errors), rel=0.3)


def test_scores_have_the_errors_of_fixtures_between_the_same_entrants() -> None:
    """3 is always beaten by 1 and always beats 2: no luck in it, so no error, although its own scores differ."""
    places = {(3, 1): (2, 1), (3, 2): (1, 2)}
    fixtures = [Corrected(FixtureResult(n, 0, pair, (where,)), (0.0, 0.0), 0.0)
                for n in range(10) for pair, where in places.items()]  # fmt: skip
    lines = {line.entrant: line for line in luck.scores(fixtures)}
    assert lines[3].raw == lines[3].adjusted == 0.5
    assert lines[3].raw_error is None


def mirrored(dice: Random, shared: float, fixtures: int) -> Counter[tuple[luck.Group, tuple[tuple[int, ...], ...]]]:
    """Two legs whose cards are the same, for a share of all luck."""
    found = Counter[tuple[luck.Group, tuple[tuple[int, ...], ...]]]()
    for number in range(fixtures):
        cards = dice.gauss(0, sqrt(shared))
        legs = []
        for leg in range(2):
            first = 0.3 + (-cards if leg else cards) + dice.gauss(0, sqrt(1 - shared))
            legs.append((1, 2) if first > 0 else (2, 1))
        pair = (1, 2) if number % 2 else (2, 1)
        found[pair, tuple(legs)] += 1
    return found


def test_mirrored_legs_that_share_nothing_gain_nothing() -> None:
    gain = luck.by_mirroring(mirrored(Random(5), 0, 4_000))
    assert gain is not None and gain.error is not None
    assert abs(gain.ratio - 1) < 4 * gain.error < 0.08


def test_mirrored_legs_gain_more_the_more_of_the_luck_they_share() -> None:
    ratios = []
    for shared in (0, 0.5, 0.9):
        gain = luck.by_mirroring(mirrored(Random(6), shared, 4_000))
        assert gain is not None
        ratios.append(gain.ratio)
    assert ratios[0] > ratios[1] + 0.1 > ratios[2] + 0.2


def test_legs_of_which_each_wins_one_leave_no_error() -> None:
    """The luck of the cards decides all: the fixture is level, and half the matches would do for any error."""
    gain = luck.by_mirroring({((1, 2), ((1, 2), (2, 1))): 5, ((1, 2), ((2, 1), (1, 2))): 5})
    assert gain is not None
    assert gain.ratio == 0
    assert gain.error is None
    assert gain.saved == 1


def test_fixtures_that_are_all_alike_tell_no_gain() -> None:
    assert luck.by_mirroring({((1, 2), ((1, 2), (1, 2))): 50}) is None
    assert luck.by_mirroring({}) is None


def test_counted_fixtures_are_as_many() -> None:
    many: dict[tuple[luck.Group, tuple[tuple[int, ...], ...]], int] = {
        ((1, 2), ((1, 2), (2, 1))): 2,
        ((1, 2), ((1, 2), (1, 2))): 3,
        ((2, 1), ((1, 2), (1, 1))): 1,
    }
    gain = luck.by_mirroring(many)
    assert gain is not None
    assert gain.fixtures == 6
    by_hand = luck._Squares()
    legs = [(1, 1, 0, 0)] * 3 + [(1, 0, 0, 1)] * 2 + [(0, 0.5, 1, 0.5)]
    for scores in legs:
        by_hand.add((1, 2), scores, 1)
    assert by_hand.total() == pytest.approx(sum(12 / 12 * (x - mean(column)) ** 2
                                                for column in zip(*legs, strict=True) for x in column))  # fmt: skip


def _fitted(rounds: Sequence[Sequence[Single]], *, adjusted: bool) -> joint.Fit:
    fixtures = list(luck.corrected(rounds))
    taken = joint.measured(fixtures) if adjusted else None
    return joint.fit(joint.counted(each.result for each in fixtures), luck=taken)


@pytest.mark.parametrize("seats", [2, 3])
def test_the_joint_fit_takes_measured_luck_off_and_its_errors_stay_true(seats: int) -> None:
    """Ratings scatter less around their mean over seasons, and as much as their errors say."""
    dice = Random(f"joint {seats}")
    strengths = [0, 0.3, 0.6] if seats == 3 else [0, 0.3, 0.5, 0.8]
    found: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    for _ in range(60):
        rounds = season(dice, strengths, 80, seats, fair)
        for adjusted, kept in found.items():
            fit = _fitted(rounds, adjusted=adjusted)
            ratings = {each.entrant: each.rating for each in fit.strengths}
            error = fit.error_between(0, len(strengths) - 1)
            assert error is not None
            kept.append((ratings[len(strengths) - 1] - ratings[0], error))
    spread = {adjusted: stdev(lead for lead, _ in kept) for adjusted, kept in found.items()}
    assert spread[True] < spread[False]
    assert mean(error for _, error in found[True]) == pytest.approx(spread[True], rel=0.25)
    apart = mean(lead for lead, _ in found[True]) - mean(lead for lead, _ in found[False])
    assert abs(apart) < 4 * spread[False] / sqrt(60)


def test_the_likelihoods_terms_for_a_point_of_score() -> None:
    assert joint._worth(2) == 1
    # Three: first 1 - 1/3, second 1 - 1/3 - 1/2, last -1/3 - 1/2; scores ½, 0, -½.
    assert joint._worth(3) == pytest.approx((2 / 3 * 0.5 + 5 / 6 * 0.5) / 0.5)


def test_all_pairs_of_a_ladder_are_corrected_in_time_in_proportion() -> None:
    """Each fixture is looked at a few times, however many rounds there are."""
    looked = 0

    class Looked(tuple[float, ...]):
        def __iter__(self) -> Iterator[float]:
            nonlocal looked
            looked += 1
            return super().__iter__()

    pairs = [FixtureResult(0, 0, pair, ((1, 2),)) for pair in combinations(range(6), 2)]
    rounds = [[Single(each, Looked((0.75, 0.25))) for each in pairs] for _ in range(100)]
    assert sum(1 for _ in luck.corrected(rounds)) == 1_500
    assert looked < 8 * 1_500
