"""Starting and ending one process."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rummy.embedded.privileges import Powers, shim_command
from rummy.errors import HostFault

POLL_SECONDS = 0.01
LONGEST_LOG = 10_000_000


def spawn(
    command: Sequence[str | Path], *, powers: Powers, log: Path, environ: Mapping[str, str], death_signal: int
) -> subprocess.Popen[bytes]:
    """Start *command* in a session of its own, its output into *log*.

    *death_signal* reaches it when the thread that called this ends, however it ends.
    """
    with log.open("ab") as output:
        return subprocess.Popen(
            shim_command(powers, death_signal, command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=dict(environ),
            start_new_session=True,
        )


def wait_until(
    ready: Callable[[], bool], process: subprocess.Popen[bytes], *, seconds: float, what: str, log: Path
) -> None:
    """Return once *ready* says so. Raises HostFault, with the end of *log*, where it ends or *seconds* pass."""
    limit = time.monotonic() + seconds
    while not ready():
        if process.poll() is not None:
            raise HostFault(f"{what} ended at once: {last_line(log)} (all of it: {log})")
        if time.monotonic() > limit:
            raise HostFault(f"{what} was not ready within {seconds:.0f} seconds: {last_line(log)} (all of it: {log})")
        time.sleep(POLL_SECONDS)


def end(process: subprocess.Popen[bytes], gentle: signal.Signals, *, seconds: float, hard: signal.Signals) -> None:
    """End *process* with *gentle*, after *seconds* with *hard*, and then all that is left of its session."""
    for number in (gentle, hard, signal.SIGKILL):
        if process.poll() is None:
            process.send_signal(number)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
        break
    kill_group(process.pid)


def kill_group(pid: int) -> None:
    """Kill what is left of the process group that *pid* led."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # Nothing is left, or a zombie of another user.
        return


def last_line(log: Path) -> str:
    """The last line of *log* that says anything, for an error's sentence."""
    try:
        lines = log.read_text(errors="replace").split("\n")
    except OSError:
        return "it wrote nothing"
    return next((line.strip() for line in reversed(lines) if line.strip()), "it wrote nothing")


def children(parent: int) -> list[int]:
    """The process ids whose parent is *parent*, ended and unreaped ones included."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == parent:
                    found.append(int(entry.name))
    return found


def turn_over(log: Path) -> None:
    """Begin *log* anew where it has grown too long; one older copy stays."""
    with contextlib.suppress(FileNotFoundError):
        if log.stat().st_size > LONGEST_LOG:
            log.replace(log.with_name(log.name + ".1"))
