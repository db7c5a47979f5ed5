"""The dashboard as one ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.middleware.gzip import GZipMiddleware

from api import errors
from api.downloads import Downloads
from api.leagues import Leagues
from api.live import Hub
from api.reads import Clock, Reads, utc_now
from api.routes import live, pages, v1
from api.spectating import Spectating
from api.web import STATIC
from api.web.head import HeadAsGet
from api.web.headers import SecurityHeaders
from rummy.store.db import Database

DESCRIPTION = (
    "Everything that the dashboard shows, as JSON. Lists are cut into pages: `next` is the parameter for the page that "
    "follows. Rounds, tables, seats, legs, deals and plies count from 0. Errors have one shape, with a sentence."
)


def create_app(database: Database, *, now: Clock = utc_now, watch_address: str = "") -> FastAPI:
    """The dashboard on *database*, which the caller closes; it follows fixtures at *watch_address*, if given."""
    app = FastAPI(
        title="Rummy Arena",
        version="1",
        description=DESCRIPTION,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # The stock pages load scripts from elsewhere; /reference is ours.
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.reads = reads = Reads(database, now=now)
    app.state.leagues = Leagues(database, reads, now=now)
    app.state.downloads = Downloads(database)
    app.state.hub = Hub(database.url)
    app.state.spectating = Spectating(watch_address)
    for router in (v1.router, live.router, pages.router):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    errors.install(app)
    app.add_middleware(GZipMiddleware, minimum_size=1000)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(HeadAsGet)
    return app


def close_streams(app: FastAPI) -> None:
    """Lets go of pages that are kept up to date, so that the service can stop at once."""
    app.state.hub.close()
    app.state.spectating.close()


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    listener = asyncio.create_task(app.state.hub.run())
    try:
        yield
    finally:
        close_streams(app)
        listener.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listener
