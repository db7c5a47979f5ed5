"""Starting the process that holds an arena, and being told how it goes."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import FrameType

from rummy.cli.plan import ROOT, Plan
from rummy.errors import Conflict, HostFault, RummyError, SettingsError

STOP_SECONDS = 60.0


class Kept:
    """An arena that is held by a process of its own, which ends everything when we go."""

    def __init__(self, plan: Plan) -> None:
        logs = plan.data / "logs"
        logs.mkdir(mode=0o700, exist_ok=True)
        self._log = logs / "keeper.log"
        with self._log.open("ab") as log:  # Not ours: whoever reads that would wait for its end.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "rummy.cli.keeper", plan.as_json()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd="/",
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                start_new_session=True,  # Ctrl-C and a closed terminal reach us, and we tell it.
            )

    def wait_ready(self, said: Callable[[str], None]) -> None:
        """Return once all is ready, telling each step to *said*. Raises what went wrong."""
        for message in self._messages():
            match message["event"]:
                case "step":
                    said(str(message["sentence"]))
                case "ready":
                    return
                case _:
                    raise self._failure(message)
        raise HostFault(f"The process that holds the arena ended without a word; see {self._log}.")

    def wait_end(self) -> None:
        """Return never. Raises HostFault once the arena has ended by itself."""
        for message in self._messages():
            raise self._failure(message)
        raise HostFault("The process that holds the arena was killed; nothing of the arena runs any more.")

    def check(self) -> None:
        """Raises HostFault where the arena has ended by itself."""
        if self._process.poll() is not None:
            self.wait_end()

    def detach(self) -> None:
        """Let it live on when we go."""
        self._write("detach")

    def stop(self) -> None:
        """End the arena and return once nothing of it runs."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait(STOP_SECONDS)

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # It has ended; its last message says why.
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def _messages(self) -> Iterator[dict[str, object]]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            yield json.loads(line)

    def _failure(self, message: dict[str, object]) -> RummyError:
        return HostFault(str(message.get("sentence", "The arena was told to end by somebody else.")))


@contextlib.contextmanager
def tied(plan: Plan) -> Iterator[Kept]:
    """An arena that ends with this block, however the block ends."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    kept = Kept(plan)
    try:
        yield kept
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # An impatient second Ctrl-C changes nothing.
        kept.stop()


def _leave(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)


def need_port(address: str, option: str) -> None:
    """Raises Conflict or SettingsError where HOST:PORT cannot be listened on, and says which *option* chooses another.

    An empty host would be every address of the machine, unasked.
    """
    host, port = _place(address, option)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, int(port)), family=family):
            pass
    except PermissionError:
        raise SettingsError(f"Only root may listen on port {port}: choose one above 1023 with {option}.") from None
    except OSError as error:
        if error.errno == 98:
            raise Conflict(f"Port {port} of {host} is taken: choose another with {option}.") from None
        raise SettingsError(f"One cannot listen on {address}: {error.strerror}.") from None


def _place(address: str, option: str) -> tuple[str, str]:
    """Host and port of *address*, as far as they are written well."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not host or not (port.isascii() and port.isdigit()) or not 1 <= int(port[:6]) <= 65535:
        raise SettingsError(
            f"{address[:80]!a} names no place to listen: a host and a port from 1 to 65535 are needed, as in "
            f"127.0.0.1:50151; give {option} such a one."
        )
    try:
        host.encode("idna")
    except UnicodeError:
        raise SettingsError(f"{host!a} is no name of a host: choose another.") from None
    return host, port


def free_port() -> int:
    """A port of the loopback that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
