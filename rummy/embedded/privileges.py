"""Which powers an embedded server gets. PostgreSQL refuses to run as root, and no system user is ever added for it."""

import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rummy.errors import SettingsError

SHIM = Path(__file__).with_name("shim.py")
NO_WAY = (
    "PostgreSQL refuses to run as root, and here its files are out of reach for the user nobody and user "
    "namespaces are forbidden: start the arena as an ordinary user, or set ARENA_DATABASE_URL to a server of your own."
)


@dataclass(frozen=True, slots=True)
class Powers:
    """How a server runs: as ourselves, as ourselves under the name of nobody, or as another user."""

    word: str
    """What the shim is told: same, mapped or uid:gid."""
    uid: int
    gid: int
    """Whom the server's files must belong to."""


def shim_command(powers: Powers, death_signal: int, command: Iterable[str | Path]) -> list[str]:
    """The command line that runs *command* with *powers* and gets *death_signal* when this process dies (0: none)."""
    isolated = [sys.executable, "-I", "-S", str(SHIM)]
    return [*isolated, str(os.getpid()), str(int(death_signal)), powers.word, *(str(part) for part in command)]


def tied_command(command: Iterable[str | Path]) -> list[str]:
    """The command line that runs *command* as ourselves, and on Linux is killed when this process dies, however."""
    if sys.platform != "linux":
        return [str(part) for part in command]
    return shim_command(Powers("same", os.geteuid(), os.getegid()), signal.SIGKILL, command)


def choose_powers(programs: Sequence[Path], folders: Sequence[Path]) -> Powers:
    """The powers for a server that runs *programs* on *folders*. Raises SettingsError where root has no way to drop."""
    ourselves = Powers("same", os.geteuid(), os.getegid())
    if ourselves.uid != 0 and _has_name(ourselves.uid):
        return ourselves
    if ourselves.uid == 0:
        nobody = _nobody()
        if nobody is not None and all(map(_open_to_all, folders)) and _runs(nobody, programs):
            return nobody
    mapped = Powers("mapped", ourselves.uid, ourselves.gid)
    if _runs(mapped, programs):
        return mapped
    raise SettingsError(NO_WAY)


def hand_over(folder: Path, powers: Powers) -> None:
    """Give *folder* and all in it to the user of *powers*; nothing is done where it belongs to them already."""
    if os.geteuid() != 0 or folder.lstat().st_uid == powers.uid:
        return
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.lchown(Path(parent, name), powers.uid, powers.gid)
    os.lchown(folder, powers.uid, powers.gid)  # Last, so that an interrupted walk is walked again.


def _has_name(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:  # A container's made-up user: initdb insists on a name.
        return False
    return True


def _nobody() -> Powers | None:
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        return None
    return Powers(f"{entry.pw_uid}:{entry.pw_gid}", entry.pw_uid, entry.pw_gid)


def _open_to_all(folder: Path) -> bool:
    """Whether everybody may pass through all that lies above *folder*."""
    return all(parent.stat().st_mode & 0o001 for parent in folder.resolve().parents)


def _runs(powers: Powers, programs: Sequence[Path]) -> bool:
    """Whether *programs* can say their version with *powers*: the file, its libraries, all the folders above them."""
    commands = [shim_command(powers, 0, [program, "--version"]) for program in programs]
    return all(subprocess.run(command, check=False, capture_output=True).returncode == 0 for command in commands)
