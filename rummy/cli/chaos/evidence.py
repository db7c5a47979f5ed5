"""What an arena has on record after a run: what must hold of it alone, and what must be that of a calm run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from rummy.cli import tables
from rummy.cli.chaos.points import Point, Spot
from rummy.cli.chaos.victims import Kind
from rummy.cli.chaos.wreck import Kill
from rummy.errors import NotFound, ReplayMismatch
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
    scores: list[tuple[int, int, int, int, float]]
    ratings: list[tuple[int, int, str, float, float]]
    played: list[str]
    """A digest for each match of all that was played in it."""


def record(database: Database, numbers: Sequence[int], look: Callable[[], object]) -> Record:
    """What was played, and what came of it; *look* is called after each match."""
    made = Record([], [], [], [])
    with database.transaction() as tx:
        for place, number in enumerate(numbers):
            made.tables.append([line.as_json() for line in tables.table_of(tx, number)])
            made.scores.extend(_rows(tx, _SCORES, place, number))
            made.ratings.extend(_rows(tx, _RATINGS, place, number))
            for match_id in matches.ids(tx, number):
                made.played.append(digest_of(matches.replay(tx, match_id)))
                look()
    return made


def verified(database: Database, numbers: Sequence[int], planned: int, look: Callable[[], object]) -> Check:
    """Whether each of the *planned* matches has a replay that gives what is on record, played again by the rules alone.

    *look* is called after each.
    """
    seen, broken = 0, 0
    with database.transaction() as tx:
        for number in numbers:
            for match_id in matches.ids(tx, number):
                seen += 1
                broken += not _verifies(tx, match_id)
                look()
    return Check("every replay verifies", seen == planned > 0 and not broken, f"{seen} replays, {broken} do not")


# Neither rows that are not there nor nulls may pass for rows that are as they should be.
_FIXTURES: LiteralString = """
    SELECT count(*), count(*) FILTER (WHERE state <> 'done' OR absent IS NOT NULL),
           count(*) FILTER (WHERE (SELECT count(*) FROM fixture_attempt a
                                    WHERE a.fixture_id = f.fixture_id AND outcome = 'done') <> 1),
           count(*) FILTER (WHERE (SELECT array_agg((generation, leg) ORDER BY leg) FROM match m
                                    WHERE m.fixture_id = f.fixture_id)
                                  IS DISTINCT FROM ARRAY[(f.generation, 0), (f.generation, 1)]),
           count(*) FILTER (WHERE (SELECT array_agg((leg, seat, entrant_no) ORDER BY leg, seat)
                                     FROM match m JOIN seat_result USING (match_id)
                                    WHERE m.fixture_id = f.fixture_id)
                                  IS DISTINCT FROM
                                  (SELECT array_agg((leg, (seat + leg) % 2, entrant_no) ORDER BY leg, (seat + leg) % 2)
                                     FROM fixture_seat s, generate_series(0, 1) AS leg
                                    WHERE s.fixture_id = f.fixture_id)),
           count(*) FILTER (WHERE (SELECT array_agg(entrant_no ORDER BY entrant_no) FROM fixture_score s
                                    WHERE s.fixture_id = f.fixture_id)
                                  IS DISTINCT FROM
                                  (SELECT array_agg(entrant_no ORDER BY entrant_no) FROM fixture_seat s
                                    WHERE s.fixture_id = f.fixture_id))
      FROM fixture f"""
_FAULTS: LiteralString = (
    "SELECT count(*), count(*) FILTER (WHERE forfeit IS NOT NULL), coalesce(sum(strikes), 0) FROM seat_result"
)
_CHANGES: LiteralString = """
    SELECT (SELECT count(*) FROM rating_change),
           (SELECT count(DISTINCT (tournament_id, round_no, entrant_no))
              FROM fixture JOIN fixture_seat USING (tournament_id, fixture_id))"""
_ATTEMPTS: LiteralString = "SELECT outcome, holder FROM fixture_attempt"


def soundness(database: Database, planned: int) -> Iterator[Check]:
    """What must hold of the rows of one arena, whose tournaments have all ended and have *planned* fixtures."""
    with database.transaction() as tx:
        fixtures, *wrong = tx.execute(_FIXTURES).fetchone() or ()
        seats, forfeits, strikes = tx.execute(_FAULTS).fetchone() or ()
        stored, wanted = tx.execute(_CHANGES).fetchone() or ()
        attempts = tx.execute(_ATTEMPTS).fetchall()
        moved, computed = ratings.log(tx), list(ratings.recompute(tx, elo.rate_round))
    exact = fixtures == planned > 0 and not any(wrong)
    told = f"{fixtures} of {planned} fixtures, {sum(wrong)} otherwise"
    yield Check("each fixture has exactly one result", exact, told)
    clean = seats == 4 * planned > 0 and not forfeits and not strikes
    yield Check("no strike and no forfeit", clean, f"{strikes} strikes, {forfeits} forfeits in {seats} seats")
    whole = len(moved) == stored == wanted > 0 and moved == computed
    yield Check("no rating row lost or doubled", whole, f"{stored} rows, {len(computed)} recomputed")
    outcomes = Counter(outcome for outcome, _ in attempts)
    named = all(holder.startswith("worker-") for _, holder in attempts)
    told = ", ".join(f"{number} {outcome or 'under way'}" for outcome, number in sorted(outcomes.items(), key=str))
    ended = bool(attempts) and None not in outcomes and named
    yield Check("each attempt has ended and names its worker", ended, told)


_RESULTS: LiteralString = "SELECT tournament_id, round_no, table_no, generation FROM fixture"
_ROUNDS: LiteralString = "SELECT tournament_id, round_no, rated_at IS NOT NULL FROM round"


def logged(database: Database, numbers: Sequence[int]) -> Check:
    """Whether the logs of the tournaments are whole, with a line for each result and each rated round."""
    results: Counter[tuple[int, ...]] = Counter()
    rounds: Counter[tuple[int, ...]] = Counter()
    broken = 0
    with database.transaction() as tx:
        for number in numbers:
            entries = list(log.entries(tx, number))
            results.update((number, *entry.said["fixture"]) for entry in entries if entry.move == "result")
            rounds.update((number, entry.said["round"], True) for entry in entries if entry.move == "rated")
            broken += not _is_chain(entries)
        wanted = Counter(tx.execute(_RESULTS)), Counter(tx.execute(_ROUNDS))
    whole = bool(results and rounds) and not broken and (results, rounds) == wanted
    figure = f"{results.total()} results, {rounds.total()} rounds, {broken} broken"
    return Check("the log has each result and each rated round once", whole, figure)


def _is_chain(entries: Sequence[log.Entry]) -> bool:
    try:
        log.check_chain(entries)
    except ReplayMismatch:
        return False
    return True


_ATTEMPT: LiteralString = """
    SELECT outcome, holder FROM fixture_attempt WHERE fixture_id = %(fixture_id)s AND attempt = %(attempt)s"""


def agrees(database: Database, kills: Sequence[Kill]) -> Check:
    """Whether what is stored of each aimed kill's fixture is what follows from the point at which it was aimed."""
    aimed = [(kill, kill.spot) for kill in kills if kill.spot is not None]
    with database.transaction() as tx:
        wrong = sum(not _follows(tx, kill, spot) for kill, spot in aimed)
    figure = f"{len(aimed)} aimed kills, {wrong} do not agree"
    return Check("what is stored agrees with where each died", bool(aimed) and not wrong, figure)


def _follows(tx: Connection, kill: Kill, spot: Spot) -> bool:
    """Whether attempts may have come to what they have, by where their fixture was when the victim died."""
    if kill.point is Point.BEFORE_CLAIM:  # The attempt to come is not that of a process that has died on the way.
        row = _attempt(tx, spot.fixture_id, spot.attempt + 1)
        return row is not None and not (kill.kind is Kind.WORKER and row[1].startswith(f"{kill.victim}#{kill.pid}-"))
    row = _attempt(tx, spot.fixture_id, spot.attempt)
    if row is None or row[1] != spot.holder:
        return False
    if kill.point is Point.AFTER_COMMIT:
        return row[0] == "done"
    lost = (Kind.WORKER,) if kill.point is Point.IN_PLAY else (Kind.WORKER, Kind.POSTGRES)
    return row[0] != "done" or kill.kind not in lost  # Nobody else can have saved it in its name.


def _attempt(tx: Connection, fixture_id: int, attempt: int) -> tuple[str | None, str] | None:
    return tx.execute(_ATTEMPT, {"fixture_id": fixture_id, "attempt": attempt}).fetchone()


def compared(chaos: Record, calm: Record) -> Iterator[Check]:
    """Whether a disturbed run has come to what a calm one has."""
    same = bool(chaos.played) and chaos.played == calm.played
    yield Check("the same was played in every match", same, f"{len(chaos.played)} and {len(calm.played)} matches")
    lines = sum(map(len, chaos.tables))
    alike = lines > 0 and chaos.tables == calm.tables
    yield Check("the table is that of the calm run to the bit", alike, f"{lines} lines")
    for name in ("scores", "ratings"):
        mine, theirs = getattr(chaos, name), getattr(calm, name)
        yield Check(
            f"the {name} are those of the calm run to the bit", bool(mine) and mine == theirs, f"{len(mine)} rows"
        )


_SCORES: LiteralString = """
    SELECT round_no, table_no, entrant_no, score FROM fixture_score JOIN fixture USING (fixture_id)
     WHERE tournament_id = %(number)s ORDER BY round_no, table_no, entrant_no"""
_RATINGS: LiteralString = """
    SELECT round_no, bot.name, before, after, fixtures
      FROM rating_change JOIN bot_version USING (version_id) JOIN bot USING (bot_id)
     WHERE tournament_id = %(number)s ORDER BY round_no, bot.name, change_id"""


def _rows(tx: Connection, query: LiteralString, place: int, number: int) -> list[Any]:
    return [(place, *row) for row in tx.execute(query, {"number": number})]


_STORED: LiteralString = """
    SELECT encode(digest, 'hex'), reason, deals, actions, placement, score, forfeit, strikes
      FROM match LEFT JOIN seat_result USING (match_id) WHERE match_id = %(match_id)s ORDER BY seat"""


def _verifies(tx: Connection, match_id: int) -> bool:
    """Whether the replay gives its result, and that is the one on record."""
    try:
        seen = verify(matches.replay(tx, match_id))
    except (ReplayMismatch, NotFound):
        return False
    result = seen.result
    seats = zip(result.placements, result.scores, result.forfeits, seen.strikes, strict=True)
    wanted = [(seen.digest, result.reason, result.deals, seen.actions, *seat) for seat in seats]
    return tx.execute(_STORED, {"match_id": match_id}).fetchall() == wanted


def digest_of(data: bytes) -> str:
    """Of header and actions, without what names the run or was read from a clock."""
    lines = [json.loads(line) for line in data.splitlines()]
    header = {name: lines[0][name] for name in ("game", "options", "seats", "seed", "leg", "bots")}
    played = [{name: value for name, value in line.items() if name not in _READINGS} for line in lines[1:-1]]
    return hashlib.sha256(json.dumps([header, played], sort_keys=True).encode()).hexdigest()
