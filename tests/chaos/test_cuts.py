"""Detours: whoever dials a socket comes by them, knows nothing of it, and is cut off in both directions."""

import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from rummy.cli.chaos.cuts import Detour, detour
from rummy.cli.ground import Ground, leavings
from rummy.cli.plan import Plan


def until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < limit, "it did not happen"
        time.sleep(0.005)


class Host(socketserver.StreamRequestHandler):
    """Answers each line with the name of its server before it."""

    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(self.server.name + line)  # type: ignore[attr-defined]
            self.wfile.flush()
        self.server.left.append(self.server.name)  # type: ignore[attr-defined]


@contextmanager
def listening(path: Path, name: bytes, left: list[bytes]) -> Iterator[None]:
    """A server on *path* as gRPC makes one: what another has left there goes first."""
    path.unlink(missing_ok=True)
    with socketserver.ThreadingUnixStreamServer(str(path), Host) as server:
        server.name, server.left = name, left  # type: ignore[attr-defined]
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()


def dialled(path: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(20)
    made.connect(str(path))
    return made


def asked(connection: socket.socket) -> bytes:
    connection.sendall(b"?\n")
    return connection.recv(100)


@pytest.fixture
def path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cuts-") as folder:  # Short: a socket's name has a limit.
        yield Path(folder, "a.sock")


def test_whoever_dials_is_passed_on_and_cut_off_and_can_dial_again(path: Path) -> None:
    left: list[bytes] = []
    with listening(path, b"one", left), detour([path]) as between:
        with closing(dialled(path)) as first, closing(dialled(path)) as second:
            assert asked(first) == asked(second) == b"one?\n"
            assert between.cut() == 2
            assert first.recv(100) == second.recv(100) == b""
            until(lambda: left == [b"one", b"one"])
        assert between.cut() == 0
        with closing(dialled(path)) as again:
            assert asked(again) == b"one?\n"


def test_who_listens_anew_after_a_death_is_found(path: Path) -> None:
    with detour([path]) as between:
        for name in (b"one", b"two"):
            with listening(path, name, []):
                until(lambda name=name: is_cut(between, path, name))  # type: ignore[misc]


def is_cut(between: Detour, path: Path, name: bytes) -> bool:
    """Whether a connection to the server *name*, which may have been too early to come by us, can be cut."""
    with closing(dialled(path)) as guest:
        assert asked(guest) == name + b"?\n"
        return between.cut() == 1 and guest.recv(100) == b""


def test_where_nobody_listens_any_more_there_is_nobody(path: Path) -> None:
    with listening(path, b"one", []):
        between = Detour([path])
        between.begin()
    with closing(dialled(path)) as guest:
        assert guest.recv(100) == b""
    between.end()


def test_at_its_end_it_gives_the_sockets_back(path: Path) -> None:
    with listening(path, b"one", []):
        before = path.stat().st_ino
        with detour([path]):
            assert path.stat().st_ino != before
        assert path.stat().st_ino == before
        assert list(path.parent.iterdir()) == [path]
        with closing(dialled(path)) as guest:
            assert asked(guest) == b"one?\n"


def test_a_process_that_is_left_over_is_found(tmp_path: Path) -> None:
    """Else "no process is left over" would hold of any run."""
    plan = Plan(data=tmp_path / "data")
    place = Ground(plan, kept=None, database=None, run=tmp_path / "run", versions=())  # type: ignore[arg-type]
    assert leavings(place) == []
    waits = (sys.executable, "-c", "input()")
    with (
        subprocess.Popen((*waits, f"{tmp_path}/run/arbiter-1"), stdin=subprocess.PIPE) as told,
        subprocess.Popen(waits, stdin=subprocess.PIPE, env={"ARENA_RUN_DIR": f"{tmp_path}/data"}) as by_setting,
    ):
        until(lambda: set(leavings(place)) == {told.pid, by_setting.pid})
        for process in (told, by_setting):
            process.kill()
