"""One table from error to gRPC status, used by servers, and back, used by clients.

The name of the error's class travels in the trailing metadata, so that a client gets the very error that the server
raised; the status alone serves clients in other languages.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio

from rummy import errors

STATUS: dict[type[errors.RummyError], grpc.StatusCode] = {
    errors.CallerFault: grpc.StatusCode.INVALID_ARGUMENT,
    errors.IllegalAction: grpc.StatusCode.FAILED_PRECONDITION,
    errors.UnknownGame: grpc.StatusCode.NOT_FOUND,
    errors.LeagueError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.Unauthenticated: grpc.StatusCode.UNAUTHENTICATED,
    errors.Forbidden: grpc.StatusCode.PERMISSION_DENIED,
    errors.TooMany: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.NotFound: grpc.StatusCode.NOT_FOUND,
    errors.Conflict: grpc.StatusCode.ALREADY_EXISTS,
    errors.SettingsError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.ReplayMismatch: grpc.StatusCode.DATA_LOSS,
    errors.BotFault: grpc.StatusCode.FAILED_PRECONDITION,
    errors.BotTimeout: grpc.StatusCode.DEADLINE_EXCEEDED,
    errors.BotProtocolFault: grpc.StatusCode.INVALID_ARGUMENT,
    errors.BotResourceLimit: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.HostFault: grpc.StatusCode.UNAVAILABLE,
}
"""The status of a class holds for the classes below it that have no line of their own."""

# What a bare status means where no class is named, for instance when a proxy or gRPC itself answers.
MEANING: dict[grpc.StatusCode, type[errors.RummyError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: errors.BadInput,
    grpc.StatusCode.NOT_FOUND: errors.NotFound,
    grpc.StatusCode.ALREADY_EXISTS: errors.Conflict,
    grpc.StatusCode.UNAUTHENTICATED: errors.Unauthenticated,
    grpc.StatusCode.PERMISSION_DENIED: errors.Forbidden,
    grpc.StatusCode.RESOURCE_EXHAUSTED: errors.TooMany,
    grpc.StatusCode.FAILED_PRECONDITION: errors.Conflict,
    grpc.StatusCode.UNIMPLEMENTED: errors.NotFound,
    grpc.StatusCode.DEADLINE_EXCEEDED: errors.BotTimeout,
}

ERROR_KEY = "rummy-error"
UNREACHED = "failed to connect"  # So begins what gRPC itself says where nobody listens.
MAX_DETAIL = 1000  # Metadata is limited by gRPC; a longer sentence would itself become an error.

_log = logging.getLogger(__name__)


def status_of(error: errors.RummyError) -> grpc.StatusCode:
    """The status that stands for *error*: that of its class, or of the nearest class above."""
    return next((STATUS[cls] for cls in type(error).__mro__ if cls in STATUS), grpc.StatusCode.UNKNOWN)


@asynccontextmanager
async def abort_on_error(context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[None]:
    """Ends the call with status and sentence where the body raises; what is no `RummyError` is logged."""
    try:
        yield
    except errors.RummyError as error:
        metadata = ((ERROR_KEY, type(error).__name__),)
        await context.abort(status_of(error), str(error)[:MAX_DETAIL], metadata)
    except (grpc.aio.BaseError, grpc.RpcError):
        raise
    except Exception:
        _log.exception("A call has failed by a fault of the arena.")
        await context.abort(grpc.StatusCode.INTERNAL, "The arena has failed here; its log says why. Try again later.")


def error_of(rpc_error: grpc.RpcError) -> errors.RummyError:
    """The error that the other side raised; `ArbiterUnavailable` where nobody answered or the arena itself failed."""
    code, text = _code_of(rpc_error), _text_of(rpc_error)
    named = _named_class(rpc_error)
    if named is errors.IllegalAction:
        return errors.IllegalAction(text, -1)
    return (named or MEANING.get(code, errors.ArbiterUnavailable))(text)


def _code_of(rpc_error: grpc.RpcError) -> grpc.StatusCode:
    code = getattr(rpc_error, "code", None)
    return code() if callable(code) else grpc.StatusCode.UNKNOWN


def _text_of(rpc_error: grpc.RpcError) -> str:
    details = getattr(rpc_error, "details", None)
    text = (details() if callable(details) else None) or f"The arena answered {_code_of(rpc_error).name}."
    if text.startswith(UNREACHED):
        return f"The arena cannot be reached; does it run, and is the address right? gRPC says: {text}"
    return text


def _named_class(rpc_error: grpc.RpcError) -> type[errors.RummyError] | None:
    trailing = getattr(rpc_error, "trailing_metadata", None)
    for key, value in (trailing() if callable(trailing) else None) or ():
        if key == ERROR_KEY:
            return next((cls for cls in _classes(errors.RummyError) if cls.__name__ == value), None)
    return None


def _classes(root: type[errors.RummyError]) -> Iterator[type[errors.RummyError]]:
    yield root
    for below in root.__subclasses__():
        yield from _classes(below)
