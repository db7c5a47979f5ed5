"""What the calendar of a league brings about: seasons are settled, begun and ended, each exactly once.

A season has a row from the moment on when it is settled who plays, and each of its divisions is a tournament. Any
number of processes may turn the calendar at once, and none for days: the row of the league is locked, what is done
follows from times that have passed and from what is on record, and entries and versions count by when they came, not
by when that was looked at. So a calendar that was turned late leaves the same divisions as one that was turned in
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import LiteralString

from psycopg.rows import class_row

from rummy.errors import NotFound
from rummy.league.model import TournamentState
from rummy.league.pairing import find_format
from rummy.league.promotion import final_order, following
from rummy.store import drawing, leagues, tournaments
from rummy.store.db import Connection
from rummy.store.leagues import League
from rummy.store.log import By

SCHEDULE = By("schedule")
"""Who does what the calendar says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """One row."""

    league_id: int
    season_no: int
    frozen_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    played: bool  # Not where there were too few bots.


@dataclass(frozen=True, slots=True)
class Settled:
    """Who plays a season: by division the bots in the order in which they stand, and by bot its version."""

    divisions: list[list[int]]
    versions: dict[int, int]
    out: list[int]  # Who is in the league and has no version that could play.


_LIVE: LiteralString = "SELECT league_id FROM league WHERE ended_at IS NULL ORDER BY league_id"


def live(tx: Connection) -> list[int]:
    """The leagues that have not ended."""
    return [row[0] for row in tx.execute(_LIVE)]


_NEWEST: LiteralString = """
    SELECT league_id, season_no, frozen_at, started_at, ended_at,
           EXISTS (SELECT FROM season_place p WHERE p.league_id = s.league_id AND p.season_no = s.season_no) AS played
      FROM season s
     WHERE league_id = %(league_id)s AND season_no < %(before)s ORDER BY season_no DESC LIMIT %(limit)s"""


def newest(tx: Connection, league_id: int) -> Season | None:
    """The season that was settled last."""
    found = list_all(tx, league_id, limit=1)
    return found[0] if found else None


def get(tx: Connection, league_id: int, season_no: int) -> Season:
    """The season of that number. Raises `NotFound` for one that is not settled."""
    found = list_all(tx, league_id, before=min(season_no, 2**31 - 2) + 1, limit=1)
    if not found or found[0].season_no != season_no:
        raise NotFound(
            f"season {season_no + 1} of league {league_id} is not settled; 'arena league show' has its times"
        )
    return found[0]


def list_all(tx: Connection, league_id: int, *, before: int = 2**31 - 1, limit: int = 1000) -> list[Season]:
    """The seasons that are settled, with a number below *before*, the newest first."""
    with tx.cursor(row_factory=class_row(Season)) as cursor:
        return cursor.execute(_NEWEST, {"league_id": league_id, "before": before, "limit": limit}).fetchall()


_DIVISIONS: LiteralString = """
    SELECT tournament_id, state FROM tournament
     WHERE league_id = %(league_id)s AND season_no = %(season_no)s ORDER BY division_no"""


def divisions(tx: Connection, league_id: int, season_no: int) -> list[int]:
    """The tournament of each division of a season; none where it was not played."""
    values = {"league_id": league_id, "season_no": season_no}
    return [row[0] for row in tx.execute(_DIVISIONS, values)]


def advance(tx: Connection, league_id: int, *, now: datetime) -> bool:
    """Does the next thing for which it is time at *now*, if there is one. Raises `NotFound`."""
    league = leagues.get(tx, league_id, lock=True)
    if league.ended_at is not None:
        return False
    season = newest(tx, league_id)
    if season is None or season.ended_at is not None:
        return _settle(tx, league, 0 if season is None else season.season_no + 1, now)
    if season.started_at is None:
        return _start(tx, league, season.season_no, now)
    return _end(tx, league, season.season_no, now)


def _settle(tx: Connection, league: League, season_no: int, now: datetime) -> bool:
    if league.seasons and season_no >= league.seasons:
        leagues.close(tx, league.league_id, now=now)
        return True
    if now < league.calendar.freezes(season_no):
        return False
    settled = who_plays(tx, league, before=league.calendar.freezes(season_no))
    _open(tx, league, season_no, played=bool(settled.divisions), now=now)
    for bot_id in settled.out:
        why = f"season {season_no + 1} was settled, and no version of it was ready that plays {league.game}"
        at = league.calendar.freezes(season_no)  # Whenever that was looked at.
        leagues.note(tx, league.league_id, "withdrawn", by=By(SCHEDULE.who, why), now=at, bot_id=bot_id)
    for number, division in enumerate(settled.divisions):
        _make(tx, league, season_no, number, [(bot_id, settled.versions[bot_id]) for bot_id in division], now)
    return True


_FINAL: LiteralString = """
    SELECT division_no, bot_id, place IS NULL FROM season_place
     WHERE league_id = %(league_id)s
       AND season_no = (SELECT max(season_no) FROM season_place JOIN season USING (league_id, season_no)
                         WHERE league_id = %(league_id)s AND ended_at IS NOT NULL)
     ORDER BY division_no, final"""


def who_plays(tx: Connection, league: League, *, before: datetime) -> Settled:
    """Who would play if the next season were settled at *before*, by the order in which the last one ended."""
    there = leagues.members(tx, league.league_id, before=before)
    versions = leagues.playable(tx, there, league.game, before=before)
    rows = tx.execute(_FINAL, {"league_id": league.league_id}).fetchall()
    last = [[row[1] for row in division] for _, division in groupby(rows, lambda row: row[0])]
    cancelled = {number for number, _, without in rows if without}
    divisions = following(league.tiers, last, [bot_id for bot_id in there if bot_id in versions], cancelled)
    return Settled(divisions, dict(versions), [bot_id for bot_id in there if bot_id not in versions])


_SEASON: LiteralString = """
    INSERT INTO season (league_id, season_no, frozen_at, started_at, ended_at)
    VALUES (%(league_id)s, %(season_no)s, %(now)s, %(ended)s, %(ended)s)"""


def _open(tx: Connection, league: League, season_no: int, *, played: bool, now: datetime) -> None:
    """A season that nobody plays, since there are too few, has ended with that."""
    values = {"league_id": league.league_id, "season_no": season_no, "now": now, "ended": None if played else now}
    tx.execute(_SEASON, values)


_PLACE: LiteralString = """
    INSERT INTO season_place (league_id, season_no, division_no, entrant_no, bot_id)
    SELECT %(league_id)s, %(season_no)s, %(division_no)s, number - 1, bot_id
      FROM unnest(%(bot_ids)s::bigint[]) WITH ORDINALITY AS entered (bot_id, number)"""
_OF_LEAGUE: LiteralString = """
    UPDATE tournament SET league_id = %(league_id)s, season_no = %(season_no)s, division_no = %(division_no)s
     WHERE tournament_id = %(tournament_id)s"""


def _make(
    tx: Connection, league: League, season_no: int, division_no: int, bots: Sequence[tuple[int, int]], now: datetime
) -> None:
    """The tournament of a division, with its commitment; *bots* come with their versions."""
    made = tournaments.create(tx, league.plan(season_no, division_no), by=SCHEDULE, now=now)
    for _, version_id in bots:
        tournaments.add_entrant(tx, made, version_id, by=SCHEDULE, now=now)
    values = {"league_id": league.league_id, "season_no": season_no, "division_no": division_no}
    tx.execute(_PLACE, {**values, "bot_ids": [bot_id for bot_id, _ in bots]})
    tx.execute(_OF_LEAGUE, {**values, "tournament_id": made})


_STARTED: LiteralString = """
    UPDATE season SET started_at = %(now)s WHERE league_id = %(league_id)s AND season_no = %(season_no)s"""


def _start(tx: Connection, league: League, season_no: int, now: datetime) -> bool:
    """Starts the tournaments, but for those that an organiser has started or cancelled before."""
    if now < league.calendar.begins(season_no):
        return False
    values = {"league_id": league.league_id, "season_no": season_no}
    for tournament_id, state in tx.execute(_DIVISIONS, values).fetchall():
        if state == TournamentState.OPEN:
            tournaments.start(tx, tournament_id, by=SCHEDULE, now=now)
    tx.execute(_STARTED, {**values, "now": now})
    return True


# A table that is ordered by rating is final once all rounds are rated.
_PLAYED: LiteralString = """
    SELECT bool_and(state = 'cancelled' OR (state = 'finished' AND NOT (%(by_rating)s AND EXISTS (
             SELECT FROM round r WHERE r.tournament_id = t.tournament_id AND rated_at IS NULL))))
      FROM tournament t WHERE league_id = %(league_id)s AND season_no = %(season_no)s"""
_RESULT: LiteralString = """
    UPDATE season_place SET final = %(final)s, place = %(place)s
     WHERE league_id = %(league_id)s AND season_no = %(season_no)s AND division_no = %(division_no)s
       AND entrant_no = %(entrant_no)s"""
_ENDED: LiteralString = """
    UPDATE season SET ended_at = %(now)s WHERE league_id = %(league_id)s AND season_no = %(season_no)s"""


def _end(tx: Connection, league: League, season_no: int, now: datetime) -> bool:
    values = {"league_id": league.league_id, "season_no": season_no}
    by_rating = find_format(league.plan(season_no, 0).format).by_rating
    if tx.execute(_PLAYED, {**values, "by_rating": by_rating}).fetchone() != (True,):
        return False
    for number, (tournament_id, state) in enumerate(tx.execute(_DIVISIONS, values).fetchall()):
        finished = state == TournamentState.FINISHED
        places = _finished(tx, tournament_id) if finished else _cancelled(tx, tournament_id)
        lines = [
            {**values, "division_no": number, "entrant_no": entrant, "final": final, "place": place}
            for final, (entrant, place) in enumerate(places)
        ]
        tx.cursor().executemany(_RESULT, lines)
    tx.execute(_ENDED, {**values, "now": now})
    return True


def _finished(tx: Connection, tournament_id: int) -> list[tuple[int, int | None]]:
    """The entrants with their places, in the order in which they stand for the next season."""
    table = drawing.table(tx, tournament_id)()
    places = {line.entrant: line.place for line in table}
    return [(entrant, places[entrant]) for entrant in final_order(table)]


def _cancelled(tx: Connection, tournament_id: int) -> list[tuple[int, int | None]]:
    """All stand as they stood before."""
    return [(entrant, None) for entrant in range(len(tournaments.entrants(tx, tournament_id)))]
