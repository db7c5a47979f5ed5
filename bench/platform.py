"""The whole platform beside its arbiter alone; two of everything beside one; long schedules and ratings beside limits.

The platform is the real thing: an arena of its own with PostgreSQL, Valkey, worker, arbiter and dashboard, hosted bots
in processes of their own. It plays tournaments; the arbiter alone, the same process with the same bots, is then given
the same orders by the client that the worker uses. The two take turns, so that whatever else the machine does meets
both; a ratio is the median over the pairs, and a goal counts as held at 0.9 of its figure. Each row tells as well what
processor time a fixture takes, in all processes together, which depends less on what else runs.

Two workers and two arbiters stand on two processors, beside one of each with all that it needs on one. What counts
there is fixtures in a second that a processor has really given.

What is beside a limit is a rate: how often it could be done within it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median
from time import monotonic, sleep
from typing import Any, LiteralString

from psycopg.rows import class_row

from bench import rules
from bench.tree import used_by
from rummy.cli import ground
from rummy.cli.ground import Ground
from rummy.errors import HostFault
from rummy.store import db, fixtures, tournaments
from rummy.store.arbiters import live
from rummy.store.fixtures import Claim
from rummy.wire.v1 import arbiter_pb2
from workers.arbiters import Arbiters
from workers.orders import order_of

PAIRS = 5
AT_ONCE = 32  # As many fixtures as a worker plays.
GOAL, TWICE = 0.7, 1.9
MATCHES: Sequence[tuple[str, Mapping[str, object], int, float | None]] = (
    ("gin to 100 points", {}, 30, GOAL),
    ("gin until somebody has a point", ground.SHORT, 90, None),
)
"""What is played, the options, the cycles of six fixtures, and the goal: long enough that beginning and end, when few
are in play, count for little."""
WARM = 8  # Cycles before anything is measured: as many fixtures as are in play at once, and half as many again.
SCHEDULE_SECONDS, SCHEDULE_BYTES = 60.0, 100 << 20
RATING_SECONDS = 60.0
PATIENCE = 600.0
ELSEWHERE = 1_000_000_000  # Added to the number of a fixture, so that the arbiter takes it for another.

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Fixtures that were played, and what they took."""

    fixtures: int
    seconds: float
    processor: float

    @property
    def rate(self) -> float:
        """Fixtures a second."""
        return self.fixtures / self.seconds

    @property
    def by_processor(self) -> float:
        """Fixtures in a second of a processor."""
        return self.fixtures / self.processor


def rows(pairs: int = PAIRS) -> list[Row]:
    """One row a figure: figure, value and against, ratio, goal, holds."""
    made = []
    with ground.arena(workers=1, arbiters=1) as place:
        for name, options, cycles, goal in MATCHES:
            _played(place, f"warm {name}", WARM, options)
            measured = [_pair(place, f"{name} {turn}", cycles, options) for turn in range(pairs)]
            made.append(_beside_the_arbiter(name, measured, goal))
    return [*made, _two_beside_one(pairs), *_long()]


# ---- the platform beside its arbiter


def _pair(place: Ground, text: str, cycles: int, options: Mapping[str, object]) -> tuple[Stretch, Stretch]:
    number, ours = _played(place, text, cycles, options)
    return ours, _ordered(place, number)


def _played(place: Ground, text: str, cycles: int, options: Mapping[str, object]) -> tuple[int, Stretch]:
    """A tournament from its start until all is played and rated."""
    keeper = place.state()["keeper"]
    used, began = used_by([keeper]), monotonic()
    number = place.start(text, cycles, options)
    while monotonic() < began + PATIENCE:
        with place.database.transaction() as tx:
            now = tournaments.progress(tx, number)
        if now.state == "finished" and not now.unrated:
            seconds = monotonic() - began
            return number, Stretch(now.done, seconds, used_by([keeper]) - used)
        sleep(0.02)
    raise HostFault(f"After {PATIENCE:g} seconds a tournament of the benchmark is not over; is the machine too busy?")


def _ordered(place: Ground, number: int) -> Stretch:
    """The fixtures of a tournament, ordered from its arbiter directly."""
    orders, address = _orders(place, number)
    arbiter = place.processes()["arbiter"]
    client = Arbiters(place.state()["operator"]["ARENA_ARBITER_TOKEN"])
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            used, began = used_by([arbiter]), monotonic()
            for record in pool.map(lambda order: client.play(address, order, lambda cancel: None), orders):
                assert len(record) == 2
            return Stretch(len(orders), monotonic() - began, used_by([arbiter]) - used)
    finally:
        client.close()


_CLAIMS: LiteralString = """
    SELECT fixture_id, generation, attempt, '' AS holder, tournament_id, round_no, table_no, arbiter, incarnation, game,
           options, ladder, rated, limit_ms, bank_ms, increment_ms, faults, (deadlines->>'match')::int AS match_seconds,
           now() AS ends_at
      FROM fixture JOIN tournament USING (tournament_id)
     WHERE tournament_id = %(number)s ORDER BY round_no, table_no"""


def _orders(place: Ground, number: int) -> tuple[list[arbiter_pb2.Order], str]:
    """What its worker had ordered for a tournament, under other numbers; and from whom."""
    with place.database.transaction() as tx:
        with tx.cursor(row_factory=class_row(Claim)) as cursor:
            claims = cursor.execute(_CLAIMS, {"number": number}).fetchall()
        made = [order_of(claim, fixtures.terms(tx, claim)) for claim in claims]
        [arbiter] = live(tx, now=db.now(tx))
    for order in made:
        order.fixture += ELSEWHERE
    return made, arbiter.address


def _beside_the_arbiter(name: str, measured: Sequence[tuple[Stretch, Stretch]], goal: float | None) -> Row:
    mine, other = (median(1000 / pair[side].by_processor for pair in measured) for side in (0, 1))
    return {
        "figure": f"fixtures a second, {name}, the whole platform",
        "value": round(median(ours.rate for ours, _ in measured), 1),
        "against": f"its arbiter alone: {median(alone.rate for _, alone in measured):.1f}; "
        f"{mine:.0f} and {other:.0f} ms of processor each",
        **_judged(median(ours.rate / alone.rate for ours, alone in measured), goal),
    }


# ---- two beside one


def _two_beside_one(pairs: int) -> Row:
    cores = sorted(os.sched_getaffinity(0))
    with ExitStack() as stack:
        with _on(cores[:1]):
            one = stack.enter_context(ground.arena(workers=1, arbiters=1))
        with _on(cores[:2]):
            two = stack.enter_context(ground.arena(workers=2, arbiters=2))
        for place in (one, two):
            _played(place, "warm", 1, {})
        measured = [(_played(two, f"{turn}", 8, {})[1], _played(one, f"{turn}", 4, {})[1]) for turn in range(pairs)]
    walls = median(both.rate / alone.rate for both, alone in measured)
    shares = median(both.processor / both.seconds for both, _ in measured)
    ratio = median(2 * both.by_processor / alone.by_processor for both, alone in measured)
    return {
        "figure": "two workers, two arbiters: fixtures in a second of two processors",
        "value": round(median(2 * both.by_processor for both, _ in measured), 1),
        "against": f"one of each on one processor; by the clock on the wall {walls:.2f}, on {shares:.1f} processors",
        **_judged(ratio, TWICE),
    }


@contextmanager
def _on(cores: Sequence[int]) -> Iterator[None]:
    """What is started meanwhile stays on these processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


# ---- beside limits


def _long() -> list[Row]:
    told = subprocess.run([sys.executable, "-m", "bench.long"], check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(told.stdout)
    seconds = found["seconds"] + found["server_seconds"]
    rating = found["rating_seconds"] * 1e6 / found["results"]
    drawn = f"{found['fixtures']:,} fixtures (64 entrants, 100 cycles)"
    return [
        _limit(f"seconds of processor to draw and store {drawn}", seconds, SCHEDULE_SECONDS),
        _limit(f"bytes of memory to draw and store {drawn}", found["bytes"], SCHEDULE_BYTES),
        _limit("seconds of processor to rate a million fixtures anew", rating, RATING_SECONDS),
    ]


def _limit(figure: str, value: float, limit: float) -> Row:
    """A row; what is measured may be nothing, such as memory that was there already."""
    return {"figure": figure, "value": round(value, 1), "against": f"a limit of {limit:,.0f}",
            **_judged(limit / max(value, 1.0), 1.0)}  # fmt: skip


def _judged(ratio: float, goal: float | None) -> Row:
    held = goal is None or ratio >= rules.HELD_AT * goal
    return {"ratio": round(ratio, 2), "goal": goal, "holds": held}
