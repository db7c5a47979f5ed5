"""The wire beside bare gRPC and OpenSpiel: gin, both seats remote, all matches of a bot on one stream.

Ours is the real thing: an arbiter process with its referee, clocks and recorder, two bot processes with the SDK, full
views. The peer moves the same bytes and does nothing with them: messages as large as those that the arena was seen to
send (on average, in both directions), as many in the air. The two run in turns, in pairs, while the other's processes
stand still, so that whatever else the machine does meets both; a ratio is the median over the pairs, and a goal counts
as held at 0.9 of its figure.

There are three peers. The first two have batches as large as ours, so that a figure says what a decision costs beside
its share of a message, and not what batches bring: gRPC as it comes, which the goals are set against, and gRPC on the
arena's transport, with its switch (`rummy.wire`) and its event loop, which tells what the arena adds. The third shows
what batches bring, and is not judged: gRPC as it comes again, with one decision a message and as many messages in the
air as there are matches, which is what a bot author has without a protocol that batches.

Other work on the machine slows the arena more than the peers: its arbiter fills a processor. So each row tells as well
what processor time a decision takes, in all processes together, which depends on that less.

The bots do the least that a bot can: they answer from the list of legal actions and never look at the view, which is
decoded only for those that do. Both seats are remote, each a process of its own.

With one match, the overhead of a decision is the time from one question that reaches a bot to the next: the bot answers
at random at once, its answer travels, is judged and recorded, and the next question is made and travels. Beside it
stands the round trip of a bare message.

Two arbiters stand beside one: each with its bots on a processor of its own, the same load for each. What counts is
decisions by processor time, as far as the machine leaves each its processor; what the clock on the wall says is told.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter
from typing import Any, NamedTuple

from bench import rules, stage
from bench.bare import AS_IT_COMES, Bouncer, Transport, bouncing
from bench.stage import Arena, Stretch
from rummy.wire import POLLER

PAIRS = 5
SECONDS = 1.0
GOALS = {1: 0.9, 8: 0.7, 64: 0.65, 256: None}  # Beside the first of the peers.
SPIEL_GOAL = 2.0
MOST_OVERHEAD = 1.3  # Bare round trips, by the median.
FEW, MANY = 64, 256
OLD = 1000  # Decisions in each match when its memory is looked at.
MOST_MEMORY = 1 << 20  # Bytes a match.
TWICE = 0.9 * 2  # Two arbiters beside one.
EACH = 32  # Matches for each of the two.

Row = dict[str, Any]


class Peer(NamedTuple):
    """A way to bounce the bytes that the arena moves."""

    name: str
    transport: Transport = AS_IT_COMES
    batches: bool = True  # Messages as large as the arena's, in place of one decision each.
    judged: bool = False


PEERS = (
    Peer("bare grpc.aio as it comes", judged=True),
    Peer("bare grpc.aio on the arena's transport", Transport(POLLER, "uvloop")),
    Peer("bare grpc.aio as it comes, without batches", batches=False),
)


def rows(pairs: int = PAIRS) -> list[Row]:
    """One row a figure: figure, value and against (units a second), ratio, goal, holds. Raises `SettingsError`."""
    _, spiel = rules._peers()
    return asyncio.run(_rows(pairs, spiel))


async def _rows(pairs: int, spiel: Any) -> list[Row]:
    made = []
    for matches in (1, 8):
        async with stage.arena() as arena, arena.playing(matches):
            made += await _beside_bare(arena, matches, pairs)
    async with stage.arena() as arena, arena.playing(FEW):
        made += await _beside_bare(arena, FEW, pairs)
        made.append(await _beside_spiel(arena, spiel, pairs))
        before = arena.memory()
        async with arena.playing(MANY - FEW):
            made += await _beside_bare(arena, MANY, pairs)
            made.append(await _memory(arena, before))
    made.append(await _two_arbiters(pairs))
    return made


# ---- beside bare gRPC


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pair: decisions a second, seconds of processor for each, and the pauses between messages."""

    rate: float
    processor: float
    pauses: list[float]


Pair = tuple[Side, Side]


async def _beside_bare(arena: Arena, matches: int, pairs: int) -> list[Row]:
    seen = await _load(arena)
    peers = [peer for peer in PEERS if peer.batches or matches > 1]  # With one match a message holds one decision.
    loads = [seen if peer.batches else seen.one_by_one() for peer in peers]
    async with AsyncExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-bench-"))
        bouncers = []
        for at, (peer, load) in enumerate(zip(peers, loads, strict=True)):
            in_air, address = max(1, round(matches / load.batch)), f"unix:{place}/{at}.sock"
            bounced = bouncing(round(load.message), round(load.answer), in_air, address, peer.transport)
            bouncers.append((await stack.enter_async_context(bounced), load.batch))
        rounds = [await _round(arena, bouncers) for _ in range(pairs)]
    made = []
    for peer, load, measured in zip(peers, loads, zip(*rounds, strict=True), strict=True):
        made += _rows_beside(matches, f"{peer.name}, {load}", measured, judged=peer.judged)
    return made


class Load(NamedTuple):
    """What a message holds on average: decisions, its bytes, and those of its answer."""

    batch: float
    message: float
    answer: float

    def one_by_one(self) -> Load:
        """The same bytes with one decision a message."""
        return Load(1.0, self.message / self.batch, self.answer / self.batch)

    def __str__(self) -> str:
        return f"unread messages of {self.batch:.1f} decisions, {self.message:.0f} and {self.answer:.0f} bytes"


async def _load(arena: Arena) -> Load:
    """What the arena is seen to send."""
    before, decisions = arena.traffic(), await arena.decisions()
    await asyncio.sleep(SECONDS)
    after, decisions = arena.traffic(), await arena.decisions() - decisions
    messages = after.messages - before.messages
    message, answer = (after.received - before.received) / messages, (after.sent - before.sent) / messages
    return Load(max(1.0, decisions / messages), message, answer)


async def _round(arena: Arena, bouncers: Sequence[tuple[Bouncer, float]]) -> list[Pair]:
    """The arena, and then each of the peers with its decisions a message."""
    played = await arena.play(SECONDS)
    ours = Side(played.rate, played.processor / played.decisions, played.pauses)
    async with arena.still():
        return [(ours, await _bounced(bouncer, batch)) for bouncer, batch in bouncers]


async def _bounced(bouncer: Bouncer, batch: float) -> Side:
    used = stage.processor(bouncer.pids)
    theirs = await bouncer.bounce(SECONDS)
    used = stage.processor(bouncer.pids) - used
    decisions = theirs.messages * batch
    return Side(decisions / theirs.seconds, used / decisions, theirs.pauses)


def _rows_beside(matches: int, peer: str, measured: Sequence[Pair], *, judged: bool) -> list[Row]:
    made = [_rate_row(matches, peer, measured, GOALS[matches] if judged else None)]
    if matches == 1:
        name = peer.partition(",")[0]
        made.append(_overhead_row(measured, 50, 1 / MOST_OVERHEAD if judged else None, name))
        made.append(_overhead_row(measured, 99, None, name))
    return made


def _rate_row(matches: int, peer: str, measured: Sequence[Pair], goal: float | None) -> Row:
    mine, other = (median(pair[side].processor for pair in measured) * 1e6 for side in (0, 1))
    plural = "match" if matches == 1 else "matches"
    return _row(
        f"decisions a second, both seats remote, {matches} {plural}",
        f"{peer}; {mine:.0f} and {other:.1f} us of processor each",
        [(ours.rate, theirs.rate) for ours, theirs in measured],
        goal,
    )


def _overhead_row(measured: Sequence[Pair], percentile: int, goal: float | None, peer: str) -> Row:
    times = [tuple(_percentile(side.pauses, percentile) * 1e6 for side in pair) for pair in measured]
    ratio = median(other / mine for mine, other in times)
    return {
        "figure": f"microseconds of overhead of a single decision, p{percentile}",
        "value": round(median(mine for mine, _ in times)),
        "against": f"the round trip of {peer}, p{percentile}: {median(other for _, other in times):.0f}",
        **_judged(ratio, goal),
    }


def _percentile(times: Sequence[float], percentile: int) -> float:
    return quantiles(times, n=100, method="inclusive")[percentile - 1]


# ---- beside OpenSpiel


async def _beside_spiel(arena: Arena, spiel: Any, pairs: int) -> Row:
    deals = rules._spiel_deals(spiel)

    async def pair() -> tuple[float, float]:
        ours = await arena.play(SECONDS)
        async with arena.still():
            began, played = perf_counter(), deals()
            while perf_counter() - began < SECONDS:
                played += deals()
            return ours.rate, played / (perf_counter() - began)

    measured = [await pair() for _ in range(pairs)]
    await stage.until(lambda: arena.deals > 0, "a match has ended")
    a_deal = arena.actions / arena.deals
    figure = f"random gin deals a second, both seats remote, {FEW} matches"
    return _row(figure, "OpenSpiel in process", [(ours / a_deal, other) for ours, other in measured], SPIEL_GOAL)


# ---- memory


async def _memory(arena: Arena, before: int) -> Row:
    """What the arbiter has grown by, since *before*, for each match that has come to be open."""
    begun = await arena.decisions()
    while (age := (await arena.decisions() - begun) / MANY) < OLD:
        await asyncio.sleep(0.1)
    each = (arena.memory() - before) / (MANY - FEW)
    return {
        "figure": f"bytes of the arbiter's memory a match, from {FEW} to {MANY} open ones",
        "value": round(each),
        "against": f"the limit: {MOST_MEMORY:,}; after {age:,.0f} decisions and more in each",
        **_judged(MOST_MEMORY / max(1.0, each), 1.0),
    }


# ---- two arbiters


async def _two_arbiters(pairs: int) -> Row:
    cores = sorted(os.sched_getaffinity(0))
    async with AsyncExitStack() as stack:
        arenas = [await stack.enter_async_context(stage.arena(cores[each % len(cores)])) for each in range(2)]
        for arena in arenas:
            await stack.enter_async_context(arena.playing(EACH))
        measured = [await _alone_and_together(arenas[turn % 2], arenas[1 - turn % 2]) for turn in range(2 * pairs)]
    walls = [[sum(each.rate for each in side) for side in pair] for pair in measured]
    wall_ratio = median(both / alone for both, alone in walls)
    peer = (
        f"one, each with its bots on a processor of its own; by the clock on the wall {wall_ratio:.2f} times "
        f"{median(alone for _, alone in walls):.0f}; one by processor time"
    )
    return _row(
        f"two arbiters: decisions in a second of each one's processor, {EACH} matches each", peer,
        [(_by_processor(both), _by_processor(alone)) for both, alone in measured], TWICE,
    )  # fmt: skip


async def _alone_and_together(one: Arena, other: Arena) -> tuple[list[Stretch], list[Stretch]]:
    async with other.still():
        alone = await one.play(SECONDS)
    return list(await asyncio.gather(one.play(SECONDS), other.play(SECONDS))), [alone]


def _by_processor(stretches: Sequence[Stretch]) -> float:
    return sum(each.decisions / each.processor for each in stretches)


# ---- rows


def _row(figure: str, peer: str, measured: Sequence[tuple[float, float]], goal: float | None) -> Row:
    return {
        "figure": figure,
        "value": round(median(mine for mine, _ in measured)),
        "against": f"{peer}: {median(other for _, other in measured):.0f}",
        **_judged(median(mine / other for mine, other in measured), goal),
    }


def _judged(ratio: float, goal: float | None) -> Row:
    """The rest of a row; one without a goal holds."""
    held = goal is None or ratio >= rules.HELD_AT * goal
    return {"ratio": round(ratio, 2), "goal": goal if goal is None else round(goal, 2), "holds": held}
