"""Error bars by leaving out a part at a time (M. Quenouille 1956, J. Tukey 1958)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt

from rummy.league.model import Entrant, FixtureResult

MAX_GROUPS = 200
"""Beyond this many fixtures, equal groups of them are left out together, which keeps the cost linear."""

Estimate = Callable[[Sequence[FixtureResult]], Mapping[Entrant, float]]


def standard_errors(estimate: Estimate, results: Sequence[FixtureResult]) -> dict[Entrant, float]:
    """By entrant: the standard error of *estimate* over *results*, the fixture being the unit.

    An entrant that a partial estimate does not name, or fewer than two fixtures, has no error bar and is left out.
    """
    ordered = sorted(results, key=lambda r: r.key)
    groups = min(len(ordered), MAX_GROUPS)
    if groups < 2:
        return {}
    parts = [estimate([r for i, r in enumerate(ordered) if i % groups != left_out]) for left_out in range(groups)]
    named = set(parts[0]).intersection(*parts[1:])
    return {entrant: _error([part[entrant] for part in parts]) for entrant in sorted(named)}


def _error(values: Sequence[float]) -> float:
    count = len(values)
    mean = sum(values) / count
    return sqrt((count - 1) / count * sum((value - mean) ** 2 for value in values))
