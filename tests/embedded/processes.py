"""What runs on this machine, seen from outside."""

import contextlib
import os
import select
from collections.abc import Iterable
from pathlib import Path


def await_end(pids: Iterable[int], seconds: float = 20.0) -> bool:
    """Whether all of *pids* end within *seconds* each."""
    return all(_ends(pid, seconds) for pid in pids)


def _ends(pid: int, seconds: float) -> bool:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def mentioning(text: str) -> dict[int, str]:
    """The processes that have *text* in their arguments or their environment, with their arguments."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                arguments = (entry / "cmdline").read_bytes()
                if text.encode() in arguments + (entry / "environ").read_bytes():
                    found[int(entry.name)] = arguments.replace(b"\0", b" ").decode(errors="replace")
    return found
