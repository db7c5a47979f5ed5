"""One running lane, as the arbiter's loop sees it: a keeper process, and what it reports.

The process is started by `subprocess`, whose vfork runs no handlers at the fork, and not by the loop: uvloop forks, and
a child of a process in which gRPC's threads run does not always live until its exec.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from subprocess import PIPE, Popen

from arbiter.hosting.launch import Launch
from arbiter.hosting.users import end_session, sweep_command
from rummy.errors import ArbiterUnavailable, BotCrashed, BotResourceLimit

KEEPER = Path(__file__).with_name("keeper.py")
STOP_SECONDS = 10.0  # Killing what is left takes milliseconds; longer only where the kernel is stuck.

_RESOURCES = (signal.SIGXCPU, signal.SIGXFSZ)
# A limit shows itself to the bot as an error, which ends it like any other: its last words tell the two apart. They are
# its own, but nothing is to be gained by them.
_LIMIT = re.compile(
    r"MemoryError|bad_alloc|out of memory|Cannot allocate memory|\[Errno (11|12|24|27)\]", re.IGNORECASE
)
_LAST_WORDS = 4  # Lines.


@dataclass(frozen=True, slots=True)
class LaneDeath:
    """How a lane ended that nobody stopped: the cause as results name it, and a sentence."""

    cause: str
    text: str


class _Keeper:
    """A keeper's process and the pipes to it."""

    def __init__(self, process: Popen[bytes], reports: asyncio.StreamReader, reading: asyncio.ReadTransport) -> None:
        self.process = process
        self._reports = reports
        self._reading = reading

    @classmethod
    async def start(cls) -> _Keeper:
        command = (sys.executable, "-I", "-S", str(KEEPER))
        process = Popen(command, stdin=PIPE, stdout=PIPE, bufsize=0, start_new_session=True)
        reports = asyncio.StreamReader()
        reading, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reports), process.stdout
        )
        return cls(process, reports, reading)

    def tell(self, job: object) -> None:
        """Gives the keeper its job, which a pipe holds as a whole."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # It has been killed, and reports nothing.
            self.process.stdin.write(json.dumps(job).encode() + b"\n")

    async def report(self) -> dict[str, object]:
        """The keeper's next line, or nothing where it has been killed."""
        line = await self._reports.readline()
        return dict(json.loads(line)) if line.endswith(b"\n") else {}

    def hang_up(self) -> None:
        """Has the keeper end its lane."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def finish(self) -> None:
        """Waits for the end of the process, which has said all that it had to say."""
        self.hang_up()
        await asyncio.to_thread(self.process.wait)
        self._reading.close()


class RunningLane:
    """A lane whose bot has been started."""

    def __init__(self, keeper: _Keeper, launch: Launch, log: Path, pid: int) -> None:
        self.pid = pid  # Of the bot's own process.
        self._keeper = keeper
        self._log = log
        self._launch = launch
        self._ended = asyncio.ensure_future(self._wait())

    @classmethod
    async def start(cls, launch: Launch, log: Path, log_bytes: int) -> RunningLane:
        """The bot that *launch* describes, running. Raises `ArbiterUnavailable` where this machine cannot start it."""
        keeper = await _Keeper.start()
        try:
            keeper.tell({**asdict(launch), "log": str(log), "log_bytes": log_bytes})
            report = await keeper.report()
        except BaseException:  # Cancelled, for one: nobody would end the bot.
            await keeper.finish()
            raise
        if "pid" not in report:
            await keeper.finish()
            why = report.get("failed", "its keeper has ended")
            raise ArbiterUnavailable(f"This machine cannot start a bot: {why}.")
        return cls(keeper, launch, log, int(str(report["pid"])))

    async def ended(self) -> LaneDeath:
        """How it ended, once it and everything that it had started are gone."""
        return await asyncio.shield(self._ended)

    async def stop(self) -> None:
        """Ends the bot and everything that it has started."""
        self._keeper.hang_up()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._ended), STOP_SECONDS)
            return
        self._keeper.process.kill()
        await self.ended()

    async def _wait(self) -> LaneDeath:
        report = await self._keeper.report()
        await self._keeper.finish()
        if not report:
            await asyncio.to_thread(self._sweep)
        return _death(report.get("status"), tail_of(self._log, _LAST_WORDS))

    def _sweep(self) -> None:
        """Kills what a bot has left whose keeper was killed: all of its user, or of its session where it has none."""
        if self._launch.uid is None:
            end_session(self.pid)
        else:
            subprocess.run(sweep_command(self._launch.uid), stdin=subprocess.DEVNULL)


def _death(status: object, words: str) -> LaneDeath:
    if not isinstance(status, int):
        return LaneDeath("crashed", "The lane was killed together with its keeper.")
    limit = _LIMIT.search(words) if status else None
    cause = BotResourceLimit.cause if limit or -status in _RESOURCES else BotCrashed.cause
    if status >= 0:
        how = f"ended by itself, with status {status}"
    else:
        name = signal.Signals(-status).name if -status in signal.valid_signals() else f"signal {-status}"
        how = f"was ended by {name}"
    return LaneDeath(cause, f"The bot {how}{f', at a limit of its process: {limit[0]}' if limit else ''}.")


def tail_of(log: Path, lines: int, most: int = 4_096) -> str:
    """The last *lines* of a log that may be long, or be no text at all."""
    try:
        with log.open("rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - most, 0))
            text = file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
