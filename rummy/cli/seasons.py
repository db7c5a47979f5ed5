"""A season of a league, as the command line shows it: divisions, standings, who goes up and down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rummy.cli import forecasts
from rummy.cli.tables import NamedStanding, table_of
from rummy.league.calendar import utc
from rummy.league.promotion import steps
from rummy.store import bots, planning, seasons, tournaments
from rummy.store.db import Connection
from rummy.store.leagues import League
from rummy.store.planning import Forecast
from rummy.store.seasons import Season

STEPS = {-1: "up", 0: "stays", 1: "down"}


@dataclass(frozen=True, slots=True)
class Coming:
    """A division of a season that is not settled yet, if nothing changed."""

    number: int
    names: list[str]
    planned: Forecast

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {"division": self.number + 1, "bots": self.names, "plan": forecasts.as_json(self.planned)}

    def shown(self) -> str:
        """The same in lines of text."""
        return f"Division {self.number + 1}, as it stands: {', '.join(self.names)}\n{forecasts.shown(self.planned)}"


def preview(tx: Connection, league: League, season_no: int, *, before: datetime) -> list[Coming]:
    """The divisions of the next season with those who are in the league *before* a time, each with its forecast."""
    settled = seasons.who_plays(tx, league, before=before)
    coming = []
    for number, division in enumerate(settled.divisions):
        versions = [bots.get(tx, settled.versions[bot_id]) for bot_id in division]
        planned = planning.of_plan(tx, league.plan(season_no, number), versions)
        coming.append(Coming(number, [f"{version.owner}/{version.title}" for version in versions], planned))
    return coming


@dataclass(frozen=True, slots=True)
class _Division:
    tournament: tournaments.Tournament
    lines: list[NamedStanding]
    steps: list[int]


def as_json(tx: Connection, league: League, season: Season) -> dict[str, Any]:
    """The season for programs; `step` is what the line would bring if the season ended as it stands."""
    return {
        "season": season.season_no + 1,
        "settled": season.frozen_at.isoformat(),
        "started": season.started_at and season.started_at.isoformat(),
        "ended": season.ended_at and season.ended_at.isoformat(),
        "divisions": [
            {
                "division": number + 1,
                "tournament": division.tournament.tournament_id,
                "state": division.tournament.state,
                "table": [
                    {**line.as_json(), "step": STEPS[step]}
                    for line, step in zip(division.lines, division.steps, strict=True)
                ],
            }
            for number, division in enumerate(_divisions(tx, league, season))
        ],
    }


def shown(tx: Connection, league: League, season: Season) -> str:
    """The season in lines of text."""
    lines = [f"Season {season.season_no + 1} {_state(league, season)}"]
    for number, division in enumerate(_divisions(tx, league, season)):
        made = division.tournament
        lines.append(f"Division {number + 1}, tournament {made.tournament_id} ({made.state}):")
        for named, step in zip(division.lines, division.steps, strict=True):
            mark = f"  {STEPS[step]}" if step and named.line.matches else ""
            lines.append(f"{named.line.place:>4}  {named.bot}, {named.line.points:g} points{mark}")
    return "\n".join(lines)


def _state(league: League, season: Season) -> str:
    if season.ended_at is not None:
        unplayed = "" if season.played else ", unplayed: there were too few bots"
        return f"ended at {utc(season.ended_at)}{unplayed}."
    if season.started_at is not None:
        return f"has been played since {utc(season.started_at)}."
    return f"is settled, and begins at {utc(league.calendar.begins(season.season_no))}."


def _divisions(tx: Connection, league: League, season: Season) -> list[_Division]:
    made = [tournaments.get(tx, number) for number in seasons.divisions(tx, league.league_id, season.season_no)]
    tables = [table_of(tx, tournament.tournament_id) for tournament in made]
    cancelled = [number for number, tournament in enumerate(made) if tournament.state == "cancelled"]
    found = steps(league.moves, [len(table) for table in tables], cancelled)
    return [_Division(*each) for each in zip(made, tables, found, strict=True)]
