"""A Redis-protocol server of the arena's own, on a unix socket, with a password, its data durable between runs."""

import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from rummy.embedded import finder, folders, process
from rummy.embedded.privileges import Powers, choose_powers, hand_over

START_SECONDS = 30.0
DEATH_SIGNAL = signal.SIGTERM
NEVER_AGAIN = Retry(NoBackoff(), 0)  # The client's own patience would wait a second between its attempts.


@dataclass(slots=True)
class ValkeyServer:
    """One server: `prepare`, `start`, then `url`. *data* gets valkey/ and valkey.password, *run* the socket."""

    data: Path
    run: Path
    log: Path
    name: str = "Valkey"
    running: subprocess.Popen[bytes] | None = None
    _program: Path = field(init=False, repr=False)
    _powers: Powers = field(init=False, repr=False)

    @property
    def folder(self) -> Path:
        return self.data / "valkey"

    @property
    def socket(self) -> Path:
        return self.run / "valkey" / "valkey.sock"

    @property
    def url(self) -> str:
        """The address, in the form that Celery takes."""
        return f"redis+socket://:{quote(self._password, safe='')}@{quote(str(self.socket))}?virtual_host=0"

    def prepare(self) -> None:
        """Find the program and make the folders. Raises SettingsError where there is none."""
        self._program = finder.find_valkey()
        self._powers = choose_powers([self._program], [self.data, self.run])
        for folder in (self.folder, self.socket.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        folders.write_secret(self._config, self._settings())
        for folder in (self.folder, self.socket.parent):
            hand_over(folder, self._powers)
        os.chown(self._config, self._powers.uid, self._powers.gid)

    def start(self) -> None:
        """Start the server and return once it answers. Raises HostFault where it does not."""
        self.launch()
        self.wait_ready()

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the process without waiting for it."""
        process.turn_over(self.log)
        self.running = process.spawn(
            [self._program, self._config],
            powers=self._powers,
            log=self.log,
            environ={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
            death_signal=DEATH_SIGNAL,
        )
        return self.running

    def wait_ready(self) -> None:
        """Return once the server answers. Raises HostFault where it ends instead."""
        assert self.running is not None
        process.wait_until(self.answers, self.running, seconds=START_SECONDS, what=self.name, log=self.log)

    def answers(self) -> bool:
        """Whether it has read its data and answers."""
        with redis.Redis(unix_socket_path=str(self.socket), password=self._password, retry=NEVER_AGAIN) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False

    def stop(self) -> None:
        """End the server; what it had accepted stays."""
        if self.running is not None:
            process.end(self.running, signal.SIGTERM, seconds=10, hard=signal.SIGKILL)
            self.running = None

    @property
    def _config(self) -> Path:
        return self.folder / "valkey.conf"

    @property
    def _password(self) -> str:
        return folders.secret(self.data / "valkey.password")

    def _settings(self) -> str:
        """A file and not arguments: everybody can read a process's arguments."""
        lines = {
            "port": "0",
            "unixsocket": f'"{self.socket}"',
            "unixsocketperm": "700",
            "dir": f'"{self.folder}"',
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": '""',
            "maxmemory-policy": "noeviction",
            "requirepass": self._password,
        }
        return "".join(f"{name} {value}\n" for name, value in lines.items())
