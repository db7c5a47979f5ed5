"""Finished matches: results a seat, scores a fixture, and replays as compressed bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, LiteralString

import zstandard
from psycopg import Cursor

from rummy.errors import NotFound
from rummy.league.model import FixtureResult, fixture_scores, unplayed
from rummy.store.db import Connection

ZSTD = b"\x01"  # The first stored byte says how the rest is packed.
MAX_REPLAY = 64 << 20
AT_ONCE = 500
Line = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatResult:
    """How one seat of a match ended."""

    seat: int
    entrant_no: int
    placement: int
    score: int
    forfeit: str | None
    strikes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMatch:
    """One leg, from its verified replay; *seats* in seat order."""

    leg: int
    reason: str
    deals: int
    actions: int
    replay: bytes
    digest: bytes
    seats: tuple[SeatResult, ...]


def told(leg: PlayedMatch) -> dict[str, object]:
    """A leg for the log. Seats are lists: entrant, placement, score, cause of a forfeit, strikes."""
    return {
        "reason": leg.reason,
        "deals": leg.deals,
        "actions": leg.actions,
        "replay": leg.digest.hex(),
        "seats": [[s.entrant_no, s.placement, s.score, s.forfeit, s.strikes] for s in leg.seats],
    }


def pack(replay: bytes) -> bytes:
    """A replay as it is stored."""
    return ZSTD + zstandard.ZstdCompressor(level=3).compress(replay)


def unpack(stored: bytes) -> bytes:
    """The canonical bytes of a stored replay."""
    if stored[:1] != ZSTD:
        raise NotFound(f"the replay is stored in a format, {stored[:1].hex()}, that this program does not know")
    return zstandard.ZstdDecompressor().decompress(stored[1:], max_output_size=MAX_REPLAY)


_MATCH: LiteralString = """
    INSERT INTO match (fixture_id, generation, leg, reason, deals, actions, replay, digest, saved_at)
    VALUES (%(fixture_id)s, %(generation)s, %(leg)s, %(reason)s, %(deals)s, %(actions)s, %(replay)s,
            %(digest)s, %(now)s)
    RETURNING match_id"""
_SEAT: LiteralString = """
    INSERT INTO seat_result (match_id, fixture_id, seat, entrant_no, placement, score, forfeit, strikes)
    VALUES (%(match_id)s, %(fixture_id)s, %(seat)s, %(entrant_no)s, %(placement)s, %(score)s, %(forfeit)s,
            %(strikes)s)"""
_SCORE: LiteralString = """
    INSERT INTO fixture_score (fixture_id, entrant_no, of_version, score)
    SELECT fixture_id, entrant_no, version_id, %(score)s FROM fixture JOIN entrant USING (tournament_id)
     WHERE fixture_id = %(fixture_id)s AND entrant_no = %(entrant_no)s"""


def save(tx: Connection, fixture_id: int, generation: int, played: Sequence[PlayedMatch], *, now: datetime) -> None:
    """Saves all legs of a fixture and each entrant's score in it."""
    for match in played:
        save_match(tx, fixture_id, generation, match, now=now)
    save_scores(tx, fixture_id, scores_of(played))


def save_scores(tx: Connection, fixture_id: int, scores: Mapping[int, float]) -> None:
    """Saves each entrant's score in a fixture."""
    lines = [{"fixture_id": fixture_id, "entrant_no": entrant, "score": score} for entrant, score in scores.items()]
    tx.cursor().executemany(_SCORE, lines)


def scores_of(played: Sequence[PlayedMatch]) -> dict[int, float]:
    """By entrant: the mean pairwise score over the legs."""
    entrants = sorted(seat.entrant_no for seat in played[0].seats)
    placed = [{seat.entrant_no: seat.placement for seat in match.seats} for match in played]
    scores = fixture_scores([[leg[entrant] for entrant in entrants] for leg in placed])
    return dict(zip(entrants, scores, strict=True))


def save_match(tx: Connection, fixture_id: int, generation: int, match: PlayedMatch, *, now: datetime) -> None:
    """Saves one leg of a generation of a fixture."""
    values = {"leg": match.leg, "reason": match.reason, "deals": match.deals, "actions": match.actions, "now": now}
    keys = {"fixture_id": fixture_id, "generation": generation}
    row = tx.execute(_MATCH, {**values, **keys, "replay": pack(match.replay), "digest": match.digest}).fetchone()
    assert row is not None
    tx.cursor().executemany(_SEAT, [_seat_values(row[0], fixture_id, seat) for seat in match.seats])


def _seat_values(match_id: int, fixture_id: int, seat: SeatResult) -> dict[str, object]:
    return {
        "match_id": match_id,
        "fixture_id": fixture_id,
        "seat": seat.seat,
        "entrant_no": seat.entrant_no,
        "placement": seat.placement,
        "score": seat.score,
        "forfeit": seat.forfeit,
        "strikes": seat.strikes,
    }


_REPLAY: LiteralString = """
    SELECT replay FROM match JOIN fixture USING (fixture_id) WHERE match_id = %(match_id)s AND state = 'done'"""


def replay(tx: Connection, match_id: int) -> bytes:
    """The canonical bytes of a match's replay. Raises `NotFound`."""
    row = tx.execute(_REPLAY, {"match_id": match_id}).fetchone()
    if row is None:
        raise NotFound(f"there is no match {match_id}")
    return unpack(bytes(row[0]))


_OF_TOURNAMENT: LiteralString = """
    SELECT match_id FROM match JOIN fixture USING (fixture_id)
     WHERE tournament_id = %(tournament_id)s ORDER BY round_no, table_no, leg"""


def ids(tx: Connection, tournament_id: int) -> list[int]:
    """The matches of a tournament, in the order of its schedule."""
    return [row[0] for row in tx.execute(_OF_TOURNAMENT, {"tournament_id": tournament_id}).fetchall()]


_RESULTS: LiteralString = """
    SELECT f.round_no, f.table_no, m.leg,
           array_agg(s.entrant_no ORDER BY s.seat) AS entrants, array_agg(r.placement ORDER BY s.seat) AS placements
      FROM fixture f
      JOIN match m ON m.fixture_id = f.fixture_id AND m.generation = f.generation
      JOIN seat_result r USING (match_id)
      JOIN fixture_seat s ON s.fixture_id = f.fixture_id AND s.entrant_no = r.entrant_no
     WHERE f.tournament_id = %(tournament_id)s AND f.state = 'done' AND f.absent IS NULL
       AND (%(first)s::int IS NULL OR f.round_no BETWEEN %(first)s AND %(last)s)
     GROUP BY f.fixture_id, m.leg
     ORDER BY f.round_no, f.table_no, m.leg"""


_UNPLAYED: LiteralString = """
    SELECT round_no, table_no, absent, array_agg(entrant_no ORDER BY seat), bool_and(hosted)
      FROM fixture JOIN fixture_seat USING (fixture_id, tournament_id) JOIN entrant USING (tournament_id, entrant_no)
      JOIN bot_version USING (version_id)
     WHERE tournament_id = %(tournament_id)s AND absent IS NOT NULL
     GROUP BY fixture_id"""
_LEFT: LiteralString = """
    SELECT entrant_no, left_as, annulled FROM entrant
     WHERE tournament_id = %(tournament_id)s AND left_as IS NOT NULL ORDER BY entrant_no"""


@dataclass(frozen=True, slots=True)
class Left:
    """An entrant that has left; *annulled* where in the table its fixtures count as won by the others."""

    entrant_no: int
    left_as: str
    annulled: bool


def left(tx: Connection, tournament_id: int) -> list[Left]:
    """The entrants that were withdrawn or disqualified."""
    return [Left(*row) for row in tx.execute(_LEFT, {"tournament_id": tournament_id})]


def results(tx: Connection, tournament_id: int) -> list[FixtureResult]:
    """What counts for the table of a tournament and for its next round, in the order of the schedule."""
    found = _played(tx, tournament_id, None)
    for round_no, table_no, absent, entrants, hosted in tx.execute(_UNPLAYED, {"tournament_id": tournament_id}):
        found.append(unplayed(round_no, table_no, entrants, absent, legs_of(len(entrants), hosted=hosted)))
    gone = {each.entrant_no for each in left(tx, tournament_id) if each.annulled}
    return sorted((without(result, gone) for result in found), key=lambda result: result.key)


def rated(tx: Connection, tournament_id: int, rounds: tuple[int, int] | None = None) -> list[FixtureResult]:
    """What counts for ratings, of all rounds or from one to another: played, and nobody at the table disqualified."""
    gone = {each.entrant_no for each in left(tx, tournament_id) if each.left_as == "disqualified"}
    return [each for each in _played(tx, tournament_id, rounds) if gone.isdisjoint(each.entrants)]


def legs_of(seats: int, *, hosted: bool) -> int:
    """The legs of a fixture: one a seat; one alone where a bot is live, which would know the cards of a second."""
    return seats if hosted else 1


def without(result: FixtureResult, gone: Collection[int]) -> FixtureResult:
    """*result* with the entrants in *gone* absent, whatever was played."""
    absent = (result.absent or frozenset()).union(gone).intersection(result.entrants)
    if not absent:
        return result
    return unplayed(result.round_no, result.table_no, result.entrants, absent, len(result.legs))


def _played(tx: Connection, tournament_id: int, rounds: tuple[int, int] | None) -> list[FixtureResult]:
    first, last = rounds or (None, None)
    cursor = tx.execute(_RESULTS, {"tournament_id": tournament_id, "first": first, "last": last})
    return list(_results(_some_at_a_time(cursor)))


def _some_at_a_time(cursor: Cursor[Line]) -> Iterator[Line]:
    """All rows; while many are made at once, no other thread runs."""
    while rows := cursor.fetchmany(AT_ONCE):
        yield from rows


def _results(rows: Iterator[Line]) -> Iterator[FixtureResult]:
    for (round_no, table_no), group in groupby(rows, key=lambda row: (row[0], row[1])):
        legs = list(group)
        yield FixtureResult(round_no, table_no, tuple(legs[0][3]), tuple(tuple(leg[4]) for leg in legs))
