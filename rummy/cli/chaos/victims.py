"""Who can die, and where their processes are: what the keeper of the arena says, and what hangs below its arbiters."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from rummy.cli.chaos.points import Missed
from rummy.cli.ground import Ground
from rummy.embedded.process import children

_BOT = re.compile(rb"/(arbiter-\d+)/hosting/lanes/(\d+)\.(\d+)/bot/")


class Kind(StrEnum):
    """A kind of victim."""

    WORKER = "worker"
    ARBITER = "arbiter"
    BOT = "hosted bot"
    VALKEY = "Valkey"
    POSTGRES = "PostgreSQL"


@dataclass(frozen=True, slots=True)
class Victim:
    """Processes that stop and die together, the first of them first."""

    kind: Kind
    name: str
    pids: tuple[int, ...]

    def freeze(self) -> None:
        """They stand still."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """They go on, as far as they live."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """They are gone, without a chance to say anything."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


@dataclass(frozen=True, slots=True)
class Bot:
    """A hosted bot that runs now."""

    arbiter: str
    version_id: int
    lane: int
    pid: int

    def victim(self) -> Victim:
        """To be killed or frozen."""
        return Victim(Kind.BOT, f"version {self.version_id}, lane {self.lane} at {self.arbiter}", (self.pid,))


def services(ground: Ground, kind: Kind) -> list[Victim]:
    """The processes of that kind that run now, by name; hosted bots are no services."""
    found = [(name, pid) for name, pid in ground.processes().items() if name.partition("-")[0] == kind.value]
    if kind is Kind.POSTGRES:  # Its sessions are processes of their own.
        return [Victim(kind, name, (pid, *children(pid))) for name, pid in found]
    return [Victim(kind, name, (pid,)) for name, pid in sorted(found)]


def bots(ground: Ground) -> list[Bot]:
    """The hosted bots that run now."""
    inside = os.fsencode(ground.run)
    return sorted(
        (Bot(os.fsdecode(lane[1]), int(lane[2]), int(lane[3]), pid)
         for pid, command in _commands() if inside in command and (lane := _BOT.search(command))),
        key=lambda bot: (bot.arbiter, bot.version_id, bot.lane),
    )  # fmt: skip


def astray(ground: Ground) -> list[Bot]:
    """Hosted bots that no arbiter of now has: each hangs below its keeper, and that below the arbiter."""
    keepers = {pid for arbiter in services(ground, Kind.ARBITER) for pid in children(arbiter.pids[0])}
    kept = {pid for keeper in keepers for pid in children(keeper)}
    return [bot for bot in bots(ground) if bot.pid not in kept]


def by_name(victims: Iterable[Victim], name: str) -> Victim:
    """The one of that name. Raises `Missed` where it has just died."""
    for victim in victims:
        if victim.name == name:
            return victim
    raise Missed(f"{name} does not run")


def _commands() -> Iterator[tuple[int, bytes]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                yield int(entry.name), (entry / "cmdline").read_bytes()
