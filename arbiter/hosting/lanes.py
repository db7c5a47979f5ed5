"""The lanes of an arbiter: started at first use, kept, started again after a death, ended together."""

from __future__ import annotations

import asyncio
import fcntl
import itertools
import os
import secrets
import shutil
from collections import defaultdict
from collections.abc import Callable, Set
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from arbiter.hosting.lane import LaneDeath, RunningLane, tail_of
from arbiter.hosting.launch import Launch, Place, launch
from arbiter.hosting.reach import lanes_are_others, require_passable
from arbiter.hosting.runtime import Runtime, make_runtime
from arbiter.hosting.trust import require_trust
from arbiter.hosting.users import User
from rummy import packages
from rummy.errors import ArbiterUnavailable, BotNeverStarted, CallerFault, Conflict
from rummy.manifest import Manifest

LOG_BYTES = 256 * 1024
LOGS_KEPT = 400
"""Files; those of lanes that went longest without a new one go first. 100 MiB where every bot fills its own."""

__all__ = ["LaneDeath", "LaneKey", "Lanes"]


class LaneKey(NamedTuple):
    """Which lane: the bot version, and the leg that it plays."""

    version_id: int
    lane: int


@dataclass(slots=True)
class _Home:
    """What a lane keeps while its processes come and go."""

    place: Place
    manifest: Manifest
    user: User | None


class Lanes:
    """The processes of hosted bots. Used from one loop; see arbiter/hosting/__init__.py for the terms."""

    def __init__(
        self,
        fetch: Callable[[int], bytes],
        *,
        folder: Path,
        logs: Path,
        address: str,
        trusted: bool,
        on_lane_died: Callable[[LaneKey, LaneDeath], None] | None = None,
        log_bytes: int = LOG_BYTES,
    ) -> None:
        self.on_lane_died = on_lane_died
        self._fetch = fetch
        self._folder = folder
        self._logs = logs
        self._address = address
        self._trusted = trusted
        self._log_bytes = log_bytes
        self._homes: dict[LaneKey, _Home] = {}
        self._running: dict[LaneKey, RunningLane] = {}
        self._tokens: dict[bytes, LaneKey] = {}
        self._watchers: dict[LaneKey, asyncio.Task[None]] = {}
        self._starting: defaultdict[LaneKey, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._opening = asyncio.Lock()
        self._runtime: Runtime | None = None
        self._lock: int | None = None
        self._admitted: dict[int, bytes] = {}
        self._provisional = itertools.count(-1, -1)
        self._closed = False

    async def ensure(self, version_id: int, lane: int) -> None:
        """The lane's process runs after this, if only just. A later death is told to `on_lane_died`.

        Raises `Forbidden` where hosting is not allowed, `BotNeverStarted` where the package is at fault, `NotFound`
        where there is none, and a host fault where this machine cannot start it.
        """
        require_trust(trust_bots=self._trusted)
        key = LaneKey(version_id, lane)
        async with self._starting[key]:
            if self._closed:
                raise ArbiterUnavailable("This arbiter is closing.")
            if key not in self._running:
                await self._start(key)

    def lane_of(self, token: str) -> LaneKey | None:
        """Whose token this is, among the lanes that run."""
        return self._tokens.get(_digest(token))

    def name_of(self, version_id: int, lane: int) -> str:
        """Name and version of the bot in a lane that runs, as its package says."""
        said = self._homes[LaneKey(version_id, lane)].manifest
        return f"{said.name} {said.version}"

    def pid(self, version_id: int, lane: int) -> int | None:
        """The process of a lane that runs."""
        running = self._running.get(LaneKey(version_id, lane))
        return running.pid if running else None

    def tail(self, version_id: int, lane: int, lines: int = 20) -> str:
        """The last lines that the lane has written, in this life or, before it has written any, the one before."""
        log = self._log(LaneKey(version_id, lane))
        return tail_of(log, lines) or tail_of(_previous(log), lines)

    async def stop(self, version_id: int, lane: int) -> None:
        """Ends one lane and clears away what it had."""
        key = LaneKey(version_id, lane)
        async with self._starting[key]:
            if watcher := self._watchers.pop(key, None):
                running = self._running[key]
                watcher.cancel()
                await running.stop()
                self._forget(key, running)
            if home := self._homes.pop(key, None):
                await asyncio.to_thread(_leave, home)

    async def close(self) -> None:
        """Ends all lanes."""
        self._closed = True
        await asyncio.gather(*(self.stop(*key) for key in set(self._homes) | set(self._starting)))
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def admit(self, content: bytes) -> int:
        """A provisional version id, which is negative, for a package that is not stored."""
        version_id = next(self._provisional)
        self._admitted[version_id] = content
        return version_id

    async def dismiss(self, version_id: int) -> None:
        """Ends the lanes of a provisional version and forgets it and its logs."""
        keys = [key for key in set(self._homes) | set(self._starting) if key.version_id == version_id]
        await asyncio.gather(*(self.stop(*key) for key in keys))
        for key in keys:
            del self._starting[key]
            for log in (self._log(key), _previous(self._log(key))):
                log.unlink(missing_ok=True)
        self._admitted.pop(version_id, None)

    async def _start(self, key: LaneKey) -> None:
        runtime = await self._open()
        home = self._homes.get(key)
        if home is None:
            home = self._homes[key] = await asyncio.to_thread(self._settle, key)
        else:
            await asyncio.to_thread(_clear, home.place)
        token = secrets.token_urlsafe(32)
        job: Launch = launch(home.place, home.manifest.entry, runtime, address=self._address, token=token)
        self._tokens[_digest(token)] = key  # Before the bot can dial.
        try:
            running = await RunningLane.start(job, home.place.log, self._log_bytes)
        except BaseException:
            del self._tokens[_digest(token)]
            raise
        self._running[key] = running
        self._watchers[key] = asyncio.create_task(self._watch(key, running))

    async def _watch(self, key: LaneKey, running: RunningLane) -> None:
        death = await running.ended()
        del self._watchers[key]
        self._forget(key, running)
        if self.on_lane_died:
            self.on_lane_died(key, death)

    def _forget(self, key: LaneKey, running: RunningLane) -> None:
        if self._running.get(key) is running:
            del self._running[key]
        for digest in [digest for digest, owner in self._tokens.items() if owner == key]:
            del self._tokens[digest]

    async def _open(self) -> Runtime:
        """The runtime; the first call also takes the folder."""
        async with self._opening:
            if self._runtime is None:
                self._runtime = await asyncio.to_thread(self._prepare)
            return self._runtime

    def _prepare(self) -> Runtime:
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._lock is None:
            self._lock = _take(self._folder)
        _remove(self._folder / "lanes")
        (self._folder / "lanes").mkdir()
        self._logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._logs.chmod(0o700)
        for log in self._logs.glob("-*.log"):  # Of provisional versions, whose numbers begin anew.
            log.unlink(missing_ok=True)
        for folder in (self._folder, self._folder / "lanes"):
            folder.chmod(0o711 if lanes_are_others() else 0o700)
        require_passable(self._folder)
        return make_runtime(self._folder / "runtime")

    def _settle(self, key: LaneKey) -> _Home:
        """A home for the lane: the package unpacked, a working folder, a user."""
        content = self._admitted.get(key.version_id) or self._fetch(key.version_id)
        try:
            package = packages.read(content)
        except CallerFault as error:
            raise BotNeverStarted(str(error)) from error
        user = User() if lanes_are_others() else None
        folder = self._folder / "lanes" / f"{key.version_id}.{key.lane}"
        place = Place(folder / "bot", folder / "work", self._log(key), user.number if user else None)
        home = _Home(place, package.manifest, user)
        _drop_old_logs(self._logs, {each.place.log for each in list(self._homes.values())})
        try:
            _furnish(place, package)
        except BaseException:
            _leave(home)
            raise
        return home

    def _log(self, key: LaneKey) -> Path:
        return self._logs / f"{key.version_id}-lane-{key.lane}.log"


def _furnish(place: Place, package: packages.Package) -> None:
    """The lane's folder, which its own user may enter and nobody else."""
    folder = place.bot.parent
    folder.mkdir(mode=0o700)
    if place.user is not None:
        os.chown(folder, 0, place.user)
        folder.chmod(0o750)
    packages.unpack(package.files, place.bot)
    _clear(place)


def _clear(place: Place) -> None:
    """An empty working folder and an empty log: a new process knows nothing of the one before."""
    _remove(place.work)
    place.work.mkdir(mode=0o700)
    if place.user is not None:
        os.chown(place.work, place.user, place.user)
    with suppress(FileNotFoundError):
        place.log.rename(_previous(place.log))


def _drop_old_logs(folder: Path, in_use: Set[Path]) -> None:
    """Keeps the `LOGS_KEPT` youngest logs of *folder*, and those *in_use*."""
    by_age = sorted((log.stat().st_mtime, log) for log in folder.glob("*.log"))
    for _, log in by_age[: max(len(by_age) - LOGS_KEPT, 0)]:
        if log not in in_use:
            log.unlink(missing_ok=True)


def _previous(log: Path) -> Path:
    return log.with_suffix(".before.log")


def _leave(home: _Home) -> None:
    _remove(home.place.bot.parent)
    if home.user:
        home.user.release()


def _remove(folder: Path) -> None:
    """Takes *folder* away, read-only parts included."""
    if not folder.exists():
        return
    if not lanes_are_others():
        for path in (folder, *folder.rglob("*")):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _take(folder: Path) -> int:
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise Conflict(f"Another arbiter hosts its bots in {folder}; give this one a run folder of its own.") from None
    return lock


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
