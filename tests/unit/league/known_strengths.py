"""Fixtures between entrants of known strength, whose legs share some of their luck, as mirrored deals do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import exp
from random import Random
from statistics import mean
from typing import NamedTuple

from rummy.league.model import FixtureResult
from rummy.league.ratings import joint

Design = Callable[[int, Random], Sequence[tuple[int, ...]]]
Z95 = 1.959964


class Coverage(NamedTuple):
    """How often a 95 % interval held the truth: of ratings, and of differences of two."""

    ratings: float
    differences: float


def all_pairs(cycles: int) -> Design:
    """Everybody meets everybody, *cycles* times."""
    return lambda count, dice: list(combinations(range(count), 2)) * cycles


def star(cycles: int) -> Design:
    """Everybody meets the first alone."""
    return lambda count, dice: [(0, other) for other in range(1, count)] * cycles


def tables(seats: int, fixtures: int) -> Design:
    """Tables drawn at random."""
    return lambda count, dice: [tuple(dice.sample(range(count), seats)) for _ in range(fixtures)]


def pair(
    dice: Random, strengths: Sequence[float], at: tuple[int, ...], ties: float, shared: float
) -> tuple[tuple[int, ...], ...]:
    """Two legs of two. What decides leg 0 decides leg 1 for the same seat with probability *shared*."""
    ahead = strengths[at[0]] - strengths[at[1]]
    luck = dice.random()
    again = luck if dice.random() < shared else dice.random()
    first, second = _decided(ahead, ties, luck), _decided(-ahead, ties, again)
    return first, second[::-1]


def _decided(ahead: float, ties: float, luck: float) -> tuple[int, int]:
    win, lose = exp(ahead / 2), exp(-ahead / 2)
    at = luck * (win + lose + ties)
    return (1, 2) if at < win else (1, 1) if at < win + ties else (2, 1)


def table(dice: Random, strengths: Sequence[float], at: tuple[int, ...], shared: float) -> tuple[tuple[int, ...], ...]:
    """As many legs as seats; who comes next does so after an exponential time, which belongs to the seat."""
    seats = len(at)
    cards = [dice.expovariate(1) for _ in at]
    legs = []
    for leg in range(seats):
        held = cards if dice.random() < shared else [dice.expovariate(1) for _ in at]
        times = [held[(place - leg) % seats] / exp(strengths[entrant]) for place, entrant in enumerate(at)]
        legs.append(tuple(1 + sorted(times).index(time) for time in times))
    return tuple(legs)


def played(dice: Random, strengths: Sequence[float], design: Design, ties: float, shared: float) -> list[FixtureResult]:
    """A season of *design*."""
    return [
        FixtureResult(
            number, 0, at,
            pair(dice, strengths, at, ties, shared) if len(at) == 2 else table(dice, strengths, at, shared),
        )
        for number, at in enumerate(design(len(strengths), dice))
    ]  # fmt: skip


def coverage(
    design: Design, entrants: int, seasons: int, *, spread: float = 200, ties: float = 0.1, shared: float = 0.5
) -> Coverage:
    """Over *seasons*, each with strengths drawn anew, *spread* rating points apart."""
    dice = Random(f"{entrants} {seasons} {spread} {ties} {shared}")
    ratings, differences = list[bool](), list[bool]()
    for _ in range(seasons):
        truth = [dice.gauss(0, spread / joint.POINTS) for _ in range(entrants)]
        found = joint.fit(joint.counted(played(dice, truth, design, ties, shared)))
        off = {each.entrant: each.rating - joint.POINTS * truth[each.entrant] for each in found.strengths}
        middle = mean(off.values())
        ratings += [abs(off[each.entrant] - middle) < Z95 * each.error for each in found.strengths]
        for one, other in combinations(range(entrants), 2):
            error = found.error_between(one, other)
            assert error is not None
            differences.append(abs(off[one] - off[other]) < Z95 * error)
    return Coverage(mean(ratings), mean(differences))
