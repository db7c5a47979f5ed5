"""Errors on their way out: one table from the project's errors to HTTP, one shape for programs, one page for people."""

from __future__ import annotations

import logging
from http import HTTPStatus

import psycopg
import psycopg_pool
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from api.schemas import Problem
from api.web import templates
from rummy import errors

log = logging.getLogger(__name__)

STATUS: dict[type[errors.RummyError], HTTPStatus] = {
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.Conflict: HTTPStatus.CONFLICT,
    errors.Unauthenticated: HTTPStatus.UNAUTHORIZED,
    errors.Forbidden: HTTPStatus.FORBIDDEN,
    errors.TooMany: HTTPStatus.TOO_MANY_REQUESTS,
    # A caller cannot send a replay here: one that does not replay is damage in the store.
    errors.ReplayMismatch: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.SettingsError: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.LeagueError: HTTPStatus.CONFLICT,
    errors.CallerFault: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.HostFault: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.RummyError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""By the nearest ancestor: an error that is not named has the status of the class above it."""

SENTENCES = {
    404: "There is no such page. The address may be mistyped, or what it named has never existed.",
    405: "This address can only be read: use GET.",
    500: "Something went wrong on our side. It has been logged; please try again later.",
    503: "The database does not answer. Please try again in a moment.",
}


def status_of(error: errors.RummyError) -> HTTPStatus:
    """The HTTP status for *error*."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def install(app: FastAPI) -> None:
    """Every error that leaves *app* becomes a sentence: as JSON under /api, else as a page."""
    app.add_exception_handler(errors.RummyError, _rummy)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    for outage in (psycopg.OperationalError, psycopg_pool.PoolTimeout):
        app.add_exception_handler(outage, _outage)
    app.add_exception_handler(Exception, _unexpected)


def _rummy(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.RummyError)
    return answer(request, status_of(error), str(error), kind=type(error).__name__)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    name = str(first["loc"][-1])
    return answer(request, 422, f"{ascii(name)[1:-1]}: {_sentence(str(first['msg']))}", kind="BadInput")


def _sentence(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".") + "."


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = SENTENCES.get(error.status_code, str(error.detail))
    response = answer(request, error.status_code, sentence, kind="NotFound" if error.status_code == 404 else "Refused")
    if error.status_code == 405:
        response.headers["Allow"] = "GET, HEAD"  # RFC 9110 demands it, and all is answered alike.
    return response


def _outage(request: Request, error: Exception) -> Response:
    log.warning("the database does not answer: %s", error)
    return answer(request, 503, SENTENCES[503], kind=errors.StoreUnavailable.__name__)


def _unexpected(request: Request, error: Exception) -> Response:
    # The server logs the traceback; the reader gets no detail of it.
    return answer(request, 500, SENTENCES[500], kind="Unexpected")


def answer(request: Request, status: int, sentence: str, *, kind: str) -> Response:
    """The error in the form that the address promises."""
    if request.url.path.startswith("/api"):
        return JSONResponse(Problem(status=status, kind=kind, message=sentence).model_dump(), status)
    title = HTTPStatus(status).phrase
    context = {"status": int(status), "title": title, "sentence": sentence}
    return templates.TemplateResponse(request, "error.html", context, status_code=status)
