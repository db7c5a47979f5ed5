"""Finds what lies still and sets it going: fixtures that nobody plays, rounds that are closed and not rated.

Every worker sweeps. So no message on the broker matters, and nothing else has to run beside the workers.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from rummy.errors import RummyError
from rummy.store import arbiters, db, deadlines, fixtures, unplayed
from rummy.store.db import Connection, Database
from workers.ratings import settle

SWEEP_SECONDS = 0.5
AGAIN = timedelta(seconds=10)  # After which a message that nobody has followed up counts as lost.

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Wakes fixtures through *wake*, at most *backlog* at once."""

    database: Database
    wake: Callable[[list[int]], None]
    backlog: int
    clock: Callable[[Connection], datetime] = db.now

    def sweep(self) -> None:
        """Wakes what is due, if there is an arbiter to play it, and settles what was played."""
        with self.database.transaction() as tx:
            now = self.clock(tx)
            ready = any(not arbiter.draining for arbiter in arbiters.live(tx, now=now))
        if ready:
            self._end_overdue()
        with self.database.transaction() as tx:
            now = self.clock(tx)
            due = fixtures.due(tx, now=now, again=AGAIN, backlog=self.backlog) if ready else []
        if due:  # After the commit: whoever gets the message finds the row as it is.
            self.wake(due)
        settle(self.database, clock=self.clock)

    def _end_overdue(self) -> None:
        """Decides what a deadline has ended, each tournament in a transaction of its own."""
        with self.database.transaction() as tx:
            now = self.clock(tx)
            overdue, deserted = deadlines.watch(tx, now=now), unplayed.deserted(tx, now=now)
        for tournament_id in deserted:
            with self.database.transaction() as tx:
                unplayed.decide_deserted(tx, tournament_id, now=now)
        for tournament_id, round_no in overdue:
            with self.database.transaction() as tx:
                unplayed.decide_overdue(tx, tournament_id, round_no, now=now)

    def run(self, stop: threading.Event) -> None:
        """Sweeps until *stop*, whatever fails meanwhile."""
        while not stop.wait(SWEEP_SECONDS):
            try:
                self.sweep()
            except RummyError as error:
                _log.warning("the sweep was broken off: %s", error)
            except Exception:
                _log.exception("the sweep has failed by a fault of ours; it goes on")
