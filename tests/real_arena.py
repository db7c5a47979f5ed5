"""A real arena for end-to-end tests: the `arena` commands, in processes of their own, on a data folder of their own."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sample_bots

ROOT = Path(sample_bots.__file__).parents[1]
BOTS = ("random", "greedy", "patient", "drawer")
PATIENCE = 240  # Seconds that no step of a test needs; a hang ends there.


def free_port() -> int:
    """A port of loopback that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command(
    *arguments: str, environ: dict[str, str], check: bool = True, patience: float = PATIENCE
) -> subprocess.CompletedProcess[str]:
    """Runs `arena ARGUMENTS` and waits for its end; with *check* it has to end with status 0."""
    done = subprocess.run(
        [sys.executable, "-m", "rummy.cli", *arguments],
        env=environ, cwd=ROOT, capture_output=True, text=True, timeout=patience, check=False,
    )  # fmt: skip
    if check and done.returncode != 0:
        raise AssertionError(f"arena {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done


def bare_environment() -> dict[str, str]:
    """What a process of the tests inherits: nothing of the arena's settings."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return kept | {"PYTHONPATH": str(ROOT)}


@dataclass(frozen=True)
class Arena:
    """An arena that is up."""

    environ: dict[str, str]
    dashboard: str

    def json(self, *arguments: str) -> Any:
        """What `arena ARGUMENTS --json` answers on its last line."""
        return json.loads(command(*arguments, "--json", environ=self.environ).stdout.splitlines()[-1])

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """`arena ARGUMENTS`."""
        return command(*arguments, environ=self.environ, check=check)

    def state(self) -> dict[str, Any]:
        """What `arena status` says."""
        answer: dict[str, Any] = self.json("status")
        return answer

    def processes(self, name: str) -> list[int]:
        """The process numbers of the services whose names begin with *name*."""
        return [part["pid"] for part in self.state()["processes"] if part["name"].startswith(name)]

    def database_url(self) -> str:
        """The owner's address of the database."""
        kept = json.loads((Path(self.environ["ARENA_DATA"]) / "state.json").read_text())
        return str(kept["operator"]["ARENA_DATABASE_URL"])

    def tournament(self, name: str, game: str, *more: str, bots: Sequence[str] = BOTS) -> int:
        """Makes and starts a tournament of patient clocks; returns its number."""
        entrants = [part for bot in bots for part in ("--bot", bot)]
        made = self.json(
            "tournament", "create", name, "--game", game, "--limit-ms", "60000", "--bank-ms", "600000", "--start",
            *entrants, *more,
        )  # fmt: skip
        return int(made["tournament"])

    def table(self, number: int) -> Any:
        """The final table, once the tournament has ended."""
        answer = self.json("tournament", "watch", str(number))
        assert answer["state"] == "finished"
        return answer["table"]


@contextmanager
def dialled_in(arena: Arena, folder: Path, log: Path) -> Iterator[None]:
    """The bot in *folder*, live."""
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "rummy.cli", "bot", "run", str(folder)],
            cwd=ROOT, env=arena.environ, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            limit = time.monotonic() + PATIENCE
            while "is connected" not in log.read_text():
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < limit
                time.sleep(0.1)
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE)
