"""Results and ratings as lines of a table, read as they are written out: however many there are, few are in memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, LiteralString

from rummy.errors import BadInput
from rummy.league.model import FixtureResult, unplayed
from rummy.store.db import Connection
from rummy.store.matches import legs_of, without

BATCH = 2_000
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be written out: the columns by name, each with the type of its values, and where they are."""

    columns: dict[str, type[Any]]
    query: LiteralString
    complete: Callable[[Iterator[Row]], Iterator[Row]] = iter  # Makes lines of what the query finds.


def _results(found: Iterator[Row]) -> Iterator[Row]:
    fixtures = groupby(found, key=itemgetter(_AT["fixture"]))
    return chain.from_iterable(
        _fixture([(row[:_PLAYED], _Seat(*row[_PLAYED:])) for row in rows]) for _, rows in fixtures
    )


@dataclass(frozen=True, slots=True)
class _Seat:
    """What a line does not show, and all that it shows of the table and of ratings follows from."""

    entrant: int
    seat: int  # In leg 0.
    absent: list[int] | None
    left_as: str | None
    annulled: bool
    hosted: bool


def _fixture(rows: Sequence[tuple[Row, _Seat]]) -> Iterator[Row]:
    """The lines of a fixture, completed: those of one that nobody has played are made from its seats."""
    seats = sorted({seat.seat: seat for _, seat in rows}.values(), key=lambda seat: seat.seat)
    entrants, absent = tuple(seat.entrant for seat in seats), seats[0].absent
    if absent is None:
        places = {(row[_AT["leg"]], seat.entrant): row[_AT["placement"]] for row, seat in rows}
        legs = tuple(tuple(places[leg, one] for one in entrants) for leg in range(len(rows) // len(seats)))
        result, lines = FixtureResult(0, 0, entrants, legs), list(rows)
    else:
        legs_played = legs_of(len(seats), hosted=all(seat.hosted for seat in seats))
        result = unplayed(0, 0, entrants, absent, legs_played)
        lines = [line for leg in range(legs_played) for line in _unplayed_leg(rows, result, leg)]
    counts = without(result, {seat.entrant for seat in seats if seat.annulled})
    rates = absent is None and not any(seat.left_as == "disqualified" for seat in seats)
    for row, seat in lines:
        gone = seat.entrant in (counts.absent or ())
        yield *row, None if gone else counts.legs[row[_AT["leg"]]][entrants.index(seat.entrant)], int(rates)


def _unplayed_leg(rows: Sequence[tuple[Row, _Seat]], result: FixtureResult, leg: int) -> list[tuple[Row, _Seat]]:
    """The lines of a leg of a fixture that was decided without play, in seat order."""
    lines = []
    for row, seat in rows:
        said = {
            "leg": leg, "seat": (seat.seat - leg) % len(rows), "strikes": 0, "reason": "unplayed", "deals": 0,
            "actions": 0, "placement": result.legs[leg][result.entrants.index(seat.entrant)],
            "forfeit": "absent" if seat.entrant in (result.absent or ()) else None,
        }  # fmt: skip
        lines.append((tuple(said.get(name, value) for name, value in zip(_AT, row, strict=False)), seat))
    return sorted(lines, key=lambda line: line[0][_AT["seat"]])


# Names stand in every line, so that it can be understood by itself. Rounds, tables, legs and seats count from 0.
RESULTS = Table(
    {
        "ladder": str, "tournament": int, "round": int, "table": int, "fixture": int, "leg": int, "match": int,
        "seat": int, "version_id": int, "owner": str, "bot": str, "version": str, "placement": int, "score": int,
        "fixture_score": float, "forfeit": str, "strikes": int, "reason": str, "deals": int, "actions": int,
        "table_place": int, "rates": int,
    },
    """
    SELECT t.ladder, t.tournament_id, f.round_no, f.table_no, f.fixture_id, m.leg, m.match_id,
           r.seat, v.version_id, o.name, b.name, v.version, r.placement, r.score,
           s.score, r.forfeit, r.strikes, m.reason, m.deals, m.actions,
           p.entrant_no, p.seat, f.absent, e.left_as, e.annulled, v.hosted
      FROM tournament t
      JOIN round USING (tournament_id)
      JOIN fixture f USING (tournament_id, round_no)
      JOIN fixture_seat p ON p.fixture_id = f.fixture_id
      JOIN fixture_score s ON s.fixture_id = f.fixture_id AND s.entrant_no = p.entrant_no
      JOIN entrant e ON e.tournament_id = t.tournament_id AND e.entrant_no = p.entrant_no
      JOIN bot_version v USING (version_id)
      JOIN bot b USING (bot_id)
      JOIN owner o USING (owner_id)
      LEFT JOIN (match m JOIN seat_result r USING (match_id))
        ON m.fixture_id = f.fixture_id AND m.generation = f.generation AND r.entrant_no = p.entrant_no
     WHERE f.state = 'done'
       AND (t.tournament_id = %(tournament_id)s OR t.ladder = %(ladder)s AND t.rated AND rated_at IS NOT NULL)
     ORDER BY t.started_at, t.tournament_id, f.round_no, f.table_no, m.leg, r.seat""",
    _results,
)  # fmt: skip
_AT = {name: at for at, name in enumerate(RESULTS.columns)}
_PLAYED = _AT["table_place"]  # From here on columns follow from the whole fixture.
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
        found = cursor.execute(table.query, {"tournament_id": tournament_id, "ladder": ladder})
        yield from table.complete(iter(found))


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


def as_pgn(table: Table, lines: Iterator[Row]) -> Iterator[str]:
    """Text of PGN with results and no moves: a game for every leg that counts for ratings, White being seat 0.

    A shared place is a draw. Raises `BadInput` for what is no table of results, and where more than two are at a table.
    """
    if table is not RESULTS:
        raise BadInput("PGN holds results only; ratings are exported as CSV, JSON Lines or Parquet.")
    rated = (line for line in lines if line[_AT["rates"]])
    for match, group in groupby(rated, key=itemgetter(_AT["match"])):
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
        "Event": f"{white[_AT['ladder']]}, tournament {white[_AT['tournament']]}", "Site": "?", "Date": "????.??.??",
        "Round": _round(white), "White": _player(white), "Black": _player(black), "Result": result,
    }  # fmt: skip
    return "".join([f'[{name} "{value}"]\n' for name, value in tags.items()]) + f"\n{result}\n\n"


def _round(line: Row) -> str:
    """Round, table and leg, counted from 1 as PGN does."""
    return ".".join([str(line[_AT[name]] + 1) for name in ("round", "table", "leg")])


def _player(line: Row) -> str:
    """A name that no two versions share, whatever reads it: Ordo knows no escapes, so nothing needs one."""
    name = f"{line[_AT['owner']]}/{line[_AT['bot']]} {line[_AT['version']]} #{line[_AT['version_id']]}"
    return name.replace("\\", "/").replace('"', "'")


TEXTS: dict[str, Callable[[Table, Iterator[Row]], Iterator[str]]] = {
    "csv": as_csv,
    "jsonl": as_json_lines,
    "pgn": as_pgn,
}
