"""The keeper of one lane: a process that starts a bot, drains what it writes, and ends it with all its descendants.

A script of its own that needs the standard library only, run as `python -I -S keeper.py`. The job comes as a line of
JSON on standard input (no secret stands in an argument list); the end of standard input, which the death of the arbiter
brings about too, ends the lane. On standard output: a line once the bot runs or cannot be started, and a line once it
has ended.

Whatever the bot starts becomes a child of the keeper when its parent dies (a "subreaper"), so nothing can hide from it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import selectors
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 36, 38
_READ = 1 << 16
_TAIL = 4_096
_DRAINS = 64  # What a pipe can still hold when everything that wrote to it is dead, and more.
_LIBC = ctypes.CDLL(None, use_errno=True)


class CappedLog:
    """A file that takes everything and keeps the beginning and the end of it, with a mark between them."""

    def __init__(self, path: str, limit: int) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._left = max(limit - 2 * _TAIL, 0)
        self._tail = b""
        self._dropped = 0

    def write(self, data: bytes) -> None:
        kept, rest = data[: self._left], data[self._left :]
        if kept:
            self._left -= len(kept)
            self._put(kept)
        if rest:
            if not self._dropped:
                self._put(b"\n[cut here: the log is full; its last lines follow when the bot has ended]\n")
            self._dropped += len(rest)
            self._tail = (self._tail + rest)[-_TAIL:]

    def close(self) -> None:
        if self._dropped:
            self._put(b"[%d bytes left out]\n" % (self._dropped - len(self._tail)) + self._tail)
        os.close(self._file)

    def _put(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # A full disk is no reason to let the bot block.
            os.write(self._file, data)


def main() -> None:
    """Keeps the lane that standard input describes, until it has ended."""
    job = json.loads(_line(0))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: None)
    wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    log = CappedLog(job["log"], job["log_bytes"])
    bot, output, failure = _start(job)
    if failure:
        _say(failed=failure)
        return
    _say(pid=bot)
    status = _watch(bot, output, wake, log)
    stopped = status is None
    status = _end_all(bot, status)
    _drain(output, log)
    log.close()
    _say(status=os.waitstatus_to_exitcode(status) if status is not None else None, stopped=stopped)


def _start(job: dict[str, Any]) -> tuple[int, int, str]:
    """The bot's process, the pipe with what it writes, and why it could not be started, or nothing."""
    output, writing = os.pipe2(os.O_CLOEXEC)
    failure, failing = os.pipe2(os.O_CLOEXEC)
    keeper = os.getpid()
    bot = os.fork()
    if bot == 0:
        _become(job, writing, failing, keeper)
    os.close(writing)
    os.close(failing)
    reason = _everything(failure)
    os.set_blocking(output, False)
    return bot, output, reason.decode("utf-8", "replace")


def _become(job: dict[str, Any], writing: int, failing: int, keeper: int) -> NoReturn:
    """Turns this process into the bot: no way back to the keeper's powers, files and signals."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (writing, 1), (writing, 2)):
            os.dup2(source, target)
        _limit(job["limits"])
        os.nice(job["nice"])
        if job["uid"] is not None:
            os.setgroups([])
            os.setresgid(job["uid"], job["uid"], job["uid"])
            os.setresuid(job["uid"], job["uid"], job["uid"])
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # After the change of user, which clears it.
        if os.getppid() != keeper:
            os._exit(127)
        for number in (signal.SIGPIPE, signal.SIGTERM, signal.SIGCHLD, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.umask(0o077)
        os.chdir(job["cwd"])
        os.execve(job["argv"][0], job["argv"], job["env"])
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(failing, str(error).encode()[:1000] or b"unknown")
    os._exit(127)


def _limit(limits: dict[str, int]) -> None:
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bounded, bounded))


def _watch(bot: int, output: int, wake: int, log: CappedLog) -> int | None:
    """Drains until the bot has ended, and gives its status, or None when the lane is to be ended."""
    ready = selectors.DefaultSelector()
    for file in (0, output, wake):
        ready.register(file, selectors.EVENT_READ)
    while True:
        for key, _ in ready.select():
            if key.fd == output and not _drain(output, log, 1):
                ready.unregister(output)
            if key.fd == 0 and not os.read(0, _READ):
                return None
            if key.fd == wake:
                if signal.SIGTERM in os.read(wake, _READ):
                    return None
                if (status := _reap(bot)) is not None:
                    return status


def _drain(output: int, log: CappedLog, times: int = _DRAINS) -> bool:
    """Moves what is in the pipe to the log; false once nobody can write to it any more."""
    for _ in range(times):
        try:
            data = os.read(output, _READ)
        except BlockingIOError:
            return True
        if not data:
            return False
        log.write(data)
    return True


def _reap(bot: int) -> int | None:
    """Collects what has ended; the status of the bot, if it was among them."""
    status = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == bot:
                status = ended[1]
    return status


def _end_all(bot: int, status: int | None) -> int | None:
    """Kills every descendant, round by round until there is none, since any of them may be forking meanwhile."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # So that it can be waited for.
    while True:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in _descendants():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, number)
        try:
            while True:
                ended, code = os.waitpid(-1, os.WNOHANG)
                status = code if ended == bot else status
                if not ended:
                    signal.sigtimedwait([signal.SIGCHLD], 0.01)
                    break
        except ChildProcessError:
            return status


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_bytes().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def _prctl(option: int, value: int) -> None:
    if _LIBC.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def _say(**what: object) -> None:
    with contextlib.suppress(OSError):  # Nobody listens any more.
        os.write(1, json.dumps(what).encode() + b"\n")


def _line(file: int) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(file, _READ)
        if not part:
            sys.exit("The keeper of a lane is started by the arbiter and reads its job from standard input.")
        line += part
    return line


def _everything(file: int) -> bytes:
    data = b""
    while part := os.read(file, _READ):
        data += part
    os.close(file)
    return data


if __name__ == "__main__":
    main()
