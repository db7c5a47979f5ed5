"""One fit over all results of a ladder: the likeliest strengths, how sure they are, and who is better than whom.

Every match is a placement, and its likelihood that of `stages`. The legs of a fixture share their deals, so they are
not independent: the fixture is the unit. The estimate takes the legs as if they were (R. Chandler and S. Bate,
Inference for clustered data using the independence loglikelihood, Biometrika 94 (2007)), which leaves it consistent.
Its errors come from how much the fixtures scatter, by the sandwich H⁻¹ M H⁻¹ of P. Huber (1967) and K.-Y. Liang and
S. Zeger, Longitudinal data analysis using generalized linear models, Biometrika 73 (1986). So mirrored legs whose luck
cancels make the errors smaller, and no assumption of ours does.

Two things keep it honest where there is little to go by. A weak prior holds each strength within `PRIOR` of the mean of
its group. And as in J. Morel, M. Bokossa and N. Neerchal, Small sample correction for the variance of GEE estimators,
Biometrical Journal 45 (2003), the scatter gets a share of what the model expects, at most `FLOOR` in any direction: a
record without an upset does not scatter at all, and would seem certain.

Where reference bots have played a fixture's deals, what `luck.corrected` takes off its scores is taken off those of the
likelihood, too: an estimating equation that is unbiased stays so, and scatters less.

Bots of which no series of fixtures leads from one to the other form groups of their own, and are not comparable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log, sqrt
from statistics import NormalDist

from rummy.league.luck import Corrected
from rummy.league.model import Entrant, FixtureResult, match_scores
from rummy.league.ratings import matrix, stages
from rummy.league.ratings.elo import INITIAL, SCALE
from rummy.league.ratings.matrix import Matrix

POINTS = SCALE / log(10)
"""Rating points for a factor of e: 400 points are ten wins for each loss, as in Elo without draws."""
PRIOR = 1000.0
"""Rating points: one standard deviation of the prior. It weighs as much as an eighth of a match between equals."""
TIES_PRIOR = 3.0
"""One standard deviation of the prior on the logarithm of each δ, around 0."""
FLOOR = 0.5
"""Fixtures between equals: what so many would scatter is the most that is added in any direction."""
STEPS, CLOSE = 60, 1e-10
MOST = 400
"""Entrants of a fit, so that it takes seconds; where there are more, `largest` chooses."""

Record = tuple[tuple[Entrant, ...], tuple[tuple[int, ...], ...]]
"""Entrants ascending, and placements by leg in their order: all that the fit needs to know of a fixture."""


@dataclass(slots=True)
class Luck:
    """What is taken off the scores of the fixtures of one record: sums by entrant, in its order, and of products."""

    off: list[float]
    products: Matrix


@dataclass(frozen=True, slots=True)
class Strength:
    """The rating of one entrant, and its standard error against the mean of its group."""

    entrant: Entrant
    rating: float
    error: float
    fixtures: int
    group: int  # From 0, larger groups first. Ratings of different groups have nothing to do with each other.


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths by group, best first, and what it takes to compare two of them."""

    strengths: tuple[Strength, ...]
    _spread: Mapping[int, tuple[dict[Entrant, int], Matrix]]

    def error_between(self, one: Entrant, other: Entrant) -> float | None:
        """The standard error of the difference of two ratings; None where they are not comparable."""
        for places, covariance in self._spread.values():
            if one in places and other in places:
                i, j = places[one], places[other]
                return sqrt(max(covariance[i][i] + covariance[j][j] - 2 * covariance[i][j], 0.0))
        return None

    def chance_better(self, one: Entrant, other: Entrant) -> float | None:
        """How probable it is that *one* is better than *other*; None where they are not comparable."""
        error = self.error_between(one, other)
        if error is None:
            return None
        ratings = {each.entrant: each.rating for each in self.strengths}
        return 0.5 if one == other else NormalDist().cdf((ratings[one] - ratings[other]) / error)


def counted(results: Iterable[FixtureResult]) -> Counter[Record]:
    """How often each record occurs: fixtures that went alike are one line, which makes a million of them few."""
    return Counter(_record(result) for result in results)


def _record(result: FixtureResult) -> Record:
    order = _order(result)
    entrants = tuple(result.entrants[at] for at in order)
    return entrants, tuple(sorted(tuple(leg[at] for at in order) for leg in result.legs))


def _order(result: FixtureResult) -> list[int]:
    return sorted(range(len(result.entrants)), key=lambda at: result.entrants[at])


def measured(fixtures: Iterable[Corrected]) -> dict[Record, Luck]:
    """The measured luck of *fixtures*, added up by record."""
    found: dict[Record, Luck] = {}
    for fixture in fixtures:
        if fixture.coefficient:
            size = len(fixture.off)
            luck = found.setdefault(_record(fixture.result), Luck([0.0] * size, matrix.zeros(size)))
            worth = _worth(size)
            off = [worth * fixture.off[at] for at in _order(fixture.result)]
            for n, left in enumerate(off):
                luck.off[n] += left
                for m, right in enumerate(off):
                    luck.products[n][m] += left * right
    return found


@cache
def _worth(seats: int) -> float:
    """What a point of score comes to in the likelihood's own terms, between equals who do not tie; 1 for two."""
    places = range(1, seats + 1)
    told = [(at < seats) - sum(1 / left for left in range(max(seats - at + 1, 2), seats + 1)) for at in places]
    scores = [score - 0.5 for score in match_scores(places)]
    return sum(map(float.__mul__, told, scores)) / sum(score * score for score in scores)


def fit(
    records: Mapping[Record, int], entrants: Iterable[Entrant] = (), luck: Mapping[Record, Luck] | None = None
) -> Fit:
    """The joint fit of *records*, with how often each occurred; *entrants* names those without any.

    *luck* is what `measured` made of those among them that have controls.
    """
    everybody = sorted({entrant for played, _ in records for entrant in played}.union(entrants))
    groups = _groups(everybody, records)
    of_group: list[dict[Record, int]] = [{} for _ in groups]
    number = {entrant: at for at, group in enumerate(groups) for entrant in group}
    for record in sorted(records):
        of_group[number[record[0][0]]][record] = records[record]
    strengths: list[Strength] = []
    spread: dict[int, tuple[dict[Entrant, int], Matrix]] = {}
    for at, (group, played) in enumerate(zip(groups, of_group, strict=True)):
        ratings, covariance = _fit_group(group, played, luck or {})
        spread[at] = {entrant: place for place, entrant in enumerate(group)}, covariance
        found = _strengths(at, group, played, ratings, covariance)
        strengths += sorted(found, key=lambda each: (-each.rating, each.entrant))
    return Fit(tuple(strengths), spread)


def largest(records: Mapping[Record, int], most: int = MOST) -> dict[Record, int]:
    """The records among the *most* entrants with most fixtures; all where there are no more than that."""
    fixtures = _fixtures(records)
    if len(fixtures) <= most:
        return dict(records)
    kept = set(sorted(fixtures, key=lambda entrant: (-fixtures[entrant], entrant))[:most])
    return {record: times for record, times in records.items() if kept.issuperset(record[0])}


def _fixtures(records: Mapping[Record, int]) -> Counter[Entrant]:
    fixtures = Counter[Entrant]()
    for (entrants, _), times in records.items():
        for entrant in entrants:
            fixtures[entrant] += times
    return fixtures


def rate(opening: Mapping[Entrant, float], results: Sequence[FixtureResult]) -> dict[Entrant, float]:
    """The ratings of the joint fit, of all who play or whom *opening* names; what they had before does not count."""
    return {each.entrant: each.rating for each in fit(counted(results), opening).strengths}


def _groups(everybody: Sequence[Entrant], records: Iterable[Record]) -> list[list[Entrant]]:
    """The sets of entrants that fixtures connect, the largest first."""
    leader = {entrant: entrant for entrant in everybody}

    def led(entrant: Entrant) -> Entrant:
        while leader[entrant] != entrant:
            leader[entrant] = entrant = leader[leader[entrant]]
        return entrant

    for entrants, _ in records:
        for other in entrants[1:]:
            leader[led(other)] = led(entrants[0])
    groups: dict[Entrant, list[Entrant]] = {}
    for entrant in everybody:
        groups.setdefault(led(entrant), []).append(entrant)
    return sorted(groups.values(), key=lambda group: (-len(group), group))


def _strengths(
    number: int, group: Sequence[Entrant], played: Mapping[Record, int], ratings: Sequence[float], covariance: Matrix
) -> list[Strength]:
    fixtures = _fixtures(played)
    size = len(group)
    rows = [sum(row) / size for row in covariance]
    whole = sum(rows) / size
    return [
        Strength(
            entrant,
            ratings[at],
            PRIOR if size == 1 else sqrt(max(covariance[at][at] - 2 * rows[at] + whole, 0.0)),
            fixtures[entrant],
            number,
        )
        for at, entrant in enumerate(group)
    ]


def _fit_group(
    group: Sequence[Entrant], played: Mapping[Record, int], luck: Mapping[Record, Luck]
) -> tuple[list[float], Matrix]:
    """Ratings around `INITIAL`, and their covariance in rating points."""
    model = _Model(group, played, {record: luck[record] for record in played if record in luck})
    model.climb()
    size = len(group)
    mean = sum(model.at[:size]) / size
    ratings = [INITIAL + POINTS * (value - mean) for value in model.at[:size]]
    spread = model.covariance()
    return ratings, [[POINTS * POINTS * value for value in row[:size]] for row in spread[:size]]


class _Model:
    """The likelihood of the records of one group, and where its top is: strengths first, then ties by size."""

    def __init__(self, group: Sequence[Entrant], played: Mapping[Record, int], luck: Mapping[Record, Luck]) -> None:
        self._place = {entrant: at for at, entrant in enumerate(group)}
        self._played = played
        self._luck = luck
        self._met: Counter[stages.Remaining] = Counter()
        taken: Counter[tuple[stages.Remaining, tuple[int, ...]]] = Counter()
        for (entrants, legs), times in played.items():
            for leg in legs:
                for choice in stages.choices(entrants, leg):
                    self._met[choice.remaining] += times
                    taken[choice] += times
        self._sizes = tuple(sorted({len(choice[1]) for choice in taken} - {1}))
        self._size = len(group) + len(self._sizes)
        self._observed = self._features(taken)
        self._weights = [POINTS**2 / PRIOR**2] * len(group) + [TIES_PRIOR**-2] * len(self._sizes)
        self._where = {remaining: self._places(remaining) for remaining in self._met}
        self.at = [0.0] * self._size

    def _places(self, remaining: stages.Remaining) -> list[int]:
        """Where the features of a choice stand among all parameters."""
        first = len(self._place)
        return [self._place[entrant] for entrant in remaining] + [first + n for n in range(len(self._sizes))]

    def _features(self, taken: Mapping[tuple[stages.Remaining, tuple[int, ...]], int]) -> list[float]:
        observed = [0.0] * self._size
        for (remaining, members), times in taken.items():
            for at in members:
                observed[self._place[remaining[at]]] += times / len(members)
            if len(members) > 1:
                observed[len(self._place) + self._sizes.index(len(members))] += times
        for (entrants, _), luck in self._luck.items():
            for entrant, off in zip(entrants, luck.off, strict=True):
                observed[self._place[entrant]] -= off
        return observed

    def climb(self) -> None:
        """Newton's method; a step that does not climb is halved, though the likelihood is concave."""
        height, slope, curve = self._look(self.at)
        for _ in range(STEPS):
            step = matrix.solved(matrix.cholesky(curve), slope)
            while True:
                there = [value + move for value, move in zip(self.at, step, strict=True)]
                higher, slope, curve = self._look(there)
                if higher >= height or max(map(abs, step)) < CLOSE:
                    break
                step = [move / 2 for move in step]
            self.at, height = there, higher
            if max(map(abs, step)) < CLOSE:
                return

    def _look(self, at: Sequence[float]) -> tuple[float, list[float], Matrix]:
        """The logarithm of likelihood and prior, its gradient, and minus its second derivatives."""
        pairs = list(zip(self._weights, at, strict=True))
        height = sum(map(float.__mul__, self._observed, at)) - sum(weight * x * x for weight, x in pairs) / 2
        slope = [seen - weight * x for seen, (weight, x) in zip(self._observed, pairs, strict=True)]
        curve = self._diagonal()
        for remaining, times in self._met.items():
            where = self._where[remaining]
            found = self._moments(remaining, at)
            height -= times * found.log_total
            _add(curve, where, found.covariance, times)
            for place, mean in zip(where, found.mean, strict=True):
                slope[place] -= times * mean
        return height, slope, curve

    def _moments(self, remaining: stages.Remaining, at: Sequence[float]) -> stages.Moments:
        return stages.moments([at[self._place[each]] for each in remaining], at[len(self._place) :], self._sizes)

    def _diagonal(self) -> Matrix:
        made = matrix.zeros(self._size)
        for n, weight in enumerate(self._weights):
            made[n][n] = weight
        return made

    def covariance(self) -> Matrix:
        """Of the parameters: the sandwich, with the prior and the share of the model's own scatter."""
        means = {}
        expected = matrix.zeros(self._size)
        for remaining, times in self._met.items():
            found = self._moments(remaining, self.at)
            means[remaining] = found.mean
            _add(expected, self._where[remaining], found.covariance, times)
        bread, filling = self._diagonal(), self._diagonal()
        for n in range(self._size):
            for m in range(self._size):
                bread[n][m] += expected[n][m]
        _add(filling, range(self._size), _bounded(expected, FLOOR * self._of_a_fixture()), 1)
        for record, times in self._played.items():
            self._add_scatter(filling, record, times, means)
        return matrix.sandwich(matrix.inverse(bread), filling)

    def _of_a_fixture(self) -> float:
        """What a fixture between equals would scatter in one direction, without ties, its legs being independent."""
        scatter = directions = 0.0
        for (entrants, legs), times in self._played.items():
            scatter += times * len(legs) * sum(1 - 1 / left for left in range(2, len(entrants) + 1))
            directions += times * (len(entrants) - 1)
        return scatter / directions if directions else 1.0

    def _add_scatter(
        self, filling: Matrix, record: Record, times: int, means: Mapping[stages.Remaining, list[float]]
    ) -> None:
        """What a fixture tells beyond what was expected, over its legs together, squared."""
        surprise: dict[int, float] = {}
        entrants, legs = record
        for leg in legs:
            for remaining, members in stages.choices(entrants, leg):
                for place, mean in zip(self._where[remaining], means[remaining], strict=True):
                    surprise[place] = surprise.get(place, 0.0) - mean
                for at in members:
                    surprise[self._place[remaining[at]]] += 1 / len(members)
                if len(members) > 1:
                    surprise[len(self._place) + self._sizes.index(len(members))] += 1
        for n, left in surprise.items():
            row = filling[n]
            for m, right in surprise.items():
                row[m] += times * left * right
        if record in self._luck:
            self._take_off(filling, entrants, self._luck[record], surprise)

    def _take_off(
        self, filling: Matrix, entrants: Sequence[Entrant], luck: Luck, surprise: Mapping[int, float]
    ) -> None:
        """Makes squares of what fixtures tell into those of what they tell without the luck that was measured."""
        where = [self._place[entrant] for entrant in entrants]
        for place, off in zip(where, luck.off, strict=True):
            for n, told in surprise.items():
                filling[n][place] -= told * off
                filling[place][n] -= told * off
        _add(filling, where, luck.products, 1)


def _bounded(expected: Matrix, most: float) -> Matrix:
    """The parallel sum of *expected* and *most*: near *expected* where that is small, and never above *most*."""
    raised = [[value + (most if n == m else 0.0) for m, value in enumerate(row)] for n, row in enumerate(expected)]
    return [
        [most * ((1.0 if n == m else 0.0) - most * value) for m, value in enumerate(row)]
        for n, row in enumerate(matrix.inverse(raised))
    ]


def _add(total: Matrix, where: Sequence[int], part: Sequence[Sequence[float]], times: int) -> None:
    for n, values in zip(where, part, strict=True):
        row = total[n]
        for m, value in zip(where, values, strict=True):
            row[m] += times * value
