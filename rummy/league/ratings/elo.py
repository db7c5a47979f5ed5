"""Elo ratings for two to six seats, a closed round at a time.

A fixture of n entrants counts as n - 1 games against the others that share one game's weight: an entrant's score is the
mean pairwise score, its expectation the mean of the usual two-player expectations, and it moves by K times their
difference. For two seats this is the formula of A. Elo, The Rating of Chessplayers (1978), section 1.6; for more it is
its pairwise extension, which keeps the sum of all ratings. All fixtures of a round are rated from the ratings at its
opening, so the order in which results arrive does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from rummy.league.model import Entrant, FixtureResult

INITIAL = 1500.0
K = 32.0
SCALE = 400.0


def expectation(mine: float, theirs: float) -> float:
    """The expected score, from 0 to 1, of a bot rated *mine* against one rated *theirs*."""
    return float(1.0 / (1.0 + 10.0 ** ((theirs - mine) / SCALE)))


def rate_round(opening: Mapping[Entrant, float], results: Iterable[FixtureResult]) -> dict[Entrant, float]:
    """The ratings after one closed round; entrants that *opening* does not name begin at `INITIAL`."""
    after = dict(opening)
    for result in sorted(results, key=lambda r: r.key):
        ratings = [opening.get(entrant, INITIAL) for entrant in result.entrants]
        for entrant, change in zip(result.entrants, _changes(ratings, result.scores), strict=True):
            after[entrant] = after.get(entrant, INITIAL) + change
    return after


def rate_rounds(opening: Mapping[Entrant, float], results: Sequence[FixtureResult]) -> dict[Entrant, float]:
    """The ratings after all the rounds of *results*, in scheduled order."""
    ratings = dict(opening)
    for _, closed in groupby(sorted(results, key=lambda r: r.key), key=lambda r: r.round_no):
        ratings = rate_round(ratings, closed)
    return ratings


def _changes(ratings: Sequence[float], scores: Sequence[float]) -> list[float]:
    others = len(ratings) - 1
    return [
        K * (score - sum(expectation(mine, theirs) for j, theirs in enumerate(ratings) if j != i) / others)
        for i, (mine, score) in enumerate(zip(ratings, scores, strict=True))
    ]
