"""Streams that begin badly, break off, come back, or are taken over; and calls at the wrong door."""

from __future__ import annotations

import asyncio
import logging
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import pytest
from stage import GRACE, LIMIT_MS, PATIENCE, Bot, Stage, an_order, bearer, checked, everybody, first_legal, token

from arbiter import server
from arbiter.directory import LaneKey
from arbiter.hall import Hall
from arbiter.servicers.registry import LOOK_UPS, StoreDirectory
from rummy.errors import Forbidden, SettingsError, Unauthenticated
from rummy.store import bots, owners
from rummy.store.db import Database
from rummy.wire.dial import credentials
from rummy.wire.v1 import arbiter_pb2, arbiter_pb2_grpc
from sample_bots import sdk

NOW = datetime(2026, 1, 1, tzinfo=UTC)
GARBAGE = b"\xff\xfe garbage \x00"


async def _refused(bot: Bot) -> tuple[grpc.StatusCode, str]:
    while await bot.read():
        pass
    return await bot.status()


@pytest.mark.parametrize("shown", ["", "no such token", token(1) + "x", "tøken", "x" * 2000])
async def test_a_wrong_token_is_refused(stage: Stage, shown: str) -> None:
    bot = Bot(stage.bots_channel)
    await bot.hello(shown)
    code, text = await _refused(bot)
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert "token" in text.lower()


async def test_the_token_may_stand_in_the_metadata(stage: Stage) -> None:
    bot = Bot(stage.bots_channel, bearer(token(1)))
    await bot.hello("")
    await bot.until(lambda: bot.welcome)
    assert bot.welcome is not None and bot.welcome.bot == "bot 1"


async def test_a_revoked_token_and_an_owners_token_are_refused(database_url: str) -> None:
    with Database(database_url) as database:
        with database.transaction() as tx:
            owner = owners.create(tx, "ann", now=NOW).owner_id
            version = bots.add_version(
                tx, owner, name="live", version="1", language="python", games=["gin"], now=NOW
            ).version_id
            good = owners.new_token(tx, owner, now=NOW, version_id=version)
            owners_own = owners.new_token(tx, owner, now=NOW)
        directory = StoreDirectory(database, _NoLanes())
        assert (await directory.guest(good)).key == LaneKey(version, 0)
        with pytest.raises(Forbidden):
            await directory.guest(owners_own)
        with database.transaction() as tx:
            owners.revoke(tx, owner, now=NOW)
        with pytest.raises(Unauthenticated, match="revoked"):
            await directory.guest(good)


class _NoLanes:
    def lane_of(self, token: str) -> None:
        return None

    def name_of(self, version_id: int, lane: int) -> str:
        raise AssertionError("no token is a lane's")


@pytest.mark.parametrize("version", [0, 2, 4_000_000_000])
async def test_an_unknown_version_of_the_protocol_is_refused(stage: Stage, version: int) -> None:
    bot = Bot(stage.bots_channel)
    await bot.hello(token(1), protocol=version)
    code, text = await _refused(bot)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "version 1" in text


@pytest.mark.parametrize("first", [GARBAGE, b"", b"\x12\x02\x08\x01"])
async def test_garbage_in_place_of_hello_gets_a_sentence(stage: Stage, first: bytes) -> None:
    bot = Bot(stage.bots_channel)
    await bot.send(first)
    code, text = await _refused(bot)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "hello" in text or "FromBot" in text


async def test_no_hello_ends_the_stream(stage: Stage) -> None:
    stage.hall.lobby.hello_seconds = 0.01
    bot = Bot(stage.bots_channel)
    code, text = await _refused(bot)
    assert code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert "hello" in text


async def test_hanging_up_before_hello_harms_nobody(stage: Stage) -> None:
    bot = Bot(stage.bots_channel)
    await bot.call.done_writing()
    await _refused(bot)
    assert (await stage.bot(1)).welcome


async def test_garbage_in_play_ends_the_stream_and_then_the_match(stage: Stage) -> None:
    bot = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    await bot.decision()
    await bot.send(GARBAGE)
    code, _ = await _refused(bot)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    stage.pass_time(GRACE + 0.1)
    [match] = checked(await order)
    assert match.result.forfeits == ("protocol", None)


async def test_fifty_megabytes_are_refused_and_the_others_play_on(stage: Stage) -> None:
    """Fault P23."""
    bot = await stage.bot(3)
    for number in (1, 2):
        await stage.player(number)
    order = stage.start(an_order(1, (1, 2)))
    await bot.send(bytes(50_000_000))
    code, _ = await _refused(bot)
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert checked(await order)[0].result.forfeits == (None, None)


async def test_fifty_megabytes_in_place_of_an_order(stage: Stage) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        async for _ in stage.raw_play(bytes(50_000_000)):
            pass
    assert failure.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_new_stream_takes_over_and_is_asked_everything_in_full(stage: Stage) -> None:
    old = await stage.bot(1)
    await stage.player(2)
    orders = [stage.start(an_order(fixture, (1, 2))) for fixture in (1, 2, 3)]
    await old.until(lambda: len(old.asked) == 3)
    new = await stage.bot(1)
    await new.until(lambda: len(new.asked) == 3)
    assert sorted(map(str, new.asked)) == sorted(map(str, old.asked))
    assert len(new.starts) == 3
    code, text = await _refused(old)
    assert code is grpc.StatusCode.ALREADY_EXISTS and "taken over" in text and "taken over" in old.goodbye
    await new.play_until_end(asyncio.gather(*orders))
    for order in orders:
        assert checked(await order)[0].result.forfeits == (None, None)


async def test_who_comes_back_in_time_plays_on(stage: Stage) -> None:
    first = await stage.bot(1)
    await stage.player(2)
    orders = [stage.start(an_order(fixture, (1, 2))) for fixture in (1, 2, 3)]
    await first.until(lambda: len(first.asked) == 3)
    await first.call.done_writing()
    await _refused(first)
    stage.pass_time(0.5)
    again = await stage.bot(1)
    await again.until(lambda: len(again.asked) == 3)
    assert sorted(map(str, again.asked)) == sorted(map(str, first.asked))
    await again.play_until_end(asyncio.gather(*orders))
    for order in orders:
        assert checked(await order)[0].strikes == (0, 0)


async def test_a_new_stream_is_told_all_that_has_happened_from_the_beginning(stage: Stage) -> None:
    """So a process that was started again knows what the one before knew, and plays as it would have."""
    first = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2)))
    told: list[Any] = []
    for _ in range(12):
        last = await first.decision()
        told += last.events
        await first.send(first_legal(last))
    last = await first.decision()
    told += last.events
    again = await stage.bot(1)
    await again.until(lambda: again.asked)
    [asked] = again.asked
    assert list(asked.events) == told and len(told) > len(last.events)
    del asked.events[:], last.events[:]
    assert asked == last
    await again.play_until_end(order)
    assert checked(await order)[0].strikes == (0, 0)


async def test_the_clock_of_a_live_bot_runs_while_it_is_away(stage: Stage) -> None:
    first = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2), clock=arbiter_pb2.ClockTerms(limit_ms=LIMIT_MS)))
    before = await first.decision()
    first.call.cancel()
    await stage.settle(lambda: not _here(stage, 1))
    stage.pass_time(LIMIT_MS / 1000 + 0.1)
    again = await stage.bot(1)
    assert (await again.decision()).number > before.number
    again.asked.clear()
    stage.pass_time(LIMIT_MS / 1000 + 0.1)
    stage.pass_time(LIMIT_MS / 1000 + 0.1)
    again.call.cancel()
    await stage.settle(lambda: not _here(stage, 1))
    stage.pass_time(GRACE + 1)
    [match] = checked(await order)
    assert match.result.forfeits[0] in ("timeout", "disconnected")


def _here(stage: Stage, version: int) -> bool:
    return any(lane.key.version_id == version for lane in stage.hall.lobby.present())


async def test_who_vanishes_in_play_forfeits_after_the_grace_time(stage: Stage) -> None:
    bot = await stage.bot(1)
    await stage.player(2)
    order = stage.start(an_order(1, (1, 2), clock=arbiter_pb2.ClockTerms(limit_ms=60_000)))
    await bot.decision()
    bot.call.cancel()
    await stage.settle(lambda: not _here(stage, 1))
    stage.pass_time(GRACE - 0.1)
    assert not order.done()
    stage.pass_time(0.2)
    [match] = checked(await order)
    assert match.result.forfeits == ("disconnected", None)
    assert match.strikes == (0, 0)


async def test_all_vanish_and_the_match_ends(stage: Stage) -> None:
    bots_here = [await stage.bot(number) for number in (1, 2, 3)]
    order = stage.start(an_order(1, (1, 2, 3), "one_oh_one", clock=arbiter_pb2.ClockTerms(limit_ms=60_000)))
    await stage.settle(lambda: stage.hall.tables.running)
    for bot in bots_here:
        bot.call.cancel()
    await stage.settle(lambda: not any(True for _ in stage.hall.lobby.present()))
    stage.pass_time(GRACE + 0.1)
    [match] = checked(await order)
    assert match.result.forfeits.count("disconnected") == 2
    assert not stage.hall.tables.running


async def test_a_bot_that_does_not_read_is_dropped(stage: Stage) -> None:
    deaf = await stage.bot(1)
    [lane] = stage.hall.lobby.present()
    assert lane.connection is not None
    connection = lane.connection
    for _ in range(64):
        connection.push(b"\x32\xff\xff\x3f" + bytes(0xFFFFF))  # A goodbye of a mebibyte.
    await stage.settle(lambda: connection.writing_since is not None and len(connection._items) < 64)
    stage.pass_time(GRACE + 0.1)
    await stage.settle(lambda: not _here(stage, 1))
    deaf.call.cancel()


@pytest.mark.parametrize("shown", [(), bearer("wrong"), bearer(""), bearer(token(1))])
async def test_the_workers_service_wants_its_credential(stage: Stage, shown: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await stage.stub.Status(arbiter_pb2.StatusRequest(), metadata=shown)
    assert failure.value.code() is grpc.StatusCode.UNAUTHENTICATED
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        async for _ in stage.stub.Play(an_order(1, (1, 2)), metadata=shown):
            pass
    assert failure.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert stage.hall.orders.running == 0


async def test_a_bot_cannot_reach_the_workers_service(stage: Stage) -> None:
    stub = arbiter_pb2_grpc.ArbiterStub(stage.bots_channel)
    for shown in ((), bearer("workers only")):
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await stub.Status(arbiter_pb2.StatusRequest(), metadata=shown)
        assert failure.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_slots_return_to_nothing(stage: Stage) -> None:
    bots_here = [await stage.player(number, first_legal) for number in (1, 2)]
    for order in [stage.start(an_order(fixture, (1, 2))) for fixture in range(1, 9)]:
        await order
    async with asyncio.timeout(PATIENCE):
        status = await stage.stub.Status(arbiter_pb2.StatusRequest(), metadata=bearer("workers only"))
    assert (status.orders_running, status.matches_running, status.bots_connected) == (0, 0, 2)
    assert status.decisions > 0
    for bot in bots_here:
        bot.call.cancel()
    await stage.settle(lambda: not any(True for _ in stage.hall.lobby.present()))
    assert not stage.hall.lobby._lanes and not stage.hall.tables.waiting


class Wire:
    """A TCP connection in between that can be cut without a word to either side."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._cut = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> str:
        """The address on this side."""
        self._server = await asyncio.start_server(self._join, "127.0.0.1", 0)
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """From now on nothing passes."""
        self._cut.set()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._server.close()

    async def _join(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, forth = await asyncio.open_connection("127.0.0.1", self._port)
        for reader, writer in ((near, forth), (far, back)):
            self._tasks.append(asyncio.ensure_future(self._pass_on(reader, writer)))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(1 << 16):
                if not self._cut.is_set():
                    writer.write(data)
        finally:
            writer.close()


@pytest.mark.realtime
async def test_a_line_that_is_cut_without_a_word_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault P21: within the keepalive time, and a new stream is let in at once."""
    monkeypatch.setattr(server, "OPTIONS", server.keepalive(1.0, 1.0))
    hall = Hall()
    [address] = await hall.open_to_bots(everybody(), ["127.0.0.1:0"])
    wire = Wire(int(address.rpartition(":")[2]))
    async with grpc.aio.insecure_channel(await wire.open()) as channel:
        bot = Bot(channel)
        await bot.hello(token(1))
        await bot.until(lambda: bot.welcome)
        assert len(list(hall.lobby.present())) == 1
        wire.cut()
        async with asyncio.timeout(PATIENCE):
            while any(True for _ in hall.lobby.present()):
                await asyncio.sleep(0.05)
        async with grpc.aio.insecure_channel(address) as again:
            await _welcomed(again, 1)
    await wire.close()
    await hall.close()


async def test_a_port_that_is_taken_is_named(stage: Stage) -> None:
    hall = Hall()
    [address] = await hall.open_to_bots(everybody(), ["127.0.0.1:0"])
    for impossible in (address, "unix:/no/such/folder/bots.sock", f"unix:/tmp/{'x' * 200}"):
        with pytest.raises(SettingsError, match=r"cannot listen on .*"):
            await Hall().open_to_bots(everybody(), [impossible])
    await hall.close()


TLS = Path(__file__).parent / "tls"  # A certificate for arena.test, until the year 2126; nothing else trusts it.


async def test_bots_dial_with_tls_where_the_port_has_a_certificate(tmp_path: Path) -> None:
    hall = Hall()
    secret = server.tls(str(TLS / "certificate.pem"), str(TLS / "key.pem"))
    listen = ["127.0.0.1:0", f"unix:{tmp_path / 'bots.sock'}"]
    address, inner = await hall.open_to_bots(everybody(), listen, secret=secret)
    trusting = credentials("arena.test:1", TLS / "certificate.pem")
    assert trusting is not None
    named = [("grpc.ssl_target_name_override", "arena.test")]
    async with (
        grpc.aio.secure_channel(address, trusting, named) as outside,
        grpc.aio.insecure_channel(inner) as inside,
        grpc.aio.insecure_channel(address) as plain,
    ):
        await _welcomed(outside, 1)
        await _welcomed(inside, 2)
        with pytest.raises(grpc.aio.AioRpcError):
            await _welcomed(plain, 3)
    await hall.close()


async def _welcomed(channel: grpc.aio.Channel, number: int) -> None:
    bot = Bot(channel)
    await bot.hello(token(number))
    await bot.until(lambda: bot.welcome)


def test_tls_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    assert server.tls("", "") is None
    with pytest.raises(SettingsError, match=r"ARENA_TLS_KEY name two PEM files; '.*none.pem' cannot be read"):
        server.tls(str(TLS / "certificate.pem"), str(tmp_path / "none.pem"))
    with pytest.raises(SettingsError, match=r"ARENA_CA is .*none.pem"):
        credentials("arena.test:1", tmp_path / "none.pem")


async def test_tls_files_that_are_no_pem_are_refused(tmp_path: Path) -> None:
    (tmp_path / "none.pem").write_text("no key")
    secret = server.tls(str(TLS / "certificate.pem"), str(tmp_path / "none.pem"))
    with pytest.raises(SettingsError, match="is no PEM"):
        await Hall().open_to_bots(everybody(), ["127.0.0.1:0"], secret=secret)


async def test_a_bot_whose_token_is_revoked_is_turned_out(stage: Stage) -> None:
    bot, _ = await stage.bot(1), await stage.bot(2)
    assert sorted(stage.hall.lobby.tokens()) == [101, 102]
    stage.hall.lobby.turn_out({101, 999})
    await bot.listen()
    code, details = await bot.status()
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert "revoked" in details and "revoked" in bot.goodbye
    assert stage.hall.lobby.tokens() == [102]


async def test_bots_that_are_here_are_told_of_arbiters_that_come_and_go(stage: Stage) -> None:
    stage.hall.lobby.address = "arena-1:50151"
    bot = await stage.bot(1)
    hosted = await stage.bot(11, lane=0)
    assert bot.welcome is not None and hosted.welcome is not None
    assert (bot.welcome.arbiter, list(bot.welcome.arbiters)) == ("arena-1:50151", [])
    stage.hall.lobby.name_arbiters(["arena-1:50151"])  # As it was.
    for known in (["arena-1:50151", "arena-2:50151"], ["arena-1:50151"]):
        stage.hall.lobby.name_arbiters(known)
        await bot.until(lambda known=known: bot.arbiters == known)  # type: ignore[misc]
    stage.hall.lobby.name_arbiters(["arena-1:50151", "arena-2:50151"])
    later = await stage.bot(2)
    assert later.welcome is not None and list(later.welcome.arbiters) == ["arena-1:50151", "arena-2:50151"]
    stage.hall.lobby.close("The arbiter is ending.")
    await hosted.listen()
    assert not hosted.arbiters and not hosted.welcome.arbiter  # Hosted bots are the arena's own affair.


async def test_whoever_tries_thousands_of_tokens_leaves_threads_for_the_heart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look-ups and heartbeat share the threads of the process."""
    going, most = 0, 0
    lock, let_go = threading.Lock(), threading.Event()

    def find(_: StoreDirectory, token: str) -> None:
        nonlocal going, most
        with lock:
            going += 1
            most = max(most, going)
        assert let_go.wait(PATIENCE)
        with lock:
            going -= 1

    monkeypatch.setattr(StoreDirectory, "_find", find)
    directory = StoreDirectory(object(), _NoLanes())  # type: ignore[arg-type]
    asking = [asyncio.ensure_future(directory.guest(f"token {number}")) for number in range(100)]
    async with asyncio.timeout(PATIENCE):
        assert await asyncio.to_thread(lambda: "beat") == "beat"
        let_go.set()
        await asyncio.gather(*asking)
    assert most == LOOK_UPS


async def test_who_comes_and_goes_stands_in_the_log(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "arbiter.lobby")
    bot = await stage.bot(1, sdk="mine/7")
    await bot.send(GARBAGE)
    await _refused(bot)
    await stage.settle(lambda: not _here(stage, 1))
    told = [(record.getMessage(), record.__dict__["bot"]) for record in caplog.records]
    assert told[0] == ("A bot has come, with mine/7.", "bot 1")
    assert told[1][0].startswith("A stream has ended: A message of") and told[1][1] == "bot 1"


@pytest.mark.realtime
async def test_a_bot_notices_too_that_its_line_was_cut_and_dials_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault P21, from the other side: the SDK does not wait for ever for an arbiter that does not hear it."""
    monkeypatch.setattr(server, "OPTIONS", (("grpc.http2.min_ping_interval_without_data_ms", 100),))
    monkeypatch.setattr(sdk, "SILENCE_SECONDS", 1.0)
    monkeypatch.setattr(sdk, "ECHO_SECONDS", 1.0)
    hall = Hall()
    [address] = await hall.open_to_bots(everybody(), ["127.0.0.1:0"])
    wire = Wire(int(address.rpartition(":")[2]))
    settings = sdk.Settings(await wire.open(), token(1), ("gin",))
    dialler = sdk._Dialler(lambda decision: decision.fallback, settings, None)
    running = asyncio.ensure_future(dialler.run())
    async with asyncio.timeout(PATIENCE):
        for holds in (True, False):
            while bool(dialler._there) is not holds:
                await asyncio.sleep(0.05)
            wire.cut()
    for task in (running, *dialler._tasks.values()):
        task.cancel()
    await asyncio.gather(running, *dialler._tasks.values(), return_exceptions=True)
    await wire.close()
    await hall.close()
