"""The receipt of a package: in chunks, within limits that hold while it arrives, whatever its head has said."""

from __future__ import annotations

import asyncio
import hmac
from hashlib import sha256

from google.protobuf.message import DecodeError

from arbiter.server import Context
from rummy.errors import BadInput, TooMany
from rummy.packages import MAX_PACKAGE_BYTES
from rummy.wire.v1 import bots_pb2

SILENCE_SECONDS = 15.0
TOTAL_SECONDS = 300.0


class Upload:
    """One package on its way."""

    def __init__(
        self, context: Context, *, silence_seconds: float = SILENCE_SECONDS, total_seconds: float = TOTAL_SECONDS
    ) -> None:
        self._context = context
        self._silence = silence_seconds
        loop = asyncio.get_running_loop()
        self._time = loop.time
        self._until = loop.time() + total_seconds

    async def content(self) -> bytes:
        """The whole package, of the size and digest that its head has announced. Raises `BadInput` or `TooMany`."""
        head = await self._head()
        content = bytearray()
        while (request := await self._next()) is not None:
            if request.WhichOneof("part") != "chunk":
                raise BadInput("After the head come chunks of the package and nothing else.")
            content += request.chunk
            if len(content) > head.size:
                raise BadInput(f"More arrived than the {head.size} bytes that the head has announced.")
        if len(content) < head.size:
            raise BadInput(f"The package ended after {len(content)} of {head.size} bytes; send it again.")
        if not hmac.compare_digest(sha256(content).digest(), head.digest):
            raise BadInput("What arrived does not have the SHA-256 that the head has announced; send it again.")
        return bytes(content)

    async def _head(self) -> bots_pb2.PackageHead:
        request = await self._next()
        if request is None or request.WhichOneof("part") != "head":
            raise BadInput("A submission begins with the head of the package: its size and SHA-256.")
        head = request.head
        if not 0 < head.size <= MAX_PACKAGE_BYTES:
            raise TooMany(f"A package has 1 to {MAX_PACKAGE_BYTES} bytes; the head announces {head.size}.")
        if len(head.digest) != sha256().digest_size:
            raise BadInput(f"The digest in the head is the SHA-256 of the package, 32 bytes, not {len(head.digest)}.")
        return head

    async def _next(self) -> bots_pb2.SubmitRequest | None:
        """The next request, None at the end."""
        message = await self._message()
        if message is None:
            return None
        try:
            return bots_pb2.SubmitRequest.FromString(message)
        except DecodeError:
            raise BadInput(f"A request of {len(message)} bytes is no rummy.wire.v1.SubmitRequest.") from None

    async def _message(self) -> bytes | None:
        """Waits without cancelling what reads: that would end the call before it could be told why."""
        reading = asyncio.ensure_future(self._context.read())
        limit = min(self._silence, self._until - self._time())
        done, _ = await asyncio.wait({reading}, timeout=max(limit, 0.0))
        if not done:
            reading.add_done_callback(_forget)
            raise TooMany(f"Nothing more of the package came within {max(limit, 0.0):.0f} seconds; send it again.")
        message = reading.result()
        return message if isinstance(message, bytes) else None


def _forget(reading: asyncio.Future[object]) -> None:
    if not reading.cancelled():
        reading.exception()
