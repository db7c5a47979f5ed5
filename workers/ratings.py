"""Rates closed rounds, draws those that follow, ends tournaments. All may run twice, or in several workers at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from rummy.league.ratings import elo
from rummy.store import db, drawing, ratings, tournaments
from rummy.store.db import Connection, Database


def settle(database: Database, *, clock: Callable[[Connection], datetime] = db.now) -> None:
    """Rates the rounds whose turn has come, draws the next ones, finishes what has been played, reveals seeds."""
    with database.transaction() as tx:
        undrawn = drawing.undrawn(tx)
    for tournament_id in undrawn:
        with database.transaction() as tx:
            drawing.draw(tx, tournament_id, now=clock(tx))
    with database.transaction() as tx:
        waiting = ratings.waiting(tx)
    for ladder in waiting:
        while rate_round(database, ladder, clock=clock):
            pass
    with database.transaction() as tx:
        tournaments.finish_played(tx, now=clock(tx))
        tournaments.reveal(tx, now=clock(tx))


def rate_round(database: Database, ladder: str, *, clock: Callable[[Connection], datetime] = db.now) -> bool:
    """Rates the next closed round of *ladder* in a transaction of its own. False where there is none."""
    with database.transaction() as tx:
        return ratings.rate_next(tx, ladder, elo.rate_round, now=clock(tx))
