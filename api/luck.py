"""What the dashboard says of the luck in a ladder."""

from __future__ import annotations

from typing import Any

from api.kept import Found
from api.schemas import Model, VersionName
from rummy.store import ladders, rating_pages


class Shrinkage(Model):
    """By how much a method shrinks the error of scores at the same number of matches: `ratio` is the error with it over
    that without, `error` the standard error of the ratio, null where fixtures do not tell one, `saved` the share of
    matches that it spares."""

    fixtures: int
    ratio: float
    error: float | None
    saved: float


class LuckScore(VersionName):
    """The mean score of a version over fixtures that were played once, as it was and adjusted by its controls. Errors
    are null where fixtures between the same bots do not tell one."""

    fixtures: int
    raw: float
    raw_error: float | None
    adjusted: float
    adjusted_error: float | None


class ReferenceRuns(Model):
    """How many runs of reference bots are `due`, `running`, `done` (by which bots) or `given up` (for which reason)."""

    state: str
    bots: str | None
    reason: str
    fixtures: int


class LadderLuck(Model):
    """How much luck there is in the results of a ladder. `mirroring` is about fixtures of hosted bots, whose deals are
    played from every seat; all else about fixtures with live bots, whose deals reference bots play afterwards.
    `coefficient` is the newest. Null where results do not tell, or until it is computed."""

    ladder: str
    game: str
    options: dict[str, Any]
    computing: bool
    mirroring: Shrinkage | None
    control: Shrinkage | None
    coefficient: float | None
    runs: list[ReferenceRuns]
    scores: list[LuckScore]


def answer(top: rating_pages.LadderRow, found: Found[ladders.LadderLuck]) -> LadderLuck:
    """What was *found* of the ladder of *top*."""
    value = found.value or ladders.LadderLuck(None, None, None, [], [])
    return LadderLuck(
        ladder=top.ladder,
        game=top.game,
        options=top.options,
        computing=found.computing,
        mirroring=None if value.mirroring is None else Shrinkage.model_validate(value.mirroring),
        control=None if value.control is None else Shrinkage.model_validate(value.control),
        coefficient=value.coefficient,
        runs=[ReferenceRuns.model_validate(runs) for runs in value.runs],
        scores=[_scored(scored) for scored in value.scores],
    )


def _scored(scored: ladders.Scored) -> LuckScore:
    named = {name: getattr(scored.row, name) for name in VersionName.model_fields}
    figures = {name: getattr(scored.score, name) for name in LuckScore.model_fields if name not in named}
    return LuckScore.model_validate({**named, **figures})
