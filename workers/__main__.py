"""`python -m workers`: plays fixtures until SIGTERM, which hands back what is not finished."""

from __future__ import annotations

import argparse
import logging
import os
import secrets
import socket
import sys
import threading
import warnings

from celery import Celery, signals

from rummy import logs
from rummy.errors import RummyError
from rummy.settings import Settings
from rummy.store.db import Database
from workers import leagues
from workers.app import CALENDARS, FIXTURES, add_tasks, make_app, wake
from workers.arbiters import Arbiters
from workers.beat import Beat
from workers.fixtures import Player
from workers.leases import Leases
from workers.references import References
from workers.sweep import Sweeper

_log = logging.getLogger(__name__)

CONNECTIONS = 12  # A fixture needs one for a moment only, when it begins and when it ends.
SPARE_CONNECTIONS = 4  # For leases, sweeper, references and one more.


class Service:
    """All that one worker process consists of."""

    def __init__(self, settings: Settings, concurrency: int, name: str) -> None:
        self.concurrency = concurrency
        self.name = name
        self.database = Database(
            settings.database_url, size=min(concurrency, CONNECTIONS) + SPARE_CONNECTIONS, name=f"worker {name}"
        )
        self.arbiters = Arbiters(settings.arbiter_token)
        self.leases = Leases(self.database, f"{name}#{os.getpid()}-{secrets.token_hex(4)}")
        self.app: Celery = make_app(settings.redis_url)
        backlog = 4 * concurrency
        self.sweeper = Sweeper(self.database, lambda due: wake(self.app, due, most=backlog), backlog=backlog)
        self.references = References(self.database, self.leases.holder)
        add_tasks(self.app, Player(self.database, self.arbiters, self.leases).play, self._turn)
        self.beat = Beat(self.app)
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=run, args=[self._stop], name=title, daemon=True)
            for title, run in (
                ("leases", self.leases.run),
                ("sweeper", self.sweeper.run),
                ("references", self.references.run),
            )
        ]

    def run(self) -> int:
        """Works until a signal ends it; returns the exit status."""
        signals.worker_ready.connect(self._on_ready)
        signals.worker_shutting_down.connect(self._on_end)
        worker = self.app.Worker(
            pool="threads",
            concurrency=self.concurrency,
            queues=[FIXTURES, CALENDARS],
            hostname=f"{self.name}@{socket.gethostname()}",
            loglevel="WARNING",
            quiet=True,
            without_gossip=True,
            without_mingle=True,
        )
        worker.start()
        self._close()
        return int(worker.exitcode or 0)

    def _turn(self) -> None:
        try:
            leagues.turn(self.database)
        except RummyError as error:
            _log.warning("the leagues' calendars were not turned: %s", error)

    def _on_ready(self, **_: object) -> None:
        for thread in self._threads:
            thread.start()
        self.beat.start()
        print(f"worker ready: {self.name}, {self.concurrency} fixtures at once", flush=True)  # noqa: T201

    def _on_end(self, **_: object) -> None:
        self._stop.set()
        self.beat.stop()
        self.leases.end("the worker was told to end")

    def _close(self) -> None:
        self._stop.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(5)
        self.arbiters.close()
        self.database.close()


def main(arguments: list[str] | None = None) -> int:
    """Runs a worker with the settings of the environment; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m workers", description="Plays the fixtures of tournaments.")
    parser.add_argument("--concurrency", type=int, default=32, help="fixtures at once (default: 32)")
    parser.add_argument("--name", default="worker", help="how this worker is called in the log of attempts")
    given = parser.parse_args(arguments)
    if not 1 <= given.concurrency <= 256:
        parser.error(f"--concurrency is {given.concurrency}: it must be from 1 to 256")
    # Celery warns of root because of pickled messages; here nothing but JSON is accepted.
    warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
    try:
        settings = Settings.from_environment().need("database_url", "redis_url", "arbiter_token")
        logs.configure(settings.log_format, logging.WARNING)
        return Service(settings, given.concurrency, given.name).run()
    except RummyError as error:
        print(f"the worker cannot start: {error}", file=sys.stderr)  # noqa: T201
        return 1


if __name__ == "__main__":
    sys.exit(main())
