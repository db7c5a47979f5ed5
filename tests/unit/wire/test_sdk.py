"""The SDK: what a bot is asked, what it says, and how it behaves where the arena refuses it or goes away."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import grpc
import grpc.aio
import pytest

from rummy.errors import BadInput, Conflict, RummyError, SettingsError, TooMany, Unauthenticated
from rummy.rules.actions import DrawStock
from rummy.rules.game import EventKind, Phase
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.wire import codec, encoder
from rummy.wire.dial import is_local
from rummy.wire.encoder import SeatEncoder
from rummy.wire.status import abort_on_error
from rummy.wire.v1 import table_pb2, view_pb2
from sample_bots import sdk

SETTINGS = sdk.Settings("unix:/nowhere", "token", ("gin",))
WELCOME = encoder.welcome_part(table_pb2.Welcome(protocol=1, bot="b", concurrency=8))


def stock(_: sdk.Decision) -> sdk.Answer:
    return DrawStock()


def asked(match: Match, number: int = 3) -> bytes:
    assert match.decision is not None
    seat = match.decision.seat
    return SeatEncoder(9, match, seat, options="{}", seed=77, limit_ms=500).decision(number, 4000, 120, 350)


def test_a_decision_has_what_the_match_has() -> None:
    match = Match(find_game("gin"), 2, b"sdk")
    seen: list[sdk.Decision] = []

    def choose(decision: sdk.Decision) -> sdk.Answer:
        seen.append(decision)
        return decision.legal[0]

    (answer,) = sdk.Session(choose, SETTINGS).answers(asked(match))
    (decision,) = seen
    assert match.decision is not None
    assert decision.game == match.game
    assert decision.view == match.view(match.decision.seat)
    assert list(decision.legal) == list(match.legal_actions())
    assert decision.fallback == match.default_action()
    assert [event.kind for event in decision.events] == [event.kind for event in match.events]
    assert (decision.phase, decision.deal, decision.ply, decision.match) == (Phase.OFFER, 0, 0, 9)
    assert (decision.seed, decision.limit_ms, decision.bank_ms) == (77, 500, 4000)
    assert (decision.last_us, decision.last_wait_us) == (120, 350)
    assert codec.read_answers(answer) == [codec.Answer(9, 3, (match.legal_actions()[0],), None)]


def test_randomness_is_the_same_when_asked_again_and_another_at_the_next_ply() -> None:
    match = Match(find_game("gin"), 2, b"sdk")
    drawn: list[float] = []

    def choose(decision: sdk.Decision) -> sdk.Answer:
        drawn.append(decision.random.random())
        return decision.fallback

    session = sdk.Session(choose, SETTINGS)
    for _ in range(2):
        list(session.answers(asked(match)))
    match.apply(match.default_action())
    list(session.answers(asked(match)))
    assert drawn[0] == drawn[1] == Random(77 << 64).random()
    assert drawn[2] != drawn[0]


def test_many_decisions_are_answered_in_one_message() -> None:
    match = Match(find_game("gin"), 2, b"sdk")
    data = b"".join(asked(match, number) for number in range(50))
    (answer,) = sdk.Session(stock, SETTINGS).answers(data)
    assert [each.number for each in codec.read_answers(answer)] == list(range(50))


def test_a_bot_that_thinks_long_sends_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(0.0, 0.015)
    monkeypatch.setattr(sdk, "monotonic", lambda: next(clock))
    match = Match(find_game("gin"), 2, b"sdk")
    messages = list(sdk.Session(stock, SETTINGS).answers(b"".join(asked(match, number) for number in range(5))))
    assert [len(codec.read_answers(message)) for message in messages] == [2, 2, 1]


def test_a_bot_that_listens_hears_of_events_and_asks_for_them() -> None:
    match = Match(find_game("gin"), 2, b"sdk")
    heard: list[tuple[int, list[EventKind]]] = []
    session = sdk.Session(stock, SETTINGS, lambda number, events: heard.append((number, [e.kind for e in events])))
    assert table_pb2.FromBot.FromString(session.hello()).hello.push_events
    news = SeatEncoder(9, match, 0, options="{}", seed=77, limit_ms=500).news()
    assert list(session.answers(news)) == []
    assert heard == [(9, [EventKind.DEAL])]
    deaf = sdk.Session(stock, SETTINGS)
    assert not table_pb2.FromBot.FromString(deaf.hello()).hello.push_events


def test_an_event_of_a_newer_arena_is_passed_over() -> None:
    events = [view_pb2.Event(kind=kind, seat=1) for kind in (2, 99, 4)]  # type: ignore[arg-type]
    heard: list[int] = []
    session = sdk.Session(stock, SETTINGS, lambda _, events: heard.extend(int(event.kind) for event in events))
    list(session.answers(table_pb2.ToBot(news=[table_pb2.News(match=9, events=events)]).SerializeToString()))
    assert heard == [2, 4]


def test_garbage_from_the_arena_is_told() -> None:
    with pytest.raises(BadInput, match=r"no rummy\.wire\.v1\.ToBot"):
        list(sdk.Session(stock, SETTINGS).answers(b"\xff\xff"))


# ---- settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bot.toml").write_text('games = ["gin", "one_oh_one"]')
    return tmp_path


def test_settings_are_read(folder: Path) -> None:
    environment = {"ARENA_ADDRESS": "a:1", "ARENA_TOKEN": "t", "ARENA_CA": "/ca.pem"}
    settings = sdk.settings_from(environment, folder, 5)
    assert settings == sdk.Settings("a:1", "t", ("gin", "one_oh_one"), 5, Path("/ca.pem"))


@pytest.mark.parametrize(("asked", "taken"), [(0, 7), (5, 5)])
def test_how_many_matches_at_once_stands_in_the_manifest_too(tmp_path: Path, asked: int, taken: int) -> None:
    (tmp_path / "bot.toml").write_text('games = ["gin"]\nconcurrency = 7\n')
    settings = sdk.settings_from({"ARENA_ADDRESS": "a:1", "ARENA_TOKEN": "t"}, tmp_path, asked)
    hello = table_pb2.FromBot.FromString(sdk.Session(stock, settings).hello()).hello
    assert hello.concurrency == taken


@pytest.mark.parametrize("missing", ["ARENA_ADDRESS", "ARENA_TOKEN"])
def test_a_missing_setting_is_named_with_what_it_is_for(folder: Path, missing: str) -> None:
    environment = {"ARENA_ADDRESS": "a:1", "ARENA_TOKEN": "t", missing: ""}
    with pytest.raises(SettingsError, match=f"{missing} is not set.*where the arena listens"):
        sdk.settings_from(environment, folder)


@pytest.mark.parametrize("text", [
    None, "games = []", "games = [1]", 'games = "gin"', "games", "", 'games = ["gin"]\nconcurrency = "many"',
    'games = ["gin"]\nconcurrency = -1',
])  # fmt: skip
def test_a_bad_manifest_is_refused(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "bot.toml").write_text(text)
    with pytest.raises(SettingsError, match=r"bot\.toml"):
        sdk.settings_from({"ARENA_ADDRESS": "a:1", "ARENA_TOKEN": "t"}, tmp_path)


def test_plain_text_stays_on_this_machine() -> None:
    assert all(map(is_local, ("unix:/a", "127.0.0.1:5", "localhost:5", "[::1]:5", "127.9.9.9:1")))
    assert not any(map(is_local, ("10.0.0.1:5", "example.org:5", "localhost.example.org:5", "0.0.0.0:5")))


# ---- connections


@asynccontextmanager
async def arena(play: Callable[[Any, Any], Any], folder: Path) -> AsyncIterator[sdk.Settings]:
    server = grpc.aio.server()
    handlers: dict[str, Any] = {"Play": grpc.stream_stream_rpc_method_handler(play)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("rummy.wire.v1.Table", handlers),))
    address = f"unix:{folder}/a.sock"
    server.add_insecure_port(address)
    await server.start()
    yield sdk.Settings(address, "token", ("gin",))
    await server.stop(None)


async def running(settings: sdk.Settings, choose: sdk.Choose = stock) -> None:
    await asyncio.wait_for(sdk._Dialler(choose, settings, None).run(), 20)


async def test_a_refused_token_ends_the_bot_with_the_arenas_sentence(tmp_path: Path) -> None:
    async def play(_: Any, context: Any) -> None:
        async with abort_on_error(context):
            raise Unauthenticated("The token is unknown or revoked.")

    async with arena(play, tmp_path) as settings:
        with pytest.raises(Unauthenticated, match="unknown or revoked"):
            await running(settings)


async def test_another_version_of_the_protocol_ends_the_bot(tmp_path: Path) -> None:
    async def play(_: Any, context: Any) -> None:
        async with abort_on_error(context):
            hello = table_pb2.FromBot.FromString(await context.read())
            hello.hello.protocol = 2
            codec.read_hello(hello.SerializeToString())

    async with arena(play, tmp_path) as settings:
        with pytest.raises(RummyError, match="update the bot's SDK"):
            await running(settings)


async def test_a_lost_connection_is_dialled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdk, "FIRST_PAUSE", 0.0)
    calls = itertools.count(1)

    async def play(_: Any, context: Any) -> None:
        async with abort_on_error(context):
            await context.read()
            await context.write(WELCOME)
            if next(calls) == 3:
                raise Unauthenticated("Three times is enough.")

    async with arena(play, tmp_path) as settings:
        with pytest.raises(Unauthenticated, match="Three times"):
            await running(settings)
    assert next(calls) == 4


async def test_an_arbiter_that_is_full_is_dialled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sdk, "FIRST_PAUSE", 0.0)
    calls = itertools.count(1)

    async def play(_: Any, context: Any) -> None:
        async with abort_on_error(context):
            raise TooMany("Full up.") if next(calls) < 3 else Unauthenticated("Three times is enough.")

    async with arena(play, tmp_path) as settings:
        with pytest.raises(Unauthenticated, match="Three times"):
            await running(settings)
    assert "Full up. Dialling again" in capsys.readouterr().err


async def test_a_bot_that_is_taken_over_while_it_answers_does_not_take_over_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sdk, "FLUSH_SECONDS", 0.0)  # Each answer is a message.
    decision = asked(Match(find_game("gin"), 2, b"sdk"))
    calls = itertools.count()

    async def play(_: Any, context: Any) -> None:
        async with abort_on_error(context):
            await context.read()
            await context.write(WELCOME + decision * 500)
            await context.read()
            next(calls)
            raise Conflict("Another stream has taken over.")

    async with arena(play, tmp_path) as settings:
        for count in range(5):
            with pytest.raises(Conflict, match="taken over"):
                await running(settings)
            assert next(calls) == 2 * count + 1


async def test_a_bot_that_fails_ends_with_its_own_error(tmp_path: Path) -> None:
    match = Match(find_game("gin"), 2, b"sdk")

    async def play(_: Any, context: Any) -> None:
        await context.read()
        await context.write(WELCOME + asked(match))
        await context.read()

    def choose(decision: sdk.Decision) -> sdk.Answer:
        raise ZeroDivisionError(decision.deal)

    async with arena(play, tmp_path) as settings:
        with pytest.raises(ZeroDivisionError):
            await running(settings, choose)


# ---- several arbiters


class Named:
    """An arbiter that says where it and the others are, and counts who comes; a new stream ends the one before."""

    def __init__(self, name: str, others: list[str]) -> None:
        self.name, self.others = name, others
        self.calls = 0
        self.here: asyncio.Queue[bytes | Conflict] | None = None

    async def play(self, _: Any, context: Any) -> None:
        async with abort_on_error(context):
            await context.read()
            self.calls += 1
            if self.here is not None:
                self.here.put_nowait(Conflict("Another stream has taken over."))
            here = self.here = asyncio.Queue()
            welcome = table_pb2.Welcome(protocol=1, bot="b", arbiters=self.others, arbiter=self.name)
            await context.write(encoder.welcome_part(welcome))
            while not isinstance(news := await here.get(), Conflict):
                await context.write(news)
            raise news

    def say(self, *addresses: str) -> None:
        """Tells the bot that is here where the arbiters are by now."""
        assert self.here is not None
        self.here.put_nowait(encoder.arbiters_part(addresses))


@asynccontextmanager
async def arbiters(folder: Path, *doors: str) -> AsyncIterator[list[Named]]:
    """Two arbiters; the first one has *doors* beside its own address."""
    names = [f"unix:{folder}/{letter}" for letter in "ab"]
    made = [Named(name, names) for name in names]
    servers = []
    for one in made:
        server = grpc.aio.server()
        handlers: dict[str, Any] = {"Play": grpc.stream_stream_rpc_method_handler(one.play)}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("rummy.wire.v1.Table", handlers),))
        for address in (one.name, *(doors if one is made[0] else ())):
            server.add_insecure_port(address)
        await server.start()
        servers.append(server)
    yield made
    for server in servers:
        await server.stop(None)


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0)


@asynccontextmanager
async def dialling(address: str) -> AsyncIterator[sdk._Dialler]:
    dialler = sdk._Dialler(stock, sdk.Settings(address, "token", ("gin",)), None)
    task = asyncio.ensure_future(dialler.run())
    yield dialler
    assert not task.done()
    task.cancel()
    for one in dialler._tasks.values():
        one.cancel()
    await asyncio.gather(task, *dialler._tasks.values(), return_exceptions=True)


async def test_a_bot_dials_every_arbiter_that_it_is_told_of_and_each_once(tmp_path: Path) -> None:
    """It has come by another door than the name of the first: that is the same arbiter."""
    door = f"unix:{tmp_path}/door"
    async with arbiters(tmp_path, door) as (first, second), dialling(door) as dialler:
        await until(lambda: len(dialler._there) == 2)
        assert (first.calls, second.calls) == (1, 1)
        assert dialler._tasks.keys() == {door, second.name}


async def test_a_bot_that_is_connected_hears_of_arbiters_that_come_and_go(tmp_path: Path) -> None:
    async with arbiters(tmp_path) as (first, second):
        first.others = second.others = []
        async with dialling(first.name) as dialler:
            await until(lambda: dialler._there)
            nowhere = f"unix:{tmp_path}/nowhere"
            first.say(first.name, second.name, nowhere)
            await until(lambda: len(dialler._there) == 2)
            assert nowhere in dialler._tasks
            first.say(first.name, second.name)
            await until(lambda: nowhere not in dialler._tasks)
            first.say(first.name)
            first.say(first.name, nowhere)
            await until(lambda: nowhere in dialler._tasks)
            assert second.name in dialler._tasks  # Whoever is there is not let go of.


async def test_two_addresses_of_one_arbiter_do_not_end_the_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What balances load leads a bot back to an arbiter where it is already, by that one's own name."""
    monkeypatch.setattr(sdk, "FIRST_PAUSE", 0.0)
    monkeypatch.setattr(sdk, "DOUBT_SECONDS", 0.05)
    door = f"unix:{tmp_path}/door"
    async with arbiters(tmp_path, door) as (first, second), dialling(second.name) as dialler:
        await until(lambda: len(dialler._there) == 2)
        dialler._dial([door])
        await until(lambda: first.name not in dialler._tasks)
        assert dialler._tasks.keys() == {door, second.name} and first.calls == 2


async def test_what_does_not_change_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sdk, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(sdk, "LONGEST_PAUSE", 0.002)
    tried: list[str] = []
    talk = sdk._Dialler._talk

    async def counted(self: sdk._Dialler, address: str, session: sdk.Session) -> str:
        tried.append(address)
        return await talk(self, address, session)

    monkeypatch.setattr(sdk._Dialler, "_talk", counted)
    async with dialling(f"unix:{tmp_path}/nowhere"):
        await until(lambda: len(tried) > 20)
    assert "cannot be reached" in (said := capsys.readouterr().err)
    assert said.count("\n") <= 3
