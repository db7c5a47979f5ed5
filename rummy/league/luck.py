"""How much luck is in results, and how much of it is taken out or measured.

Luck is taken out where a fixture is played from every seat (mirrored legs). Where it cannot be, since a live bot would
know the deals, it is measured: *reference bots* play the same deals among themselves, and what they score in a seat is
the *control* of whoever sat there. This is the method of control variates (R. Rubinstein and R. Marcus, Efficiency of
multivariate control variates in Monte Carlo simulation, Operations Research 33 (1985)).

An entrant that scored s where its control is r has the adjusted score s - c · (r - 1/2).

**It is unbiased, whatever the reference bots are and however badly they play.**

- r depends on the deals alone. They are those of this fixture and no other, and they treat seats alike: the seat that
  begins is drawn with them, so turned by one seat they are as likely as before. The tables of reference bots are closed
  under turning. So r has the same mean in each seat, and all of a table add up to half its seats: the mean is 1/2.
- c comes from rounds before this one alone, whose results do not depend on these deals. So given all that was known at
  the round's opening c is a number, and the mean of c · (r - 1/2) is 0, whoever was paired with whom for whatever
  reason. What is taken off is a sum of martingale differences; the pairings need not be independent.

A coefficient that is wrong costs gain, never truth. The best one is the slope of scores over controls; then the
variance shrinks by the square of their correlation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from rummy.league.model import Entrant, FixtureResult, match_scores

MEAN = 0.5
"""The mean of a control."""
LEAST = 20
"""Fixtures whose slope is first believed: an estimate from n of them costs about 1/n of the variance."""
GROWTH = 1.25
"""The slope is taken anew when there are so many times as many fixtures; so a ladder takes time in proportion to it."""

Seats = int
Group = tuple[Entrant, ...]


class Single(NamedTuple):
    """A fixture that was played once, and the control of each entrant; None where there is none, or not yet."""

    result: FixtureResult
    control: tuple[float, ...] | None


class Corrected(NamedTuple):
    """A fixture, what is to be taken off the score of each of its entrants, and the coefficient behind that."""

    result: FixtureResult
    off: tuple[float, ...]
    coefficient: float

    @property
    def adjusted(self) -> tuple[float, ...]:
        """By entrant: the score without what the control says was luck. May lie outside 0 to 1."""
        return tuple(score - off for score, off in zip(self.result.scores, self.off, strict=True))


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """By how much a method shrinks the error of scores, at the same number of matches."""

    fixtures: int
    ratio: float  # The error with the method, over that without: below 1 it helps.
    error: float | None  # Its standard error, by jackknife over fixtures; None where nothing moves it.

    @property
    def saved(self) -> float:
        """The share of matches that are not needed for the same error."""
        return 1 - self.ratio**2


@dataclass(frozen=True, slots=True)
class Score:
    """The mean score of an entrant over fixtures, as it was and adjusted, each with its standard error."""

    entrant: Entrant
    fixtures: int
    raw: float
    raw_error: float | None
    adjusted: float
    adjusted_error: float | None


def controls(tables: Iterable[Sequence[int]]) -> tuple[float, ...]:
    """By seat: the mean score over *tables* of reference bots, each given by its placements."""
    scores = [match_scores(placements) for placements in tables]
    return tuple(sum(seat) / len(scores) for seat in zip(*scores, strict=True))


def corrected(rounds: Iterable[Sequence[Single]]) -> Iterator[Corrected]:
    """Every fixture of *rounds*, which come in the order in which they were drawn, with its correction."""
    before: dict[Seats, list[Single]] = defaultdict(list)
    slopes: dict[Seats, float] = {}
    due: dict[Seats, float] = defaultdict(lambda: LEAST)
    for fixtures in rounds:
        for seats, seen in before.items():
            if len(seen) >= due[seats]:
                slopes[seats], due[seats] = slope(seen), GROWTH * len(seen)
        for single in fixtures:
            yield _corrected(single, slopes.get(len(single.result.entrants), 0.0))
        for single in fixtures:
            if single.control is not None:
                before[len(single.result.entrants)].append(single)


def _corrected(single: Single, coefficient: float) -> Corrected:
    if single.control is None:
        return Corrected(single.result, (0.0,) * len(single.result.entrants), 0.0)
    return Corrected(single.result, tuple(coefficient * (r - MEAN) for r in single.control), coefficient)


def slope(fixtures: Iterable[Single]) -> float:
    """Of scores over controls, among fixtures of the same entrants; 0 where those tell none."""
    groups: dict[Group, list[Single]] = defaultdict(list)
    for single in fixtures:
        groups[_group(single.result)].append(single)
    together = squares = 0.0
    for same in groups.values():
        if len(same) > 1:
            along, square = _moments(same)
            together += along
            squares += square
    return together / squares if squares else 0.0


def _moments(same: Sequence[Single]) -> tuple[float, float]:
    """Sums over fixtures of the same entrants: score times control, each from its mean; and the control's square."""
    means = _means([(single.result.entrants, single.result.scores) for single in same])
    together = squares = 0.0
    for single in same:
        assert single.control is not None, "only fixtures with a control have a slope"
        for entrant, score, r in zip(single.result.entrants, single.result.scores, single.control, strict=True):
            together += (score - means[entrant]) * (r - MEAN)
            squares += (r - MEAN) ** 2
    return together * len(same) / (len(same) - 1), squares  # The mean is one of their own, and takes one off.


def _means(fixtures: Sequence[tuple[Group, Sequence[float]]]) -> dict[Entrant, float]:
    sums: dict[Entrant, float] = defaultdict(float)
    for entrants, scores in fixtures:
        for entrant, score in zip(entrants, scores, strict=True):
            sums[entrant] += score
    return {entrant: total / len(fixtures) for entrant, total in sums.items()}


def _group(result: FixtureResult) -> Group:
    return tuple(sorted(result.entrants))


def scores(fixtures: Iterable[Corrected]) -> list[Score]:
    """The mean scores of all who play in *fixtures*, best first; errors come from fixtures of the same entrants."""
    raw, adjusted = _Squares(), _Squares()
    for each in fixtures:
        for entrant, score, better in zip(each.result.entrants, each.result.scores, each.adjusted, strict=True):
            group = (entrant, *_group(each.result))
            raw.add(group, (score,), 1)
            adjusted.add(group, (better,), 1)
    found = [Score(entrant, *raw.of(entrant), *adjusted.of(entrant)[1:]) for entrant in raw.entrants()]
    return sorted(found, key=lambda line: (-line.adjusted, line.entrant))


def by_control(fixtures: Iterable[Corrected]) -> Shrinkage | None:
    """What controls gain, over the fixtures that have a coefficient; None where they tell nothing."""
    return _shrinkage(
        (_group(each.result), _ordered(each.result.entrants, each.adjusted),
         _ordered(each.result.entrants, each.result.scores), 1)
        for each in fixtures if each.coefficient
    )  # fmt: skip


def by_mirroring(fixtures: Mapping[tuple[Group, tuple[tuple[int, ...], ...]], int]) -> Shrinkage | None:
    """What mirrored legs gain over as many matches on deals of their own; None where fixtures tell nothing.

    *fixtures* counts how often entrants, in the seats of leg 0, finished so: by leg the placements in their order. If
    their legs were independent, the variance of a fixture's sum would be the sum of its legs' variances.
    """
    return _shrinkage(_mirrored(*fixture, times) for fixture, times in fixtures.items() if len(fixture[1]) > 1)


_Sample = tuple[Group, tuple[float, ...], tuple[float, ...], int]
"""Who plays; what is estimated with the method; what without; how often this occurred."""


def _mirrored(entrants: Group, legs: tuple[tuple[int, ...], ...], times: int) -> _Sample:
    count = len(entrants)
    scored = [match_scores(leg) for leg in legs]
    order = sorted(range(count), key=lambda at: entrants[at])
    whole = tuple(sum(leg[at] for leg in scored) for at in order)
    # By entrant and seat: the entrant of seat s in leg 0 sits in seat s - k in leg k.
    apart = tuple(scored[(at - seat) % count][at] for at in order for seat in range(count))
    return tuple(sorted(entrants)), whole, apart, times


def _ordered(entrants: Group, values: Sequence[float]) -> tuple[float, ...]:
    return tuple(value for _, value in sorted(zip(entrants, values, strict=True)))


class _Squares:
    """Sums of squares around the means of groups."""

    def __init__(self) -> None:
        self._count: dict[Group, int] = defaultdict(int)
        self._sums: dict[Group, list[float]] = {}
        self._squares: dict[Group, float] = defaultdict(float)

    def add(self, group: Group, values: Sequence[float], times: int) -> None:
        self._count[group] += times
        sums = self._sums.setdefault(group, [0.0] * len(values))
        for at, value in enumerate(values):
            sums[at] += times * value
            self._squares[group] += times * value * value

    def around(self, group: Group) -> float:
        """The sum of squares around the mean of *group*."""
        return self._squares[group] - sum(total * total for total in self._sums[group]) / self._count[group]

    def total(self) -> float:
        return sum(self.around(group) for group in self._count)

    def without(self, group: Group, values: Sequence[float]) -> float:
        """By how much `around` falls where one with *values* is left out of *group*."""
        count = self._count[group]
        if count < 2:
            return 0.0
        far = sum((value - total / count) ** 2 for value, total in zip(values, self._sums[group], strict=True))
        return count / (count - 1) * far

    def entrants(self) -> list[Entrant]:
        """Whom the groups begin with."""
        return sorted({group[0] for group in self._count})

    def of(self, entrant: Entrant) -> tuple[int, float, float | None]:
        """Of the groups that begin with *entrant*: how many, their mean, and its error; None where all are alike."""
        mine = [group for group in self._count if group[0] == entrant]
        count = sum(self._count[group] for group in mine)
        free = count - len(mine)
        spread = sum(self.around(group) for group in mine)
        error = sqrt(spread / free / count) if free and spread > NOISE else None
        return count, sum(self._sums[group][0] for group in mine) / count, error


NOISE = 1e-9
"""Squares that add up to less are those of rounding."""


def _shrinkage(samples: Iterable[_Sample]) -> Shrinkage | None:
    every = list(samples)
    better, plain = _Squares(), _Squares()
    for group, much, little, times in every:
        better.add(group, much, times)
        plain.add(group, little, times)
    fixtures = sum(times for *_, times in every)
    spread, scatter = better.total(), plain.total()
    if scatter < NOISE:
        return None
    parts = [(_ratio(spread - better.without(g, much), scatter - plain.without(g, little)), times)
             for g, much, little, times in every]  # fmt: skip
    mean = sum(part * times for part, times in parts) / fixtures
    jackknife = (fixtures - 1) / fixtures * sum(times * (part - mean) ** 2 for part, times in parts)
    return Shrinkage(fixtures, _ratio(spread, scatter), sqrt(jackknife) if jackknife > NOISE else None)


def _ratio(spread: float, scatter: float) -> float:
    return sqrt(max(spread, 0.0) / scatter) if scatter > NOISE else 1.0
