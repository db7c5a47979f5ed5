"""The task that turns the calendars of all leagues. Run twice, at once, late or never, it does no harm."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from rummy.errors import RummyError
from rummy.store import db, seasons
from rummy.store.db import Connection, Database

MOST_STEPS = 100
"""A league that lies far behind goes on with the next turn."""

_log = logging.getLogger(__name__)


def turn(database: Database, *, clock: Callable[[Connection], datetime] = db.now) -> None:
    """Settles, begins and ends the seasons for which it is time, each in a transaction of its own.

    A league in which that fails holds up no other.
    """
    with database.transaction() as tx:
        live = seasons.live(tx)
    for league_id in live:
        try:
            _turn(database, league_id, clock)
        except RummyError as error:
            _log.warning("the calendar of league %d stands still: %s", league_id, error)
        except Exception:
            _log.exception("the calendar of league %d stands still by a fault of ours", league_id)


def _turn(database: Database, league_id: int, clock: Callable[[Connection], datetime]) -> None:
    for _ in range(MOST_STEPS):
        with database.transaction() as tx:
            if not seasons.advance(tx, league_id, now=clock(tx)):
                return
