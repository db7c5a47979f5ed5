"""The sequential test: its arithmetic by hand, and how often it is wrong where the truth is known."""

from __future__ import annotations

from collections import Counter
from math import exp, log
from random import Random

import pytest

from rummy.errors import BadInput
from rummy.league.ratings.elo import expectation
from rummy.league.sequential import BEFORE, Answer, Question

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
# How often mirrored fixtures of two equal bots score so: luck that cancels, legs that are independent, few decided.
NATURES = {
    "luck cancels": (0.1, 0.05, 0.7, 0.05, 0.1),
    "independent legs": (0.25, 0.02, 0.46, 0.02, 0.25),
    "nearly always level": (0.02, 0.02, 0.92, 0.02, 0.02),
}


def tilted(base: tuple[float, ...], mean: float) -> list[float]:
    """The chances of scores like *base*, with that mean."""
    low, high = -30.0, 30.0
    for _ in range(80):
        middle = (low + high) / 2
        weights = [chance * exp(middle * score) for chance, score in zip(base, SCORES, strict=True)]
        found = sum(w * score for w, score in zip(weights, SCORES, strict=True)) / sum(weights)
        low, high = (middle, high) if found < mean else (low, middle)
    return [weight / sum(weights) for weight in weights]


def decided(dice: Random, question: Question, chances: list[float]) -> tuple[Answer, int]:
    seen = Counter[float]()
    while question.answer(seen) is Answer.OPEN:
        seen[dice.choices(SCORES, chances)[0]] += 1
    return question.answer(seen), seen.total()


def wrong(question: Question, nature: str, trials: int) -> tuple[float, float, float]:
    """How often a bot at elo0 is called better, one at elo1 not better, and the fixtures that it takes on average."""
    dice, fixtures = Random(nature), 0
    missed = [0, 0]
    for which, (mean, right) in enumerate(zip(question.scores, (Answer.NOT_BETTER, Answer.BETTER), strict=True)):
        chances = tilted(NATURES[nature], mean)
        for _ in range(trials):
            answer, played = decided(dice, question, chances)
            missed[which] += answer is not right
            fixtures += played
    return missed[0] / trials, missed[1] / trials, fixtures / trials / 2


def test_two_scores_alone_are_walds_test() -> None:
    """Where only 0 and 1 occur the mean is the chance of a 1, and the ratio is that of two binomials."""
    question = Question(0, 100, 0.05, 0.1)
    s0, s1 = expectation(0, 0), expectation(100, 0)
    expected = (30 + BEFORE) * log(s1 / s0) + (20 + BEFORE) * log((1 - s1) / (1 - s0))
    assert question.log_ratio({1.0: 30, 0.0: 20}) == pytest.approx(expected)
    assert question.bounds == pytest.approx((log(0.1 / 0.95), log(0.9 / 0.05)))


def test_many_fixtures_near_the_middle_are_as_the_normal_law_has_it() -> None:
    question = Question(-5, 5, 0.05, 0.05)
    seen = {0.0: 1000, 0.5: 2900, 1.0: 1100}
    mean, count = (1100 + 1450) / 5000, 5000
    variance = (1000 * mean**2 + 2900 * (0.5 - mean) ** 2 + 1100 * (1 - mean) ** 2) / count
    s0, s1 = question.scores
    assert question.log_ratio(seen) == pytest.approx(
        count * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance), rel=0.01
    )


def test_nothing_seen_decides_nothing() -> None:
    question = Question(0, 20, 0.05, 0.05)
    assert question.log_ratio({}) == pytest.approx(0, abs=1e-3)
    assert question.answer({}) is Answer.OPEN


def test_one_fixture_decides_little_however_it_ends() -> None:
    question = Question(0, 50, 0.05, 0.05)
    for score in SCORES:
        assert abs(question.log_ratio({score: 1})) < 0.2
        assert question.answer({score: 5}) is Answer.OPEN


def test_the_other_way_round_it_says_the_opposite() -> None:
    one, other = Question(-10, 30, 0.05, 0.02), Question(-30, 10, 0.02, 0.05)
    seen = {0.0: 30, 0.25: 7, 0.5: 100, 1.0: 45}
    turned = {1 - score: times for score, times in seen.items()}
    assert one.log_ratio(seen) == pytest.approx(-other.log_ratio(turned))
    assert one.bounds == pytest.approx(tuple(-bound for bound in other.bounds[::-1]))


@pytest.mark.parametrize(
    "numbers",
    [
        (20, 20, 0.05, 0.05), (20, 0, 0.05, 0.05), (0, 2000, 0.05, 0.05), (float("nan"), 5, 0.05, 0.05),
        (0, 20, 0, 0.05), (0, 20, 0.05, 0.5), (0, 20, float("nan"), 0.05),
    ],
)  # fmt: skip
def test_a_question_that_makes_no_sense(numbers: tuple[float, float, float, float]) -> None:
    with pytest.raises(BadInput, match=r"points|probability"):
        Question(*numbers)


def test_it_is_wrong_as_seldom_as_was_asked() -> None:
    first, second, _ = wrong(Question(0, 100, 0.1, 0.1), "luck cancels", 200)
    assert 0.01 < first < 0.17
    assert 0.01 < second < 0.17


@pytest.mark.long
@pytest.mark.parametrize("nature", NATURES)
@pytest.mark.parametrize("elo", [(0, 50), (-25, 25), (0, 100)])
def test_it_is_wrong_as_seldom_as_was_asked_whatever_the_scores_are_like(nature: str, elo: tuple[int, int]) -> None:
    first, second, fixtures = wrong(Question(*elo, 0.05, 0.05), nature, 1_500)
    print(f"\n{elo}, {nature}: {first:.1%} and {second:.1%} wrong, {fixtures:.0f} fixtures")
    assert first < 0.067  # 0.05, and three of the standard errors of 1,500 trials.
    assert second < 0.067
