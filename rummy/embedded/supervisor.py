"""Keeps a list of processes running: starts them again when they die, stops them in reverse order, leaves nothing."""

import ctypes
import os
import signal
import subprocess
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, Protocol

from rummy.embedded import process
from rummy.errors import HostFault

PR_SET_CHILD_SUBREAPER = 36
MOST_DEATHS = 5
WITHIN_SECONDS = 60.0
PAUSE_SECONDS = 1.0  # What dies at its start may need what is being started beside it.
POLL_SECONDS = 0.05


class Part(Protocol):
    """What the supervisor can keep running."""

    name: str
    log: Path
    running: subprocess.Popen[bytes] | None

    def launch(self) -> object: ...
    def wait_ready(self) -> None: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...


class Supervisor:
    """Everything that this process keeps running. Used from one thread: a part dies with the thread that started it."""

    def __init__(self, *, endless: bool = False) -> None:
        self.parts: list[Part] = []
        self.restarts: Counter[str] = Counter()
        self._endless = endless  # However often something dies, it is started again.
        self._deaths: dict[str, deque[float]] = {}
        self._launched: dict[str, float] = {}
        self._due: list[tuple[float, Part]] = []  # What is dead, and when it is to be started again.
        self.changed: Callable[[], None] = lambda: None
        self._before = frozenset(process.children(os.getpid()))  # No business of ours.
        # Grandchildren whose parent is killed become our children, so that none is lost.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def start(self, *parts: Part) -> None:
        """Start *parts* side by side and return once all are ready. Raises HostFault where one is not."""
        self.parts += parts
        now = time.monotonic()
        self._launched |= {part.name: now for part in parts}
        if len(parts) == 1:
            parts[0].start()
        else:
            for part in parts:
                part.launch()
            for part in parts:
                part.wait_ready()
        self.changed()

    def watch(self) -> NoReturn:
        """Start again whatever dies, for ever. None waits for another, so that one may need what has died beside it.

        Raises HostFault where something dies again and again, unless that is what is wanted of this arena.
        """
        while True:
            if (pid := self._ended()) is not None:
                self._note_end(pid)
            elif self._due:
                time.sleep(POLL_SECONDS)
            self._launch_due()

    def stop(self) -> None:
        """End all parts, the last started first, and whatever they left behind."""
        for part in reversed(self.parts):
            part.stop()
        self._end_strays()
        self.parts.clear()

    def _part(self, pid: int) -> Part | None:
        return next((part for part in self.parts if part.running is not None and part.running.pid == pid), None)

    def _ended(self) -> int | None:
        """A child that has ended; waits for one where nothing is due."""
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT | (os.WNOHANG if self._due else 0))
        except ChildProcessError:  # All are dead.
            return None
        return None if found is None else found.si_pid

    def _note_end(self, pid: int) -> None:
        part = self._part(pid)
        if part is None:
            os.waitpid(pid, 0)  # A grandchild that became ours.
            return
        assert part.running is not None
        part.running.wait()
        process.kill_group(pid)
        self._end_strays()
        self._count_death(part)
        self._due.append((max(time.monotonic(), self._launched[part.name] + PAUSE_SECONDS), part))

    def _launch_due(self) -> None:
        now = time.monotonic()
        due = [part for at, part in self._due if at <= now]
        self._due = [(at, part) for at, part in self._due if at > now]
        for part in due:
            self._launched[part.name] = now
            part.launch()
            self.restarts[part.name] += 1
        if due:
            self.changed()

    def _count_death(self, part: Part) -> None:
        deaths = self._deaths.setdefault(part.name, deque(maxlen=MOST_DEATHS))
        now = time.monotonic()
        deaths.append(now)
        if not self._endless and len(deaths) == MOST_DEATHS and now - deaths[0] < WITHIN_SECONDS:
            raise HostFault(
                f"The {part.name} died {MOST_DEATHS} times within a minute: {process.last_line(part.log)} "
                f"(all of it: {part.log})"
            )

    def _end_strays(self) -> None:
        """Kill children that no part accounts for, until their own children have come to us and gone too."""
        ours = self._before.union(part.running.pid for part in self.parts if part.running is not None)
        while strays := [pid for pid in process.children(os.getpid()) if pid not in ours]:
            for pid in strays:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
