"""What the dashboard reads. Every list is bounded and goes on from a natural key, never from an offset.

All of it runs with the rights of `arena_dashboard`: a seed that is not yet revealed cannot be read from here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString, TypeVar

from psycopg.rows import class_row

from rummy.store.db import Connection
from rummy.store.terms import COLUMNS, OnRecord

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRow(OnRecord):
    """A tournament and how far it has come; *seed* is the master seed once it is revealed."""

    seed: bytes | None
    imported_at: datetime | None  # Where another arena has played it.
    entrants: int
    fixtures: int
    done: int
    running: int
    season_no: int | None
    division_no: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadRow:
    """What identifies the state of a tournament, read at a glance."""

    tournament_id: int
    name: str
    game: str
    options: dict[str, Any]
    state: str
    newest_entry: int | None  # Of its log: it grows with every result, and with every bot that leaves.


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantRow:
    """An entrant and the bot behind it."""

    entrant_no: int
    bot_id: int
    name: str
    owner: str
    version_id: int
    version: str
    hosted: bool
    nonce: bytes
    left_as: str | None  # withdrawn or disqualified


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureRow:
    """A fixture with its seats in the order of leg 0 and, once it is done, the matches that count, by leg."""

    fixture_id: int
    tournament_id: int
    round_no: int
    table_no: int
    generation: int
    attempt: int
    state: str
    holder: str | None
    lease_until: datetime | None
    due_at: datetime
    done_at: datetime | None
    waits_until: datetime | None  # Until when it waits for a live bot that is not there.
    absent: list[int] | None  # Where it was decided without play: who was not there.
    setback: str | None  # Why it was last given up, where it is not done yet.
    arbiter: str | None  # Where bots and spectators reach the one that plays it, while it does.
    seats: list[dict[str, Any]]  # entrant_no, bot_id, name, owner, version_id, version, score, absent
    matches: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRow:
    """A bot, its newest version, and its newest rating in each ladder over all versions."""

    bot_id: int
    name: str
    owner: str
    version: str | None
    language: str | None
    hosted: bool | None
    connected: bool  # A live version of it has dialled in.
    games: list[str]
    ratings: list[dict[str, Any]]  # ladder, game, version_id, version, rating, tournament_id of its last step


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One submitted state of a bot."""

    version_id: int
    version: str
    language: str
    hosted: bool
    connected: bool  # It is live and has dialled in.
    state: str
    games: list[str]
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BotMatchRow:
    """A match as one of its bots sees it."""

    match_id: int
    fixture_id: int
    tournament_id: int
    tournament: str
    game: str
    leg: int
    version: str
    placement: int
    score: int
    forfeit: str | None
    others: list[dict[str, Any]]  # bot_id, name, owner


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """A stored match with its seats in order; *voided* where a later generation of its fixture counts instead."""

    match_id: int
    fixture_id: int
    tournament_id: int
    tournament: str
    game: str
    options: dict[str, Any]
    round_no: int
    table_no: int
    generation: int
    leg: int
    legs: list[int]  # The matches of the same fixture and generation.
    reason: str
    deals: int
    actions: int
    digest: bytes
    saved_at: datetime
    voided: bool
    waits: bool  # Reference bots have yet to play its deals; until then they are not shown.
    seats: list[dict[str, Any]]  # seat, entrant_no, bot_id, name, owner, version_id, version, placement, score, …


TOURNAMENT: LiteralString = f"""
    SELECT {COLUMNS}, s.master AS seed, t.imported_at, t.season_no, t.division_no,
           (SELECT count(*) FROM entrant e WHERE e.tournament_id = t.tournament_id) AS entrants,
           greatest(t.saved, t.planned) AS fixtures,
           t.saved - (SELECT count(*) FROM fixture f
                       WHERE f.tournament_id = t.tournament_id AND f.state <> 'done') AS done,
           (SELECT count(*) FROM fixture f
             WHERE f.tournament_id = t.tournament_id AND f.state = 'running') AS running
      FROM tournament t
      LEFT JOIN revealed_seed s USING (tournament_id)"""

TOURNAMENT_PAGE: LiteralString = f"""{TOURNAMENT}
     WHERE t.tournament_id < %(before)s
     ORDER BY t.tournament_id DESC LIMIT %(limit)s"""

TOURNAMENT_BY_ID: LiteralString = TOURNAMENT + " WHERE t.tournament_id = %(tournament_id)s"

HEADS: LiteralString = """
    SELECT t.tournament_id, t.name, t.game, t.options, t.state,
           (SELECT max(entry_no) FROM tournament_log l WHERE l.tournament_id = t.tournament_id) AS newest_entry
      FROM tournament t WHERE t.tournament_id = ANY(%(numbers)s) ORDER BY t.tournament_id"""

ENTRANTS: LiteralString = """
    SELECT e.entrant_no, b.bot_id, b.name, o.name AS owner, v.version_id, v.version, v.hosted, e.nonce, e.left_as
      FROM entrant e
      JOIN bot_version v USING (version_id)
      JOIN bot b USING (bot_id)
      JOIN owner o USING (owner_id)
     WHERE e.tournament_id = %(tournament_id)s
     ORDER BY e.entrant_no"""

_FIXTURE: LiteralString = """
    SELECT f.fixture_id, f.tournament_id, f.round_no, f.table_no, f.generation, f.attempt, f.state, f.holder,
           f.lease_until, f.due_at, f.done_at, f.absent,
           f.waits_since + (SELECT (t.deadlines->>'fixture')::float FROM tournament t
                             WHERE t.tournament_id = f.tournament_id) * interval '1 second' AS waits_until,
           (SELECT a.reason FROM fixture_attempt a
             WHERE a.fixture_id = f.fixture_id AND a.outcome = 'void' AND f.state <> 'done'
             ORDER BY a.attempt DESC LIMIT 1) AS setback,
           (SELECT a.bots_address FROM arbiter a
             WHERE a.arbiter_id = f.arbiter AND a.incarnation = f.incarnation AND f.state = 'running') AS arbiter,
           (SELECT jsonb_agg(jsonb_build_object(
                     'entrant_no', s.entrant_no, 'bot_id', b.bot_id, 'name', b.name, 'owner', o.name,
                     'version_id', v.version_id, 'version', v.version, 'score', score.score,
                     'absent', NOT v.hosted AND NOT EXISTS (SELECT FROM presence p WHERE p.version_id = v.version_id))
                   ORDER BY s.seat)
              FROM fixture_seat s
              JOIN entrant e ON e.tournament_id = s.tournament_id AND e.entrant_no = s.entrant_no
              JOIN bot_version v USING (version_id)
              JOIN bot b USING (bot_id)
              JOIN owner o USING (owner_id)
              LEFT JOIN fixture_score score ON score.fixture_id = s.fixture_id AND score.entrant_no = s.entrant_no
             WHERE s.fixture_id = f.fixture_id) AS seats,
           ARRAY(SELECT m.match_id FROM match m
                  WHERE m.fixture_id = f.fixture_id AND m.generation = f.generation AND f.state = 'done'
                  ORDER BY m.leg) AS matches
      FROM fixture f"""
FIXTURE_BY_ID: LiteralString = f"{_FIXTURE} WHERE f.fixture_id = %(fixture_id)s"
_IN_STATE: dict[str | None, LiteralString] = {
    None: "",
    "scheduled": "AND f.state = 'scheduled'",
    "running": "AND f.state = 'running'",
    "done": "AND f.state = 'done'",
}
FIXTURES: dict[str | None, LiteralString] = {
    state: f"""{_FIXTURE}
     WHERE f.tournament_id = %(tournament_id)s AND (f.round_no, f.table_no) > (%(round_no)s, %(table_no)s) {condition}
     ORDER BY f.round_no, f.table_no LIMIT %(limit)s"""
    for state, condition in _IN_STATE.items()
}
"""By state, which stands in the text: of a parameter PostgreSQL does not know that few fixtures are in it."""

BOT: LiteralString = """
    SELECT b.bot_id, b.name, o.name AS owner, v.version, v.language, v.hosted, COALESCE(v.games, '{}') AS games,
           EXISTS (SELECT FROM presence JOIN bot_version w USING (version_id)
                    WHERE w.bot_id = b.bot_id) AS connected,
           COALESCE((SELECT jsonb_agg(r ORDER BY r.ladder) FROM (
             SELECT DISTINCT ON (n.ladder) n.ladder, t.game, w.version_id, w.version, n.rating, n.tournament_id
               FROM bot_version w
               JOIN rating n USING (version_id)
               JOIN tournament t USING (tournament_id)
              WHERE w.bot_id = b.bot_id
              ORDER BY n.ladder, n.change_id DESC) r), '[]') AS ratings
      FROM bot b
      JOIN owner o USING (owner_id)
      LEFT JOIN LATERAL (
           SELECT * FROM bot_version v WHERE v.bot_id = b.bot_id ORDER BY v.version_id DESC LIMIT 1) v ON true"""

BOT_PAGE: LiteralString = (
    BOT
    + """
     WHERE b.bot_id > %(after)s AND starts_with(lower(b.name), lower(%(prefix)s))
     ORDER BY b.bot_id LIMIT %(limit)s"""
)

BOT_BY_ID: LiteralString = BOT + " WHERE b.bot_id = %(bot_id)s"

VERSIONS: LiteralString = """
    SELECT version_id, version, language, hosted, state, games, created_at,
           EXISTS (SELECT FROM presence p WHERE p.version_id = bot_version.version_id) AS connected
      FROM bot_version WHERE bot_id = %(bot_id)s ORDER BY version_id DESC LIMIT %(limit)s"""

BOT_MATCHES: LiteralString = """
    WITH played AS (
      SELECT recent.*, v.version
        FROM bot_version v
       CROSS JOIN LATERAL (
             SELECT f.fixture_id, f.tournament_id, f.generation, s.entrant_no
               FROM fixture_score s JOIN fixture f USING (fixture_id)
              WHERE s.of_version = v.version_id AND -s.fixture_id > -%(before)s AND f.absent IS NULL
              ORDER BY -s.fixture_id LIMIT %(limit)s) recent
       WHERE v.bot_id = %(bot_id)s
       ORDER BY recent.fixture_id DESC LIMIT %(limit)s)
    SELECT m.match_id, m.fixture_id, p.tournament_id, t.name AS tournament, t.game, m.leg, p.version,
           r.placement, r.score, r.forfeit,
           (SELECT jsonb_agg(jsonb_build_object('bot_id', b.bot_id, 'name', b.name, 'owner', w.name) ORDER BY o.seat)
              FROM seat_result o
              JOIN entrant e ON e.tournament_id = p.tournament_id AND e.entrant_no = o.entrant_no
              JOIN bot_version ov USING (version_id)
              JOIN bot b USING (bot_id)
              JOIN owner w USING (owner_id)
             WHERE o.match_id = m.match_id AND o.entrant_no <> p.entrant_no) AS others
      FROM played p
      JOIN tournament t USING (tournament_id)
      JOIN match m ON m.fixture_id = p.fixture_id AND m.generation = p.generation
      JOIN seat_result r ON r.match_id = m.match_id AND r.entrant_no = p.entrant_no
     ORDER BY m.fixture_id DESC, m.leg"""

MATCH: LiteralString = """
    SELECT m.match_id, m.fixture_id, t.tournament_id, t.name AS tournament, t.game, t.options, f.round_no, f.table_no,
           m.generation, m.leg, m.reason, m.deals, m.actions, m.digest, m.saved_at,
           m.generation <> f.generation AS voided,
           EXISTS (SELECT FROM reference w WHERE w.fixture_id = m.fixture_id AND w.generation = m.generation
                      AND w.ended_at IS NULL) AS waits,
           ARRAY(SELECT l.match_id FROM match l
                  WHERE l.fixture_id = m.fixture_id AND l.generation = m.generation ORDER BY l.leg) AS legs,
           (SELECT jsonb_agg(jsonb_build_object(
                     'seat', r.seat, 'entrant_no', r.entrant_no, 'bot_id', b.bot_id, 'name', b.name, 'owner', o.name,
                     'version_id', v.version_id, 'version', v.version, 'placement', r.placement, 'score', r.score,
                     'forfeit', r.forfeit, 'strikes', r.strikes) ORDER BY r.seat)
              FROM seat_result r
              JOIN entrant e ON e.tournament_id = t.tournament_id AND e.entrant_no = r.entrant_no
              JOIN bot_version v USING (version_id)
              JOIN bot b USING (bot_id)
              JOIN owner o USING (owner_id)
             WHERE r.match_id = m.match_id) AS seats
      FROM match m
      JOIN fixture f USING (fixture_id)
      JOIN tournament t USING (tournament_id)
     WHERE m.match_id = %(match_id)s AND f.state = 'done'"""

REPLAY: LiteralString = """
    SELECT m.replay FROM match m JOIN fixture f USING (fixture_id)
     WHERE m.match_id = %(match_id)s AND f.state = 'done'
       AND NOT EXISTS (SELECT FROM reference w WHERE w.fixture_id = m.fixture_id AND w.generation = m.generation
                          AND w.ended_at IS NULL)"""


def tournaments(tx: Connection, *, before: int, limit: int) -> list[TournamentRow]:
    """The newest tournaments with an id below *before*."""
    return many(tx, TournamentRow, TOURNAMENT_PAGE, before=before, limit=limit)


def tournament(tx: Connection, tournament_id: int) -> TournamentRow | None:
    """One tournament, or None."""
    return _one(tx, TournamentRow, TOURNAMENT_BY_ID, tournament_id=tournament_id)


def heads(tx: Connection, numbers: Collection[int]) -> list[HeadRow]:
    """The tournaments of these numbers, in their order, without those that are not there."""
    return many(tx, HeadRow, HEADS, numbers=list(numbers))


def entrants(tx: Connection, tournament_id: int) -> list[EntrantRow]:
    """The entrants of a tournament, by number."""
    return many(tx, EntrantRow, ENTRANTS, tournament_id=tournament_id)


def fixtures(
    tx: Connection, tournament_id: int, *, after: tuple[int, int], state: str | None, limit: int
) -> list[FixtureRow]:
    """The fixtures in *state*, or in any, that follow round and table *after* in the schedule."""
    values = {"round_no": after[0], "table_no": after[1], "limit": limit}
    return many(tx, FixtureRow, FIXTURES[state], tournament_id=tournament_id, **values)


def fixture(tx: Connection, fixture_id: int) -> FixtureRow | None:
    """One fixture, or None."""
    return _one(tx, FixtureRow, FIXTURE_BY_ID, fixture_id=fixture_id)


def bots(tx: Connection, *, after: int, prefix: str, limit: int) -> list[BotRow]:
    """Bots with an id above *after* whose name begins with *prefix*, in any case of letters."""
    return many(tx, BotRow, BOT_PAGE, after=after, prefix=prefix, limit=limit)


def bot(tx: Connection, bot_id: int) -> BotRow | None:
    """One bot, or None."""
    return _one(tx, BotRow, BOT_BY_ID, bot_id=bot_id)


def versions(tx: Connection, bot_id: int, *, limit: int) -> list[VersionRow]:
    """The newest versions of a bot, newest first."""
    return many(tx, VersionRow, VERSIONS, bot_id=bot_id, limit=limit)


def bot_matches(tx: Connection, bot_id: int, *, before: int, limit: int) -> list[BotMatchRow]:
    """The matches of the newest *limit* finished fixtures of a bot with a fixture id below *before*."""
    return many(tx, BotMatchRow, BOT_MATCHES, bot_id=bot_id, before=before, limit=limit)


def match(tx: Connection, match_id: int) -> MatchRow | None:
    """One match of a finished fixture, or None."""
    return _one(tx, MatchRow, MATCH, match_id=match_id)


def replay(tx: Connection, match_id: int) -> bytes | None:
    """The stored replay of a match of a finished fixture, still packed; None also where it is not to be shown yet."""
    row = tx.execute(REPLAY, {"match_id": match_id}).fetchone()
    return None if row is None else row[0]


def many(tx: Connection, kind: type[Row], query: LiteralString, **values: object) -> list[Row]:
    """What *query* finds, as rows of a *kind*."""
    with tx.cursor(row_factory=class_row(kind)) as cursor:
        return cursor.execute(query, values).fetchall()


def _one(tx: Connection, kind: type[Row], query: LiteralString, **values: object) -> Row | None:
    with tx.cursor(row_factory=class_row(kind)) as cursor:
        return cursor.execute(query, values).fetchone()
