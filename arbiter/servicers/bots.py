"""Where bot authors submit: packages, which are checked, tried and stored, and bots that will dial in by themselves."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, TypeAlias, TypeVar

import grpc
from google.protobuf.message import DecodeError

from arbiter.hosting.trust import require_trust
from arbiter.server import Context, Handlers, bearer
from arbiter.servicers.roster import Roster
from arbiter.servicers.upload import Upload
from rummy import packages
from rummy.errors import BadInput, RummyError, TooMany
from rummy.manifest import Manifest, check_games
from rummy.names import check_name, check_version
from rummy.packages import Package
from rummy.store.bots import Version
from rummy.store.owners import Bearer
from rummy.wire.status import abort_on_error
from rummy.wire.v1 import bots_pb2

T = TypeVar("T")
SERVICE = "rummy.wire.v1.Bots"
AT_ONCE = 8
"""Submissions under way; each holds a package in memory."""

_LANGUAGE = re.compile(r"[a-z0-9][a-z0-9+#.-]{0,31}")
State: TypeAlias = "bots_pb2.SubmitStep.State.ValueType"
_RUNNING = bots_pb2.SubmitStep.STATE_RUNNING
_PASSED = bots_pb2.SubmitStep.STATE_PASSED
_FAILED = bots_pb2.SubmitStep.STATE_FAILED


class Qualifying(Protocol):
    """Tries a package in play."""

    def play(self, content: bytes, said: Manifest, key: str) -> Awaitable[str]:
        """Plays a deal of game *key*, and tells of it. Raises a `BotFault`, or a host fault."""


class BotsServicer:
    """Submission and registration. *trusted*: packages are hosted here."""

    def __init__(self, roster: Roster, qualifying: Qualifying, *, trusted: bool) -> None:
        self._roster = roster
        self._qualifying = qualifying
        self._trusted = trusted
        self._busy = 0

    def handlers(self) -> Handlers:
        """The methods, on bytes."""
        return {
            "Submit": grpc.stream_stream_rpc_method_handler(self.submit),
            "Register": grpc.unary_unary_rpc_method_handler(self.register),
        }

    async def submit(self, _: object, context: Context) -> None:
        """Takes a package and tells of each step; where one fails, the call ends with the reason."""
        async with abort_on_error(context):
            owner = await self._roster.owner(bearer(context))
            require_trust(trust_bots=self._trusted)
            if self._busy >= AT_ONCE:
                raise TooMany(f"{AT_ONCE} packages are being submitted at the moment; try again in a minute.")
            self._busy += 1
            try:
                await _Submission(self._roster, self._qualifying, owner, context).run()
            finally:
                self._busy -= 1

    async def register(self, request: bytes, context: Context) -> bytes:
        """Makes a version of a bot that dials in, and its token, in place of one that it had."""
        async with abort_on_error(context):
            owner = await self._roster.owner(bearer(context))
            asked = _read_register(request)
            version, token = await self._roster.register(
                owner,
                name=check_name(asked.name),
                version=check_version(asked.version),
                games=check_games(list(asked.games)),
                language=_check_language(asked.language),
            )
            return bots_pb2.RegisterReply(version_id=version.version_id, token=token).SerializeToString()
        raise AssertionError("abort raises")


class _Submission:
    """One call of Submit."""

    def __init__(self, roster: Roster, qualifying: Qualifying, owner: Bearer, context: Context) -> None:
        self._roster = roster
        self._qualifying = qualifying
        self._owner = owner
        self._context = context

    async def run(self) -> None:
        """Takes the package through every step. Raises what the first failure was."""
        receive = Upload(self._context).content
        content = await self._step("received", receive, lambda received: f"{len(received)} bytes")
        unpack = partial(asyncio.to_thread, packages.read_files, content)
        files = await self._step("unpacked", unpack, lambda found: f"{len(found)} files")
        package = await self._step("manifest", partial(asyncio.to_thread, packages.of_files, content, files), _title)
        known = await self._roster.submitted(self._owner, package)
        if known is not None:
            await self._say("stored", _PASSED, "this very package is here already", known)
            return
        for key in package.manifest.games:
            play = partial(self._qualifying.play, content, package.manifest, key)
            await self._step(f"qualifying {key}", play, str)
        version = await self._roster.store(self._owner, package, content)
        await self._say("stored", _PASSED, f"version {version.version_id} of {self._owner.owner}", version)

    async def _step(self, name: str, doing: Callable[[], Awaitable[T]], told: Callable[[T], str]) -> T:
        await self._say(name, _RUNNING)
        try:
            done = await doing()
        except RummyError as error:
            await self._say(name, _FAILED, str(error))
            raise
        await self._say(name, _PASSED, told(done))
        return done

    async def _say(self, step: str, state: State, text: str = "", made: Version | None = None) -> None:
        said = bots_pb2.SubmitStep(step=step, state=state, text=text, version_id=made.version_id if made else 0)
        await self._context.write(said.SerializeToString())


def _title(package: Package) -> str:
    said = package.manifest
    return f"{said.name} {said.version}, plays {', '.join(said.games)}"


def _read_register(request: bytes) -> bots_pb2.RegisterRequest:
    try:
        return bots_pb2.RegisterRequest.FromString(request)
    except DecodeError:
        raise BadInput(f"A request of {len(request)} bytes is no rummy.wire.v1.RegisterRequest.") from None


def _check_language(language: str) -> str:
    if not _LANGUAGE.fullmatch(language):
        raise BadInput('The language is a word in small letters, such as "python" or "c++".')
    return language
