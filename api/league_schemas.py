"""What the dashboard says of leagues, as JSON; the rest is in `api.schemas`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from api.schemas import BotName, Model, TableLine


class League(Model):
    """A league: the terms of its tournaments, its calendar, and its divisions. `sizes` are the bots in each division
    from the top, one more takes everybody else; `moves` go up and as many down between two. `seasons` is 0 for no end.
    """

    league_id: int
    name: str
    game: str
    options: dict[str, Any]
    format: str
    table_size: int
    cycles: int
    format_options: dict[str, Any]
    limit_ms: int
    bank_ms: int
    increment_ms: int
    faults: dict[str, Any]
    sizes: list[int]
    moves: int
    seasons: int
    begins_at: datetime
    every_seconds: float
    window_seconds: float
    freeze_seconds: float
    created_at: datetime
    ended_at: datetime | None


class SeasonTimes(Model):
    """A season that is not settled: one may enter and leave for it from `opens_at` to `freezes_at`; `open`: now."""

    season_no: int
    opens_at: datetime
    freezes_at: datetime
    begins_at: datetime
    open: bool


class LeagueDetail(League):
    """A league with its members in the order in which they entered. `newest` is the season that was settled last;
    `next` the one for which one may enter next, null where none follows."""

    members: list[BotName]
    newest: int | None
    next: SeasonTimes | None


class Season(Model):
    """A season that is settled: since `frozen_at` it is known who plays. It was to begin at `begins_at`, and did at
    `started_at`. Without enough bots it is not `played`."""

    league_id: int
    season_no: int
    begins_at: datetime
    frozen_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    played: bool


class DivisionLine(TableLine):
    """A line of a division. `step` is what it brings, or would if the season ended as it stands: -1 is a division up,
    1 a division down."""

    step: int


class Division(Model):
    """A division in a season, which is a tournament. While `computing`, newer standings are on their way."""

    division_no: int
    tournament_id: int
    state: str
    computing: bool
    lines: list[DivisionLine]


class SeasonDetail(Season):
    """A season with its divisions from the top."""

    league: str
    game: str
    divisions: list[Division]

    @property
    def computing(self) -> bool:
        """Whether newer standings are on their way."""
        return any(division.computing for division in self.divisions)
