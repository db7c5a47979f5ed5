"""The arbiter's edge towards bots: decode, delegate, send. No rules here, and no clock."""

from __future__ import annotations

import asyncio
import logging

import grpc
import grpc.aio

from arbiter.connection import Connection
from arbiter.directory import Directory, Guest
from arbiter.lane import Lane
from arbiter.lobby import Lobby
from arbiter.server import Context, Handlers, bearer
from rummy.errors import BotDisconnected, BotTimeout, HostFault, RummyError, Unauthenticated
from rummy.wire import codec
from rummy.wire.status import abort_on_error

_log = logging.getLogger(__name__)
SERVICE = "rummy.wire.v1.Table"


class TableServicer:
    """One stream a bot: all its matches, in lists in both directions."""

    def __init__(self, lobby: Lobby, directory: Directory) -> None:
        self._lobby = lobby
        self._directory = directory

    def handlers(self) -> Handlers:
        """The methods, on bytes."""
        return {"Play": grpc.stream_stream_rpc_method_handler(self.play)}

    async def play(self, _: object, context: Context) -> None:
        """Lets the bot in, and sends what is ready until either side ends the stream."""
        async with abort_on_error(context):
            reader = _Reader(context)
            try:
                greeting = await reader.hello(self._lobby.hello_seconds)
                guest = await self._guest(greeting.token or bearer(context))
                await self._serve(context, reader, guest, greeting)
            finally:
                reader.close()

    async def _guest(self, token: str) -> Guest:
        if not token:
            raise Unauthenticated("Show the bot's token in hello, or as metadata 'authorization: Bearer ...'.")
        return await self._directory.guest(token)

    async def _serve(self, context: Context, reader: _Reader, guest: Guest, greeting: codec.Greeting) -> None:
        lane, connection = self._lobby.attach(guest, greeting)
        reader.feed(lane, connection)
        now, write = self._lobby.now, context.write
        try:
            while await connection.ready():
                message = connection.take()
                connection.writing_since = now()
                if lane.connection is connection:
                    lane.sent(connection.writing_since)
                await write(message)
                connection.writing_since = None
        finally:
            self._lobby.detach(lane, connection, connection.error)
        if connection.error is not None:
            raise connection.error


class _Reader:
    """Reads a bot's stream in a task of its own: a cancelled read would end the whole stream of grpc.aio."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._first: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._first.add_done_callback(_looked_at)
        self._fed: asyncio.Future[tuple[Lane, Connection]] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._read())

    async def hello(self, seconds: float) -> codec.Greeting:
        """The first message. Raises `BotTimeout`, `BotDisconnected`, `BotProtocolFault`."""
        try:
            async with asyncio.timeout(seconds):
                first = await asyncio.shield(self._first)
        except TimeoutError:
            raise BotTimeout(f"No hello within {seconds:g} seconds.") from None
        return codec.read_hello(first)

    def feed(self, lane: Lane, connection: Connection) -> None:
        """From now on the answers go to *lane*; the end of the stream, or what is wrong with it, to *connection*."""
        self._fed.set_result((lane, connection))

    def close(self) -> None:
        """Reads no more."""
        self._task.cancel()

    async def _read(self) -> None:
        message = await self._next()
        if self._first.done():
            return
        if message is None:
            self._first.set_exception(BotDisconnected("The stream has ended before hello."))
            return
        self._first.set_result(message)
        lane, connection = await self._fed
        try:
            await self._pass_on(lane, connection)
            connection.close()
        except RummyError as error:
            connection.close(error=error)
        except Exception:
            _log.exception("What %s has sent could not be handled, by a fault of the arena.", lane.key)
            connection.close(error=HostFault("The arena has failed here; its log says why."))

    async def _pass_on(self, lane: Lane, connection: Connection) -> None:
        while (message := await self._next()) is not None:
            answers = codec.read_answers(message)
            if lane.connection is not connection:
                return
            lane.answer(answers)
            await asyncio.sleep(0)  # What these answers have made ready leaves before gRPC is busy with the next read.
            if connection.full:
                await connection.drained()

    async def _next(self) -> bytes | None:
        """The next message, None at the end."""
        try:
            message = await self._context.read()
        except grpc.aio.BaseError:
            return None
        return message if isinstance(message, bytes) else None


def _looked_at(first: asyncio.Future[bytes]) -> None:
    """Nobody may be left to hear that there was no hello."""
    if not first.cancelled():
        first.exception()
