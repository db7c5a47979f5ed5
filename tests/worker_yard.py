"""Real worker processes on a real database and broker, with an arbiter in this process, for tests that kill them."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from arbiter_stage import TOKEN, Stage
from world import World

from rummy.embedded.postgres import PostgresServer
from rummy.store import db, migrate

ROOT = Path(__file__).parents[1]


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Waits for what other processes do."""
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, "it did not happen"
        time.sleep(0.05)


class Yard:
    """Starts workers, and kills what is left of them."""

    def __init__(self, world: World, url: str, redis_url: str, folder: Path) -> None:
        self.world = world
        self.environ = {"ARENA_DATABASE_URL": url, "ARENA_REDIS_URL": redis_url, "ARENA_ARBITER_TOKEN": TOKEN}
        self.stage = Stage(folder, world.database, world.now)
        self.running: list[subprocess.Popen[str]] = []

    def start(self, name: str, *, program: Sequence[str] = ("-m", "workers"), **settings: str) -> subprocess.Popen[str]:
        """A worker that plays four fixtures at once."""
        process = subprocess.Popen(
            [sys.executable, *program, "--name", name, "--concurrency", "4"],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": os.defpath, **self.environ, **settings},
        )  # fmt: skip
        self.running.append(process)
        return process

    def ready(self, name: str, *, program: Sequence[str] = ("-m", "workers")) -> subprocess.Popen[str]:
        """A worker that has said that it is ready; that took a while, in which no heart has beaten."""
        process = self.start(name, program=program)
        assert process.stdout is not None
        assert "worker ready" in process.stdout.readline()
        self.beat()
        return process

    def count(self, condition: str) -> object:
        return self.world.value(f"SELECT count(*) FROM fixture WHERE {condition}")

    def beat(self) -> bool:
        """Keeps the arbiter's heart beating, by the database's clock."""
        with self.world.database.transaction() as tx:
            self.world.now = db.now(tx)
            tx.execute("UPDATE arbiter SET last_seen = %(now)s", {"now": self.world.now})
        return True

    def close(self) -> None:
        for process in self.running:
            process.kill()
            process.communicate()
        self.stage.close()


@pytest.fixture
def yard(world: World, postgres: PostgresServer, redis_url: str, arena_folders: tuple[Path, Path]) -> Iterator[Yard]:
    with db.connect(world.database.url) as connection:
        migrate.set_passwords(connection, {"arena_worker": "x"})
    name = world.database.url.split("?", maxsplit=1)[0].rsplit("/", 1)[1]
    with world.database.transaction() as tx:
        world.now = db.now(tx)
    made = Yard(world, postgres.url("arena_worker", "x", name), redis_url, arena_folders[1])
    yield made
    made.close()
