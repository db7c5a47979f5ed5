"""The leases that this process holds: renewed together by one thread, and told apart from those that are lost."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from rummy.errors import RummyError
from rummy.store import arbiters, db, fixtures
from rummy.store.db import Connection, Database

LEASE = timedelta(seconds=10)
BEAT_SECONDS = 2.0
LATE = timedelta(seconds=10)
"""An arbiter ends a match at its deadline by itself. One that has not done so for so long is not waited for."""

_log = logging.getLogger(__name__)


class Held:
    """A claim, and a way to break off what is being done for it."""

    def __init__(self, claimed: fixtures.Claim) -> None:
        self.claim = claimed
        self.why = ""  # Why it was broken off, in words.
        self.endless = False  # It was broken off because it has taken too long.
        self._order: tuple[int, str] | None = None
        self._cancel: Callable[[], object] | None = None
        self._lock = threading.Lock()

    def watch(self, arbiter_id: int, incarnation: str, cancel: Callable[[], object]) -> None:
        """From now on *cancel* breaks the work off: when the lease is lost, the arbiter is gone, or the worker ends."""
        with self._lock:
            self._order, self._cancel = (arbiter_id, incarnation), cancel
            broken = bool(self.why)
        if broken:
            cancel()

    def break_off(self, why: str) -> None:
        """Breaks off whatever is being done, now or as soon as it begins."""
        with self._lock:
            self.why = self.why or why
            cancel = self._cancel
        if cancel is not None:
            cancel()

    def end(self) -> None:
        """Breaks off what its arbiter has not ended at the deadline of the match."""
        self.endless = True
        self.break_off("the match's deadline has passed")

    def orphaned(self, live: set[tuple[int, str]]) -> bool:
        """Whether the order lies with an arbiter that is not among *live*."""
        with self._lock:
            return self._order is not None and self._order not in live


class Leases:
    """All claims of *holder*, which is this process and no other."""

    def __init__(self, database: Database, holder: str, *, clock: Callable[[Connection], datetime] = db.now) -> None:
        self.holder = holder
        self._database = database
        self._clock = clock
        self._held: set[Held] = set()
        self._lock = threading.Lock()
        self._ending = ""

    @contextmanager
    def holding(self, claimed: fixtures.Claim) -> Iterator[Held]:
        """Keeps the lease of *claimed* alive inside the block."""
        held = Held(claimed)
        with self._lock:
            self._held.add(held)
            ending = self._ending
        if ending:
            held.break_off(ending)
        try:
            yield held
        finally:
            with self._lock:
                self._held.discard(held)

    def end(self, why: str) -> None:
        """Breaks off all work, also what begins later."""
        with self._lock:
            self._ending = why
            held = list(self._held)
        for one in held:
            one.break_off(why)

    def beat(self) -> None:
        """Renews every lease in one statement, and breaks off what is lost or has lost its arbiter."""
        with self._lock:
            held = list(self._held)
        if not held:
            return
        with self._database.transaction() as tx:
            now = self._clock(tx)
            lost = fixtures.renew(tx, [one.claim for one in held], holder=self.holder, now=now, lease=LEASE)
            live = {(arbiter.arbiter_id, arbiter.incarnation) for arbiter in arbiters.live(tx, now=now)}
        for one in held:
            if (one.claim.fixture_id, one.claim.attempt) in lost:
                one.break_off("the lease was lost")
            elif one.claim.ends_at + LATE <= now:
                one.end()
            elif one.orphaned(live):
                one.break_off("the arbiter has not been heard of")

    def run(self, stop: threading.Event) -> None:
        """Beats until *stop*. A database that does not answer costs leases, never results."""
        while not stop.wait(BEAT_SECONDS):
            try:
                self.beat()
            except RummyError as error:
                _log.warning("leases were not renewed: %s", error)
