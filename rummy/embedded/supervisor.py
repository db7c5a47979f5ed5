"""Keeps a list of processes running: starts them again when they die, stops them in reverse order, leaves nothing."""

import contextlib
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
PAUSE_SECONDS = 1.0  # What could not start at once may need what is being started beside it.


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
        self.changed: Callable[[], None] = lambda: None
        self._before = frozenset(process.children(os.getpid()))  # No business of ours.
        # Grandchildren whose parent is killed become our children, so that none is lost.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def start(self, *parts: Part) -> None:
        """Start *parts* side by side and return once all are ready. Raises HostFault where one is not."""
        self.parts += parts
        if len(parts) == 1:
            parts[0].start()
        else:
            for part in parts:
                part.launch()
            for part in parts:
                part.wait_ready()
        self.changed()

    def watch(self) -> NoReturn:
        """Start again whatever dies, for ever.

        Raises HostFault where something dies again and again, unless that is what is wanted of this arena.
        """
        while True:
            pid = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid  # type: ignore[union-attr]  # It blocks.
            part = self._part(pid)
            if part is None:
                os.waitpid(pid, 0)  # A grandchild that became ours.
                continue
            assert part.running is not None
            part.running.wait()
            self._start_again(part)

    def stop(self) -> None:
        """End all parts, the last started first, and whatever they left behind."""
        for part in reversed(self.parts):
            part.stop()
        self._end_strays()
        self.parts.clear()

    def _part(self, pid: int) -> Part | None:
        return next((part for part in self.parts if part.running is not None and part.running.pid == pid), None)

    def _start_again(self, part: Part) -> None:
        assert part.running is not None
        process.kill_group(part.running.pid)
        self._end_strays()
        while True:
            self._count_death(part)
            with contextlib.suppress(HostFault):
                part.start()
                break
            part.stop()
            self._start_others()
            time.sleep(PAUSE_SECONDS)
        self.restarts[part.name] += 1
        self.changed()

    def _start_others(self) -> None:
        """Start again what has died meanwhile: it may be what the one that cannot start is waiting for."""
        for other in self.parts:
            if other.running is not None and other.running.poll() is not None:
                self._start_again(other)

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
