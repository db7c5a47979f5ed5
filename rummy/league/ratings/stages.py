"""A placement as a series of choices: Plackett–Luce with ties.

The first place is taken by one entrant or by several that tie, the next by some of those that remain, and so on. Of the
sets S of the remaining entrants, the one that comes next has a chance in proportion to

    δ(|S|) · (the geometric mean of the strengths in S),   δ(1) = 1,

which is the model of H. Turner, J. van Etten, D. Firth and I. Kosmidis, Modelling rankings in R: the PlackettLuce
package, Computational Statistics 35 (2020), section 2. For two seats it is the Bradley–Terry model with ties of
R. Davidson, On extending the Bradley–Terry model to accommodate ties, JASA 65 (1970), with ν = δ(2); without ties it is
that of R. Plackett and D. Luce, and for two seats that of R. Bradley and M. Terry. In logarithms it is linear: a choice
has the features 1/|S| for each member of S and 1 for the size of a tie, so the likelihood is that of a multinomial
logit, which is concave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import exp, log
from typing import NamedTuple

from rummy.league.model import Entrant

Remaining = tuple[Entrant, ...]
Sizes = tuple[int, ...]
"""The sizes of ties that have been seen, ascending. Others have a chance of 0, which is the most likely value."""


class Choice(NamedTuple):
    """Who took the next place, by position among those who remained."""

    remaining: Remaining
    taken: tuple[int, ...]


class Moments(NamedTuple):
    """Of the features of a choice: by position of the remaining, then by size of tie."""

    log_total: float
    mean: list[float]
    covariance: list[list[float]]


def choices(entrants: Sequence[Entrant], placements: Sequence[int]) -> Iterator[Choice]:
    """The choices that led to *placements*; what is left to the last entrant alone is none."""
    remaining = list(zip(entrants, placements, strict=True))
    while len(remaining) > 1:
        best = min(place for _, place in remaining)
        taken = tuple(at for at, (_, place) in enumerate(remaining) if place == best)
        yield Choice(tuple(entrant for entrant, _ in remaining), taken)
        remaining = [each for each in remaining if each[1] != best]


def moments(strengths: Sequence[float], ties: Sequence[float], sizes: Sizes) -> Moments:
    """Of the next choice among entrants with these logarithms of strength, *ties* being those of δ by size."""
    options = _options(len(strengths), sizes)
    heights = [
        sum(strengths[at] for at in members) * share + (0.0 if tie is None else ties[tie])
        for members, share, tie in options
    ]
    top = max(heights)
    weights = [exp(height - top) for height in heights]
    total = sum(weights)
    width, alone = len(strengths) + len(sizes), len(strengths)
    mean = [0.0] * width
    square = [[0.0] * width for _ in range(width)]
    for (members, share, tie), weight in zip(options, weights, strict=True):
        chance = weight / total
        for at in members:
            mean[at] += chance * share
            for other in members:
                square[at][other] += chance * share * share
        if tie is not None:
            mean[alone + tie] += chance
            square[alone + tie][alone + tie] += chance
            for at in members:
                square[at][alone + tie] += chance * share
                square[alone + tie][at] += chance * share
    for row, left in zip(square, mean, strict=True):
        for at, right in enumerate(mean):
            row[at] -= left * right
    return Moments(top + log(total), mean, square)


@cache
def _options(count: int, sizes: Sizes) -> list[tuple[tuple[int, ...], float, int | None]]:
    """Members, the share of each, and the number of the size among *sizes*, for every set that may come next."""
    options: list[tuple[tuple[int, ...], float, int | None]] = [((at,), 1.0, None) for at in range(count)]
    for number, size in enumerate(sizes):
        options += [(members, 1 / size, number) for members in combinations(range(count), size)]
    return options
