"""The arbiter's edge towards workers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from arbiter.lobby import Lobby
from arbiter.orders import Orders
from arbiter.server import Context, Handlers
from arbiter.tables import Tables
from rummy.errors import BadInput
from rummy.wire.status import abort_on_error
from rummy.wire.v1 import arbiter_pb2

SERVICE = "rummy.wire.v1.Arbiter"
M = TypeVar("M", bound=Message)


class ArbiterServicer:
    """Plays orders, and says how busy it is."""

    def __init__(self, orders: Orders, tables: Tables, lobby: Lobby, incarnation: str) -> None:
        self._orders = orders
        self._tables = tables
        self._lobby = lobby
        self._incarnation = incarnation

    def handlers(self) -> Handlers:
        """The methods, on bytes."""
        return {
            "Play": grpc.unary_stream_rpc_method_handler(self.play),
            "Status": grpc.unary_unary_rpc_method_handler(self.status),
        }

    async def play(self, request: bytes, context: Context) -> AsyncIterator[bytes]:
        """Plays an order or re-attaches to it: how far it is, and at last its record or why it is void."""
        async with abort_on_error(context):
            order = self._orders.take(_decoded(request, arbiter_pb2.Order.FromString, "Order"))
            async for update in self._orders.updates(order):
                yield update.SerializeToString()

    async def status(self, request: bytes, context: Context) -> bytes:
        """How busy this arbiter is."""
        async with abort_on_error(context):
            _decoded(request, arbiter_pb2.StatusRequest.FromString, "StatusRequest")
            return arbiter_pb2.StatusReply(
                incarnation=self._incarnation,
                orders_running=self._orders.running,
                matches_running=len(self._tables.running),
                bots_connected=sum(1 for _ in self._lobby.present()),
                decisions=self._tables.decisions,
            ).SerializeToString()
        raise AssertionError("abort raises")


def _decoded(request: bytes, parse: Callable[[bytes], M], name: str) -> M:
    try:
        return parse(request)
    except DecodeError:
        raise BadInput(f"A request of {len(request)} bytes could not be read as rummy.wire.v1.{name}.") from None
