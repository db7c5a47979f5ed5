"""A script between supervisor and server: gives up powers, ties its life to its parent, becomes the command.

A file of its own, standard library only, because a hook in a forked copy of a threaded process may deadlock, and
because the death signal must be set after the change of user, which clears it.
"""

import ctypes
import os
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1
CLONE_NEWUSER = 0x10000000
NOBODY = 65534


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def become(uid: int, gid: int) -> None:
    """Change to *uid* and *gid* for good, without any other group."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def map_to_nobody(libc: ctypes.CDLL) -> None:
    """Enter a user namespace where the present user is called nobody; files still belong to the present user."""
    uid, gid = os.geteuid(), os.getegid()
    _check(libc.unshare(CLONE_NEWUSER), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{NOBODY} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{NOBODY} {gid} 1")


def main(parent: int, signal_number: int, powers: str, command: list[str]) -> None:
    """Replace this process by *command*. *powers* is "same", "mapped" or "uid:gid"."""
    libc = ctypes.CDLL(None, use_errno=True)
    if powers == "mapped":
        map_to_nobody(libc)
    elif powers != "same":
        uid, gid = powers.split(":")
        become(int(uid), int(gid))
    if signal_number:
        _check(libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0), "prctl")
        if os.getppid() != parent:  # It died before we could ask to be told.
            sys.exit(0)
    os.execv(command[0], command)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
    except OSError as error:
        sys.exit(f"{sys.argv[4]} cannot be started: {error}")
