"""The log of each tournament: every move with who, when, what and why. It is only ever added to.

Entries are numbered from 0 without a gap, and chained: the digest of an entry is SHA-256 over the digest of the one
before (nothing for entry 0) and, as UTF-8 with a line feed between them, its number, the time in microseconds since
1970, who, the move, why, and what as the JSON that is stored. So whoever has noted a digest can tell whether anything
before it was changed or taken out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

from psycopg.rows import class_row

from rummy.errors import BadInput, ReplayMismatch
from rummy.names import check_reason
from rummy.rules import canonical
from rummy.store.db import Connection

DECISIONS = frozenset({"paused", "resumed", "cancelled", "withdrawn", "disqualified", "voided", "extended"})
"""Moves that interfere with a tournament: whoever makes one says why."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class By:
    """Who makes a move, and why: `operator`, `worker`, `schedule` or `owner NAME`."""

    who: str
    why: str = ""

    @classmethod
    def owner(cls, name: str, why: str = "") -> By:
        """An owner of bots."""
        return cls(f"owner {name}", why)


OPERATOR = By("operator")
WORKER = By("worker")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a log. *what* is JSON, as it is stored."""

    entry_no: int
    at: datetime
    who: str
    move: str
    why: str
    what: str
    digest: bytes

    @property
    def said(self) -> dict[str, Any]:
        """What was done, as values."""
        value: dict[str, Any] = canonical.loads(self.what.encode())
        return value

    def chained(self, before: bytes) -> bytes:
        """The digest that the entry should have after one with the digest *before*."""
        fields = (self.entry_no, (self.at - _EPOCH) // _MICROSECOND, self.who, self.move, self.why, self.what)
        return hashlib.sha256(before + "\n".join(map(str, fields)).encode()).digest()

    def as_json(self) -> dict[str, Any]:
        """The entry for programs; `read_json` reads it."""
        at = self.at.astimezone(UTC).isoformat(timespec="microseconds")
        return {
            "entry": self.entry_no, "at": at, "who": self.who, "move": self.move, "why": self.why, "what": self.said,
            "digest": self.digest.hex(),
        }  # fmt: skip


_APPEND: LiteralString = """
    INSERT INTO tournament_log (tournament_id, at, who, move, why, what)
    VALUES (%(tournament_id)s, %(now)s, %(who)s, %(move)s, %(why)s, %(what)s)"""


def append(tx: Connection, tournament_id: int, move: str, what: Mapping[str, object], *, by: By, now: datetime) -> None:
    """Adds an entry, as the last thing that a transaction does: it holds the log until the transaction ends.

    Raises `BadInput` where a decision has no reason, or one that cannot be kept.
    """
    text = canonical.dumps(what).decode()
    values = {"tournament_id": tournament_id, "now": now, "who": by.who, "move": move, "what": text}
    tx.execute(_APPEND, {**values, "why": check_why(move, by)})


def check_why(move: str, by: By) -> str:
    """The reason for *move*, which some moves need. Raises `BadInput`."""
    if by.why:
        return check_reason(by.why)
    if move in DECISIONS:
        raise BadInput(f"Whatever is {move} by somebody has a reason: say why; it is kept in the tournament's log.")
    return ""


_ENTRIES: LiteralString = """
    SELECT entry_no, at, who, move, why, what::text AS what, digest FROM tournament_log
     WHERE tournament_id = %(tournament_id)s AND entry_no > %(after)s ORDER BY entry_no LIMIT %(limit)s"""
_TOLD: LiteralString = """
    SELECT entry_no, at, who, move, why, what::text AS what, digest FROM tournament_log
     WHERE tournament_id = %(tournament_id)s AND entry_no < %(before)s"""
_ROUTINE_TOO: LiteralString = f"{_TOLD} ORDER BY entry_no DESC LIMIT %(limit)s"
_NEWEST: LiteralString = f"""{_TOLD} AND move <> ALL (ARRAY['result', 'closed', 'rated', 'drawn'])
     ORDER BY entry_no DESC LIMIT %(limit)s"""
BATCH = 2_000
ROUTINE = ("result", "closed", "rated", "drawn")
"""The moves of the workers that a tournament consists of, in the thousands; an index knows them, too."""


def entries(tx: Connection, tournament_id: int, *, after: int = -1) -> Iterator[Entry]:
    """All entries behind *after*, in order, some at a time."""
    while found := _some(tx, _ENTRIES, tournament_id=tournament_id, after=after, limit=BATCH):
        yield from found
        after = found[-1].entry_no


def newest(tx: Connection, tournament_id: int, *, before: int, limit: int, routine: bool = True) -> list[Entry]:
    """The newest entries with a number below *before*, newest first; without those that are routine if so wished."""
    query = _ROUTINE_TOO if routine else _NEWEST
    return _some(tx, query, tournament_id=tournament_id, before=before, limit=limit)


def _some(tx: Connection, query: LiteralString, **values: object) -> list[Entry]:
    with tx.cursor(row_factory=class_row(Entry)) as cursor:
        return cursor.execute(query, values).fetchall()


def read_json(lines: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """Entries from what `Entry.as_json` gives. Raises `BadInput` for what is none."""
    try:
        return [_read(line) for line in lines]
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise BadInput(
            f"This is no log of a tournament as 'arena tournament log --json' writes it: {error!r}"
        ) from None


def _read(line: Mapping[str, Any]) -> Entry:
    what, at = canonical.dumps(line["what"]).decode(), datetime.fromisoformat(line["at"])
    if at.tzinfo is None:
        raise ValueError("the time of an entry is without its zone")
    canonical.dumps([line["who"], line["move"], line["why"]])  # Raises for what is no text.
    return Entry(
        entry_no=int(line["entry"]), at=at.astimezone(UTC), who=str(line["who"]), move=str(line["move"]),
        why=str(line["why"]), what=what, digest=bytes.fromhex(line["digest"]),
    )  # fmt: skip


def check_chain(chain: Sequence[Entry]) -> None:
    """Raises `ReplayMismatch` at the first entry that is missing or is not as it was written."""
    before = b""
    for number, entry in enumerate(chain):
        if entry.entry_no != number:
            raise ReplayMismatch(f"The log has a gap: entry {number} is missing, {entry.entry_no} stands in its place.")
        if entry.digest != entry.chained(before):
            raise ReplayMismatch(f"Entry {number} of the log was changed, or one before it was taken out.")
        before = entry.digest
