"""What a tournament waits for: live bots that are not there, and the deadline of the round in play."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from psycopg.rows import class_row

from rummy.store.db import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A live bot that is not there, and what waits for it."""

    entrant_no: int
    bot_id: int
    name: str
    owner: str
    version_id: int
    version: str
    fixtures: int
    until: datetime  # When it begins to forfeit.


@dataclass(frozen=True, slots=True, kw_only=True)
class InPlay:
    """The oldest round that is not complete."""

    round_no: int
    deadline: datetime | None  # None until a worker has set it.


_BLOCKS: LiteralString = """
    SELECT e.entrant_no, b.bot_id, b.name, o.name AS owner, v.version_id, v.version, count(*) AS fixtures,
           min(f.waits_since) + (t.deadlines->>'fixture')::float * interval '1 second' AS until
      FROM tournament t
      JOIN entrant e USING (tournament_id)
      JOIN missing_entrant m USING (tournament_id, entrant_no)
      JOIN fixture_seat s USING (tournament_id, entrant_no)
      JOIN fixture f USING (fixture_id, tournament_id)
      JOIN bot_version v ON v.version_id = e.version_id
      JOIN bot b USING (bot_id)
      JOIN owner o USING (owner_id)
     WHERE t.tournament_id = %(tournament_id)s AND f.waits_since IS NOT NULL AND f.state = 'scheduled'
     GROUP BY e.entrant_no, b.bot_id, b.name, o.name, v.version_id, v.version, t.tournament_id
     ORDER BY until, e.entrant_no LIMIT %(limit)s"""


def blocks(tx: Connection, tournament_id: int, *, limit: int = 100) -> list[Block]:
    """The live bots for which fixtures wait, the first whose time is over first."""
    with tx.cursor(row_factory=class_row(Block)) as cursor:
        return cursor.execute(_BLOCKS, {"tournament_id": tournament_id, "limit": limit}).fetchall()


_IN_PLAY: LiteralString = """
    SELECT round_no, deadline FROM round
     WHERE tournament_id = %(tournament_id)s AND closed_at IS NULL ORDER BY round_no LIMIT 1"""


def in_play(tx: Connection, tournament_id: int) -> InPlay | None:
    """The round that holds up those after it, and until when it may; None where nothing is drawn and open."""
    with tx.cursor(row_factory=class_row(InPlay)) as cursor:
        return cursor.execute(_IN_PLAY, {"tournament_id": tournament_id}).fetchone()
