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

Estimate = Callable[[Sequence[FixtureResult]], Mapping[Entrant, float]]


def standard_errors(estimate: Estimate, results: Sequence[FixtureResult]) -> dict[Entrant, float]:
    """By entrant: the standard error of *estimate* over *results*, the fixture being the unit.

    An entrant that a partial estimate does not name, or fewer than two fixtures, has no error bar and is left out.
    """
    ordered = sorted(results, key=lambda r: r.key)
    if len(ordered) < 2:
        return {}
    groups = group_count(len(ordered))
    parts = [estimate([r for i, r in enumerate(ordered) if i % groups != left_out]) for left_out in range(groups)]
    named = set(parts[0]).intersection(*parts[1:])
    return {entrant: _error([part[entrant] for part in parts]) for entrant in sorted(named)}


def group_count(fixtures: int) -> int:
    """How many groups so many fixtures are left out in: as many as `WORK` allows, the same wherever it is asked."""
    return min(fixtures, MAX_GROUPS, max(MIN_GROUPS, WORK // fixtures))


def _error(values: Sequence[float]) -> float:
    count = len(values)
    mean = sum(values) / count
    return sqrt((count - 1) / count * sum((value - mean) ** 2 for value in values))
