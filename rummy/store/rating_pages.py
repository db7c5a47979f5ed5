"""What the dashboard reads of ratings: their steps for a bot, and the lines of ladders. As `rummy.store.pages`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from rummy.store.db import Connection
from rummy.store.pages import many


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """One step of a rating; *played* counts the version's rated fixtures in the ladder up to here."""

    ladder: str
    game: str
    options: dict[str, Any]
    tournament_id: int
    tournament: str
    round_no: int
    entrant_no: int
    version_id: int
    version: str
    before: float
    after: float
    fixtures: int
    played: int
    reason: str
    rated_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRow:
    """A line near the top of a ladder; equal ratings share a place."""

    ladder: str
    game: str
    options: dict[str, Any]
    place: int
    bot_id: int
    name: str
    owner: str
    version_id: int
    version: str
    rating: float
    fixtures: int
    tournament_id: int

    @property
    def title(self) -> str:
        """Owner, bot and version."""
        return f"{self.owner}/{self.name} {self.version}"


RATINGS: LiteralString = """
    WITH steps AS (
      SELECT newest.* FROM bot_version v
       CROSS JOIN LATERAL (
             SELECT * FROM rating_change c WHERE c.version_id = v.version_id ORDER BY -c.change_id LIMIT %(limit)s
             ) newest
       WHERE v.bot_id = %(bot_id)s
       ORDER BY newest.change_id DESC LIMIT %(limit)s)
    SELECT s.ladder, t.game, t.options, t.tournament_id, t.name AS tournament, s.round_no, e.entrant_no,
           v.version_id, v.version, s.before, s.after, s.fixtures, s.reason, r.rated_at,
           (n.fixtures + s.fixtures - sum(s.fixtures) OVER (
             PARTITION BY s.ladder, s.version_id ORDER BY s.change_id DESC))::bigint AS played
      FROM steps s
      JOIN rating n ON n.ladder = s.ladder AND n.version_id = s.version_id
      JOIN bot_version v ON v.version_id = s.version_id
      JOIN tournament t ON t.tournament_id = s.tournament_id
      JOIN entrant e ON e.tournament_id = s.tournament_id AND e.version_id = s.version_id
      JOIN round r ON r.tournament_id = s.tournament_id AND r.round_no = s.round_no
     ORDER BY s.change_id"""

_LINE: LiteralString = """
    SELECT n.ladder, t.game, t.options, rank() OVER (PARTITION BY n.ladder ORDER BY n.rating DESC) AS place,
           b.bot_id, b.name, o.name AS owner, v.version_id, v.version, n.rating, n.fixtures, n.tournament_id
      FROM best n
      JOIN tournament t USING (tournament_id)
      JOIN bot_version v USING (version_id)
      JOIN bot b USING (bot_id)
      JOIN owner o USING (owner_id)"""
_ORDER: LiteralString = "ORDER BY n.ladder, n.rating DESC, n.version_id"
# One ladder after the other is looked up: however many ratings there are, few are read.
LADDERS: LiteralString = f"""
    WITH RECURSIVE named AS (
      (SELECT ladder FROM rating ORDER BY ladder LIMIT 1)
       UNION ALL
      SELECT (SELECT r.ladder FROM rating r WHERE r.ladder > named.ladder ORDER BY r.ladder LIMIT 1)
        FROM named WHERE named.ladder IS NOT NULL),
    best AS (
      SELECT top.* FROM named CROSS JOIN LATERAL (
             SELECT * FROM rating r WHERE r.ladder = named.ladder
              ORDER BY r.rating DESC, r.version_id LIMIT %(top)s) top)
    {_LINE} WHERE t.imported_at IS NULL {_ORDER}"""
LADDER: LiteralString = f"""
    WITH best AS (
      SELECT * FROM rating WHERE ladder = %(ladder)s ORDER BY rating DESC, version_id LIMIT %(top)s)
    {_LINE} {_ORDER}"""


def ratings(tx: Connection, bot_id: int, *, limit: int) -> list[RatingRow]:
    """The newest steps of a bot's ratings over all ladders and versions, oldest first."""
    return many(tx, RatingRow, RATINGS, bot_id=bot_id, limit=limit)


def newest_change(tx: Connection) -> int:
    """A number that grows whenever a rating changes."""
    row = tx.execute("SELECT coalesce(max(change_id), 0) FROM rating_change").fetchone()
    assert row is not None
    return int(row[0])


def ladders(tx: Connection, *, top: int) -> list[LadderRow]:
    """The best *top* bot versions of every ladder of this arena."""
    return many(tx, LadderRow, LADDERS, top=top)


def ladder(tx: Connection, name: str, *, top: int) -> list[LadderRow]:
    """The best *top* bot versions of one ladder; none where nothing is rated in it."""
    return many(tx, LadderRow, LADDER, top=top, ladder=name)
