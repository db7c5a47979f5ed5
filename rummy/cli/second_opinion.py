"""The ratings of openskill: another model, of other people, over the same results.

R. Weng and C.-J. Lin, A Bayesian approximation method for online ranking, Journal of Machine Learning Research 12
(2011): each bot has a mean and a standard deviation, which every fixture moves. It knows neither a closed round nor a
mirrored leg, so the fixture is one game here, in which a bot's place is that of its score.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from openskill.models import PlackettLuce, PlackettLuceRating

from rummy.league.model import Entrant, FixtureResult


class Belief(NamedTuple):
    """What openskill believes of a bot, on its own scale, where everybody begins at 25 ± 8.33."""

    mean: float
    deviation: float


def beliefs(results: Iterable[FixtureResult]) -> dict[Entrant, Belief]:
    """What it believes after *results*, one after the other."""
    model = PlackettLuce()
    ratings: dict[Entrant, PlackettLuceRating] = {}
    for result in results:
        teams = [[ratings.get(entrant) or model.rating()] for entrant in result.entrants]
        after = model.rate(teams, scores=[round(score, 9) for score in result.scores])  # Sums of thirds.
        for entrant, (rating,) in zip(result.entrants, after, strict=True):
            ratings[entrant] = rating
    return {entrant: Belief(rating.mu, rating.sigma) for entrant, rating in ratings.items()}
