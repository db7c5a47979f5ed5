"""A whole ladder at one moment: published ratings, the joint fit of all results behind them, and the luck in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rummy.league import luck
from rummy.league.luck import Score, Shrinkage, Single
from rummy.league.ratings import joint
from rummy.league.ratings.joint import Record
from rummy.store import rating_pages, ratings, references
from rummy.store.db import Database

MOST = 1000
"""Versions that are listed."""
EXACT_DIGITS = 6
"""The fit is iterated until steps are far smaller than a unit of so many decimals."""
PROVISIONAL = 20
"""Before so many fixtures an Elo rating may not have come far enough from where it began."""


@dataclass(frozen=True, slots=True)
class Line:
    """A bot version, its strength by the joint fit, and how probably it is better than the bot on the next line."""

    row: rating_pages.LadderRow
    place: int | None  # In its group, from 1; shared by equal strengths.
    strength: joint.Strength | None  # None in a very large ladder for those who play least.
    better_than_next: float | None  # None where the next is not comparable, or nobody.

    @property
    def provisional(self) -> bool:
        """Whether the Elo rating is too young to say much."""
        return self.row.fixtures < PROVISIONAL


def fitted(database: Database, ladder: str) -> list[Line]:
    """Everybody in *ladder*, by group and joint fit, best first; empty where nothing is rated in it."""
    rows, records, singles = _read(database, ladder)
    fit = joint.fit(joint.largest(records), luck=joint.measured(luck.corrected(singles)))
    by_version = {row.version_id: row for row in rows}
    order = [each for each in fit.strengths if each.entrant in by_version]
    places = _places(order)
    following: list[joint.Strength | None] = [*order[1:], None]
    lines = [
        Line(by_version[each.entrant], place, each, fit.chance_better(each.entrant, after.entrant) if after else None)
        for each, place, after in zip(order, places, following, strict=False)  # Nobody follows where nobody is.
    ]
    named = {each.entrant for each in order}
    return lines + [Line(row, None, None, None) for row in rows if row.version_id not in named]


def _places(order: Sequence[joint.Strength]) -> list[int]:
    """The places of *order*, best first in each group. What differs by less than the fit can tell is equal."""
    places: list[int] = []
    first = 0
    for at, (before, each) in enumerate(pairwise([None, *order])):
        assert each is not None
        if before is None or before.group != each.group:
            first = at
        equal = at > first and before is not None and round(before.rating - each.rating, EXACT_DIGITS) == 0
        places.append(places[-1] if equal else at - first + 1)
    return places


def _read(
    database: Database, ladder: str
) -> tuple[list[rating_pages.LadderRow], dict[Record, int], list[list[Single]]]:
    with database.transaction() as tx:
        tx.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")  # One moment for all.
        return (
            rating_pages.ladder(tx, ladder, top=MOST), ratings.records(tx, ladder), references.singles(tx, ladder),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of a bot version in fixtures that were played once."""

    row: rating_pages.LadderRow
    score: Score


@dataclass(frozen=True, slots=True)
class LadderLuck:
    """How much luck there is in the results of a ladder, and by how much each method shrinks their error."""

    mirroring: Shrinkage | None  # None where nothing tells, as in what follows.
    control: Shrinkage | None
    coefficient: float | None  # The newest.
    scores: list[Scored]
    runs: list[references.Runs]


def measured(database: Database, ladder: str) -> LadderLuck:
    """What `rummy.league.luck` makes of the results of *ladder*."""
    with database.transaction() as tx:
        tx.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        rows = {row.version_id: row for row in rating_pages.ladder(tx, ladder, top=MOST)}
        mirrored = ratings.mirrored(tx, ladder)
        singles = references.singles(tx, ladder)
        runs = references.states(tx, ladder)
    corrected = list(luck.corrected(singles))
    return LadderLuck(
        luck.by_mirroring(mirrored),
        luck.by_control(corrected),
        next((each.coefficient for each in reversed(corrected) if each.coefficient), None),
        [Scored(rows[score.entrant], score) for score in luck.scores(corrected) if score.entrant in rows],
        runs,
    )
