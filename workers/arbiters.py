"""The workers' side of the arbiters' service."""

from __future__ import annotations

import threading
from collections.abc import Callable

import grpc

from rummy.errors import ArbiterUnavailable, HostFault
from rummy.wire.status import error_of
from rummy.wire.v1 import arbiter_pb2, arbiter_pb2_grpc

MAX_RECORD = 128 << 20  # Six replays of the longest match that a replay can hold.


class OrderVoid(HostFault):
    """The arbiter has given the order up by a fault of its own; it has forgotten it."""


class OrderOverdue(HostFault):
    """The arbiter has ended the order at the deadline of its match."""


class Arbiters:
    """Channels to arbiters, one an address, made when first needed: never before a fork."""

    def __init__(self, token: str) -> None:
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._channels: dict[str, grpc.Channel] = {}
        self._lock = threading.Lock()

    def play(
        self, address: str, order: arbiter_pb2.Order, watch: Callable[[Callable[[], object]], None]
    ) -> tuple[bytes, ...]:
        """Has *order* played at *address* and returns a replay a leg; *watch* is given what breaks the wait off.

        Raises `ArbiterUnavailable` where there is no answer, `OrderVoid`, `OrderOverdue`, or the error with which the
        order is refused.
        """
        stub = arbiter_pb2_grpc.ArbiterStub(self._channel(address))
        try:
            call = stub.Play(order, metadata=self._metadata)
            watch(call.cancel)
            for update in call:
                match update.WhichOneof("update"):
                    case "record":
                        return tuple(update.record.replays)
                    case "void":
                        raise OrderVoid(update.void)
                    case "overdue":
                        raise OrderOverdue(update.overdue)
        except grpc.RpcError as error:
            raise error_of(error) from error
        raise ArbiterUnavailable("the arbiter has ended the call without a record")

    def _channel(self, address: str) -> grpc.Channel:
        with self._lock:
            if address not in self._channels:
                options = [("grpc.max_receive_message_length", MAX_RECORD), ("grpc.max_reconnect_backoff_ms", 2000)]
                self._channels[address] = grpc.insecure_channel(address, options=options)
            return self._channels[address]

    def close(self) -> None:
        """Closes every channel."""
        with self._lock:
            for channel in self._channels.values():
                channel.close()
            self._channels.clear()
