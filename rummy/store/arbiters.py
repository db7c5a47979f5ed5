"""Arbiters, announced and alive, and the bots that have dialled in to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import LiteralString

from psycopg.rows import class_row

from rummy.store.db import Connection

ALIVE = timedelta(seconds=10)  # A heartbeat comes every 2 seconds; four may be lost.
GONE = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arbiter:
    """A process that plays orders. A new incarnation has lost the orders of the one before."""

    arbiter_id: int
    address: str
    bots_address: str
    incarnation: str
    load: int
    last_seen: datetime
    draining: bool  # It is about to end: it plays what it has, and takes nothing new.


_ANNOUNCE: LiteralString = """
    INSERT INTO arbiter (address, bots_address, incarnation, last_seen)
    VALUES (%(address)s, %(bots_address)s, %(incarnation)s, %(now)s)
    ON CONFLICT (address) DO UPDATE
       SET bots_address = EXCLUDED.bots_address, incarnation = EXCLUDED.incarnation, load = 0, draining = false,
           last_seen = EXCLUDED.last_seen
    RETURNING arbiter_id"""
_EMPTY: LiteralString = "DELETE FROM presence WHERE arbiter_id = %(arbiter_id)s"


def announce(tx: Connection, *, address: str, bots_address: str, incarnation: str, now: datetime) -> int:
    """Makes an arbiter known that has just started; nobody has dialled in to it yet. Returns its id."""
    values = {"address": address, "bots_address": bots_address, "incarnation": incarnation, "now": now}
    row = tx.execute(_ANNOUNCE, values).fetchone()
    assert row is not None
    tx.execute(_EMPTY, {"arbiter_id": row[0]})
    return int(row[0])


_HEARTBEAT: LiteralString = """
    UPDATE arbiter SET load = %(load)s, last_seen = %(now)s
     WHERE arbiter_id = %(arbiter_id)s AND incarnation = %(incarnation)s"""


def heartbeat(tx: Connection, arbiter_id: int, incarnation: str, *, load: int, now: datetime) -> bool:
    """Says that the arbiter lives and how many matches it plays. False where it must announce itself again."""
    values = {"arbiter_id": arbiter_id, "incarnation": incarnation, "load": load, "now": now}
    return tx.execute(_HEARTBEAT, values).rowcount == 1


_DRAIN: LiteralString = """
    UPDATE arbiter SET draining = true WHERE arbiter_id = %(arbiter_id)s AND incarnation = %(incarnation)s"""


def drain(tx: Connection, arbiter_id: int, incarnation: str) -> None:
    """Has nothing new given to an arbiter that is about to end."""
    tx.execute(_DRAIN, {"arbiter_id": arbiter_id, "incarnation": incarnation})


_WITHDRAW: LiteralString = "DELETE FROM arbiter WHERE arbiter_id = %(arbiter_id)s AND incarnation = %(incarnation)s"


def withdraw(tx: Connection, arbiter_id: int, incarnation: str) -> None:
    """Takes an arbiter out that ends, unless another has its address by now."""
    tx.execute(_WITHDRAW, {"arbiter_id": arbiter_id, "incarnation": incarnation})


_BURY: LiteralString = "DELETE FROM arbiter WHERE last_seen < %(since)s"


def bury(tx: Connection, *, now: datetime) -> None:
    """Takes out arbiters that have not been heard of for a long time, and the presence of bots at them."""
    tx.execute(_BURY, {"since": now - GONE})


_LIVE: LiteralString = """
    SELECT arbiter_id, address, bots_address, incarnation, load, last_seen, draining
      FROM arbiter WHERE last_seen > %(since)s
     ORDER BY load, arbiter_id"""


def live(tx: Connection, *, now: datetime) -> list[Arbiter]:
    """The arbiters heard of lately, the least loaded first."""
    with tx.cursor(row_factory=class_row(Arbiter)) as cursor:
        return cursor.execute(_LIVE, {"since": now - ALIVE}).fetchall()


_ATTACH: LiteralString = """
    INSERT INTO presence (version_id, arbiter_id, lane, since)
    VALUES (%(version_id)s, %(arbiter_id)s, %(lane)s, %(now)s)
    ON CONFLICT (version_id, arbiter_id, lane) DO UPDATE SET since = EXCLUDED.since"""


def attach(tx: Connection, arbiter_id: int, version_id: int, lane: int, *, now: datetime) -> None:
    """Notes that a bot has dialled in."""
    tx.execute(_ATTACH, {"arbiter_id": arbiter_id, "version_id": version_id, "lane": lane, "now": now})


_DETACH: LiteralString = """
    DELETE FROM presence
     WHERE arbiter_id = %(arbiter_id)s AND version_id = %(version_id)s AND lane = %(lane)s"""


def detach(tx: Connection, arbiter_id: int, version_id: int, lane: int) -> None:
    """Notes that a bot has gone."""
    tx.execute(_DETACH, {"arbiter_id": arbiter_id, "version_id": version_id, "lane": lane})


_WHERE: LiteralString = """
    SELECT arbiter_id
      FROM presence JOIN arbiter USING (arbiter_id)
     WHERE version_id = ANY(%(version_ids)s) AND last_seen > %(since)s AND NOT draining
     GROUP BY arbiter_id
    HAVING count(DISTINCT version_id) = cardinality(%(version_ids)s::bigint[])"""


def with_bots(tx: Connection, version_ids: Sequence[int], *, now: datetime) -> set[int]:
    """The live arbiters that take more, and to which all of these bots have dialled in."""
    rows = tx.execute(_WHERE, {"version_ids": list(version_ids), "since": now - ALIVE}).fetchall()
    return {row[0] for row in rows}
