"""Users for lanes under root: numbers that nobody else on the machine has, one a lane; and the end of what is left."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import sys
from contextlib import suppress
from pathlib import Path

from rummy.errors import SettingsError, TooMany

FOLDER = Path("/run/rummy-arena-users")  # Of the machine, not of an arbiter: two must never share a user.
FIRST = 200_000
NUMBER = 10_000

_SWEEP = (
    "import os, signal, sys; uid = int(sys.argv[1]); os.setgroups([]); os.setresgid(uid, uid, uid); "
    "os.setresuid(uid, uid, uid); os.kill(-1, signal.SIGKILL)"
)


class User:
    """A user that is ours until `release` or the end of this process, by the lock of a file that lanes cannot open.

    Raises `SettingsError` where the folder of the locks is not root's alone, `TooMany` where all are taken.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        _require_own(folder)
        for number in range(FIRST, FIRST + NUMBER):
            held = _hold(folder / str(number), number)
            if held is not None:
                self.number, self._held = number, held
                return
        raise TooMany(f"All {NUMBER} users for lanes are taken.")

    def release(self) -> None:
        """Gives the user back."""
        os.close(self._held)


def sweep_command(user: int) -> tuple[str, ...]:
    """The command that kills whatever *user* still runs; for when the keeper of its lane has been killed."""
    return (sys.executable, "-I", "-S", "-c", _SWEEP, str(user))


def end_session(leader: int) -> None:
    """Kills every process of the session that *leader* has begun, round by round, since any of them may be forking.

    The kernel gives the number to no new process while one of the session is there.
    """
    while members := _members(leader):
        for process in members:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def _members(session: int) -> list[int]:
    """The processes of a session that can still do something."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            state, _, _, of = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:4]
            if int(of) == session and state not in (b"Z", b"X"):
                found.append(int(entry.name))
    return found


def _require_own(folder: Path) -> None:
    """Makes *folder* where it is not there; whoever could write in it could hold every user."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise SettingsError(
            f"Users for hosted bots are held in {folder}, which cannot be made: {error.strerror}."
        ) from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise SettingsError(f"Users for hosted bots are held in {folder}, which must be root's own, of mode 0700.")


def _hold(file: Path, number: int) -> int | None:
    """The lock of user *number*, or None where somebody has it. The file stays: to remove it would free the lock."""
    held = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    if _runs_something(number):
        os.close(held)
        return None
    return held


def _runs_something(number: int) -> bool:
    """Whether a process of that user is there, which an arbiter that was killed may have left for a moment."""
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            if process.name.isdigit() and process.stat().st_uid == number:
                return True
    return False
