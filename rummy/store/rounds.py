"""Rounds and their fixtures, saved in batches, so that the start of a long schedule takes neither time nor room."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import LiteralString

from rummy.league.model import Round
from rummy.store.db import Connection

BATCH = 5_000
"""Fixtures that are saved at once, or a few more: rounds are whole."""

_ROUNDS: LiteralString = """
    INSERT INTO round (tournament_id, round_no) SELECT %(tournament_id)s, unnest(%(rounds)s::int[])"""
_FIXTURES: LiteralString = """
    WITH made AS (
        INSERT INTO fixture (tournament_id, round_no, table_no, due_at)
        SELECT %(tournament_id)s, round_no, table_no, %(now)s
          FROM unnest(%(rounds)s::int[], %(tables)s::int[]) AS drawn (round_no, table_no)
     RETURNING fixture_id, round_no, table_no)
    INSERT INTO fixture_seat (fixture_id, tournament_id, seat, entrant_no)
    SELECT fixture_id, %(tournament_id)s, seat, entrant_no
      FROM unnest(%(seat_rounds)s::int[], %(seat_tables)s::int[], %(seats)s::int[], %(entrants)s::int[])
           AS drawn (round_no, table_no, seat, entrant_no)
      JOIN made USING (round_no, table_no)"""

_COUNT: LiteralString = "UPDATE tournament SET saved = saved + %(count)s WHERE tournament_id = %(tournament_id)s"


def save(tx: Connection, tournament_id: int, drawn: Iterator[Round], *, now: datetime) -> list[Round]:
    """Saves the next of *drawn* as a batch, and returns it: whole rounds, which may be played from *now* on."""
    batch = list(_batch(drawn))
    tables = [(r.number, t, table) for r in batch for t, table in enumerate(r.tables)]
    seats = [(r, t, seat, entrant) for r, t, table in tables for seat, entrant in enumerate(table)]
    given: dict[str, object] = {"tournament_id": tournament_id, "now": now}
    tx.execute(_ROUNDS, {**given, "rounds": [r.number for r in batch]})
    given |= {"rounds": [r for r, _, _ in tables], "tables": [t for _, t, _ in tables]}
    names = ("seat_rounds", "seat_tables", "seats", "entrants")
    tx.execute(_FIXTURES, {**given, **{name: [seat[at] for seat in seats] for at, name in enumerate(names)}})
    tx.execute(_COUNT, {**given, "count": len(tables)})
    return batch


def _batch(drawn: Iterator[Round]) -> Iterator[Round]:
    fixtures = 0
    while fixtures < BATCH and (following := next(drawn, None)) is not None:
        fixtures += len(following.tables)
        yield following
