"""`python -m arbiter` and `python -m arbiter.local` as processes, with real bots and a real database."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import grpc
import grpc.aio
import pytest
from stage import Bot, an_order, bearer, checked, first_legal

from rummy import packages
from rummy.rules.replay import verify
from rummy.store import bots, owners
from rummy.store.db import Database
from rummy.wire.v1 import arbiter_pb2, arbiter_pb2_grpc, bots_pb2, bots_pb2_grpc

ROOT = Path(__file__).parents[2]
CREDENTIAL = "a long random text"
SECONDS = 150


@asynccontextmanager
async def _process(*command: str, **environ: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", *command, cwd=ROOT, env={"PATH": os.environ["PATH"], **environ},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(SECONDS):
            yield process
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode()


async def _submit(channel: grpc.aio.Channel, token: str, name: str) -> int:
    content = packages.pack(ROOT / "sample_bots" / name)
    head = bots_pb2.PackageHead(size=len(content), digest=hashlib.sha256(content).digest())
    requests = [bots_pb2.SubmitRequest(head=head), bots_pb2.SubmitRequest(chunk=content)]
    steps = [step async for step in bots_pb2_grpc.BotsStub(channel).Submit(iter(requests), metadata=bearer(token))]
    assert steps[-1].version_id > 0, steps
    return steps[-1].version_id


async def _record(channel: grpc.aio.Channel, order: arbiter_pb2.Order) -> arbiter_pb2.OrderUpdate:
    call = arbiter_pb2_grpc.ArbiterStub(channel).Play(order, metadata=bearer(CREDENTIAL))
    return [update async for update in call][-1]


def _rows(database: Database, query: str) -> int:
    with database.transaction() as tx:
        row = tx.execute(query.encode()).fetchone()
        return 0 if row is None else int(row[0])


async def _until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.05)


@pytest.mark.realtime
async def test_the_service_from_submission_to_its_end(database_url: str, arena_folders: tuple[Path, Path]) -> None:
    run = arena_folders[1] / "arbiter"
    workers, sockets = f"unix:{run / 'arbiter.sock'}", f"unix:{run / 'bots.sock'}"
    environ = {
        "ARENA_DATABASE_URL": database_url,
        "ARENA_ARBITER_TOKEN": CREDENTIAL,
        "ARENA_RUN_DIR": str(run),
        "ARENA_BOTS_LISTEN": "127.0.0.1:0",
        "ARENA_TRUST_BOTS": "1",
    }
    with Database(database_url) as database:
        with database.transaction() as tx:
            owner = owners.create(tx, "ann", now=datetime.now(UTC))
            token = owners.new_token(tx, owner.owner_id, now=datetime.now(UTC))
        async with (
            _process("arbiter", **environ) as process,
            grpc.aio.insecure_channel(sockets) as channel,
            grpc.aio.insecure_channel(workers) as orders,
        ):
            assert await _line(process) == "arbiter ready\n"
            assert _rows(database, "SELECT count(*) FROM arbiter") == 1
            entrants = [
                arbiter_pb2.OrderEntrant(version_id=await _submit(channel, token, name), name=name, hosted=True)
                for name in ("greedy", "random")
            ]
            record = await _record(orders, an_order(1, (11, 12), entrants=entrants))
            assert [leg.header["bots"] for leg in checked(record)] == [["greedy", "random"], ["random", "greedy"]]
            assert all(leg.result.forfeits == (None, None) for leg in checked(record))
            await _play_a_live_bot(channel, token, database)
            process.send_signal(signal.SIGTERM)
        assert process.returncode == 0
        assert _rows(database, "SELECT count(*) FROM arbiter") == 0


@pytest.mark.realtime
@pytest.mark.parametrize("signals", [1, 2])
async def test_matches_in_play_may_end_before_the_service_does(
    database_url: str, arena_folders: tuple[Path, Path], signals: int
) -> None:
    """Fault P16. At SIGTERM workers and bots are told, what is in play is played on, and a second one ends it."""
    run = arena_folders[1] / "arbiter"
    environ = {
        "ARENA_DATABASE_URL": database_url,
        "ARENA_ARBITER_TOKEN": CREDENTIAL,
        "ARENA_RUN_DIR": str(run),
        "ARENA_BOTS_LISTEN": "127.0.0.1:0",
        "ARENA_DRAIN_SECONDS": "600",
    }
    with Database(database_url) as database:
        with database.transaction() as tx:
            owner = owners.create(tx, "ann", now=datetime.now(UTC)).owner_id
            made = [
                bots.add_version(tx, owner, name=name, version="1", language="python", games=["gin"], now=_now())
                for name in ("one", "two")
            ]
            tokens = [owners.new_token(tx, owner, now=_now(), version_id=version.version_id) for version in made]
        async with (
            _process("arbiter", **environ) as process,
            grpc.aio.insecure_channel(f"unix:{run / 'bots.sock'}") as channel,
            grpc.aio.insecure_channel(f"unix:{run / 'arbiter.sock'}") as orders,
        ):
            await _line(process)
            first, second = Bot(channel), Bot(channel)
            for bot, token in zip((first, second), tokens, strict=True):
                await bot.hello(token)
                await bot.until(lambda bot=bot: bot.welcome)  # type: ignore[misc]
            entrants = [arbiter_pb2.OrderEntrant(version_id=v.version_id, name=v.title, hosted=False) for v in made]
            terms = arbiter_pb2.ClockTerms(limit_ms=600_000)
            ordered = an_order(1, (1, 2), entrants=entrants, clock=terms)
            playing = asyncio.ensure_future(_record(orders, ordered))
            await first.until(lambda: first.starts)
            process.send_signal(signal.SIGTERM)
            await _until(lambda: _rows(database, "SELECT count(*) FROM arbiter WHERE draining") == 1)
            with pytest.raises(grpc.aio.AioRpcError, match="no new orders"):
                await _record(orders, an_order(2, (1, 2), entrants=entrants))
            if signals == 2:
                process.send_signal(signal.SIGTERM)
                assert "ended before" in (await playing).void
            else:
                dialling = [asyncio.ensure_future(bot.play()) for bot in (first, second)]
                [match] = checked(await playing)
                assert match.result.forfeits == (None, None)
                await asyncio.gather(*dialling)
        assert process.returncode == 0
        assert _rows(database, "SELECT count(*) FROM arbiter") == 0


def _now() -> datetime:
    return datetime.now(UTC)


async def _play_a_live_bot(channel: grpc.aio.Channel, token: str, database: Database) -> None:
    register = bots_pb2.RegisterRequest(name="live", version="1", games=["gin"], language="python")
    registered = await bots_pb2_grpc.BotsStub(channel).Register(register, metadata=bearer(token))
    bot = Bot(channel)
    await bot.hello(registered.token)
    await bot.until(lambda: bot.welcome)
    present = f"SELECT count(*) FROM presence WHERE version_id = {registered.version_id}"
    await _until(lambda: _rows(database, present) == 1)
    await bots_pb2_grpc.BotsStub(channel).Register(
        register, metadata=bearer(token)
    )  # The first token is revoked by this.
    await bot.listen()
    code, details = await bot.status()
    assert code is grpc.StatusCode.UNAUTHENTICATED and "revoked" in details
    await _until(lambda: _rows(database, present) == 0)


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({}, "ARENA_DATABASE_URL"),
        ({"ARENA_DATABASE_URL": "postgresql://x@/y"}, "ARENA_ARBITER_TOKEN"),
        (
            {
                "ARENA_DATABASE_URL": "postgresql://x@/y",
                "ARENA_ARBITER_TOKEN": "t",
                "ARENA_TRUST_BOTS": "1",
                "ARENA_BOTS_LISTEN": "0.0.0.0:50151",
            },
            "loopback",
        ),
        (
            {
                "ARENA_DATABASE_URL": "postgresql://x@/y",
                "ARENA_ARBITER_TOKEN": "t",
                "ARENA_BOTS_LISTEN": "0.0.0.0:50151",
            },
            "ARENA_PLAIN_BOTS=1 allows plain text",
        ),
        (
            {"ARENA_DATABASE_URL": "postgresql://x@/y", "ARENA_ARBITER_TOKEN": "t", "ARENA_RUN_DIR": "/tmp"},
            "set ARENA_RUN_DIR to a folder of your own",
        ),
    ],
)
async def test_the_service_says_why_it_cannot_begin(environ: dict[str, str], word: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "arbiter", cwd=ROOT, env={"PATH": os.environ["PATH"], **environ},
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, said = await process.communicate()
    assert process.returncode == 2
    assert word in said.decode() and "Traceback" not in said.decode()


@pytest.mark.realtime
@pytest.mark.parametrize("end", ["close", "signal"])
async def test_the_local_arbiter_plays_and_ends_with_its_caller(end: str) -> None:
    async with _process("arbiter.local") as process:
        assert process.stdin is not None
        tokens = {f"t{number}": {"version_id": number, "name": f"bot {number}", "lane": 0} for number in (1, 2)}
        process.stdin.write(json.dumps({"tokens": tokens}).encode() + b"\n")
        places = json.loads(await _line(process))
        async with (
            grpc.aio.insecure_channel(places["bots"]) as bots,
            grpc.aio.insecure_channel(places["workers"]) as workers,
        ):
            playing = [asyncio.ensure_future(_dial(bots, token)) for token in tokens]
            call = arbiter_pb2_grpc.ArbiterStub(workers).Play(
                an_order(1, (1, 2)), metadata=bearer(places["credential"])
            )
            last = [update async for update in call][-1]
            assert verify(last.record.replays[0]).result.forfeits == (None, None)
            if end == "close":
                process.stdin.close()
            else:
                process.send_signal(signal.SIGTERM)
            assert all("ending" in goodbye for goodbye in await asyncio.gather(*playing))
    assert process.returncode == 0


async def _dial(channel: grpc.aio.Channel, token: str) -> str:
    bot = Bot(channel)
    await bot.hello(token)
    await bot.play(first_legal)
    return bot.goodbye


@pytest.mark.realtime
async def test_a_stall_of_the_arbiter_costs_no_bot_anything() -> None:
    """Fault P17: the arbiter stands still for 300 ms again and again, bots answer at once under a limit of 100 ms."""
    async with _process("arbiter.local") as process:
        assert process.stdin is not None
        tokens = {f"t{number}": {"version_id": number, "name": f"bot {number}"} for number in (1, 2)}
        process.stdin.write(json.dumps({"tokens": tokens}).encode() + b"\n")
        places = json.loads(await _line(process))
        async with (
            grpc.aio.insecure_channel(places["bots"]) as bots,
            grpc.aio.insecure_channel(places["workers"]) as workers,
        ):
            playing = [asyncio.ensure_future(_dial(bots, token)) for token in tokens]
            stub = arbiter_pb2_grpc.ArbiterStub(workers)
            stalling = asyncio.ensure_future(_stall(process, times=4))
            for fixture in range(1, 1000):
                order = an_order(fixture, (1, 2), clock=arbiter_pb2.ClockTerms(limit_ms=100))
                call = stub.Play(order, metadata=bearer(places["credential"]))
                last = [update async for update in call][-1]
                assert checked(last)[0].strikes == (0, 0)
                if stalling.done():
                    break
            process.stdin.close()
            await asyncio.gather(stalling, *playing)


async def _stall(process: asyncio.subprocess.Process, times: int) -> None:
    for _ in range(times):
        process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(0.3)
        process.send_signal(signal.SIGCONT)
        await asyncio.sleep(0.1)


async def test_the_local_arbiter_refuses_nonsense() -> None:
    for nonsense in (b"", b"[]", b"{}", b'{"tokens": 5}', b'{"tokens": {"t": {"name": "x"}}}'):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "arbiter.local", cwd=ROOT, env={"PATH": os.environ["PATH"]},
            stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, said = await process.communicate(nonsense + b"\n")
        assert process.returncode == 2
        assert "tokens" in said.decode() and "Traceback" not in said.decode()
