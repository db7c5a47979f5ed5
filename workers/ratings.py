"""Rates closed rounds and ends tournaments. All of it may run twice, or in several workers at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from rummy.league.ratings import elo
from rummy.store import db, ratings, tournaments
from rummy.store.db import Connection, Database


def settle(database: Database, *, clock: Callable[[Connection], datetime] = db.now) -> None:
    """Rates every closed round whose turn has come, then finishes the tournaments that have been played."""
    with database.transaction() as tx:
        waiting = ratings.waiting(tx)
    for ladder in waiting:
        while rate_round(database, ladder, clock=clock):
            pass
    with database.transaction() as tx:
        tournaments.finish_played(tx, now=clock(tx))


def rate_round(database: Database, ladder: str, *, clock: Callable[[Connection], datetime] = db.now) -> bool:
    """Rates the next closed round of *ladder* in a transaction of its own. False where there is none."""
    with database.transaction() as tx:
        return ratings.rate_next(tx, ladder, elo.rate_round, now=clock(tx))
