"""Play until a question is decided, and no longer: is a bot better than another by so much, or only by so much?

A. Wald, Sequential tests of statistical hypotheses (1945), stops as soon as the likelihood ratio of the two answers
leaves an interval. Here an answer says only what a fixture scores on average, not how likely each score is. So the
likelihoods are the largest that any distribution of scores with that mean gives to what was seen: the generalised test
of X. Li, J. Liu and Z. Ying, Generalized sequential probability ratio test for separate families of hypotheses,
Sequential Analysis 33 (2014), as M. Van den Bergh has worked out for scores of mirrored games. Since the unit is the
fixture, luck that its legs share is in it as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import log

from rummy.errors import BadInput
from rummy.league.ratings.elo import expectation

MOST_ELO = 1000.0
BEFORE = 0.25
"""How often a score of 0 and one of 1 count before the first fixture. It puts every mean within reach, and keeps a few
fixtures that happen to be much alike from deciding: without it the first hundred are wrong more often than asked."""
HALVINGS = 40


class Answer(StrEnum):
    """What the fixtures have come to."""

    BETTER = "better"
    NOT_BETTER = "not better"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Question:
    """Is it better by *elo1* points, or by no more than *elo0*? Raises `BadInput`.

    A bot of exactly *elo0* is called better with a probability of about *alpha*, one of *elo1* not better with *beta*.
    """

    elo0: float
    elo1: float
    alpha: float
    beta: float

    def __post_init__(self) -> None:
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise BadInput(
                f"The question needs two numbers of points, the first below the second, both within {MOST_ELO:g} of 0; "
                f"{self.elo0:g} and {self.elo1:g} are none."
            )
        if not (0.0001 <= self.alpha < 0.5 and 0.0001 <= self.beta < 0.5):
            raise BadInput(
                f"A probability of a wrong answer is from 0.0001 to below 0.5, not {self.alpha:g} or {self.beta:g}."
            )

    @property
    def scores(self) -> tuple[float, float]:
        """The mean score of a fixture by either answer."""
        return expectation(self.elo0, 0), expectation(self.elo1, 0)

    @property
    def bounds(self) -> tuple[float, float]:
        """Where the logarithm of the likelihood ratio decides: not better at the first, better at the second."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def log_ratio(self, seen: Mapping[float, int]) -> float:
        """The logarithm of the likelihood ratio, above 0 for the higher answer; *seen* counts scores from 0 to 1."""
        counts: dict[float, float] = {0.0: BEFORE, 1.0: BEFORE}
        for score, times in sorted(seen.items()):
            counts[score] = counts.get(score, 0.0) + times
        low, high = (_tilt(counts, mean) for mean in self.scores)
        s0, s1 = self.scores
        return sum(
            times * log((1 + low * (score - s0)) / (1 + high * (score - s1))) for score, times in sorted(counts.items())
        )

    def answer(self, seen: Mapping[float, int]) -> Answer:
        """What the scores seen so far say."""
        ratio = self.log_ratio(seen)
        lower, upper = self.bounds
        return Answer.BETTER if ratio >= upper else Answer.NOT_BETTER if ratio <= lower else Answer.OPEN


def _tilt(counts: Mapping[float, float], mean: float) -> float:
    """t for which the likeliest chances with that *mean*, in proportion to count / (1 + t (score - mean)), have it."""
    low, high = -1 / (max(counts) - mean), 1 / (mean - min(counts))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        pull = sum(times * (score - mean) / (1 + middle * (score - mean)) for score, times in counts.items())
        low, high = (middle, high) if pull > 0 else (low, middle)
    return (low + high) / 2
