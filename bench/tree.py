"""The processor time of processes with all that hangs below them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def used_by(roots: Iterable[int]) -> float:
    """Seconds of processor that *roots* have had, with their descendants; of those that have ended, what was collected.

    A process that is a root and hangs below another counts once.
    """
    below: defaultdict[int, list[int]] = defaultdict(list)
    spent: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                below[int(fields[1])].append(int(entry.name))
                spent[int(entry.name)] = sum(map(int, fields[11:15]))
    found: set[int] = set()
    todo = list(roots)
    while todo:
        if (pid := todo.pop()) not in found:
            found.add(pid)
            todo += below[pid]
    return sum(spent.get(pid, 0) for pid in found) / _TICKS
