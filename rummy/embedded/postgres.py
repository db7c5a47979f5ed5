"""A PostgreSQL server of the arena's own, on a unix socket, with a password, its data durable between runs."""

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psycopg

from rummy.embedded import finder, folders, process
from rummy.embedded.privileges import Powers, choose_powers, hand_over, shim_command
from rummy.errors import HostFault, SettingsError

OWNER = "arena"
DATABASE = "arena"
RETRY_SECONDS = 5.0  # After a kill -9 the old server's shared memory may be in use for a moment.
START_SECONDS = 60.0  # Recovery after a crash on a slow disk.
DEATH_SIGNAL = signal.SIGINT  # Fast shutdown: ends sessions, loses nothing.
CALM = ("listen_addresses=", "unix_socket_permissions=0700", "max_connections=200", "log_min_messages=warning")
PERISHABLE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


@dataclass(slots=True)
class PostgresServer:
    """One server: `start`, then `url`. *data* gets postgres/ and postgres.password, *run* the socket."""

    data: Path
    run: Path
    log: Path
    name: str = "PostgreSQL"
    perishable: bool = False
    """For tests: nothing needs to survive a crash of the machine."""
    tcp_port: int | None = None
    """For tests: listen on this port of loopback too."""
    running: subprocess.Popen[bytes] | None = None
    _binaries: finder.PostgresBinaries = field(init=False, repr=False)
    _powers: Powers = field(init=False, repr=False)

    @property
    def cluster(self) -> Path:
        return self.data / "postgres"

    @property
    def sockets(self) -> Path:
        return self.run / "postgres"

    def url(self, role: str = OWNER, password: str | None = None, database: str = DATABASE) -> str:
        """The address for *role*, whose *password* is needed for every role but the owner."""
        if password is None:
            password = folders.secret(self.data / "postgres.password")
        port = "" if self.tcp_port is None else f"&port={self.tcp_port}"
        host = quote(str(self.sockets), safe="")
        return f"postgresql://{role}:{quote(password, safe='')}@/{database}?host={host}{port}"

    def prepare(self) -> None:
        """Find the binaries and make the cluster. Raises SettingsError where there are none or they do not fit."""
        self._binaries = finder.find_postgres()
        self._refuse_other_major()
        programs = [self._binaries.folder / name for name in ("initdb", "postgres")]
        self._powers = choose_powers(programs, [self.data, self.run])
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        hand_over(self.sockets, self._powers)
        if not self.cluster.exists():
            self._make_cluster()
        hand_over(self.cluster, self._powers)

    def start(self) -> None:
        """Start the server and return once the database answers. Raises HostFault where it does not."""
        limit = time.monotonic() + RETRY_SECONDS
        while True:
            self.launch()
            try:
                self.wait_ready()
            except HostFault:
                self.stop()
                if time.monotonic() > limit:
                    raise
                time.sleep(0.2)
            else:
                break
        self._make_database()

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the process without waiting for it."""
        self._clear_remains()
        process.turn_over(self.log)
        command: list[str | Path] = [self._binaries.folder / "postgres", "-D", self.cluster, "-k", self.sockets]
        for option in CALM + (PERISHABLE if self.perishable else ()) + self._tcp():
            command += ["-c", option]
        self.running = process.spawn(
            command, powers=self._powers, log=self.log, environ=_environ(), death_signal=DEATH_SIGNAL
        )
        return self.running

    def _tcp(self) -> tuple[str, ...]:
        return () if self.tcp_port is None else ("listen_addresses=127.0.0.1", f"port={self.tcp_port}")

    def wait_ready(self) -> None:
        """Return once the server answers. Raises HostFault where it ends instead."""
        assert self.running is not None
        process.wait_until(self.answers, self.running, seconds=START_SECONDS, what=self.name, log=self.log)

    def answers(self) -> bool:
        """Whether a session can be had."""
        try:
            psycopg.connect(self.url(database="postgres"), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self) -> None:
        """End the server; all that was committed stays."""
        if self.running is not None:
            process.end(self.running, signal.SIGINT, seconds=15, hard=signal.SIGQUIT)
            self.running = None

    def _refuse_other_major(self) -> None:
        try:
            major = (self.cluster / "PG_VERSION").read_text().strip()
        except FileNotFoundError:
            return
        if major != str(self._binaries.major):
            raise SettingsError(
                f"The data in {self.data} was made by PostgreSQL {major}, and {self._binaries.folder} is PostgreSQL "
                f"{self._binaries.major}: set ARENA_PG_BIN to the bin folder of a PostgreSQL {major}, or choose "
                "another --data."
            )

    def _make_cluster(self) -> None:
        """Made under another name and renamed, so that an interrupted first run leaves no half of a cluster."""
        partial = self.data / "postgres.new"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        password = self.sockets / "password"
        folders.write_secret(password, folders.secret(self.data / "postgres.password"))
        for path in (partial, password):
            hand_over(path, self._powers)
        try:
            self._initdb(partial, password)
        finally:
            password.unlink()
        partial.rename(self.cluster)

    def _initdb(self, folder: Path, password: Path) -> None:
        options = [
            "--encoding=UTF8",
            "--locale=C",
            "--auth=scram-sha-256",
            f"--username={OWNER}",
            f"--pwfile={password}",
        ]
        if self.perishable:
            options.append("--no-sync")
        command = shim_command(self._powers, 0, [self._binaries.folder / "initdb", "-D", folder, *options])
        made = subprocess.run(command, check=False, capture_output=True, text=True, env=_environ(), cwd="/")
        if made.returncode != 0:
            said = " ".join(made.stderr.split())
            raise SettingsError(f"initdb could not make a database in {self.data}: {said}")

    def _make_database(self) -> None:
        with psycopg.connect(self.url(database="postgres"), autocommit=True) as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
                connection.execute(f'CREATE DATABASE "{DATABASE}"')

    def _clear_remains(self) -> None:
        """End a server that outlived its supervisor, and remove the pid file of one whose number is another's now.

        We hold the folder's lock, so that nobody else's server can be meant.
        """
        pid_file = self.cluster / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return
        if _works_in(pid, self.cluster):
            _end_stranger(pid)
        elif _alive(pid):
            pid_file.unlink(missing_ok=True)


def _environ() -> dict[str, str]:
    return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def _alive(pid: int) -> bool:
    """Whether *pid* runs; one that has ended and whose parent has not looked does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _works_in(pid: int, folder: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/cwd").readlink() == folder.resolve()
    except OSError:
        return False


def _end_stranger(pid: int) -> None:
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        os.kill(pid, number)
        limit = time.monotonic() + 5
        while _alive(pid):
            if time.monotonic() > limit:
                break
            time.sleep(process.POLL_SECONDS)
        else:
            return
