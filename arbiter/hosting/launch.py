"""How a lane becomes a process. This is the place of the sandbox: what it takes to shut a bot in is decided here alone.

Without one, under `--trust-bots`: an empty environment, a folder of its own, limits on memory, files and processes, no
way to gain rights, and under root a user of its own. The network and what everybody may read stay open to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arbiter.hosting.runtime import Runtime

MIB = 1 << 20
NICE = 5

# Limits by the names of resource.RLIMIT_*. A gRPC bot runs from 192 MiB of address space on.
LIMITS: Mapping[str, int] = {"AS": 1024 * MIB, "FSIZE": 16 * MIB, "NOFILE": 128, "CORE": 0}
# Processes are counted by user, so this limit is for lanes that have a user of their own.
PROCESSES = 64


@dataclass(frozen=True, slots=True)
class Place:
    """Where a lane lives."""

    bot: Path  # The package, unpacked; not writable.
    work: Path  # Its working folder, empty at the start.
    log: Path
    user: int | None  # User and group of its own, or None for the arbiter's.


@dataclass(frozen=True, slots=True)
class Launch:
    """What the keeper of the lane is told to start."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    uid: int | None
    limits: Mapping[str, int]
    nice: int = NICE


def launch(place: Place, entry: str, runtime: Runtime, *, address: str, token: str) -> Launch:
    """The process for the lane at *place* that runs *entry* and dials *address* with *token*."""
    environment = {
        "ARENA_ADDRESS": address,
        "ARENA_TOKEN": token,
        "ARENA_BOT_DIR": str(place.bot),
        "PATH": "/usr/bin:/bin",
        "HOME": str(place.work),
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",  # The last words of a bot that crashes get into its log.
        "PYTHONHASHSEED": "0",  # A bot that is started again plays as before.
        "MALLOC_ARENA_MAX": "2",
        **runtime.environment,
    }
    limits = dict(LIMITS) if place.user is None else {**LIMITS, "NPROC": PROCESSES}
    argv = (str(runtime.python), str(place.bot / entry))
    return Launch(argv, environment, str(place.work), place.user, limits)
