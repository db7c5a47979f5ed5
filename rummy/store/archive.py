"""A tournament as one file: who has played, its log, and every replay. docs/reference/archive.md states the format.

It is written and read a line at a time; only the log is in memory.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, BinaryIO, LiteralString

from rummy.errors import BadInput, Conflict, ReplayMismatch
from rummy.rules import canonical, replay
from rummy.store import log, matches, ratings, recorded, tournaments
from rummy.store.db import Connection
from rummy.store.log import Entry
from rummy.store.rebuild import Rebuilt

FORMAT = "rummy-arena-archive"
VERSION = 1
MAX_LINE = 4 << 20
MAX_LOG = 256 << 20
"""Bytes of a line, and of all entries of a log; the limits of replays are their own."""
Place = tuple[int, int, int, int]
"""Of a match: round, table, generation, leg."""

_BOTS: LiteralString = """
    SELECT v.version_id, o.name AS owner, b.name AS bot, v.version, v.language, v.hosted, encode(v.package, 'hex')
      FROM entrant e JOIN bot_version v USING (version_id) JOIN bot b USING (bot_id) JOIN owner o USING (owner_id)
     WHERE tournament_id = %(tournament_id)s ORDER BY entrant_no"""
_NAMES = ("version_id", "owner", "bot", "version", "language", "hosted", "package")
_REPLAYS: LiteralString = """
    SELECT round_no, table_no, m.generation, leg, replay FROM fixture JOIN match m USING (fixture_id)
     WHERE tournament_id = %(tournament_id)s ORDER BY round_no, table_no, m.generation, leg"""
_UNRATED: LiteralString = """
    SELECT FROM round WHERE tournament_id = %(tournament_id)s AND closed_at IS NOT NULL AND rated_at IS NULL LIMIT 1"""


def write(tx: Connection, tournament_id: int, file: BinaryIO) -> int:
    """Writes the archive of a tournament, always the same bytes; returns how many replays there are.

    Raises `NotFound`, `Conflict` where it is not over, `ReplayMismatch` where its record is not what its log comes to.
    """
    tx.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")  # One moment for all.
    digest = sha256()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
        for line in _lines(tx, tournament_id):
            packed.write(line)
            digest.update(line)
        packed.write(_line({"digest": digest.hexdigest()}))
    return len(matches.ids(tx, tournament_id))


def _lines(tx: Connection, tournament_id: int) -> Iterator[bytes]:
    tournament = tournaments.get(tx, tournament_id)
    entries = list(log.entries(tx, tournament_id))
    _check(tx, tournament, entries)
    yield _line({"format": FORMAT, "version": VERSION, "bots": _bots(tx, tournament)})
    for entry in entries:
        yield _line(entry.as_json())
    with tx.cursor(name="archive") as cursor:
        cursor.itersize = 20
        for *place, stored in cursor.execute(_REPLAYS, {"tournament_id": tournament_id}):
            data = matches.unpack(bytes(stored))
            yield _line({"replay": place, "lines": data.count(b"\n")})
            yield data


def _line(value: dict[str, Any]) -> bytes:
    return canonical.dumps(value) + b"\n"


def _check(tx: Connection, tournament: tournaments.Tournament, entries: list[Entry]) -> None:
    number = tournament.tournament_id
    waits = tournament.rated and tx.execute(_UNRATED, {"tournament_id": number}).fetchone() is not None
    anew = Rebuilt(entries)
    if anew.seed is None or waits:
        raise Conflict(
            f"{tournament.name!r} is {tournament.state}; it can be archived once it is over, with its rounds rated and "
            f"its seed revealed; 'arena tournament log {number}' says how far it is"
        )
    difference = recorded.first_difference(tx, number, anew)
    if difference is not None:
        raise ReplayMismatch(f"what is on record of {tournament.name!r} is not what its log comes to: {difference}")


def _bots(tx: Connection, tournament: tournaments.Tournament) -> list[dict[str, Any]]:
    known = tournaments.imported_bots(tx, tournament.tournament_id)
    if known is not None:
        return known
    opening = ratings.opening(tx, tournament.tournament_id)
    found = tx.execute(_BOTS, {"tournament_id": tournament.tournament_id})
    return [{**dict(zip(_NAMES, row, strict=True)), "opening": opening[n]} for n, row in enumerate(found)]


class Reader:
    """An archive that is read from its beginning to its end: `bots` and `entries` at once, then its `replays`.

    Everything raises `BadInput` where this is no archive, or not as it was written.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = gzip.GzipFile(fileobj=file, mode="rb")
        self._seen = sha256()
        self.digest = ""  # Of all lines before the one that was read last; at the end, of the archive.
        head = self._read()
        bots = head.get("bots")
        if head != {"format": FORMAT, "version": VERSION, "bots": bots} or not isinstance(bots, list):
            raise BadInput(f"this is no archive of the format {FORMAT}, version {VERSION}")
        self.bots: list[Any] = bots
        self._next = self._read()
        self.entries: list[Entry] = list(self._log())

    def _log(self) -> Iterator[Entry]:
        size = 0
        while "entry" in self._next:
            line = _line(self._next)
            size += len(line)
            if size > MAX_LOG:
                raise BadInput(f"the log of an archive has at most {MAX_LOG:,} bytes")
            [entry] = log.read_json([self._next])
            if _line(entry.as_json()) != line:
                raise BadInput(f"entry {entry.entry_no} of the archive's log is not written as it should be")
            yield entry
            self._next = self._read()

    def replays(self) -> Iterator[tuple[Place, bytes]]:
        """Each replay with its place, up to the end of the archive."""
        while "replay" in self._next:
            place, lines = self._next["replay"], self._next.get("lines")
            whole = isinstance(place, list) and len(place) == 4 and len(self._next) == 2
            if not whole or not isinstance(lines, int) or any(type(each) is not int for each in (*place, lines)):
                raise BadInput("a replay in the archive does not say whose it is, or how many lines it has")
            yield (place[0], place[1], place[2], place[3]), self._replay(lines)
            self._next = self._read()
        if self._next != {"digest": self.digest} or self._raw(MAX_LINE, last=True):
            raise BadInput("the archive is not as it was written: something in it was changed, left out or added")

    def _replay(self, lines: int) -> bytes:
        parts, size = [], 0
        for _ in range(min(lines, replay.MAX_LINES + 1)):
            parts.append(self._raw(replay.MAX_LINE))
            size += len(parts[-1])
            if size > replay.MAX_BYTES:
                break
        return b"".join(parts)  # One that is too long is refused by whoever plays it again.

    def _read(self) -> dict[str, Any]:
        self.digest = self._seen.hexdigest()
        line = self._raw(MAX_LINE)
        try:
            value = canonical.loads(line)
            if isinstance(value, dict) and _line(value) == line:
                return value
        except ValueError as error:
            raise BadInput(f"a line of the archive cannot be read: {error}") from None
        raise BadInput("a line of the archive is not in the one spelling that it can have")

    def _raw(self, most: int, *, last: bool = False) -> bytes:
        try:
            line = self._file.readline(most + 2)
        except (OSError, EOFError, zlib.error) as error:
            raise BadInput(f"this is no archive, or it has been cut short or damaged: {error}") from None
        if not line.endswith(b"\n") and not (last and line == b""):
            raise BadInput(f"the archive has been cut short, or has a line of more than {most:,} bytes")
        self._seen.update(line)
        return line
