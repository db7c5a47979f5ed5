"""Leagues: made, entered, left, ended. What their calendar brings about is in `rummy.store.seasons`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, LiteralString

from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from rummy.errors import BadInput, Conflict, LeagueError, NotFound
from rummy.league.calendar import Calendar
from rummy.league.pairing import find_format
from rummy.league.pairing.format import check
from rummy.league.promotion import Tiers
from rummy.names import check_name, check_reason
from rummy.store import bots, tournaments
from rummy.store.db import Connection
from rummy.store.log import By
from rummy.store.terms import Plan

MOST_DIVISIONS = 100
MOST_SEASONS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class League:
    """One row."""

    league_id: int
    name: str
    terms: dict[str, Any]  # Those of `terms.Plan`, without name and seed.
    sizes: tuple[int, ...]
    moves: int
    begins_at: datetime
    every: timedelta
    entry_window: timedelta
    freeze: timedelta
    seasons: int
    created_at: datetime
    ended_at: datetime | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", tuple(self.sizes))  # An array comes as a list.

    @property
    def calendar(self) -> Calendar:
        """When its seasons are."""
        return Calendar(
            created_at=self.created_at, begins_at=self.begins_at, every=self.every, window=self.entry_window,
            freeze=self.freeze, seasons=self.seasons,
        )  # fmt: skip

    @property
    def tiers(self) -> Tiers:
        """Its divisions."""
        return Tiers(self.sizes, self.moves, int(self.terms["table_size"]))

    @property
    def game(self) -> str:
        """The key of its game."""
        return str(self.terms["game"])

    def plan(self, season_no: int, division_no: int) -> Plan:
        """The tournament of a division in a season."""
        division = f", division {division_no + 1}" if self.sizes else ""
        return Plan(name=f"{self.name}, season {season_no + 1}{division}", **self.terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an organiser asks for. *plan* has the terms of the seasons' tournaments; its name is the league's."""

    plan: Plan
    begins_at: datetime
    every: timedelta
    freeze: timedelta
    window: timedelta | None = None  # By default as long as a season.
    seasons: int = 0
    sizes: Sequence[int] = ()
    moves: int = 0


_COLUMNS: LiteralString = """
    SELECT league_id, name, plan AS terms, sizes, moves, begins_at, every, entry_window,
           settled_before AS freeze, seasons, created_at, ended_at
      FROM league """
_CREATE: LiteralString = """
    INSERT INTO league (name, plan, sizes, moves, begins_at, every, entry_window, settled_before, seasons, created_at)
    VALUES (%(name)s, %(terms)s, %(sizes)s, %(moves)s, %(begins_at)s, %(every)s, %(entry_window)s, %(freeze)s,
            %(seasons)s, %(created_at)s)
    RETURNING league_id"""
_NOTE: LiteralString = """
    INSERT INTO league_log (league_id, bot_id, move, at, who, why)
    VALUES (%(league_id)s, %(bot_id)s, %(move)s, %(now)s, %(who)s, %(why)s)"""


def create(tx: Connection, wanted: Wanted, *, by: By, now: datetime) -> int:
    """A league whose first season one may enter; returns its id.

    Raises `LeagueError` or `BadInput`, or what `tournaments.create` raises, which name what cannot be had.
    """
    league = _checked(wanted, now)
    values = {name: value for name, value in asdict(league).items() if name not in ("league_id", "ended_at")}
    row = tx.execute(_CREATE, {**values, "terms": Jsonb(league.terms), "sizes": list(league.sizes)}).fetchone()
    assert row is not None
    note(tx, row[0], "created", by=by, now=now)
    return int(row[0])


def _checked(wanted: Wanted, now: datetime) -> League:
    terms = asdict(wanted.plan)
    if terms.pop("seed") is not None:
        raise BadInput("the tournaments of a league are rated: their seeds cannot be given by hand")
    league = League(
        league_id=0, name=check_name(terms.pop("name"), "name of the league"), terms=terms, sizes=tuple(wanted.sizes),
        moves=wanted.moves, begins_at=wanted.begins_at, every=wanted.every,
        entry_window=wanted.every if wanted.window is None else wanted.window, freeze=wanted.freeze,
        seasons=wanted.seasons, created_at=now, ended_at=None,
    )  # fmt: skip
    if len(league.sizes) >= MOST_DIVISIONS or league.seasons > MOST_SEASONS:
        raise LeagueError(f"a league has at most {MOST_DIVISIONS} divisions and {MOST_SEASONS:,} seasons")
    longest = league.plan(MOST_SEASONS, MOST_DIVISIONS)
    check_name(longest.name, f"name of the league, which for its tournaments becomes {longest.name[:300]!a} and")
    tournaments.check_plan(longest, ())
    league.calendar.check()
    league.tiers.check()
    for size in league.sizes:  # Those who are too few for a division of their own join the one above.
        check_division(league, size + league.tiers.least - 1)
    return league


def check_division(league: League, entrants: int) -> None:
    """Raises `LeagueError` where the format of *league* cannot be played by so many."""
    field = tournaments.check_plan(league.plan(0, 0), ())
    check(find_format(league.plan(0, 0).format), replace(field, entrants=entrants))


def get(tx: Connection, league_id: int, *, lock: bool = False) -> League:
    """The league of that id, with *lock* kept as it is until the transaction ends. Raises `NotFound`."""
    query: LiteralString = _COLUMNS + "WHERE league_id = %(league_id)s"
    with tx.cursor(row_factory=class_row(League)) as cursor:
        values = {"league_id": league_id}
        row = cursor.execute(query + " FOR NO KEY UPDATE" if lock else query, values).fetchone()
    if row is None:
        raise NotFound(f"there is no league {league_id}; 'arena league list' shows all")
    return row


def list_all(tx: Connection, *, before: int = 2**63 - 1, limit: int = 1000) -> list[League]:
    """Leagues with an id below *before*, the newest first."""
    query: LiteralString = _COLUMNS + "WHERE league_id < %(before)s ORDER BY league_id DESC LIMIT %(limit)s"
    with tx.cursor(row_factory=class_row(League)) as cursor:
        return cursor.execute(query, {"before": before, "limit": limit}).fetchall()


def note(tx: Connection, league_id: int, move: str, *, by: By, now: datetime, bot_id: int | None = None) -> None:
    """Adds a line to the league's log. Raises `BadInput` for a reason that cannot be kept."""
    values = {"league_id": league_id, "bot_id": bot_id, "move": move, "now": now, "who": by.who}
    tx.execute(_NOTE, {**values, "why": check_reason(by.why) if by.why else ""})


_MEMBERS: LiteralString = """
    SELECT bot_id FROM (
           SELECT DISTINCT ON (bot_id) bot_id, move, at, entry_id FROM league_log
            WHERE league_id = %(league_id)s AND bot_id IS NOT NULL
              AND (%(before)s::timestamptz IS NULL OR at < %(before)s)
            ORDER BY bot_id, at DESC, entry_id DESC) AS last
     WHERE move = 'entered' ORDER BY at, entry_id"""


def members(tx: Connection, league_id: int, *, before: datetime | None = None) -> list[int]:
    """The bots in the league, now or just before a time, in the order in which they entered."""
    return [row[0] for row in tx.execute(_MEMBERS, {"league_id": league_id, "before": before})]


_ROSTER: LiteralString = """
    SELECT bot_id, bot.name, owner.name AS owner FROM unnest(%(bot_ids)s::bigint[]) WITH ORDINALITY AS one (bot_id, at)
      JOIN bot USING (bot_id) JOIN owner USING (owner_id) ORDER BY at"""


def roster(tx: Connection, bot_ids: Sequence[int]) -> list[dict[str, Any]]:
    """The same bots with their names and owners."""
    with tx.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(_ROSTER, {"bot_ids": list(bot_ids)}).fetchall()


_PLAYABLE: LiteralString = """
    SELECT DISTINCT ON (bot_id) bot_id, version_id FROM bot_version
     WHERE bot_id = ANY(%(bot_ids)s) AND state = 'ready' AND %(game)s = ANY(games) AND created_at < %(before)s
     ORDER BY bot_id, version_id DESC"""


def playable(tx: Connection, bot_ids: Sequence[int], game: str, *, before: datetime) -> Mapping[int, int]:
    """By bot the version with which it plays *game*: the newest that was there before that time and is not retired."""
    values = {"bot_ids": list(bot_ids), "game": game, "before": before}
    return dict(tx.execute(_PLAYABLE, values).fetchall())


_FROZEN: LiteralString = """
    SELECT EXISTS (SELECT FROM season WHERE league_id = %(league_id)s AND season_no >= %(season_no)s)"""


def _open_for(tx: Connection, league: League, now: datetime) -> int:
    """The season for which one may enter and leave *league*, which is locked. Raises `LeagueError`."""
    if league.ended_at is not None:
        raise LeagueError(f"{league.name!r} has ended: nobody enters or leaves any more")
    number = league.calendar.open_for(now)
    if tx.execute(_FROZEN, {"league_id": league.league_id, "season_no": number}).fetchone() == (True,):
        raise LeagueError(f"season {number + 1} of {league.name!r} was settled at this moment; try again")
    return number


def enter(tx: Connection, league_id: int, version_id: int, *, by: By, now: datetime) -> int:
    """Enters the bot of that version for good; returns the number of the first season that it plays.

    Raises `LeagueError` outside of the windows or for a league that is full, `Conflict` for a bot that is in already,
    `BadInput` for one that has no version for the game.
    """
    league = get(tx, league_id, lock=True)
    season_no = _open_for(tx, league, now)
    version = bots.get(tx, version_id)
    there = members(tx, league_id, before=league.calendar.freezes(season_no))
    if version.bot_id in there:
        raise Conflict(f"{version.owner}/{version.name} is in {league.name!r} already; each bot enters once")
    if not playable(tx, [version.bot_id], league.game, before=league.calendar.freezes(season_no)):
        raise BadInput(f"{version.owner}/{version.name} has no version that is ready and plays {league.game}")
    below = len(there) + 1 - sum(league.sizes)
    if below >= league.tiers.least:
        check_division(league, below)
    note(tx, league_id, "entered", by=by, now=now, bot_id=version.bot_id)
    return season_no


def withdraw(tx: Connection, league_id: int, version_id: int, *, by: By, now: datetime) -> int:
    """Takes the bot of that version out; returns the number of the first season that it does not play.

    Raises `LeagueError` outside of the windows, `Conflict` for a bot that is not in.
    """
    league = get(tx, league_id, lock=True)
    season_no = _open_for(tx, league, now)
    version = bots.get(tx, version_id)
    if version.bot_id not in members(tx, league_id, before=league.calendar.freezes(season_no)):
        raise Conflict(f"{version.owner}/{version.name} is not in {league.name!r}")
    note(tx, league_id, "withdrawn", by=by, now=now, bot_id=version.bot_id)
    return season_no


_BEGUN: LiteralString = "SELECT count(*), count(ended_at) FROM season WHERE league_id = %(league_id)s"
_LAST: LiteralString = "UPDATE league SET seasons = %(seasons)s WHERE league_id = %(league_id)s"
_END: LiteralString = "UPDATE league SET ended_at = %(now)s WHERE league_id = %(league_id)s"


def close(tx: Connection, league_id: int, *, now: datetime) -> None:
    """Notes that nothing of the league is to come."""
    tx.execute(_END, {"league_id": league_id, "now": now})


def end(tx: Connection, league_id: int, *, by: By, now: datetime) -> int:
    """Lets no further season be settled; one that is settled is still played. Returns how many there are then.

    Raises `LeagueError` where that has been said before.
    """
    league = get(tx, league_id, lock=True)
    row = tx.execute(_BEGUN, {"league_id": league_id}).fetchone()
    assert row is not None
    begun, ended = row
    if league.ended_at is not None or (league.seasons and league.seasons == begun):
        raise LeagueError(
            f"{league.name!r} ends with season {begun} already" if begun else f"{league.name!r} has ended"
        )
    if begun == ended:
        close(tx, league_id, now=now)
    if begun:
        tx.execute(_LAST, {"league_id": league_id, "seasons": begun})
    note(tx, league_id, "ended", by=by, now=now)
    return int(begun)
