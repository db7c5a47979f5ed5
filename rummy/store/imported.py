"""A tournament of another arena, saved from an archive that was checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, LiteralString

import psycopg
from psycopg.types.json import Jsonb

from rummy.errors import BadInput, Conflict, ReplayMismatch
from rummy.store import log, matches, recorded
from rummy.store.archive import Reader
from rummy.store.db import Connection
from rummy.store.imports import Checked
from rummy.store.log import Entry
from rummy.store.matches import PlayedMatch, SeatResult

Table = tuple[int, int]
CLOCKS_DIFFER = timedelta(days=1)
"""So far ahead the clock of another arena may be."""


@dataclass(slots=True)
class _Moments:
    """When what is on record came to be, by the log; of what was undone, the last time. *passes*: see `round.pass`."""

    started: datetime | None = None
    ended: datetime | None = None
    revealed: datetime | None = None
    planned: int | None = None
    closed: dict[int, datetime] = field(default_factory=dict)
    rated: dict[int, datetime] = field(default_factory=dict)
    done: dict[Table, datetime] = field(default_factory=dict)
    saved: dict[tuple[int, ...], datetime] = field(default_factory=dict)
    passes: Counter[int] = field(default_factory=Counter)

    def add(self, entry: Entry) -> None:
        said = entry.said
        match entry.move:
            case "started":
                self.started, self.planned = entry.at, said["planned"]
            case "result" | "unplayed":
                round_no, table_no, generation = said["fixture"]
                self.done[round_no, table_no] = self.saved[round_no, table_no, generation] = entry.at
            case "closed":
                self.closed[said["round"]] = entry.at
            case "voided":
                self.closed.pop(said["fixture"][0], None)
            case "rated":
                self.rated[said["round"]] = entry.at
            case "corrected":
                self.passes.update(said["rounds"])
            case "finished" | "cancelled":
                self.ended = entry.at
            case "revealed":
                self.revealed = entry.at


def save(tx: Connection, archive: Checked, reader: Reader, *, now: datetime) -> int:
    """Saves the tournament, with the replays of *reader*, which reads the same file anew; returns its number.

    All or nothing, as the caller's transaction is. Raises `Conflict` where it is here already, `BadInput` where it
    cannot be stored, `ReplayMismatch` where what is stored would not be what was checked.
    """
    newest = max(entry.at for entry in archive.entries)
    if newest > now + CLOCKS_DIFFER:
        raise BadInput(f"the log of the archive is of {newest:%Y-%m-%d}, which is yet to come: a clock is wrong")
    try:
        _refuse_twice(tx, archive)
        number = _save(tx, archive, reader, now)
    except psycopg.errors.UniqueViolation as error:
        raise Conflict(f"the tournament, or a part of it, is here already: {error.diag.message_detail}") from None
    except (psycopg.DataError, psycopg.IntegrityError) as error:
        raise BadInput(f"the archive cannot be stored: {error.diag.message_primary}") from None
    if reader.digest != archive.digest:
        raise ReplayMismatch("the archive was changed while it was read")
    difference = recorded.first_difference(tx, number, archive.anew)
    if difference is not None:
        raise ReplayMismatch(f"the archive would not be stored as it is: {difference}")
    return number


_ONE_AT_A_TIME: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended('import ' || %(mark)s, 0))"
_HERE: LiteralString = """
    SELECT tournament_id, (SELECT encode(digest, 'hex') FROM tournament_log l
                            WHERE l.tournament_id = t.tournament_id ORDER BY entry_no DESC LIMIT 1)
      FROM tournament t JOIN tournament_log USING (tournament_id)
     WHERE commitment = %(commitment)s AND entry_no = 0 AND digest = %(digest)s"""
_TAKEN: LiteralString = "SELECT name FROM owner WHERE name = ANY(%(names)s)"


def _refuse_twice(tx: Connection, archive: Checked) -> None:
    tx.execute(_ONE_AT_A_TIME, {"mark": archive.mark})
    commitment = bytes.fromhex(archive.anew.terms["commitment"])
    here = tx.execute(_HERE, {"commitment": commitment, "digest": archive.entries[0].digest}).fetchone()
    if here is not None:
        raise Conflict(f"this tournament is here already: it is tournament {here[0]}{_otherwise(archive, here[1])}")
    taken = tx.execute(_TAKEN, {"names": sorted({_owner(archive, bot) for bot in archive.bots})}).fetchone()
    if taken is not None:
        raise Conflict(f"there is an owner {taken[0]!r} here already, who would come to own bots of the archive")


def _otherwise(archive: Checked, newest: str) -> str:
    """What there is to say where it is told here in another way: from its first entry on there can be many logs."""
    same = newest == archive.newest
    return "" if same else f", but its log goes on otherwise there: the newest entry has the digest {newest}"


def _owner(archive: Checked, bot: dict[str, Any]) -> str:
    return f"{bot['owner']}@{archive.mark}"


def _save(tx: Connection, archive: Checked, reader: Reader, now: datetime) -> int:
    moments = _Moments()
    for entry in archive.entries:
        moments.add(entry)
    number = _save_tournament(tx, archive, moments, now)
    versions = _save_bots(tx, archive, now)
    _save_entrants(tx, number, archive, versions)
    fixtures = _save_fixtures(tx, number, archive, moments)
    for place, data in reader.replays():
        leg = archive.anew.fixtures[place[:2]].legs[place[2]][place[3]]
        matches.save_match(tx, fixtures[place[:2]], place[2], _match(place[3], leg, data), now=moments.saved[place[:3]])
    _save_steps(tx, number, archive, versions)
    _save_log(tx, number, archive.entries)
    return number


_TOURNAMENT: LiteralString = """
    INSERT INTO tournament (name, game, options, ladder, format, table_size, cycles, format_options, limit_ms, bank_ms,
                            increment_ms, faults, deadlines, commitment, rated, state, created_at, started_at,
                            finished_at, revealed_at, drawn, planned, saved, imported_at, imported_bots)
    VALUES (%(name)s, %(game)s, %(options)s, %(ladder)s, %(format)s, %(table_size)s, %(cycles)s, %(format_options)s,
            %(limit_ms)s, %(bank_ms)s, %(increment_ms)s, %(faults)s, %(deadlines)s, %(commitment)s, %(rated)s,
            %(state)s, %(created)s, %(started)s, %(ended)s, %(revealed)s, %(finished)s, %(planned)s, %(saved)s, %(now)s,
            %(bots)s)
    RETURNING tournament_id"""
_SEED: LiteralString = "INSERT INTO tournament_seed (tournament_id, master) VALUES (%(tournament_id)s, %(master)s)"


def _save_tournament(tx: Connection, archive: Checked, moments: _Moments, now: datetime) -> int:
    anew = archive.anew
    terms = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in anew.terms.items()}
    values = {
        **terms, "ladder": f"{anew.terms['ladder']}@{archive.mark}",
        "commitment": bytes.fromhex(anew.terms["commitment"]),
        "state": anew.state.value, "created": archive.entries[0].at, "started": moments.started, "ended": moments.ended,
        "revealed": moments.revealed, "finished": anew.state == "finished", "planned": moments.planned, "now": now,
        "saved": len(anew.fixtures), "bots": Jsonb(archive.bots),
    }  # fmt: skip
    row = tx.execute(_TOURNAMENT, values).fetchone()
    assert row is not None
    tx.execute(_SEED, {"tournament_id": row[0], "master": bytes.fromhex(str(anew.seed))})
    return int(row[0])


_NEW_OWNER: LiteralString = """
    INSERT INTO owner (name, created_at, imported) VALUES (%(name)s, %(now)s, true) RETURNING owner_id"""
_BOT: LiteralString = """
    INSERT INTO bot (owner_id, name, created_at) VALUES (%(owner_id)s, %(bot)s, %(now)s) RETURNING bot_id"""
_VERSION: LiteralString = """
    INSERT INTO bot_version (bot_id, version, language, hosted, state, games, created_at)
    VALUES (%(bot_id)s, %(version)s, %(language)s, %(hosted)s, 'retired', ARRAY[%(game)s], %(now)s)
    RETURNING version_id"""


def _save_bots(tx: Connection, archive: Checked, now: datetime) -> list[int]:
    """The versions of the entrants, by number."""
    owners: dict[str, int] = {}
    bots: dict[tuple[int, str], int] = {}
    versions = []
    for bot in archive.bots:
        values = {**bot, "name": _owner(archive, bot), "now": now, "game": archive.anew.terms["game"]}
        owner = owners.get(bot["owner"]) or _made(tx, _NEW_OWNER, values)
        owners[bot["owner"]] = values["owner_id"] = owner
        key = owner, bot["bot"]
        bots[key] = values["bot_id"] = bots.get(key) or _made(tx, _BOT, values)
        versions.append(_made(tx, _VERSION, values))
    return versions


def _made(tx: Connection, query: LiteralString, values: dict[str, Any]) -> int:
    row = tx.execute(query, values).fetchone()
    assert row is not None
    return int(row[0])


_ENTRANT: LiteralString = """
    INSERT INTO entrant (tournament_id, entrant_no, version_id, nonce, ranking, left_as, annulled)
    VALUES (%(tournament_id)s, %(number)s, %(version_id)s, %(nonce)s, %(ranking)s, %(left_as)s, %(annulled)s)"""


def _save_entrants(tx: Connection, number: int, archive: Checked, versions: list[int]) -> None:
    ranking = {entrant: place for place, entrant in enumerate(archive.anew.ranking)}
    lines = [
        {
            "tournament_id": number, "number": entrant, "version_id": versions[entrant],
            "nonce": bytes.fromhex(each.nonce), "ranking": ranking.get(entrant),
            "left_as": each.left and each.left.left_as, "annulled": bool(each.left and each.left.annulled),
        }
        for entrant, each in enumerate(archive.anew.entrants)
    ]  # fmt: skip
    tx.cursor().executemany(_ENTRANT, lines)


_ROUND: LiteralString = """
    INSERT INTO round (tournament_id, round_no, closed_at, rated_at, pass)
    VALUES (%(tournament_id)s, %(round_no)s, %(closed)s, %(rated)s, %(pass)s)"""
# Which attempt it was that was played is not in the log; there was one at least.
_FIXTURE: LiteralString = """
    INSERT INTO fixture (tournament_id, round_no, table_no, generation, attempt, state, due_at, done_at, absent)
    VALUES (%(tournament_id)s, %(round_no)s, %(table_no)s, %(generation)s, %(attempt)s, %(state)s, %(started)s,
            %(done)s, %(absent)s)"""
_FIXTURES: LiteralString = "SELECT round_no, table_no, fixture_id FROM fixture WHERE tournament_id = %(tournament_id)s"
_SEAT: LiteralString = """
    INSERT INTO fixture_seat (fixture_id, tournament_id, seat, entrant_no)
    VALUES (%(fixture_id)s, %(tournament_id)s, %(seat)s, %(entrant)s)"""


def _save_fixtures(tx: Connection, number: int, archive: Checked, moments: _Moments) -> dict[Table, int]:
    """Rounds and fixtures with seats and scores; returns the fixtures by place."""
    tables, cursor = archive.anew.fixtures, tx.cursor()
    cursor.executemany(_ROUND, list(_rounds(number, tables, moments)))
    lines = [
        {
            "tournament_id": number, "round_no": place[0], "table_no": place[1], "generation": each.generation,
            "attempt": int(each.done and each.absent is None), "state": "done" if each.done else "scheduled",
            "started": moments.started, "done": moments.done[place] if each.done else None,
            "absent": None if each.absent is None else list(each.absent),
        }
        for place, each in tables.items()
    ]  # fmt: skip
    cursor.executemany(_FIXTURE, lines)
    fixtures = {(r, t): fixture_id for r, t, fixture_id in tx.execute(_FIXTURES, {"tournament_id": number})}
    seats = [
        {"fixture_id": fixtures[place], "tournament_id": number, "seat": seat, "entrant": entrant}
        for place, each in tables.items()
        for seat, entrant in enumerate(each.entrants)
    ]
    cursor.executemany(_SEAT, seats)
    for place, each in tables.items():
        if each.done:
            scores = archive.anew.result(place).scores
            matches.save_scores(tx, fixtures[place], dict(zip(each.entrants, scores, strict=True)))
    return fixtures


def _rounds(number: int, tables: dict[Table, Any], moments: _Moments) -> Iterator[dict[str, object]]:
    for round_no, _ in groupby(sorted(tables), key=lambda place: place[0]):
        closed, rated = moments.closed.get(round_no), moments.rated.get(round_no)
        yield {
            "tournament_id": number, "round_no": round_no, "closed": closed, "rated": closed and rated,
            "pass": moments.passes[round_no],
        }  # fmt: skip


def _match(number: int, leg: dict[str, Any], replay: bytes) -> PlayedMatch:
    names = ("entrant_no", "placement", "score", "forfeit", "strikes")
    return PlayedMatch(
        leg=number, reason=leg["reason"], deals=leg["deals"], actions=leg["actions"], replay=replay,
        digest=bytes.fromhex(leg["replay"]),
        seats=tuple(SeatResult(seat=n, **dict(zip(names, seat, strict=True))) for n, seat in enumerate(leg["seats"])),
    )  # fmt: skip


_STEP: LiteralString = """
    INSERT INTO rating_change (ladder, tournament_id, round_no, version_id, before, after, fixtures, reason, pass)
    SELECT ladder, tournament_id, %(round_no)s, %(version_id)s, %(before)s, %(after)s, %(fixtures)s, %(reason)s,
           %(pass)s
      FROM tournament WHERE tournament_id = %(tournament_id)s"""


def _save_steps(tx: Connection, number: int, archive: Checked, versions: list[int]) -> None:
    local = {bot["version_id"]: version for bot, version in zip(archive.bots, versions, strict=True)}
    passes: Counter[int] = Counter()
    lines = []
    steps = iter(archive.anew.steps)
    made = Counter(entry.entry_no for entry in archive.anew.made_by)
    for entry in archive.entries:
        for _ in range(made[entry.entry_no]):
            round_no, version, before, after, fixtures = next(steps)
            lines.append(
                {
                    "tournament_id": number, "round_no": round_no, "version_id": local[version], "before": before,
                    "after": after, "fixtures": fixtures, "pass": passes[round_no],
                    "reason": "round" if entry.move == "rated" else entry.why,
                }
            )  # fmt: skip
        if entry.move == "corrected":
            passes.update(entry.said["rounds"])
    tx.cursor().executemany(_STEP, lines)


_ENTRY: LiteralString = """
    INSERT INTO tournament_log (tournament_id, at, who, move, why, what)
    VALUES (%(tournament_id)s, %(at)s, %(who)s, %(move)s, %(why)s, %(what)s)"""


def _save_log(tx: Connection, number: int, entries: list[Entry]) -> None:
    """The log as it is: the database numbers and chains the entries anew, and has to come to the same digests."""
    lines = [
        {"tournament_id": number, "at": e.at, "who": e.who, "move": e.move, "why": e.why, "what": e.what}
        for e in entries
    ]
    tx.cursor().executemany(_ENTRY, lines)
    [newest] = log.newest(tx, number, before=len(entries), limit=1)
    if newest.digest != entries[-1].digest:
        raise ReplayMismatch("the log would not be stored as it is")
