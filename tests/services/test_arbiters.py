"""Two real arbiters on one database, a real worker, and live bots that are kept connected by `arena bot run`."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from real_arena import free_port
from world import BECAUSE, World

from rummy.embedded.postgres import PostgresServer
from rummy.store import bots, db, migrate, owners, tournaments
from rummy.store.terms import Plan

pytestmark = pytest.mark.realtime
ROOT = Path(__file__).parents[2]
TOKEN = "workers only"
SECONDS = 120


class Yard:
    """Starts processes, and kills what is left of them."""

    def __init__(self, world: World, url: Callable[[str], str], redis_url: str, run: Path, logs: Path) -> None:
        self.world = world
        self._url = url
        self._redis_url = redis_url
        self._run = run
        self._logs = logs
        self._ports = {name: free_port() for name in ("a", "b")}
        self._started: list[subprocess.Popen[bytes]] = []
        with world.database.transaction() as tx:
            world.now = db.now(tx)
            self.owner_token = owners.new_token(tx, world.owner_id, now=world.now)

    def address(self, name: str) -> str:
        """Where bots dial arbiter *name*."""
        return f"127.0.0.1:{self._ports[name]}"

    def arbiter(self, name: str) -> subprocess.Popen[bytes]:
        """An arbiter that has said that it is ready; another one of the same name has its addresses."""
        process = self._start(
            f"arbiter {name}", "arbiter",
            ARENA_DATABASE_URL=self._url("arena_arbiter"), ARENA_ARBITER_TOKEN=TOKEN,
            ARENA_RUN_DIR=str(self._run / name), ARENA_BOTS_LISTEN=self.address(name),
        )  # fmt: skip
        self.until(lambda: "arbiter ready" in self.said(f"arbiter {name}"))
        return process

    def worker(self) -> None:
        """A worker that plays 24 fixtures at once."""
        self._start(
            "worker", "workers", "--name", "w", "--concurrency", "24",
            ARENA_DATABASE_URL=self._url("arena_worker"), ARENA_REDIS_URL=self._redis_url, ARENA_ARBITER_TOKEN=TOKEN,
        )  # fmt: skip

    def bot(self, name: str, arbiter: str) -> None:
        """A sample bot that is told of one arbiter."""
        folder = str(ROOT / "sample_bots" / name)
        asked = ("bot", "run", folder, "--arena", self.address(arbiter), "--token", self.owner_token)
        self._start(name, "rummy.cli", *asked, ARENA_DATA="/nonexistent")

    def said(self, name: str) -> str:
        """What the process of that name has written since it was last started."""
        return (self._logs / name).read_text()

    def tournament(self, cycles: int) -> int:
        """Makes and starts one of all bots; returns how many fixtures it has."""
        with self.world.database.transaction() as tx:
            now = db.now(tx)
            made = tournaments.create(tx, Plan(name="Two halls", game="gin", cycles=cycles), by=BECAUSE, now=now)
            for version in bots.list_versions(tx):
                tournaments.add_entrant(tx, made, version.version_id, by=BECAUSE, now=now)
            tournaments.start(tx, made, by=BECAUSE, now=now)
        return len(self.world.all_fixtures(made))

    def count(self, query: str) -> int:
        """The only number that *query* gives."""
        return int(str(self.world.value(query)))

    def present(self) -> int:
        """Bots that are shown as connected, once for each arbiter."""
        return self.count("SELECT count(*) FROM presence")

    def until(self, holds: Callable[[], bool]) -> float:
        """Waits for what other processes do; gives the seconds that it took."""
        since = time.monotonic()
        while not holds():
            if time.monotonic() > since + SECONDS:
                said = "\n".join(f"{path.name}:\n{path.read_text()[-3000:]}" for path in self._logs.iterdir())
                raise AssertionError(f"it did not happen\n{said}")
            time.sleep(0.02)
        return time.monotonic() - since

    def close(self) -> None:
        for process in reversed(self._started):
            process.kill()
            process.wait()

    def _start(self, name: str, *module: str, **environ: str) -> subprocess.Popen[bytes]:
        with (self._logs / name).open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *module], cwd=ROOT, stdout=log, stderr=log,
                env={"PATH": os.environ["PATH"], **environ},
            )  # fmt: skip
        self._started.append(process)
        return process


@pytest.fixture
def yard(
    world: World, postgres: PostgresServer, redis_url: str, arena_folders: tuple[Path, Path], tmp_path: Path
) -> Iterator[Yard]:
    roles = {"arena_worker": "x", "arena_arbiter": "y"}
    with db.connect(world.database.url) as connection:
        migrate.set_passwords(connection, roles)
    name = world.database.url.split("?", maxsplit=1)[0].rsplit("/", 1)[1]
    run = arena_folders[1] / "halls"
    run.mkdir(exist_ok=True)
    made = Yard(world, lambda role: postgres.url(role, roles[role], name), redis_url, run, tmp_path)
    yield made
    made.close()


DONE = "SELECT count(*) FROM fixture WHERE state = 'done'"
RUNNING = "SELECT count(*) FROM fixture WHERE state = 'running'"
AT_BOTH = "SELECT count(DISTINCT arbiter) FROM fixture WHERE state = 'done'"
RESULTS = "SELECT count(*) FROM match"
LOST = "SELECT count(*) FROM seat_result WHERE forfeit IS NOT NULL OR strikes > 0"
STATE = "SELECT state FROM tournament"


def both_here(yard: Yard) -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
    """Two arbiters, and two bots that have dialled both although they knew of the first alone."""
    first = yard.arbiter("a")
    for name in ("greedy", "random"):
        yard.bot(name, "a")
    yard.until(lambda: yard.present() == 2)
    second = yard.arbiter("b")
    yard.until(lambda: yard.present() == 4)
    return first, second


def finished(yard: Yard, fixtures: int) -> None:
    """Every fixture has one result, and no bot has paid for what arbiters do."""
    yard.until(lambda: yard.world.value(STATE) == "finished")
    assert (yard.count(DONE), yard.count(RESULTS), yard.count(LOST)) == (fixtures, fixtures, 0)
    for name in ("greedy", "random"):
        assert "rejected" not in yard.said(name)


def test_arbiters_that_are_killed_cost_no_bot_anything_and_each_fixture_has_one_result(yard: Yard) -> None:
    """Fault P14: whatever was in play at an arbiter that is killed is played again, there or at the other."""
    first, second = both_here(yard)
    yard.worker()
    fixtures = yard.tournament(cycles=60)
    yard.until(lambda: yard.count(AT_BOTH) == 2 and yard.count(RUNNING) > 0)
    first.kill()
    first.wait()
    before = yard.count(DONE)
    yard.until(lambda: yard.count(DONE) >= min(before + 5, fixtures))
    yard.arbiter("a")
    yard.until(lambda: yard.count("SELECT count(*) FROM presence JOIN arbiter USING (arbiter_id)") == 4)
    second.kill()
    second.wait()
    finished(yard, fixtures)
    for name in ("greedy", "random"):
        assert f"{yard.address('a')}: " in yard.said(name) and "Dialling again in" in yard.said(name)
        assert yard.said(name).count("is connected") >= 3


def test_a_rolling_restart_is_nobodys_loss(yard: Yard) -> None:
    """Fault P16: each arbiter in turn is told to end while 20 matches are in play, and started again."""
    running = dict(zip("ab", both_here(yard), strict=True))
    yard.worker()
    fixtures = yard.tournament(cycles=250)
    for name in "ab":
        yard.until(lambda: yard.count(RUNNING) >= 20)
        running[name].send_signal(signal.SIGTERM)
        assert running[name].wait(SECONDS) == 0
        running[name] = yard.arbiter(name)
        yard.until(lambda: yard.present() == 4)
    finished(yard, fixtures)
