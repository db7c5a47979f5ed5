"""The two folders of an arena: data that lasts, and a run folder with a short name for sockets."""

import contextlib
import fcntl
import hashlib
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from rummy.errors import Conflict, SettingsError

LONGEST_SOCKET = 107  # Bytes that fit into sockaddr_un with its closing zero.
LONGEST_NAME = "/postgres/.s.PGSQL.5432.lock"
TRIES = 20
PAUSE_SECONDS = 0.02


def default_data() -> Path:
    """Where data goes unless told otherwise: the machine's place for root, the user's for everybody else."""
    if os.geteuid() == 0:
        return Path("/var/lib/rummy-arena")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share", "rummy-arena")


def make_data(data: Path) -> Path:
    """The folder *data*, made if need be, as an absolute path. Raises SettingsError where one may not write."""
    folder = data.expanduser().absolute()
    try:
        # Only root's servers run as another user, who must be able to pass through to a folder of its own.
        folder.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
        _try_to_write(folder)
    except OSError as error:
        raise SettingsError(
            f"{folder} cannot be used for data ({error.strerror}): choose another folder with --data."
        ) from None
    return folder.resolve()


def run_of(data: Path) -> Path:
    """The path of the run folder that belongs to *data*, whether it is there or not."""
    digest = hashlib.sha256(os.fsencode(data) + str(os.geteuid()).encode()).hexdigest()[:12]
    return _run_root() / f"arena-{digest}"


def make_run(data: Path) -> Path:
    """The run folder that belongs to *data*, made if need be. Raises SettingsError where it is another's."""
    folder = run_of(data)
    folder.mkdir(mode=0o711, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise SettingsError(
            f"{folder} belongs to somebody else: remove it, or set XDG_RUNTIME_DIR to a folder of your own."
        )
    return folder


@contextlib.contextmanager
def running_in(data: Path) -> Iterator[Path]:
    """The run folder of *data*, empty at the start and gone at the end; for whoever holds *data*. Raises SettingsError.

    What an arena that was killed has left in it is cleared away.
    """
    folder = make_run(data)  # Before anything is removed: it may be another's.
    _remove(folder)
    try:
        yield make_run(data)
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Take *folder* away as far as can be, with the folders in it that hosted bots have closed or left unwritable."""
    if os.geteuid() != 0:
        for parent, names, _ in os.walk(folder):
            for path in (Path(parent, name) for name in names):
                if not path.is_symlink():
                    with contextlib.suppress(OSError):
                        path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _run_root() -> Path:
    """Root stays out of XDG_RUNTIME_DIR: the bots that it runs as other users must reach their socket."""
    chosen = os.environ.get("XDG_RUNTIME_DIR", "")
    if chosen and os.geteuid() != 0 and os.access(chosen, os.W_OK):
        room = LONGEST_SOCKET - len("/arena-0123456789ab") - len(LONGEST_NAME)
        if len(os.fsencode(chosen)) <= room:
            return Path(chosen)
    return Path("/tmp")


def secret(path: Path) -> str:
    """The secret kept in *path*, made on first use, readable by its owner only."""
    with contextlib.suppress(FileNotFoundError):
        kept = path.read_text()
        if kept:
            return kept
    return write_secret(path, secrets.token_hex(24))


def write_secret(path: Path, text: str) -> str:
    """Keep *text* in *path*, whole or not at all, readable by its owner only. Returns *text*."""
    partial = path.with_name(path.name + ".new")
    partial.unlink(missing_ok=True)
    with open(partial, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    return text


@contextlib.contextmanager
def locked(data: Path) -> Iterator[None]:
    """Hold *data* for this process alone, until it ends. Raises Conflict where another arena holds it."""
    with (data / "lock").open("a+") as file:
        if not _lock(file):
            raise Conflict(f"Another arena runs on {data}: stop it with 'arena down', or choose another --data.")
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _lock(file: IO[str]) -> bool:
    """Whether *file* is ours now. Whoever looks for its holder has it for a moment, so one refusal proves nothing."""
    for _ in range(TRIES):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(PAUSE_SECONDS)
    return False


def holder(data: Path) -> int | None:
    """The process id of the arena that holds *data*, or None where nobody does."""
    try:
        with (data / "lock").open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return None
    except BlockingIOError:
        return int((data / "lock").read_text() or 0) or None
    return None


def _try_to_write(folder: Path) -> None:
    probe = folder / f".probe-{os.getpid()}"
    probe.touch()
    probe.unlink()
