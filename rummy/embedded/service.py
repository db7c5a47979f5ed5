"""A process of the arena's own that says in its log when it is ready."""

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rummy.embedded import process
from rummy.embedded.privileges import Powers

READY = re.compile(rb"\bready\b")
START_SECONDS = 60.0
STOP_SECONDS = 10.0


@dataclass(slots=True)
class Service:
    """One process under supervision."""

    name: str
    command: Sequence[str | Path]
    environ: Mapping[str, str]
    log: Path
    running: subprocess.Popen[bytes] | None = None
    _log_before: int = field(default=0, repr=False)

    def launch(self) -> None:
        """Start the process without waiting for it."""
        ourselves = Powers("same", os.geteuid(), os.getegid())
        process.turn_over(self.log)
        self._log_before = self.log.stat().st_size if self.log.exists() else 0
        self.running = process.spawn(
            self.command, powers=ourselves, log=self.log, environ=self.environ, death_signal=signal.SIGKILL
        )

    def wait_ready(self) -> None:
        """Return once it has said that it is ready. Raises HostFault where it ends instead."""
        assert self.running is not None
        process.wait_until(self.answers, self.running, seconds=START_SECONDS, what=f"The {self.name}", log=self.log)

    def answers(self) -> bool:
        """Whether it has said that it is ready."""
        with self.log.open("rb") as log:
            log.seek(self._log_before)
            return READY.search(log.read()) is not None

    def start(self) -> None:
        """Start the process and return once it is ready. Raises HostFault where it ends instead."""
        self.launch()
        self.wait_ready()

    def stop(self) -> None:
        """End the process and what it left behind."""
        if self.running is not None:
            process.end(self.running, signal.SIGTERM, seconds=STOP_SECONDS, hard=signal.SIGKILL)
            self.running = None
