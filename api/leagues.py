"""What the dashboard knows of leagues."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from api import league_schemas, schemas
from api.reads import NEWEST, Clock, Reads
from rummy.league.promotion import steps
from rummy.store import leagues, seasons, tournaments
from rummy.store.db import Database
from rummy.store.leagues import League
from rummy.store.seasons import Season


class Leagues:
    """Leagues and their seasons. Raises `NotFound` for what is not there, `StoreUnavailable` in an outage."""

    def __init__(self, database: Database, reads: Reads, *, now: Clock) -> None:
        self._database = database
        self._reads = reads
        self._now = now

    def all(self, *, before: int | None, limit: int) -> schemas.Page[league_schemas.League]:
        """Leagues, newest first."""
        with self._database.transaction() as tx:
            rows = leagues.list_all(tx, before=NEWEST if before is None else before, limit=limit + 1)
        more = str(rows[limit - 1].league_id) if len(rows) > limit else None
        return schemas.Page[league_schemas.League](items=[_league(row) for row in rows[:limit]], next=more)

    def one(self, league_id: int) -> league_schemas.LeagueDetail:
        """One league with its members, its newest season and the times of the next."""
        now = self._now()
        with self._database.transaction() as tx:
            league = leagues.get(tx, league_id)
            members = leagues.roster(tx, leagues.members(tx, league_id))
            newest = seasons.newest(tx, league_id)
        return league_schemas.LeagueDetail(
            **_league(league).model_dump(),
            members=[schemas.BotName.model_validate(member) for member in members],
            newest=None if newest is None else newest.season_no,
            next=_next(league, newest, now),
        )

    def seasons(self, league_id: int, *, before: int | None, limit: int) -> schemas.Page[league_schemas.Season]:
        """The seasons of a league that are settled, newest first."""
        with self._database.transaction() as tx:
            league = leagues.get(tx, league_id)
            rows = seasons.list_all(
                tx, league_id, before=2**31 - 1 if before is None else min(before, 2**31 - 1), limit=limit + 1
            )
        more = str(rows[limit - 1].season_no) if len(rows) > limit else None
        return schemas.Page[league_schemas.Season](items=[_season(league, row) for row in rows[:limit]], next=more)

    def season(self, league_id: int, season_no: int) -> league_schemas.SeasonDetail:
        """One season with its divisions and their standings."""
        with self._database.transaction() as tx:
            league = leagues.get(tx, league_id)
            season = seasons.get(tx, league_id, season_no)
            made = [tournaments.get(tx, number) for number in seasons.divisions(tx, league_id, season_no)]
            sizes = [len(tournaments.entrants(tx, tournament.tournament_id)) for tournament in made]
        tables = [self._reads.table(tournament.tournament_id) for tournament in made]
        cancelled = [number for number, tournament in enumerate(made) if tournament.state == "cancelled"]
        moves = steps(league.moves, sizes, cancelled)
        return league_schemas.SeasonDetail(
            **_season(league, season).model_dump(),
            league=league.name,
            game=league.game,
            divisions=[
                league_schemas.Division(
                    division_no=number,
                    tournament_id=tournament.tournament_id,
                    state=tournament.state,
                    computing=table.computing,
                    lines=[
                        league_schemas.DivisionLine(**line.model_dump(), step=step)
                        for line, step in zip(table.lines, by_place, strict=False)  # No lines while they are computed.
                    ],
                )
                for number, (tournament, table, by_place) in enumerate(zip(made, tables, moves, strict=True))
            ],
        )


def _league(league: League) -> league_schemas.League:
    terms = {name: value for name, value in league.terms.items() if name in league_schemas.League.model_fields}
    row = {name: value for name, value in asdict(league).items() if name in league_schemas.League.model_fields}
    return league_schemas.League(
        **terms,
        **row,
        every_seconds=league.every.total_seconds(),
        window_seconds=league.entry_window.total_seconds(),
        freeze_seconds=league.freeze.total_seconds(),
    )


def _next(league: League, newest: Season | None, now: datetime) -> league_schemas.SeasonTimes | None:
    """The season for which one may enter next; after a calendar that stood still it is not the one settled next."""
    number = league.calendar.next_to_freeze(now)
    if league.ended_at is not None or number is None:
        return None
    number = number if newest is None else max(number, newest.season_no + 1)
    opens, freezes = league.calendar.opens(number), league.calendar.freezes(number)
    return league_schemas.SeasonTimes(
        season_no=number, opens_at=opens, freezes_at=freezes, begins_at=league.calendar.begins(number),
        open=opens <= now < freezes,
    )  # fmt: skip


def _season(league: League, season: Season) -> league_schemas.Season:
    return league_schemas.Season(**asdict(season), begins_at=league.calendar.begins(season.season_no))
