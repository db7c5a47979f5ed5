"""Every error has a status, and arrives as what it was."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import grpc
import grpc.aio
import pytest

from rummy import errors
from rummy.wire import status


def classes(root: type[errors.RummyError] = errors.RummyError) -> Iterator[type[errors.RummyError]]:
    for below in root.__subclasses__():
        yield below
        yield from classes(below)


def made(kind: type[errors.RummyError]) -> errors.RummyError:
    return errors.IllegalAction("A sentence.", 1) if kind is errors.IllegalAction else kind("A sentence.")


@asynccontextmanager
async def raising(error: Exception) -> AsyncIterator[grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]]:
    async def fail(_: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        async with status.abort_on_error(context):
            raise error

    server = grpc.aio.server()
    handler = grpc.method_handlers_generic_handler("t.T", {"Fail": grpc.unary_unary_rpc_method_handler(fail)})
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield channel.unary_unary("/t.T/Fail")
    await server.stop(None)


@pytest.mark.parametrize("kind", list(classes()))
async def test_an_error_arrives_as_what_it_was(kind: type[errors.RummyError]) -> None:
    async with raising(made(kind)) as call:
        with pytest.raises(grpc.RpcError) as caught:
            await call(b"")
    arrived = status.error_of(caught.value)
    assert type(arrived) is kind
    assert str(arrived) == "A sentence."
    assert caught.value.code() is status.status_of(made(kind)) is not grpc.StatusCode.UNKNOWN


async def test_a_fault_of_our_own_is_logged_and_tells_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async with raising(ZeroDivisionError("secret")) as call:
        with pytest.raises(grpc.RpcError) as caught:
            await call(b"")
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert isinstance(status.error_of(caught.value), errors.ArbiterUnavailable)
    assert "secret" not in str(status.error_of(caught.value))
    assert "ZeroDivisionError" in caplog.text


async def test_a_bare_status_has_a_meaning_too() -> None:
    metadata = grpc.aio.Metadata()
    error = grpc.aio.AioRpcError(grpc.StatusCode.RESOURCE_EXHAUSTED, metadata, metadata, "too large")
    assert isinstance(status.error_of(error), errors.TooMany)
    nobody = grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, metadata, metadata, None)
    assert isinstance(status.error_of(nobody), errors.ArbiterUnavailable)
    assert str(status.error_of(nobody)) == "The arena answered UNAVAILABLE."
