"""`python -m api`: the dashboard as a process. Ends cleanly on SIGTERM and SIGINT."""

from __future__ import annotations

import logging
import socket
import sys
from types import FrameType

import uvicorn

from api.app import create_app
from rummy.errors import RummyError
from rummy.settings import Settings
from rummy.store.db import Database

GRACE_SECONDS = 3
POOL = 16


class Dashboard(uvicorn.Server):
    """A server that says when it is ready, and lets go of open event streams when it is told to stop."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Opens the port, then says so in one line."""
        await super().startup(sockets)
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        sys.stdout.write(f"dashboard ready on http://{shown}:{port}\n")
        sys.stdout.flush()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Notes that the process is to end."""
        self.config.loaded_app.state.hub.close()
        super().handle_exit(sig, frame)


def main() -> int:
    """Serves until told to stop."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        settings = Settings.from_environment().need("database_url")
    except RummyError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    with Database(settings.database_url, size=POOL, name="dashboard") as database:
        config = uvicorn.Config(
            create_app(database),
            host=settings.http_host,
            port=settings.http_port,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        Dashboard(config).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
