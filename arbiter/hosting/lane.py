"""One running lane, as the arbiter's loop sees it: a keeper process, and what it reports."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from arbiter.hosting.launch import Launch
from arbiter.hosting.users import sweep_command
from rummy.errors import ArbiterUnavailable

KEEPER = Path(__file__).with_name("keeper.py")
STOP_SECONDS = 10.0  # Killing what is left takes milliseconds; longer only where the kernel is stuck.

_RESOURCES = (signal.SIGXCPU, signal.SIGXFSZ)


@dataclass(frozen=True, slots=True)
class LaneDeath:
    """How a lane ended that nobody stopped: the cause as results name it, and a sentence."""

    cause: str
    text: str


class RunningLane:
    """A lane whose bot has been started."""

    def __init__(self, keeper: Process, launch: Launch, pid: int) -> None:
        self.pid = pid  # Of the bot's own process.
        self._keeper = keeper
        self._launch = launch
        self._ended = asyncio.ensure_future(self._wait())

    @classmethod
    async def start(cls, launch: Launch, log: Path, log_bytes: int) -> RunningLane:
        """The bot that *launch* describes, running. Raises `ArbiterUnavailable` where this machine cannot start it."""
        command = (sys.executable, "-I", "-S", str(KEEPER))
        keeper = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, start_new_session=True)
        assert keeper.stdin is not None and keeper.stdout is not None
        job = {**asdict(launch), "log": str(log), "log_bytes": log_bytes}
        keeper.stdin.write(json.dumps(job).encode() + b"\n")
        report = await _report(keeper)
        if "pid" not in report:
            await _finish(keeper)
            raise ArbiterUnavailable(
                f"This machine cannot start a bot: {report.get('failed', 'its keeper has ended')}."
            )
        return cls(keeper, launch, int(str(report["pid"])))

    async def ended(self) -> LaneDeath:
        """How it ended, once it and everything that it had started are gone."""
        return await asyncio.shield(self._ended)

    async def stop(self) -> None:
        """Ends the bot and everything that it has started."""
        _hang_up(self._keeper)
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._ended), STOP_SECONDS)
            return
        with suppress(ProcessLookupError):
            self._keeper.kill()
        await self.ended()

    async def _wait(self) -> LaneDeath:
        report = await _report(self._keeper)
        await _finish(self._keeper)
        if not report and self._launch.uid is not None:
            await _sweep(self._launch.uid)
        return _death(report.get("status"))


def _death(status: object) -> LaneDeath:
    if not isinstance(status, int):
        return LaneDeath("crashed", "The lane was killed together with its keeper.")
    if status >= 0:
        return LaneDeath("crashed", f"The bot ended by itself, with status {status}.")
    name = signal.Signals(-status).name if -status in signal.valid_signals() else f"signal {-status}"
    return LaneDeath("resources" if -status in _RESOURCES else "crashed", f"The bot was ended by {name}.")


async def _report(keeper: Process) -> dict[str, object]:
    """The keeper's next line, or nothing where it has been killed."""
    assert keeper.stdout is not None
    line = await keeper.stdout.readline()
    return dict(json.loads(line)) if line.endswith(b"\n") else {}


async def _finish(keeper: Process) -> None:
    _hang_up(keeper)
    await keeper.wait()


def _hang_up(keeper: Process) -> None:
    assert keeper.stdin is not None
    keeper.stdin.close()


async def _sweep(user: int) -> None:
    sweeper = await asyncio.create_subprocess_exec(*sweep_command(user), stdin=asyncio.subprocess.DEVNULL)
    await sweeper.wait()


def tail_of(log: Path, lines: int, most: int = 4_096) -> str:
    """The last *lines* of a log that may be long, or be no text at all."""
    try:
        with log.open("rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - most, 0))
            text = file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
