"""The task that plays one fixture, by its id. Run twice, at once, late or never, it does no harm."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from rummy.errors import ArbiterUnavailable, CallerFault, HostFault, StoreUnavailable, TooMany
from rummy.store import arbiters, db, fixtures, references, unplayed
from rummy.store.db import Connection, Database
from rummy.store.fixtures import Claim, Terms
from rummy.store.matches import PlayedMatch
from workers import orders
from workers.arbiters import Arbiters, OrderOverdue, OrderVoid
from workers.leases import LEASE, Held, Leases

AT_ONCE = timedelta()
SOON = timedelta(seconds=1)
LONGEST, LONGEST_REFUSED = timedelta(minutes=1), timedelta(minutes=15)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Player:
    """Plays fixtures for the holder of *leases*."""

    database: Database
    arbiters: Arbiters
    leases: Leases
    clock: Callable[[Connection], datetime] = db.now

    def play(self, fixture_id: int) -> None:
        """Plays a fixture if it is free, and saves its result. What goes wrong on our side leaves it to be played."""
        try:
            with self.database.transaction() as tx:
                claim = fixtures.claim(tx, fixture_id, holder=self.leases.holder, now=self.clock(tx), lease=LEASE)
            if claim is not None:
                with self.leases.holding(claim) as held:
                    self._play(held)
        except StoreUnavailable as error:  # The lease runs out, and the sweeper finds the fixture.
            _log.warning("fixture %d is left to its lease: %s", fixture_id, error, extra={"fixture": fixture_id})

    def _play(self, held: Held) -> None:
        claim = held.claim
        try:
            self._save(claim, self._played(held))
        except OrderLost as error:
            self._void(claim, error, longest=AT_ONCE)
        except (ArbiterUnavailable, TooMany) as error:
            if held.endless:
                self._end(claim)
                return
            self._release(claim, held.why or str(error), AT_ONCE if held.why else SOON)
        except OrderOverdue:
            self._end(claim)
        except OrderVoid as error:
            self._void(claim, error, longest=LONGEST)
        except CallerFault as error:  # The order was refused, or the record does not replay.
            _log.error("fixture %d could not be played: %s", claim.fixture_id, error, extra=_about(claim))
            self._void(claim, error, longest=LONGEST_REFUSED)

    def _played(self, held: Held) -> list[PlayedMatch]:
        if held.why:
            raise ArbiterUnavailable(held.why)
        with self.database.transaction() as tx:
            terms = fixtures.terms(tx, held.claim)
            arbiter = choose_arbiter(tx, held.claim, terms, now=self.clock(tx))
            if not fixtures.sending(tx, held.claim, arbiter.arbiter_id, arbiter.incarnation):
                raise ArbiterUnavailable("the claim was lost before the order was sent")
        replays = self.arbiters.play(
            arbiter.address,
            orders.order_of(held.claim, terms),
            lambda cancel: held.watch(arbiter.arbiter_id, arbiter.incarnation, cancel),
        )
        return orders.results_of(held.claim, terms, replays)

    def _save(self, claim: Claim, played: Sequence[PlayedMatch]) -> None:
        with self.database.transaction() as tx:
            now = self.clock(tx)
            if fixtures.finish(tx, claim, played, now=now):
                references.schedule(tx, claim, now=now)
            else:
                lost = "the result of fixture %d is dropped: the claim was lost"
                _log.warning(lost, claim.fixture_id, extra=_about(claim))

    def _end(self, claim: Claim) -> None:
        with self.database.transaction() as tx:
            unplayed.decide_endless(tx, claim, now=self.clock(tx))

    def _void(self, claim: Claim, error: Exception, *, longest: timedelta) -> None:
        """Gives up what was played, for twice as long each time: what has failed by itself may fail again."""
        with self.database.transaction() as tx:
            delay = min(timedelta(seconds=2 ** min(fixtures.voided(tx, claim), 30)), longest)
            fixtures.void(tx, claim, now=self.clock(tx), reason=str(error), delay=delay)

    def _release(self, claim: Claim, reason: str, delay: timedelta) -> None:
        with self.database.transaction() as tx:
            fixtures.release(tx, claim, now=self.clock(tx), reason=reason, delay=delay)


def _about(claim: Claim) -> dict[str, int]:
    return {"fixture": claim.fixture_id, "generation": claim.generation}


class OrderLost(HostFault):
    """The arbiter that had the order is gone, and what it had played with it."""


def choose_arbiter(tx: Connection, claim: Claim, terms: Terms, *, now: datetime) -> arbiters.Arbiter:
    """The arbiter that has the order already, else one to which the live bots have dialled in, else any; evenly.

    Raises `OrderLost` where the one that had it is gone, `ArbiterUnavailable` where there is none.
    """
    live = sorted(arbiters.live(tx, now=now), key=lambda arbiter: arbiter.arbiter_id)
    if claim.incarnation is not None:
        for arbiter in live:
            if (arbiter.arbiter_id, arbiter.incarnation) == (claim.arbiter, claim.incarnation):
                return arbiter
        raise OrderLost("the arbiter that played this fixture is gone")
    open_to_all = [arbiter for arbiter in live if not arbiter.draining]
    if not open_to_all:
        raise ArbiterUnavailable("no arbiter is up")
    dialled_in = arbiters.with_bots(tx, [e.version_id for e in terms.entrants if not e.hosted], now=now)
    choice = [arbiter for arbiter in open_to_all if arbiter.arbiter_id in dialled_in] or open_to_all
    return choice[claim.fixture_id % len(choice)]
