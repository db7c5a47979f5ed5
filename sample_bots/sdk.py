"""All that a bot needs: `choose(decision)` is the bot, `run(choose)` plays it in the arena.

    from sample_bots import sdk

    def choose(decision: sdk.Decision) -> sdk.Answer:
        return decision.legal[0]

    if __name__ == "__main__":
        sdk.run(choose)

`run` dials ARENA_ADDRESS ("host:port" or "unix:/path") with ARENA_TOKEN, offers the games of the bot.toml that stands
beside the program (or in ARENA_BOT_DIR), and answers until it is told to stop. It dials again where the connection is
lost, and ends with a sentence where the arena refuses it. It encrypts, except to this machine (ARENA_CA names the file
of a certificate authority of one's own).

A decision is complete in itself, and its parts are decoded when they are first looked at. `choose` returns an action,
or a list of actions for the rest of the turn. Many matches are played at once in one thread; an exception in `choose`
ends the program. A bot that thinks in the others' time gives `run` a function `hear(match, events)`, which is called
with what happens as it happens; a decision then repeats none of it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tomllib
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from json import loads
from pathlib import Path
from time import monotonic
from typing import Any

import grpc
import grpc.aio

from rummy.errors import Conflict, HostFault, RummyError, SettingsError, TooMany
from rummy.rules.actions import Action
from rummy.rules.game import Event, Game, View
from rummy.rules.games import find_game
from rummy.wire import codec, encoder
from rummy.wire.dial import AUTHORITY, credentials
from rummy.wire.question import Question, once
from rummy.wire.status import error_of
from rummy.wire.v1 import table_pb2

if sys.platform == "win32":  # For which there is no uvloop.
    from asyncio import run as run_loop
else:
    from uvloop import run as run_loop

VERSION = "rummy-arena-python/1"
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # Seconds before dialling again; doubled each time.
DOUBT_SECONDS = 1.0  # So long may it take until a stream that has taken over is known to be one of our own.
FLUSH_SECONDS = 0.02  # Answers wait no longer than this for others of the same message.
MAX_MESSAGE = 64 << 20
SILENCE_SECONDS, ECHO_SECONDS = 10.0, 5.0  # A connection that is silent for so long is tried, and then given up.

_SEVERAL = (list, tuple)

Actions = Sequence[Action]
Answer = Action | Sequence[Action]
Decision = Question
Choose = Callable[[Decision], Answer]
Hear = Callable[[int, Sequence[Event]], None]


class WireDecision(Question):
    """A decision that the arena has sent."""

    def __init__(self, raw: table_pb2.Decision) -> None:
        self._raw = raw
        self.match, self.deal, self.ply, self.seed = raw.match, raw.deal, raw.ply, raw.seed
        self.limit_ms, self.bank_ms = raw.limit_ms, raw.bank_ms
        self.last_us, self.last_wait_us = raw.last_us, raw.last_wait_us
        self.phase = codec.read_phase(raw.phase)

    @once
    def game(self) -> Game:
        return _game(self._raw.game, self._raw.options)

    @once
    def view(self) -> View:
        return codec.read_view(self._raw.view, self._raw.game, self.phase)

    @once
    def legal(self) -> Sequence[Action]:
        raw = self._raw
        simple = codec.simple_actions(raw.legal)
        return simple + tuple(codec.read_action(move) for move in raw.moves) if raw.moves else simple

    @once
    def fallback(self) -> Action:
        return codec.read_action(self._raw.fallback)

    @once
    def events(self) -> Sequence[Event]:
        return codec.read_events(self._raw.events)


@lru_cache(maxsize=64)
def _game(key: str, options: str) -> Game:
    return find_game(key, loads(options or "{}"))


# ---- settings


@dataclass(frozen=True)
class Settings:
    """Where to dial, as whom, and what the bot plays."""

    address: str
    token: str
    games: tuple[str, ...]
    concurrency: int = 0
    authority: Path | None = None


def settings_from(environment: Mapping[str, str], folder: Path, concurrency: int = 0) -> Settings:
    """The settings in *environment* and in bot.toml of *folder*. Raises `SettingsError`."""
    for name in ("ARENA_ADDRESS", "ARENA_TOKEN"):
        if not environment.get(name):
            raise SettingsError(
                f"{name} is not set. A bot needs ARENA_ADDRESS, where the arena listens for bots (for instance "
                "127.0.0.1:50151), and ARENA_TOKEN, which registering it gives; `arena bot run` does all of it."
            )
    manifest = _manifest(folder / "bot.toml")
    concurrency = concurrency or _concurrency(manifest, folder)
    authority = environment.get(AUTHORITY)
    return Settings(
        environment["ARENA_ADDRESS"], environment["ARENA_TOKEN"], _games(manifest, folder),
        concurrency, Path(authority) if authority else None,
    )  # fmt: skip


def _manifest(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingsError(f"There is no {path}; it names the games that the bot plays.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None


def _games(manifest: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    games = manifest.get("games")
    if not isinstance(games, list) or not games or not all(isinstance(game, str) for game in games):
        raise SettingsError(f'{folder / "bot.toml"} needs a line such as: games = ["gin"]')
    return tuple(games)


def _concurrency(manifest: Mapping[str, Any], folder: Path) -> int:
    asked = manifest.get("concurrency", 0)
    if not isinstance(asked, int) or isinstance(asked, bool) or not 0 <= asked < 1 << 32:
        raise SettingsError(f"concurrency in {folder / 'bot.toml'} has to be a number, 0 or more.")
    return asked


# ---- playing


class Session:
    """What one connection says: a hello, then answers. Bytes in, bytes out."""

    def __init__(self, choose: Choose, settings: Settings, hear: Hear | None = None) -> None:
        self._choose = choose
        self._settings = settings
        self._hear = hear
        self.goodbye = ""
        self.welcomed = False
        self.arbiter = ""  # Which this is, as the arena names it.
        self.arbiters: tuple[str, ...] = ()  # Where the arena wants to be dialled; none where it has not said.
        self.told = False  # One of the two has just been said.

    def hello(self) -> bytes:
        """The first message."""
        offers = [table_pb2.GameOffer(game=game) for game in self._settings.games]
        return encoder.hello_part(
            table_pb2.Hello(
                token=self._settings.token, protocol=codec.PROTOCOL, games=offers,
                concurrency=self._settings.concurrency, sdk=VERSION, push_events=self._hear is not None,
            )
        )  # fmt: skip

    def answers(self, data: bytes) -> Iterator[bytes]:
        """Messages that answer *data*: one, or more where `choose` takes its time. Raises `BadInput` for garbage."""
        message = codec.read_to_bot(data)
        self._notice(message)
        answer = self._answer
        parts: list[bytes] = []
        flush = monotonic() + FLUSH_SECONDS
        for raw in message.decisions:
            parts.append(answer(raw))
            if (now := monotonic()) > flush:
                yield b"".join(parts)
                parts.clear()
                flush = now + FLUSH_SECONDS
        if parts:
            yield b"".join(parts)

    def _notice(self, message: table_pb2.ToBot) -> None:
        if message.HasField("welcome"):
            self.welcomed = self.told = True
            self.arbiter, self.arbiters = message.welcome.arbiter, tuple(message.welcome.arbiters)
            _say(f"{message.welcome.bot} is connected, for up to {message.welcome.concurrency} matches at once.")
        for rejection in message.rejections:
            _say(f"match {rejection.match}: an answer was rejected: {rejection.reason} (strike {rejection.strikes})")
        if self._hear is not None:
            for news in message.news:
                self._hear(news.match, codec.read_events(news.events))
        if message.arbiters:
            self.told, self.arbiters = True, tuple(message.arbiters)
        if message.goodbye:
            self.goodbye = message.goodbye

    def _answer(self, raw: table_pb2.Decision) -> bytes:
        decision = WireDecision(raw)
        chosen = self._choose(decision)
        actions = chosen if isinstance(chosen, _SEVERAL) else (chosen,)
        return encoder.answer_part(decision.match, raw.number, actions)


class _Dialler:
    """Keeps a connection to each arbiter that the arena names, whatever address has led to it."""

    def __init__(self, choose: Choose, settings: Settings, hear: Hear | None) -> None:
        self._choose = choose
        self._settings = settings
        self._hear = hear
        self._tasks: dict[str, asyncio.Task[None]] = {}  # By what they dial.
        self._there: dict[str, Session] = {}  # By what they dial: those that have been welcomed.

    async def run(self) -> None:
        """Plays for ever. Raises what makes it pointless to go on, an exception of `choose` included."""
        self._failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._dial((self._settings.address,))
        await self._failure

    def _dial(self, addresses: Sequence[str]) -> None:
        for address in set(addresses) - self._tasks.keys():
            self._tasks[address] = asyncio.create_task(self._stay(address))
            self._tasks[address].add_done_callback(self._ended)

    def _note(self, address: str, session: Session) -> None:
        """Notes where *address* has led, dials what the arena has named, and lets go of what it no longer names."""
        self._there[address], session.told = session, False
        if not session.arbiters:
            return
        for other in self._tasks.keys() - {self._settings.address, *self._there, *session.arbiters}:
            self._tasks.pop(other).cancel()
        reached = {there.arbiter for there in self._there.values()}
        self._dial([named for named in session.arbiters if named not in reached])

    async def _is_ours(self, session: Session) -> bool:
        """Whether what has taken over from *session* is a stream of ours: two addresses have led to one arbiter."""
        if session.arbiter and len(self._tasks) > 1:
            await asyncio.sleep(DOUBT_SECONDS)
        others = [there for there in self._there.values() if there is not session]
        return any(other.arbiter == session.arbiter != "" for other in others)

    def _ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._failure.done():
            self._failure.set_exception(error)

    async def _stay(self, address: str) -> None:
        pause, said = FIRST_PAUSE, ""
        while True:
            session = Session(self._choose, self._settings, self._hear)
            try:
                why = await self._talk(address, session)
            except Conflict:
                if not await self._is_ours(session):
                    raise
                del self._tasks[address]
                return
            finally:
                self._there.pop(address, None)
            pause = FIRST_PAUSE if session.welcomed else min(pause * 2, LONGEST_PAUSE)
            before, said = said, f"{address}: {why} Dialling again in {pause:g} s."
            if said != before or session.welcomed:
                _say(said)
            await asyncio.sleep(pause)

    async def _talk(self, address: str, session: Session) -> str:
        """Plays until the connection ends, and says why it did. Raises what dialling again would not mend."""
        async with _channel(address, self._settings) as channel:
            call: Any = channel.stream_stream("/rummy.wire.v1.Table/Play")()
            try:
                await self._exchange(call, address, session)
            except grpc.RpcError as rpc_error:
                error = error_of(rpc_error)
                if not isinstance(error, HostFault | TooMany):
                    raise error from None
                return str(error)
        return session.goodbye or "The arena has ended the connection."

    async def _exchange(self, call: Any, address: str, session: Session) -> None:
        end = _End(call)
        try:
            await call.write(session.hello())
            while (data := await call.read()) is not grpc.aio.EOF:
                for message in session.answers(data):
                    await call.write(message)
                if session.told:
                    self._note(address, session)
        except (asyncio.InvalidStateError, grpc.aio.AioRpcError):  # The call has ended, and its status says why.
            pass
        await call.code()
        if end.error is not None:
            raise end.error


class _End:
    """How the arena has ended a call. Noted at that moment: a write that fails thereafter overwrites it in the call."""

    def __init__(self, call: Any) -> None:
        self.error: grpc.aio.AioRpcError | None = None
        self._noted = False
        call.add_done_callback(self._note)

    def _note(self, call: Any) -> None:
        if not self._noted:
            self._noted = True
            code, details, trailing = map(_known, (call.code(), call.details(), call.trailing_metadata()))
            if code is not grpc.StatusCode.OK:
                self.error = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailing, details)


def _known(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that has nothing to wait for."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise RuntimeError("A call that has ended does not know how.")


def _channel(address: str, settings: Settings) -> grpc.aio.Channel:
    options = [
        ("grpc.max_receive_message_length", MAX_MESSAGE),
        ("grpc.max_send_message_length", MAX_MESSAGE),
        ("grpc.keepalive_time_ms", int(SILENCE_SECONDS * 1000)),
        ("grpc.keepalive_timeout_ms", int(ECHO_SECONDS * 1000)),
        ("grpc.http2.ping_timeout_ms", int(ECHO_SECONDS * 1000)),
        ("grpc.http2.max_pings_without_data", 0),
    ]
    secret = credentials(address, settings.authority)
    if secret is None:
        return grpc.aio.insecure_channel(address, options)
    return grpc.aio.secure_channel(address, secret, options)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def run(choose: Choose, concurrency: int = 0, hear: Hear | None = None) -> None:
    """Plays *choose* in the arena until told to stop; leaves the program with a sentence where it cannot go on.

    *concurrency* is how many matches are played at once; 0 takes what bot.toml says, or the arena's limit. *hear* is
    told of a match's events as they happen.
    """
    folder = Path(os.environ.get("ARENA_BOT_DIR") or Path(sys.argv[0]).resolve().parent)
    try:
        run_loop(_Dialler(choose, settings_from(os.environ, folder, concurrency), hear).run())
    except KeyboardInterrupt:
        sys.exit(130)
    except RummyError as error:
        sys.exit(str(error))
