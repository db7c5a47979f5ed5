"""What lanes can reach. Under root they run as users of their own, and see only what everybody may see."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from rummy.errors import SettingsError


def lanes_are_others() -> bool:
    """Whether lanes run as other users than the arbiter, which takes root's powers."""
    return os.geteuid() == 0


def barrier(path: Path) -> Path | None:
    """What keeps others from reading *path*: a folder on the way or *path* itself; None if they can."""
    path = path.resolve()
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    mode = path.stat().st_mode
    wanted = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
    return None if mode & wanted == wanted else path


def open_to_lanes(socket: Path) -> None:
    """Lets lanes dial the unix socket *socket*, which exists. Raises `SettingsError` where they cannot get there."""
    if not lanes_are_others():
        return
    socket.chmod(0o666)
    require_passable(socket.parent)


def require_passable(folder: Path) -> None:
    """Raises `SettingsError` where lanes of other users cannot pass *folder*."""
    if not lanes_are_others():
        return
    for part in reversed((folder.resolve(), *folder.resolve().parents)):
        if not part.stat().st_mode & stat.S_IXOTH:
            raise SettingsError(
                f"Hosted bots run as users of their own and cannot pass {part}; set ARENA_RUN_DIR to a folder that "
                "others may pass (mode 0711), such as one under /var/lib or /tmp."
            )
