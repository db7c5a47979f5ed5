"""Results and ratings as lines of a table, read as they are written out: however many there are, few are in memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, LiteralString

from rummy.errors import BadInput
from rummy.store.db import Connection

BATCH = 2_000
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be written out: the columns by name, each with the type of its values, and where they are."""

    columns: dict[str, type[Any]]
    query: LiteralString


# Names stand in every line, so that it can be understood by itself. Rounds, tables, legs and seats count from 0.
RESULTS = Table(
    {
        "ladder": str, "tournament": int, "round": int, "table": int, "fixture": int, "leg": int, "match": int,
        "seat": int, "version_id": int, "owner": str, "bot": str, "version": str, "placement": int, "score": int,
        "fixture_score": float, "forfeit": str, "strikes": int, "reason": str, "deals": int, "actions": int,
    },
    """
    SELECT t.ladder, t.tournament_id, f.round_no, f.table_no, f.fixture_id, m.leg, m.match_id,
           r.seat, v.version_id, o.name, b.name, v.version, r.placement, r.score,
           s.score, r.forfeit, r.strikes, m.reason, m.deals, m.actions
      FROM tournament t
      JOIN round USING (tournament_id)
      JOIN fixture f USING (tournament_id, round_no)
      JOIN match m ON m.fixture_id = f.fixture_id AND m.generation = f.generation
      JOIN seat_result r USING (match_id)
      JOIN fixture_score s ON s.fixture_id = f.fixture_id AND s.entrant_no = r.entrant_no
      JOIN entrant e ON e.tournament_id = t.tournament_id AND e.entrant_no = r.entrant_no
      JOIN bot_version v USING (version_id)
      JOIN bot b USING (bot_id)
      JOIN owner o USING (owner_id)
     WHERE f.state = 'done'
       AND (t.tournament_id = %(tournament_id)s OR t.ladder = %(ladder)s AND t.rated AND rated_at IS NOT NULL)
     ORDER BY t.started_at, t.tournament_id, f.round_no, f.table_no, m.leg, r.seat""",
)  # fmt: skip
RATINGS = Table(
    {
        "ladder": str, "tournament": int, "round": int, "version_id": int, "owner": str, "bot": str, "version": str,
        "before": float, "after": float, "fixtures": int, "reason": str,
    },
    """
    SELECT c.ladder, c.tournament_id, c.round_no, c.version_id, o.name, b.name, v.version,
           c.before, c.after, c.fixtures, c.reason
      FROM rating_change c
      JOIN bot_version v USING (version_id)
      JOIN bot b USING (bot_id)
      JOIN owner o USING (owner_id)
     WHERE c.tournament_id = %(tournament_id)s OR c.ladder = %(ladder)s
     ORDER BY c.change_id""",
)  # fmt: skip
TABLES = {"results": RESULTS, "ratings": RATINGS}


def rows(tx: Connection, table: Table, *, tournament_id: int | None = None, ladder: str | None = None) -> Iterator[Row]:
    """The lines of a tournament, or of the rated rounds of a ladder, in the order in which they came to be.

    They are read from the database as they are asked for, all as they were at one moment.
    """
    with tx.cursor(name="export") as cursor:
        cursor.itersize = BATCH
        yield from cursor.execute(table.query, {"tournament_id": tournament_id, "ladder": ladder})


def as_csv(table: Table, lines: Iterator[Row]) -> Iterator[str]:
    """Text of CSV (RFC 4180), with a heading, some lines at a time.

    A text that a spreadsheet would take for a formula has an apostrophe before it. Nothing is an empty field, and a
    number has every digit that it takes to read the same number again.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(table.columns)
    for line in lines:
        writer.writerow([_harmless(value) if isinstance(value, str) else value for value in line])
        if buffer.tell() >= io.DEFAULT_BUFFER_SIZE:
            yield _taken(buffer)
    yield _taken(buffer)


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")) else text


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def as_json_lines(table: Table, lines: Iterator[Row]) -> Iterator[str]:
    """Text of JSON Lines: an object for each line, in ASCII."""
    for line in lines:
        yield json.dumps(dict(zip(table.columns, line, strict=True))) + "\n"


# ---- for programs that rate chess players

_AT = {name: at for at, name in enumerate(RESULTS.columns)}


def as_pgn(table: Table, lines: Iterator[Row]) -> Iterator[str]:
    """Text of PGN with results and no moves: a game for every leg, White being seat 0; a shared place is a draw.

    Raises `BadInput` for what is no table of results, and where more than two play at a table.
    """
    if table is not RESULTS:
        raise BadInput("PGN holds results only; ratings are exported as CSV, JSON Lines or Parquet.")
    for match, group in groupby(lines, key=lambda line: line[_AT["match"]]):
        seats = list(group)
        if len(seats) != 2:
            raise BadInput(
                f"Match {match} was played by {len(seats)} seats, and PGN holds games of two; 'arena ratings' fits "
                "tables of any size."
            )
        yield _game(*seats)


def _game(white: Row, black: Row) -> str:
    ahead = black[_AT["placement"]] - white[_AT["placement"]]
    result = "1-0" if ahead > 0 else "0-1" if ahead < 0 else "1/2-1/2"
    tags = {
        "Event": f"{white[_AT['ladder']]}, tournament {white[_AT['tournament']]}", "Round": _round(white),
        "White": _player(white), "Black": _player(black), "Result": result,
    }  # fmt: skip
    return "".join([f'[{name} "{_quoted(value)}"]\n' for name, value in tags.items()]) + f"\n{result}\n\n"


def _round(line: Row) -> str:
    """Round, table and leg, counted from 1 as PGN does."""
    return ".".join([str(line[_AT[name]] + 1) for name in ("round", "table", "leg")])


def _player(line: Row) -> str:
    return f"{line[_AT['owner']]}/{line[_AT['bot']]} {line[_AT['version']]}"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


TEXTS: dict[str, Callable[[Table, Iterator[Row]], Iterator[str]]] = {
    "csv": as_csv,
    "jsonl": as_json_lines,
    "pgn": as_pgn,
}
