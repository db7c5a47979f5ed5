"""An arena of its own for the length of a run, with four deterministic bots, and tournaments on a given master seed."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from rummy import packages
from rummy.cli import here
from rummy.cli.launch import Kept, free_port, tied
from rummy.cli.plan import ROOT, Plan
from rummy.cli.submission import submit
from rummy.embedded import folders
from rummy.embedded.valkey import ValkeyServer
from rummy.errors import BadInput, HostFault
from rummy.league.schedule import commitment, practice_master, practice_nonce
from rummy.store import db, terms, tournaments
from rummy.store.db import Connection, Database
from rummy.store.log import OPERATOR

BOTS = ("random", "greedy", "patient", "drawer")
"""They draw no lot but from the seed that comes with each decision, and look at no clock."""
PAIRS = math.comb(len(BOTS), 2)
LEGS = 2  # Of each fixture.
GAME = "gin"
SHORT: Mapping[str, object] = {"target": 1}
"""Options: until somebody has a point, which takes a deal or two."""
LIMIT_MS, BANK_MS, GRACE_SECONDS = 600_000, 3_600_000, 600.0
"""Far above any freeze."""
WORKERS, ARBITERS = 2, 2


@dataclass(frozen=True, slots=True)
class Ground:
    """An arena that is up."""

    plan: Plan
    kept: Kept
    database: Database
    run: Path
    """Its run folder."""
    versions: tuple[int, ...]

    def state(self) -> dict[str, Any]:
        """What its keeper says of it: processes, settings. Raises `HostFault` where it has ended."""
        found = here.running(self.plan.data)
        if found is None or not found.state:
            self.kept.check()
            raise HostFault("The arena of this run has ended by itself.")
        return found.state

    def processes(self) -> dict[str, int]:
        """Its services and servers that run now, by name."""
        return {part["name"]: part["pid"] for part in self.state()["processes"] if _lives(part["pid"])}

    def broker(self) -> redis.Redis:
        """A connection to its Valkey, to be closed by the caller."""
        server = ValkeyServer(self.plan.data, self.run, self.plan.data / "logs" / "valkey.log")
        password = folders.secret(self.plan.data / "valkey.password")
        return redis.Redis(unix_socket_path=str(server.socket), password=password)

    def start(self, text: str, cycles: int, options: Mapping[str, object] = SHORT) -> int:
        """A rated tournament whose deals follow from *text* alone. Returns its number."""
        wanted = terms.Plan(
            name=f"Ground {text}", game=GAME, options=options, cycles=cycles, limit_ms=LIMIT_MS, bank_ms=BANK_MS,
            faults={"grace_seconds": GRACE_SECONDS},
        )  # fmt: skip
        with self.database.transaction() as tx:
            number = tournaments.create(tx, wanted, by=OPERATOR, now=db.now(tx))
            _give_master(tx, number, practice_master(text))
            for place, version_id in enumerate(self.versions):
                nonce = practice_nonce(place)
                tournaments.add_entrant(tx, number, version_id, by=OPERATOR, now=db.now(tx), nonce=nonce)
            tournaments.start(tx, number, by=OPERATOR, now=db.now(tx))
        return number


# No command can: a rated tournament's master is random, and committed to. This arena is thrown away.
_MASTER = "UPDATE tournament_seed SET master = %(master)s WHERE tournament_id = %(tournament_id)s"
_COMMITMENT = "UPDATE tournament SET commitment = %(commitment)s WHERE tournament_id = %(tournament_id)s"


def _give_master(tx: Connection, tournament_id: int, master: bytes) -> None:
    values = {"tournament_id": tournament_id, "master": master, "commitment": commitment(master)}
    tx.execute(_MASTER, values)
    tx.execute(_COMMITMENT, values)


@contextmanager
def arena(*, workers: int = WORKERS, arbiters: int = ARBITERS) -> Iterator[Ground]:
    """An arena in a fresh folder, which goes with the block; what dies in it is started again, however often."""
    data = Path(tempfile.mkdtemp(prefix="arena-ground-"))
    data.chmod(0o711 if os.geteuid() == 0 else 0o700)
    run = folders.run_of(data)
    plan = Plan(
        data=data, http_port=free_port(), bots_listen=f"127.0.0.1:{free_port()}", workers=workers, arbiters=arbiters,
        trust_bots=True, endless=True,
    )  # fmt: skip
    try:
        with tied(plan) as kept:
            kept.wait_ready(lambda _: None)
            found = here.running(data)
            assert found is not None
            operator = found.state["operator"]
            with Database(operator["ARENA_DATABASE_URL"], size=4, name="ground", wait_seconds=2) as database:
                versions = tuple(_submit(name, plan.bots_listen, operator["ARENA_OWNER_TOKEN"]) for name in BOTS)
                yield Ground(plan, kept, database, run, versions)
    finally:
        shutil.rmtree(data)


def _submit(name: str, address: str, token: str) -> int:
    version = 0
    for step in submit(address, token, packages.pack(ROOT / "sample_bots" / name)):
        version = step.version_id or version
        if step.state == step.STATE_FAILED:
            raise BadInput(f"The sample bot {name} was refused at '{step.step}': {step.text}")
    return version


def _lives(pid: int) -> bool:
    try:
        state = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")


def leavings(ground: Ground) -> list[int]:
    """Processes that have to do with that arena: its folders stand in their commands or settings."""
    marks = [os.fsencode(ground.plan.data), os.fsencode(ground.run)]
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            text = b""
            for name in ("cmdline", "environ"):
                try:
                    text += (entry / name).read_bytes()
                except OSError:
                    continue
            if any(mark in text for mark in marks):
                found.append(int(entry.name))
    return found
