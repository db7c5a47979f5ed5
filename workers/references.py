"""Reference bots on the deals of fixtures with live bots, after the result: what they score says how lucky a seat was.

They are sample bots of our own, called in this process: trusted, without chance, and without anything that they could
be told from outside. One thread a worker plays one run after the other. It takes none of the places in which fixtures
are played, and no fixture waits for it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from rummy.errors import HostFault, RummyError, StoreUnavailable
from rummy.league import luck
from rummy.rules.game import Game
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.store import db, references
from rummy.store.db import Connection, Database
from rummy.store.references import Run
from rummy.wire.question import LocalQuestion
from sample_bots.greedy import bot as greedy
from sample_bots.patient import bot as patient
from sample_bots.sdk import Choose

REFERENCES: tuple[Choose, Choose] = (greedy.choose, patient.choose)
NAME = "greedy 1 and patient 1"
"""Who they are, in every game. The version changes whenever one of them plays anything otherwise."""
LEASE = timedelta(minutes=2)
IDLE_SECONDS = 1.0
MOST_ACTIONS = 100_000
"""In all matches of a run: options may ask for matches without a reasonable end."""
MOST_ATTEMPTS = 20
"""So many workers may end while they play a run, before it is held to be the reason."""

_log = logging.getLogger(__name__)


class Endless(Exception):
    """The deals are longer than reference bots play."""


class Interrupted(HostFault):
    """The lease is lost, or the worker ends."""


def tables(seats: int) -> list[tuple[Choose, ...]]:
    """Who plays each match of a run, by seat: each reference bot alone, and both in turn, from every seat.

    With each table all that come from it by turning the seats are there, as the proof in `rummy.league.luck` asks.
    """
    alone = [(each,) * seats for each in REFERENCES]
    mixed = [REFERENCES[seat % 2] for seat in range(seats)]
    turned = [tuple(mixed[at:] + mixed[:at]) for at in range(seats)]
    return list(dict.fromkeys([*alone, *turned]))


def control(game: Game, seats: int, seed: bytes, tick: Callable[[], None]) -> tuple[float, ...]:
    """What reference bots score by seat on the deals of *seed*; calls *tick* before each match. Raises `Endless`."""
    placed: list[tuple[int, ...]] = []
    actions = 0
    for table in tables(seats):
        tick()
        match = Match(game, seats, seed)
        for _ in _turns(match, table):
            if actions + match.actions > MOST_ACTIONS:
                raise Endless(f"reference bots had not come to an end after {MOST_ACTIONS:,} actions")
        actions += match.actions
        assert match.result is not None
        placed.append(match.result.placements)
    return luck.controls(placed)


def _turns(match: Match, table: Sequence[Choose]) -> Iterator[None]:
    """Plays *match*, an answer at a time."""
    told = [0] * match.seats
    while match.decision is not None:
        seat = match.decision.seat
        chosen = table[seat](LocalQuestion(0, match, 0, told[seat]))
        told[seat] = len(match.events)
        for action in chosen if isinstance(chosen, list | tuple) else (chosen,):
            if match.decision is None or match.decision.seat != seat:
                break
            match.apply(action)
        yield


@dataclass(frozen=True, slots=True)
class References:
    """Plays what is due, as *holder*."""

    database: Database
    holder: str
    clock: Callable[[Connection], datetime] = db.now

    def play_next(self, stop: threading.Event) -> bool:
        """Plays the run that is due longest to its end, or until *stop*. False where there is none."""
        with self.database.transaction() as tx:
            run = references.claim(tx, holder=self.holder, now=self.clock(tx), lease=LEASE)
        if run is None:
            return False
        try:
            if run.attempt > MOST_ATTEMPTS:
                raise Endless(f"{MOST_ATTEMPTS} workers ended while they played it")
            found = control(find_game(run.game, run.options), run.seats, run.seed, lambda: self._go_on(run, stop))
        except Interrupted:
            with self.database.transaction() as tx:
                references.release(tx, run)
        except StoreUnavailable:  # The lease runs out.
            raise
        except Exception as error:  # A reference bot has failed, and would again.
            self._give_up(run, error)
        else:
            with self.database.transaction() as tx:
                references.finish(tx, run, NAME, found, now=self.clock(tx))
        return True

    def _go_on(self, run: Run, stop: threading.Event) -> None:
        if stop.is_set():
            raise Interrupted("the worker ends")
        with self.database.transaction() as tx:
            if not references.renew(tx, run, now=self.clock(tx), lease=LEASE):
                raise Interrupted("the lease was lost")

    def _give_up(self, run: Run, error: Exception) -> None:
        reason = str(error) if isinstance(error, Endless) else f"a reference bot failed: {error!r}"
        about = {"fixture": run.fixture_id, "generation": run.generation}
        _log.error("fixture %d has no control: %s", run.fixture_id, reason, extra=about)
        with self.database.transaction() as tx:
            references.give_up(tx, run, reason, now=self.clock(tx))

    def run(self, stop: threading.Event) -> None:
        """Plays what is due until *stop*, whatever fails meanwhile."""
        while not stop.is_set():
            try:
                if not self.play_next(stop):
                    stop.wait(IDLE_SECONDS)
            except RummyError as error:
                _log.warning("reference bots were broken off: %s", error)
                stop.wait(IDLE_SECONDS)
            except Exception:
                _log.exception("reference bots have failed by a fault of ours; they go on")
                stop.wait(IDLE_SECONDS)
