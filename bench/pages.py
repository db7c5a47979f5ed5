"""Every page and every address of the JSON interface on a large store, beside a limit of server time.

The store is real, and so is the dashboard, which is asked without a network between: what counts is the time from the
request to the last byte of the answer. It is asked warm, and right after results and a change of ratings. Since other
programs take their share of the machine, an address is judged by the 95th percentile of its processor time: exact for
this process, without the threads that compute tables in the background, and with PostgreSQL's mean when warm. The
medians by the clock on the wall stand beside it. Rows are those that PostgreSQL has read, from tables or indexes.
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any, LiteralString

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import iter_route_contexts

from api.__main__ import stand_ready
from api.app import create_app
from api.kept import THREAD
from bench import filled, rules
from bench.filled import Filled, Size
from bench.tree import used_by
from rummy.store.db import Connection, Database

LIMIT_MS = 50.0
SIZE = Size(entrants=64, cycles=100, others=16, of_each=40, field=16, bots=400, duel=1000)
"""More than half a million matches."""
WARM, WRITES = 20, 6
FORMS: Mapping[str, Sequence[str]] = {
    "before": ("1000",), "after": ("100",), "limit": ("200",), "state": ("scheduled", "done"), "routine": ("true",),
    "q": ("bot 3", "nobody"), "deal": ("0",), "what": ("results",), "format": ("csv",),
}  # fmt: skip
"""By parameter what it is set to, one at a time."""
PLACES = ("/fixtures", "/tournaments/{tournament_id}")
"""Here `after` is a round and a table."""

Row = dict[str, Any]


def addresses(app: FastAPI, there: Filled) -> Iterator[tuple[str, str]]:
    """Every route of *app* with an address for it, and one more for each value of each parameter.

    Raises `KeyError` for a parameter that nobody has thought of.
    """
    named = {
        "tournament_id": there.large, "fixture_id": there.running, "league_id": there.league, "season_no": 0,
        "ladder": there.ladder, "bot_id": there.bot, "match_id": there.match,
    }  # fmt: skip
    for context in iter_route_contexts(app.routes):
        route = context.path
        if route is None or route.startswith("/static"):
            continue
        address = re.sub(r"{(\w+)}", lambda name: str(named[name[1]]), route)
        yield route, address
        dependant = getattr(context, "dependant", None)  # The description of the interface has none.
        for name in () if dependant is None else _parameters(dependant):
            for value in FORMS[name]:
                value = "100.0" if name == "after" and route.endswith(PLACES) else value
                yield f"{route}?{name}={value}", f"{address}?{name}={value.replace(' ', '%20')}"


def is_whole(name: str) -> bool:
    """Whether an address gives all there is, as a file."""
    return name.partition("?")[0].endswith("/export")


def _parameters(dependant: Dependant) -> Iterator[str]:
    yield from (parameter.alias for parameter in dependant.query_params)
    for other in dependant.dependencies:
        yield from _parameters(other)


@dataclass(frozen=True, slots=True)
class Answer:
    """How a request went; *seconds* until the last byte, or the first of news without end."""

    status: int
    size: int
    seconds: float
    processor: float


async def ask(app: FastAPI, address: str) -> Answer:
    """Asks *app* as a server does."""
    path, _, query = address.partition("?")
    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": path, "root_path": "",
        "raw_path": path.encode(), "query_string": query.encode(), "headers": [], "asgi": {"version": "3.0"},
    }  # fmt: skip
    status, size = 0, 0
    gone = asyncio.Event()

    async def receive() -> dict[str, object]:
        if not asked.is_set():
            asked.set()
            return {"type": "http.request", "body": b"", "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        nonlocal status, size
        if message["type"] == "http.response.start":
            status = message["status"]
            streams = (b"content-type", b"text/event-stream; charset=utf-8") in message["headers"]
            if streams:
                gone.set()
        elif message["type"] == "http.response.body":
            size += len(message.get("body", b""))

    asked = asyncio.Event()
    began, spent = time.perf_counter(), processor()
    await app(scope, receive, send)
    return Answer(status, size, time.perf_counter() - began, processor() - spent)


def processor() -> float:
    """Seconds of processor of the threads of this process, without those that compute values that are kept."""
    threads = [each.ident for each in threading.enumerate() if each.name != THREAD and each.ident is not None]
    return sum(time.clock_gettime(time.pthread_getcpuclockid(ident)) for ident in threads)


_READ: LiteralString = """
    SELECT sum(pg_stat_get_xact_tuples_returned(oid))::bigint FROM pg_class
     WHERE relnamespace IN ('public'::regnamespace, 'pg_toast'::regnamespace) AND relkind IN ('r', 'i', 't')"""


class Counting(Database):
    """Counts the rows that PostgreSQL reads, but for those that are read in the background."""

    rows = 0

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """As that of any database."""
        with super().transaction() as tx:
            if threading.current_thread().name == THREAD:
                yield tx
                return
            before = _read(tx)
            yield tx
            self.rows += _read(tx) - before

    def taken(self) -> int:
        """The rows since this was last asked."""
        rows, self.rows = self.rows, 0
        return rows


def _read(tx: Connection) -> int:
    row = tx.execute(_READ).fetchone()
    assert row is not None
    return int(row[0])


def at_rest() -> None:
    """Waits until nothing is computed in the background."""
    for thread in threading.enumerate():
        if thread.name == THREAD:
            thread.join()


# ---- the rows of the benchmark


def rows(size: Size = SIZE) -> list[Row]:
    """One row an address: figure, value and against, ratio, goal, holds."""
    with filled.server() as server, Database(server.url(), size=2) as owner:
        there = filled.fill(owner, size)
        assert server.running is not None
        with Database(as_dashboard(server.url())) as database, Counting(as_dashboard(server.url())) as counting:
            apps = create_app(database), create_app(counting)
            stand_ready()
            return asyncio.run(_rows(*apps, counting, owner, there, server.running.pid))


def as_dashboard(url: str) -> str:
    """The same database with the rights of the dashboard."""
    return f"{url}&options=-c%20role%3Darena_dashboard"


async def _rows(
    app: FastAPI, counted: FastAPI, counting: Counting, owner: Database, there: Filled, postgres: int
) -> list[Row]:
    everything = dict(addresses(app, there))
    asked = {name: address for name, address in everything.items() if not is_whole(name)}
    read = await rows_read(counted, counting, asked)
    for address in asked.values():
        await ask(app, address)
    await asyncio.to_thread(at_rest)
    warm = {name: await _warm(app, address, postgres) for name, address in asked.items()}
    written = {name: await _after_writes(app, owner, there, address) for name, address in asked.items()}
    judged = [_row(name, *warm[name], written[name], read[name]) for name in asked]
    return judged + [await _file(app, everything[name]) for name in everything if name not in asked and "?" not in name]


async def rows_read(app: FastAPI, counting: Counting, asked: Mapping[str, str]) -> dict[str, int]:
    """By name the rows that PostgreSQL reads for an address, once all that is kept is there."""
    for address in asked.values():
        await ask(app, address)
    await asyncio.to_thread(at_rest)
    read = {}
    for name, address in asked.items():
        counting.taken()
        await ask(app, address)
        read[name] = counting.taken()
    return read


async def _warm(app: FastAPI, address: str, postgres: int) -> tuple[list[Answer], float]:
    """Answers, and the mean of what PostgreSQL has had for one."""
    await ask(app, address)
    before = used_by([postgres])
    answers = [await ask(app, address) for _ in range(WARM)]
    return answers, (used_by([postgres]) - before) / WARM


async def _after_writes(app: FastAPI, owner: Database, there: Filled, address: str) -> list[Answer]:
    answers = []
    for _ in range(WRITES):
        await asyncio.to_thread(filled.write, owner, there)
        answers.append(await ask(app, address))
    return answers


def _row(name: str, warm: Sequence[Answer], stored: float, written: Sequence[Answer], rows: int) -> Row:
    assert all(answer.status in (200, 204) for answer in warm), (name, warm[0].status)
    wall, after = (1000 * median(answer.seconds for answer in some) for some in (warm, written))
    mine = [1000 * _high([answer.processor for answer in some]) for some in (warm, written)]
    value = max(mine) + 1000 * stored
    return {
        "figure": f"ms for {name}",
        "value": round(value, 1),
        "against": f"{LIMIT_MS:g}; here {mine[0]:.1f}, after a write {mine[1]:.1f}, in PostgreSQL {1000 * stored:.1f}; "
        f"wall {wall:.1f}, after a write {after:.1f}; {rows:,} rows, {warm[0].size / 1000:.0f} kB",
        "ratio": round(LIMIT_MS / value, 2), "goal": 1.0, "holds": LIMIT_MS / value >= rules.HELD_AT,
    }  # fmt: skip


async def _file(app: FastAPI, address: str) -> Row:
    """A file of all there is, which takes as long as that takes."""
    answer = await ask(app, address)
    return {
        "figure": f"seconds for the file {address}", "value": round(answer.processor, 1),
        "against": f"by the wall {answer.seconds:.1f}; {answer.size / 1e6:.0f} MB", "ratio": 1.0, "goal": None,
        "holds": answer.status == 200,
    }  # fmt: skip


def _high(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return quantiles(values, n=20, method="inclusive")[-1]
