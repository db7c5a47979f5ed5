"""`python -m api`: the dashboard as a process. Ends cleanly on SIGTERM and SIGINT."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType

import uvicorn

from api.app import close_streams, create_app
from rummy import logs
from rummy.errors import RummyError, SettingsError
from rummy.settings import Settings
from rummy.store.db import Database

GRACE_SECONDS = 3
POOL = 16
SWITCH_SECONDS = 0.0005
"""Between threads: a table that is being computed holds up no page."""


class Dashboard(uvicorn.Server):
    """A server that says when it is ready, and lets go of open event streams when it is told to stop."""

    def __init__(self, config: uvicorn.Config, let_go: Callable[[], None]) -> None:
        super().__init__(config)
        self._let_go = let_go

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Opens the port, then says so in one line."""
        await super().startup(sockets)
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        sys.stdout.write(f"dashboard ready on http://{shown}:{port}\n")
        sys.stdout.flush()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ends the service; unlike the method it replaces, without dying of the signal afterwards."""
        self._let_go()
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def stand_ready() -> None:
    """Sees to it that no page waits for long: for a table that is being computed, or for the garbage collector.

    What is loaded until now is out of the collector's sight: it took 50 to 90 ms to go through that.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()


def main() -> int:
    """Serves until told to stop; returns the exit status."""
    try:
        settings = Settings.from_environment().need("database_url")
        logs.configure(settings.log_format)
        listener = _listen(settings.http_host, settings.http_port)
    except RummyError as error:
        sys.stderr.write(f"the dashboard cannot start: {error}\n")
        return 1
    with Database(settings.database_url, size=POOL, name="dashboard") as database:
        app = create_app(database, watch_address=settings.watch_address)
        config = uvicorn.Config(
            app,
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        stand_ready()
        Dashboard(config, partial(close_streams, app)).run(sockets=[listener])
    return 0


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise SettingsError(
            f"port {port} of {host} cannot be had ({reason}); choose others with ARENA_HTTP_HOST and ARENA_HTTP_PORT"
        ) from error


if __name__ == "__main__":
    sys.exit(main())
