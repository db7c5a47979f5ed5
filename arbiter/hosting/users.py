"""Users for lanes under root: numbers that nobody else on the machine has, one a lane."""

from __future__ import annotations

import errno
import socket
import sys
from contextlib import suppress
from pathlib import Path

from rummy.errors import TooMany

FIRST = 200_000
NUMBER = 10_000

_SWEEP = (
    "import os, signal, sys; uid = int(sys.argv[1]); os.setgroups([]); os.setresgid(uid, uid, uid); "
    "os.setresuid(uid, uid, uid); os.kill(-1, signal.SIGKILL)"
)


class User:
    """A user that is ours until `release`. Held by a socket name, which the kernel gives to one process at a time."""

    def __init__(self) -> None:
        for number in range(FIRST, FIRST + NUMBER):
            if held := _hold(number):
                self.number, self._held = number, held
                return
        raise TooMany(f"All {NUMBER} users for lanes are taken.")

    def release(self) -> None:
        """Gives the user back."""
        self._held.close()


def sweep_command(user: int) -> tuple[str, ...]:
    """The command that kills whatever *user* still runs; for when the keeper of its lane has been killed."""
    return (sys.executable, "-I", "-S", "-c", _SWEEP, str(user))


def _hold(number: int) -> socket.socket | None:
    held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        held.bind(f"\0rummy-arena-user-{number}")
    except OSError as error:
        held.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return None
    if _runs_something(number):
        held.close()
        return None
    return held


def _runs_something(number: int) -> bool:
    """Whether a process of that user is there, which an arbiter that was killed may have left for a moment."""
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            if process.name.isdigit() and process.stat().st_uid == number:
                return True
    return False
