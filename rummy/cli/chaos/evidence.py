"""What an arena has on record after a run: what must hold of it alone, and what must be that of a calm run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from rummy.cli import tables
from rummy.cli.chaos.points import Point
from rummy.cli.chaos.victims import Kind
from rummy.cli.chaos.wreck import Kill
from rummy.errors import ReplayMismatch
from rummy.league.ratings import elo
from rummy.rules.replay import verify
from rummy.store import log, matches, ratings
from rummy.store.db import Connection, Database

_READINGS = ("us", "wait")
"""Of a line of a replay, what a clock has said: no two runs have it alike."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something that must hold."""

    name: str
    holds: bool
    figure: str


@dataclass(frozen=True, slots=True)
class Record:
    """What two runs on the same seed must have alike, in the order of the schedule."""

    tables: list[Any]
    ratings: list[tuple[int, int, str, float, float]]
    played: list[str]
    """A digest for each match of all that was played in it."""


_FIXTURES: LiteralString = """
    SELECT count(*), count(*) FILTER (WHERE state <> 'done'),
           count(*) FILTER (WHERE (SELECT count(*) FROM fixture_attempt a
                                    WHERE a.fixture_id = f.fixture_id AND outcome = 'done') <> 1),
           count(*) FILTER (WHERE (SELECT array_agg((generation, leg) ORDER BY leg) FROM match m
                                    WHERE m.fixture_id = f.fixture_id) <> ARRAY[(f.generation, 0), (f.generation, 1)]),
           count(*) FILTER (WHERE (SELECT count(*) FROM seat_result s WHERE s.fixture_id = f.fixture_id) <> 4
                               OR (SELECT count(*) FROM fixture_score s WHERE s.fixture_id = f.fixture_id) <> 2)
      FROM fixture f"""
_FAULTS: LiteralString = (
    "SELECT count(*) FILTER (WHERE forfeit IS NOT NULL), coalesce(sum(strikes), 0) FROM seat_result"
)
_LOGGED: LiteralString = """
    SELECT (SELECT count(*) FROM fixture), (SELECT count(*) FROM round), (SELECT count(rated_at) FROM round)"""
_ATTEMPTS: LiteralString = "SELECT outcome, holder FROM fixture_attempt"
_OUTCOME: LiteralString = """
    SELECT outcome FROM fixture_attempt WHERE fixture_id = %(fixture_id)s AND attempt = %(attempt)s"""


def record(database: Database, numbers: Sequence[int]) -> tuple[Record, Check]:
    """What was played, and whether every replay gives what is on record, played again by the rules alone."""
    made = Record([], [], [])
    broken = 0
    with database.transaction() as tx:
        for place, number in enumerate(numbers):
            made.tables.append([line.as_json() for line in tables.table_of(tx, number)])
            made.ratings.extend(_rating_rows(tx, place, number))
            for match_id in matches.ids(tx, number):
                data = matches.replay(tx, match_id)
                broken += not _verifies(tx, match_id, data)
                made.played.append(_digest(data))
    return made, Check("every replay verifies", not broken, f"{len(made.played)} replays, {broken} do not")


def soundness(database: Database) -> Iterator[Check]:
    """What must hold of the rows of one arena, whose tournaments have all ended."""
    with database.transaction() as tx:
        fixtures, unfinished, attempts, legs, rows = tx.execute(_FIXTURES).fetchone() or ()
        forfeits, strikes = tx.execute(_FAULTS).fetchone() or ()
        outcomes = Counter(outcome for outcome, _ in tx.execute(_ATTEMPTS))
        nameless = sum(not holder.startswith("worker-") for _, holder in tx.execute(_ATTEMPTS))
        moved, computed = ratings.log(tx), list(ratings.recompute(tx, elo.rate_round))
    wrong = unfinished + attempts + legs + rows
    yield Check("each fixture has exactly one result", not wrong, f"{fixtures} fixtures, {wrong} otherwise")
    yield Check("no strike and no forfeit", not forfeits and not strikes, f"{strikes} strikes, {forfeits} forfeits")
    yield Check("no rating row lost or doubled", moved == computed, f"{len(moved)} rows, {len(computed)} recomputed")
    told = ", ".join(f"{number} {outcome or 'under way'}" for outcome, number in sorted(outcomes.items(), key=str))
    yield Check("each attempt has ended and names its worker", None not in outcomes and not nameless, told)


def logged(database: Database, numbers: Sequence[int]) -> Check:
    """Whether the logs of the tournaments are whole, with a line for each result and each rated round."""
    moves: Counter[str] = Counter()
    broken = 0
    with database.transaction() as tx:
        for number in numbers:
            entries = list(log.entries(tx, number))
            moves.update(entry.move for entry in entries)
            try:
                log.check_chain(entries)
            except ReplayMismatch:
                broken += 1
        wanted = tx.execute(_LOGGED).fetchone()
    told = (moves["result"], moves["rated"], moves["rated"])
    whole = not broken and told == wanted
    figure = f"{moves['result']} results, {moves['rated']} rounds, {broken} broken"
    return Check("the log has each result and each rated round once", whole, figure)


def agrees(database: Database, kills: Sequence[Kill]) -> Check:
    """Whether what is stored of each aimed kill's fixture is what follows from the point at which it was aimed."""
    aimed, wrong = 0, 0
    with database.transaction() as tx:
        for kill in kills:
            if kill.spot is not None:
                aimed += 1
                values = {"fixture_id": kill.spot.fixture_id, "attempt": kill.spot.attempt}
                row = tx.execute(_OUTCOME, values).fetchone()
                wrong += not _follows(kill, None if row is None else str(row[0]))
    return Check("what is stored agrees with where each died", not wrong, f"{aimed} aimed kills, {wrong} do not agree")


def _follows(kill: Kill, outcome: str | None) -> bool:
    """Whether an attempt may have come to *outcome*, by where its fixture was when the victim died."""
    lost = {Point.IN_PLAY: (Kind.WORKER,), Point.BEFORE_COMMIT: (Kind.WORKER, Kind.POSTGRES)}
    if kill.point is Point.AFTER_COMMIT:
        return outcome == "done"
    if kill.point in lost and kill.kind in lost[kill.point]:
        return outcome != "done"  # Nobody else can have saved it in the name of this attempt.
    return True


def compared(chaos: Record, calm: Record) -> Iterator[Check]:
    """Whether a disturbed run has come to what a calm one has."""
    same = chaos.played == calm.played
    yield Check("the same was played in every match", same, f"{len(chaos.played)} and {len(calm.played)} matches")
    lines = sum(map(len, chaos.tables))
    yield Check("the table is that of the calm run to the bit", chaos.tables == calm.tables, f"{lines} lines")
    rows = len(chaos.ratings)
    yield Check("the ratings are those of the calm run to the bit", chaos.ratings == calm.ratings, f"{rows} rows")


_RATINGS: LiteralString = """
    SELECT round_no, bot.name, before, after, fixtures
      FROM rating_change JOIN bot_version USING (version_id) JOIN bot USING (bot_id)
     WHERE tournament_id = %(number)s ORDER BY round_no, bot.name, change_id"""


def _rating_rows(tx: Connection, place: int, number: int) -> list[Any]:
    return [(place, *row) for row in tx.execute(_RATINGS, {"number": number})]


_DIGEST: LiteralString = "SELECT digest FROM match WHERE match_id = %(match_id)s"


def _verifies(tx: Connection, match_id: int, data: bytes) -> bool:
    row = tx.execute(_DIGEST, {"match_id": match_id}).fetchone()
    try:
        return row is not None and verify(data).digest == bytes(row[0]).hex()
    except ReplayMismatch:
        return False


def _digest(data: bytes) -> str:
    """Of header and actions, without what names the run or was read from a clock."""
    lines = [json.loads(line) for line in data.splitlines()]
    header = {name: lines[0][name] for name in ("game", "options", "seats", "seed", "leg", "bots")}
    played = [{name: value for name, value in line.items() if name not in _READINGS} for line in lines[1:-1]]
    return hashlib.sha256(json.dumps([header, played], sort_keys=True).encode()).hexdigest()
