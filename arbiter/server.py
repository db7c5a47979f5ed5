"""The two servers: the bots' port, for everybody with a token, and the workers' port, for whoever has the credential.

What a bot can dial does not serve what workers call. Requests come as bytes and are decoded by us, so that garbage gets
a sentence and a status.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import grpc
import grpc.aio

from rummy.errors import SettingsError

MAX_REQUEST_BYTES = 1 << 20
"""The largest message that gRPC takes in on either port: a part of a package. Bots at a table send less."""
MAX_STREAMS = 100
"""Calls that are open at once on one connection of the bots' port: a bot needs one."""
MAX_CALLS = 4096
"""Calls that are open at once on one port, spectators and watchers of its health included."""
CLOSE_SECONDS = 2.0


def keepalive(seconds: float, timeout: float) -> tuple[tuple[str, int], ...]:
    """Options with which a client that is gone without a word is noticed after *seconds* and *timeout* together.

    What ends the connection is gRPC's ping timeout, a minute by default; its keepalive timeout alone does nothing.
    """
    return (
        ("grpc.keepalive_time_ms", int(seconds * 1000)),
        ("grpc.keepalive_timeout_ms", int(timeout * 1000)),
        ("grpc.http2.ping_timeout_ms", int(timeout * 1000)),
        ("grpc.keepalive_permit_without_calls", 1),
    )


OPTIONS = (
    *keepalive(10.0, 5.0),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.server_handshake_timeout_ms", 5_000),
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_metadata_size", 16 << 10),
    ("grpc.so_reuseport", 0),
    ("grpc.max_connection_idle_ms", 600_000),  # Of connections without a call.
    # gRPC would let the window of a fast stream grow: six bots that flood theirs took 1.4 GB, with a fixed one 100 MB.
    ("grpc.http2.bdp_probe", 0),
)
# Quoted: grpcio's classes take parameters in their type stubs only.
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handlers: TypeAlias = "dict[str, grpc.RpcMethodHandler[Any, Any]]"


def bots_server(services: dict[str, Handlers]) -> grpc.aio.Server:
    """The server of the bots' port."""
    return _server(services, (("grpc.max_concurrent_streams", MAX_STREAMS), *OPTIONS), ())


def workers_server(services: dict[str, Handlers], credential: str) -> grpc.aio.Server:
    """The server of the workers' port: every call shows *credential*. Raises `SettingsError` for an empty one."""
    if not credential:
        raise SettingsError("ARENA_ARBITER_TOKEN is not set: give arbiter and workers the same long random text.")
    return _server(services, OPTIONS, (_Credential(credential),))


def tls(certificate: str, key: str) -> grpc.ServerCredentials | None:
    """What the bots' port shows to those who dial it, from two PEM files; None without. Raises `SettingsError`."""
    if not certificate and not key:
        return None
    try:
        return grpc.ssl_server_credentials([(Path(key).read_bytes(), Path(certificate).read_bytes())])
    except OSError as error:
        raise SettingsError(
            f"ARENA_TLS_CERTIFICATE and ARENA_TLS_KEY name two PEM files; {error.filename or 'one'!r} cannot be read: "
            f"{error.strerror}."
        ) from None


def listen(server: grpc.aio.Server, address: str, secret: grpc.ServerCredentials | None = None) -> str:
    """Lets *server* listen, with TLS where it has a *secret* and the address is no socket of this machine.

    Returns the address with the port that it got. Raises `SettingsError`.
    """
    try:
        if secret is None or address.startswith("unix:"):
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, secret)
    except RuntimeError:
        port = 0
    if port == 0:
        why = "it is taken, or no address of this machine"
        more = "" if secret is None else ", or what ARENA_TLS_CERTIFICATE and ARENA_TLS_KEY name is no PEM"
        raise SettingsError(f"The arbiter cannot listen on {address}: {why}{more}.")
    return address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"


def bearer(context: Context) -> str:
    """The token in the call's metadata; empty where there is none."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str) and value[:7].lower() == "bearer ":
            return value[7:].strip()
    return ""


def _server(
    services: dict[str, Handlers],
    options: Sequence[tuple[str, Any]],
    interceptors: Sequence[grpc.aio.ServerInterceptor],
) -> grpc.aio.Server:
    server = grpc.aio.server(options=options, interceptors=interceptors, maximum_concurrent_rpcs=MAX_CALLS)
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler(name, handlers) for name, handlers in services.items()]
    )
    return server


class _Credential(grpc.aio.ServerInterceptor):
    """Refuses every call that does not show the workers' credential, known method or not."""

    def __init__(self, credential: str) -> None:
        self._wanted = f"Bearer {credential}".encode()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        shown = dict(handler_call_details.invocation_metadata or ()).get("authorization", "")
        given = shown if isinstance(shown, bytes) else shown.encode()
        if hmac.compare_digest(given, self._wanted):
            return await continuation(handler_call_details)
        return grpc.unary_unary_rpc_method_handler(_refuse)


async def _refuse(_: object, context: Context) -> bytes:
    await context.abort(
        grpc.StatusCode.UNAUTHENTICATED,
        "This is the workers' service: show its credential as metadata 'authorization: Bearer ...'.",
    )
    raise AssertionError("abort raises")
