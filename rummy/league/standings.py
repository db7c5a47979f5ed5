"""The table of a tournament."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from rummy.league.model import Entrant, FixtureResult, match_scores
from rummy.league.pairing.format import Merit
from rummy.league.ratings import elo, jackknife


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table."""

    place: int  # From 1; shared by those who are alike in all that orders the table.
    entrant: Entrant
    rating: float  # Elo after the closed rounds given, from the ratings at the tournament's opening.
    error: float | None  # Its standard error, by jackknife over fixtures; None where they do not tell one.
    fixtures: int
    matches: int
    wins: int  # Matches won alone.
    draws: int  # Matches whose first place was shared.
    points: float  # Of its matches, 1 for each won and one half for each drawn; or those of its `Merit`.


def table(
    entrants: Sequence[Entrant],
    results: Sequence[FixtureResult],
    opening: Mapping[Entrant, float],
    merits: Mapping[Entrant, Merit] | None = None,
    *,
    by_rating: bool = False,
    rated: Sequence[FixtureResult] | None = None,
    last: Collection[Entrant] = (),
) -> list[Standing]:
    """The standings after *results*, best first: by points, then wins, then draws; those alike share a place.

    *opening* holds the ratings at the tournament's start; an entrant without one begins at `elo.INITIAL`. *merits* come
    from a format that has points and an order of its own. Where the opponents are not the same for all, the order is
    *by_rating*. Where not all results are *rated*, that has those that are. Whoever is in *last* comes last.
    """
    start = {entrant: opening.get(entrant, elo.INITIAL) for entrant in entrants}
    rated = results if rated is None else rated
    ratings = elo.rate_rounds(start, rated)
    errors = jackknife.standard_errors(lambda part: elo.rate_rounds(start, part), rated)
    lines = [_line(entrant, results, ratings[entrant], errors.get(entrant)) for entrant in entrants]
    order: dict[Entrant, tuple[float, ...]]
    if merits is not None:
        order = {entrant: merit.order for entrant, merit in merits.items()}
        lines = [replace(line, points=merits[line.entrant].points) for line in lines]
    elif by_rating:
        order = {line.entrant: (line.rating,) for line in lines}
    else:
        order = {line.entrant: (line.points, line.wins, line.draws) for line in lines}
    order = {entrant: (float(entrant not in last), *merit) for entrant, merit in order.items()}
    lines.sort(key=lambda line: (*(-value for value in order[line.entrant]), line.entrant))
    above = {line.entrant: sum(other > order[line.entrant] for other in order.values()) for line in lines}
    return [replace(line, place=1 + above[line.entrant]) for line in lines]


def _line(entrant: Entrant, results: Sequence[FixtureResult], rating: float, error: float | None) -> Standing:
    played = [result for result in results if entrant in result.entrants]
    wins = draws = matches = 0
    points = 0.0
    for result in played:
        at = result.entrants.index(entrant)
        for leg in result.legs:
            matches += 1
            if result.absent and entrant in result.absent:
                continue
            shared = leg.count(1)
            wins += leg[at] == 1 and shared == 1
            draws += leg[at] == 1 and shared > 1
            points += match_scores(leg)[at]
    return Standing(0, entrant, rating, error, len(played), matches, wins, draws, points)
