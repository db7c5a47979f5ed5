"""The dashboard on a port of its own, served by a thread of the test run."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn

from api.app import create_app
from api.reads import Clock, utc_now
from rummy.store.db import Database


@contextmanager
def serving(database_url: str, *, now: Clock = utc_now, wait_seconds: float = 10.0) -> Iterator[str]:
    """The address of a dashboard on that database."""
    with Database(database_url, wait_seconds=wait_seconds) as database, socket.create_server(("127.0.0.1", 0)) as port:
        app = create_app(database, now=now)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([port])), name="dashboard")
        thread.start()
        try:
            yield f"http://127.0.0.1:{port.getsockname()[1]}"  # The port takes connections before it serves them.
        finally:
            server.should_exit = True
            thread.join(15)
            assert not thread.is_alive()


@contextmanager
def browsing(address: str) -> Iterator[httpx.Client]:
    """A client of the dashboard at *address*."""
    with httpx.Client(base_url=address, trust_env=False, timeout=20) as client:
        yield client
