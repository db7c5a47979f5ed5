"""Orders of workers: all legs of a fixture at once, known by fixture and generation.

A worker that takes over re-attaches to the order, running or finished, and gets the same record. A void order of hosted
bots is forgotten: it has no record, and what is asked for again is played again, by processes that have not seen its
deals. One with a live bot, and with spectators who have seen its cards, stays void: its deals are not played again. One
that was in play past its deadline is over without a record, and is kept like one that has it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from arbiter.clock import Terms
from arbiter.directory import LaneKey
from arbiter.referee import Played, Policy, Referee
from arbiter.tables import Leg, SeatOf, Tables
from rummy.errors import ArbiterUnavailable, BadInput, Conflict, HostFault, NotFound, TooMany
from rummy.rules import canonical
from rummy.rules.game import Event, Game, seats_of
from rummy.rules.games import find_game
from rummy.wire.encoder import followed_table
from rummy.wire.v1 import arbiter_pb2

KEEP_SECONDS = 900.0
KEEP_BYTES = 128 << 20
"""How long, and how much of, finished orders are kept for a worker that takes over."""
KEEP_NAMES = 65_536
"""How many orders are remembered whose records are no longer kept: bots have seen their deals."""
MAX_ORDERS = 1024
PROGRESS_SECONDS = 0.25
SEED_BYTES = 32
MAX_LIMIT_MS = 600_000
MAX_BANK_MS = 3_600_000
MAX_INCREMENT_MS = 60_000
MAX_GRACE_SECONDS = 600.0
MAX_DEADLINE_SECONDS = 604_800
MAX_NAME_BYTES = 1024

_log = logging.getLogger(__name__)
Name = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Terms:
    game: Game
    terms: Terms
    policy: Policy


class Order:
    """One order being played: its legs, what has been done of it, and at last its record or why it is void."""

    def __init__(self, asked: arbiter_pb2.Order, since: float) -> None:
        self.asked = asked
        self.hosted = all(entrant.hosted for entrant in asked.entrants)  # Then its deals may be played again.
        self.finished_at = since
        self.referees: list[Referee] = []
        self.events: list[Event] = []  # Where its deals are played once.
        self.legs_done = 0
        self.replays: list[bytes] | None = None
        self.voided = ""
        self.overdue = False  # That is why it is void.
        self._followers = 0
        self._table = 0, b""  # After so many events.
        self.begun = asyncio.Event()  # A leg is in play, or all is over.
        self.over = asyncio.Event()

    @property
    def size(self) -> int:
        """Bytes of the record."""
        return sum(map(len, self.replays or ()))

    def begin(self, referee: Referee) -> None:
        """A leg begins."""
        self.referees.append(referee)
        if not self.hosted:
            self.events = referee.match.events
        self.begun.set()

    def end(self, now: float) -> None:
        """The record is there, or why there is none. It is kept, and nothing of how it came about."""
        self.referees.clear()
        self.finished_at = now
        self.begun.set()
        self.over.set()
        self._forget()

    def table(self) -> bytes:
        """The table as everybody sees it, for spectators; nothing where its deals come again, or all is over."""
        if self.hosted or not self.referees:
            return b""
        match = self.referees[0].match
        if self._table[0] != len(match.events):
            self._table = len(match.events), followed_table(match.view(None))
        return self._table[1]

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Keeps the events meanwhile, also beyond the end."""
        self._followers += 1
        try:
            yield
        finally:
            self._followers -= 1
            self._forget()

    def _forget(self) -> None:
        if self.over.is_set() and not self._followers:
            self.events = []

    def progress(self) -> arbiter_pb2.OrderUpdate:
        """How far the order is."""
        deals = sum(len(referee.match.deals) for referee in self.referees)
        return arbiter_pb2.OrderUpdate(progress=arbiter_pb2.OrderProgress(legs_done=self.legs_done, deals_done=deals))

    def outcome(self) -> arbiter_pb2.OrderUpdate:
        """The last word, once the order is over: its record, or why there is none."""
        if self.replays is not None:
            return arbiter_pb2.OrderUpdate(record=arbiter_pb2.OrderRecord(replays=self.replays))
        if self.overdue:
            return arbiter_pb2.OrderUpdate(overdue=self.voided)
        return arbiter_pb2.OrderUpdate(void=self.voided)


class Orders:
    """All orders that are known here."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._now = tables.lobby.now
        self._orders: dict[Name, Order] = {}
        self._let_go: dict[Name, None] = {}  # The oldest first.
        self._tasks: set[asyncio.Task[None]] = set()
        self._deadlines: dict[asyncio.Timeout, float] = {}  # Of orders in play, by the arbiter's clock.
        self._closing = False

    @property
    def running(self) -> int:
        """Orders that are not over."""
        return len(self._tasks)

    def take(self, asked: arbiter_pb2.Order) -> Order:
        """The order of that fixture and generation, begun where it is new.

        Raises `BadInput`, `UnknownGame`, `BadOptions`; `Conflict` where it was asked for in other words before;
        `TooMany`; `ArbiterUnavailable` while the arbiter is ending.
        """
        self._evict()
        name = (asked.fixture, asked.generation)
        known = self._orders.get(name)
        if known is not None:
            if known.asked != asked:
                raise Conflict(f"Fixture {name[0]} in generation {name[1]} was ordered before, and differently.")
            return known
        if self._closing:
            raise ArbiterUnavailable("This arbiter is ending and takes no new orders.")
        if name in self._let_go:
            return self._void(name, asked)
        if self.running >= MAX_ORDERS:
            raise TooMany(f"This arbiter plays {MAX_ORDERS} orders already; try again later, or another arbiter.")
        return self._begin(name, asked)

    def of_fixture(self, fixture: int) -> Order:
        """The newest order of *fixture* that is in play here, or whose record is kept. Raises `NotFound`."""
        orders = [order for (number, _), order in self._orders.items() if number == fixture]
        if not orders:
            raise NotFound(f"Fixture {fixture} is not in play at this arbiter; the dashboard says where it is.")
        return max(orders, key=lambda order: order.asked.generation)

    async def updates(self, order: Order) -> AsyncIterator[arbiter_pb2.OrderUpdate]:
        """How far *order* is, now and then, and at last its record or why it is void."""
        told = None
        while not order.over.is_set():
            progress = order.progress()
            if progress != told:
                told = progress
                yield progress
            with suppress(TimeoutError):
                async with asyncio.timeout(PROGRESS_SECONDS):
                    await order.over.wait()
        yield order.outcome()

    def sweep(self) -> None:
        """Ends what is in play past its deadline; called every TICK."""
        now = self._now()
        for limit in [limit for limit, ends_at in self._deadlines.items() if now >= ends_at]:
            del self._deadlines[limit]
            limit.reschedule(0.0)

    async def close(self, seconds: float, hurried: asyncio.Event | None = None) -> None:
        """Takes no new orders, and hands back what is not over within *seconds*, or once somebody is *hurried*."""
        self._closing = True
        if self._tasks and seconds > 0:
            hurry = asyncio.ensure_future((hurried or asyncio.Event()).wait())
            ended = asyncio.ensure_future(asyncio.wait(self._tasks))
            await asyncio.wait([hurry, ended], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            for waiting in (hurry, ended):
                waiting.cancel()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _begin(self, name: Name, asked: arbiter_pb2.Order) -> Order:
        agreed = _agreed(asked)
        order = self._orders[name] = Order(asked, self._now())
        self._spawn(self._play(name, order, agreed))
        return order

    def _void(self, name: Name, asked: arbiter_pb2.Order) -> Order:
        """An order that was played here, but has no record any more: to begin it anew would show its deals twice."""
        order = Order(asked, self._now())
        order.voided = "The record of this order is no longer kept."
        self._spawn(
            self._give_up(name, order, {seat.key for leg in _legs(asked, _agreed(asked)) for seat in leg.seats})
        )
        return order

    async def _give_up(self, name: Name, order: Order, seen: set[LaneKey]) -> None:
        for lane in self._tables.lobby.lanes(seen):
            await self._tables.lobby.renew(lane)
        if order.hosted:
            self._let_go.pop(name, None)
        order.end(self._now())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, name: Name, order: Order, agreed: _Terms) -> None:
        try:
            async with asyncio.timeout(None) as limit:
                with self._watched(limit, order.asked.deadline_seconds):
                    played = await self._play_legs(order, _legs(order.asked, agreed))
            order.replays = [leg.replay for leg in played]
        except TimeoutError:
            order.overdue, order.voided = True, "The deadline of the match has passed while it was in play."
        except HostFault as fault:
            order.voided = str(fault)
        except asyncio.CancelledError:
            order.voided = "The arbiter has ended before the order was played."
        except Exception:
            about = {"fixture": name[0], "generation": name[1]}
            _log.exception("An order has failed by a fault of the arena.", extra=about)
            order.voided = "The arena has failed in this order; its log says why."
        if order.replays is None and not order.overdue:
            await self._forget(name, order)
        order.end(self._now())

    @contextmanager
    def _watched(self, limit: asyncio.Timeout, seconds: int) -> Iterator[None]:
        """Has *limit* run out after *seconds* of the arbiter's clock; of 0 it has none."""
        if seconds:
            self._deadlines[limit] = self._now() + seconds
        try:
            yield
        finally:
            self._deadlines.pop(limit, None)

    async def _play_legs(self, order: Order, legs: list[Leg]) -> list[Played]:
        async def one(leg: Leg) -> Played:
            played = await self._tables.play(leg, order.begin)
            order.legs_done += 1
            return played

        tasks = [asyncio.get_running_loop().create_task(one(leg)) for leg in legs]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _forget(self, name: Name, order: Order) -> None:
        """Has a void order of hosted bots played again on the same deals, where no process stays that has seen them."""
        if not order.hosted:
            return
        if self._orders.get(name) is order:
            del self._orders[name]
        if not self._closing:
            for lane in {lane for referee in order.referees for lane in referee.lanes}:
                await self._tables.lobby.renew(lane)

    def _evict(self) -> None:
        """Lets go of records that are too old, and of the oldest where all together are too large."""
        over = sorted(
            ((order.finished_at, name) for name, order in self._orders.items() if order.over.is_set()), reverse=True
        )
        kept, oldest = 0, self._now() - KEEP_SECONDS
        for finished_at, name in over:
            kept += self._orders[name].size
            if finished_at < oldest or kept > KEEP_BYTES:
                del self._orders[name]
                self._let_go[name] = None
        while len(self._let_go) > KEEP_NAMES:
            del self._let_go[next(iter(self._let_go))]


def _agreed(asked: arbiter_pb2.Order) -> _Terms:
    """What the order says, once all of it makes sense."""
    game = find_game(asked.game, _options(asked.options))
    spec, seats, legs = game.spec, len(asked.entrants), asked.legs
    least, most = seats_of(game)
    _demand(asked.fixture > 0 and asked.generation >= 0, "An order names its fixture by a number above 0.")
    _demand(
        least <= seats <= most,
        f"{spec.title} is played by {least} to {most} entrants, not {seats}.",
    )
    _demand(len(asked.seed) == SEED_BYTES, f"The seed of an order is {SEED_BYTES} bytes, not {len(asked.seed)}.")
    ids = [entrant.version_id for entrant in asked.entrants]
    _demand(min(ids) > 0 and len(set(ids)) == seats, "The entrants of an order are different bot versions.")
    names = max(len(entrant.name.encode()) for entrant in asked.entrants)
    _demand(names <= MAX_NAME_BYTES, f"The name of an entrant has at most {MAX_NAME_BYTES} bytes, not {names}.")
    _demand(
        asked.deadline_seconds <= MAX_DEADLINE_SECONDS,
        f"The deadline of an order is at most {MAX_DEADLINE_SECONDS} seconds, not {asked.deadline_seconds}.",
    )
    live = not all(entrant.hosted for entrant in asked.entrants)
    _demand(1 <= legs <= seats, f"An order of {seats} entrants has 1 to {seats} legs, not {legs}.")
    _demand(legs == 1 or not live, "An order with a live bot has one leg: it would know the deal the second time.")
    return _Terms(game, _terms(asked.clock), _policy(asked.faults))


def _terms(clock: arbiter_pb2.ClockTerms) -> Terms:
    _demand(1 <= clock.limit_ms <= MAX_LIMIT_MS, f"The limit of a decision is 1 to {MAX_LIMIT_MS} ms.")
    _demand(clock.bank_ms <= MAX_BANK_MS, f"The bank of a match is at most {MAX_BANK_MS} ms.")
    _demand(clock.increment_ms <= MAX_INCREMENT_MS, f"The increment of a decision is at most {MAX_INCREMENT_MS} ms.")
    return Terms(clock.limit_ms, clock.bank_ms, clock.increment_ms)


def _policy(faults: arbiter_pb2.FaultPolicy) -> Policy:
    _demand(1 <= faults.strikes <= 1000, "The strike that forfeits is a number from 1 to 1000.")
    _demand(1 <= faults.deaths <= 100, "The death that forfeits is a number from 1 to 100.")
    _demand(0 <= faults.grace_seconds <= MAX_GRACE_SECONDS, f"The grace time is 0 to {MAX_GRACE_SECONDS:g} seconds.")
    return Policy(faults.strikes, faults.grace_seconds, faults.deaths)


def _options(text: str) -> dict[str, object]:
    try:
        options = canonical.loads((text or "{}").encode())
    except ValueError as error:
        raise BadInput(f"The options of an order are a JSON object: {error}.") from None
    _demand(isinstance(options, dict), "The options of an order are a JSON object.")
    return dict(options)


def _demand(holds: bool, sentence: str) -> None:
    if not holds:
        raise BadInput(sentence)


def _legs(asked: arbiter_pb2.Order, agreed: _Terms) -> list[Leg]:
    return [_leg(asked, agreed, number) for number in range(asked.legs)]


def _leg(asked: arbiter_pb2.Order, agreed: _Terms, number: int) -> Leg:
    """Leg *number*: seat s is held by entrant (s + number) mod n, and played by that entrant's lane of this number."""
    entrants = asked.entrants
    seats = [entrants[(seat + number) % len(entrants)] for seat in range(len(entrants))]
    return Leg(
        game=agreed.game,
        seed=asked.seed,
        seats=[SeatOf(LaneKey(bot.version_id, number if bot.hosted else 0), bot.name, bot.hosted) for bot in seats],
        terms=agreed.terms,
        policy=agreed.policy,
        leg=number,
        header={"fixture": asked.fixture, "generation": asked.generation},
    )
