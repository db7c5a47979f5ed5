"""Error bars by leaving out a part at a time (M. Quenouille 1956, J. Tukey 1958)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt

from rummy.league.model import Entrant, FixtureResult

MAX_GROUPS = 200
"""Beyond this many fixtures, equal groups of them are left out together, which keeps the cost linear."""
MIN_GROUPS = 20
WORK = 400_000
"""Fixtures that are estimated anew in all: many fixtures are left out in fewer, larger groups, down to `MIN_GROUPS`."""
NOISE = 1e-6
"""Sums in another order differ by less than this, and no rating is so fine."""

Estimate = Callable[[Sequence[FixtureResult]], Mapping[Entrant, float]]


def standard_errors(estimate: Estimate, results: Sequence[FixtureResult]) -> dict[Entrant, float]:
    """By entrant: the standard error of *estimate* over *results*, the fixture being the unit.

    An entrant that a partial estimate does not name, or fewer than two fixtures, has no error bar and is left out. So
    is one whose partial estimates are all equal, as between two bots of which one has won every time: what nothing
    moves tells nothing of how far it could move, and an error of 0 would read as certainty.
    """
    ordered = sorted(results, key=lambda r: r.key)
    if len(ordered) < 2:
        return {}
    groups = group_count(len(ordered))
    parts = [estimate([r for i, r in enumerate(ordered) if i % groups != left_out]) for left_out in range(groups)]
    named = set(parts[0]).intersection(*parts[1:])
    values = {entrant: [part[entrant] for part in parts] for entrant in sorted(named)}
    larger = len(ordered) % groups  # The first so many groups hold a fixture more than the others.
    return {entrant: _error(found) for entrant, found in values.items() if _moves(found[:larger], found[larger:])}


def group_count(fixtures: int) -> int:
    """How many groups so many fixtures are left out in: as many as `WORK` allows, the same wherever it is asked."""
    return min(fixtures, MAX_GROUPS, max(MIN_GROUPS, WORK // fixtures))


def _moves(*alike: Sequence[float]) -> bool:
    """Whether it matters which fixtures are left out; estimates of as many fixtures are compared with each other."""
    return any(max(values) - min(values) > NOISE for values in alike if values)


def _error(values: Sequence[float]) -> float:
    count = len(values)
    mean = sum(values) / count
    return sqrt((count - 1) / count * sum((value - mean) ** 2 for value in values))
