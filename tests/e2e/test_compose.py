"""docker-compose.yml, taken at its word: its commands with its variables, started as plain processes.

Only the hosts are this machine's: each `service:port` of the file becomes an address of loopback.
"""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from real_arena import PATIENCE, ROOT, Arena, bare_environment, command, free_port

from rummy.embedded import finder, folders
from rummy.embedded.postgres import PostgresServer

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = ("migrate", "arbiter", "worker", "api")
SECRETS = {
    name: f"{name.lower()}-of-this-test"
    for name in re.findall(r"\$\{([A-Z_]+):-\}", (ROOT / "docker-compose.yml").read_text())
}


def interpolated(text: str, given: dict[str, str]) -> str:
    """The text with `${NAME}`, `${NAME:-default}` and `${NAME:?sentence}` replaced as docker-compose does."""
    return re.sub(r"\$\{([A-Z_]+)(?::[-?]([^}]*))?\}", lambda found: given.get(found[1], found[2]), text)


class Machine:
    """What docker-compose would do, on this machine: addresses, environments, processes."""

    def __init__(self, folder: Path, given: dict[str, str]) -> None:
        self.folder = folder
        self.given = given
        self.ports: dict[str, int] = {}

    def port(self, written: str) -> int:
        """The port of this machine that stands for a port of the file."""
        return self.ports.setdefault(written, free_port())

    def here(self, value: str) -> str:
        """A value of the file, with every address in it one of this machine."""
        value = interpolated(value, self.given)
        hosts = "|".join([*SERVICES, re.escape("0.0.0.0")])
        value = re.sub(rf"\b({hosts}):(\d+)", lambda found: f"127.0.0.1:{self.port(found[2])}", value)
        return value.replace("/tmp/rummy-arena", str(self.folder / "run"))

    def environment(self, service: str) -> dict[str, str]:
        """The variables of the file and nothing else of the arena's."""
        values = {name: self.here(str(value)) for name, value in SERVICES[service].get("environment", {}).items()}
        if values.get("ARENA_HTTP_PORT"):
            values |= {"ARENA_HTTP_HOST": "127.0.0.1", "ARENA_HTTP_PORT": str(self.port(values["ARENA_HTTP_PORT"]))}
        return bare_environment() | values

    def command(self, service: str) -> list[str]:
        """The command of the file, with the interpreter that runs this test."""
        words = [self.here(word) for word in SERVICES[service]["command"]]
        assert words[0] == "python", words
        return [sys.executable, *words[1:]]

    @contextmanager
    def running(self, service: str) -> Iterator[Path]:
        """The service as a process; yields its log once it says that it is ready."""
        log = self.folder / f"{service}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                self.command(service), env=self.environment(service), cwd=ROOT, stdout=out, stderr=subprocess.STDOUT
            )
        try:
            wait_for_line(log, "ready", process)
            yield log
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0, log.read_text()


def wait_for_line(log: Path, word: str, process: subprocess.Popen[bytes]) -> None:
    """Returns once a line of *log* has *word*; fails with the log where the process ends before."""
    limit = time.monotonic() + PATIENCE
    while word not in log.read_text():
        assert process.poll() is None and time.monotonic() < limit, log.read_text()
        time.sleep(0.05)  # Between two looks at a file that another process writes.


@contextmanager
def postgres_of(machine: Machine) -> Iterator[None]:
    """A PostgreSQL with the database, user and password of the file, on TCP as in a container."""
    settings = machine.environment("postgres")
    assert (settings["POSTGRES_USER"], settings["POSTGRES_DB"]) == ("arena", "arena")
    folders.write_secret(machine.folder / "postgres.password", settings["POSTGRES_PASSWORD"])
    server = PostgresServer(
        machine.folder, folders.make_run(machine.folder), machine.folder / "postgres.log", perishable=True,
        tcp_port=machine.port("5432"),
    )  # fmt: skip
    server.prepare()
    server.start()
    try:
        yield
    finally:
        server.stop()


@contextmanager
def redis_of(machine: Machine) -> Iterator[None]:
    """The Redis of the file, by its own command line; the program is what this machine has."""
    words = [machine.here(word) for word in SERVICES["redis"]["command"]]
    place = ["--bind", "127.0.0.1", "--port", str(machine.port("6379")), "--dir", str(machine.folder)]
    with (machine.folder / "redis.log").open("wb") as out:
        process = subprocess.Popen([finder.find_valkey(), *words[1:], *place], stdout=out, stderr=subprocess.STDOUT)
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    folder = Path(tempfile.mkdtemp(prefix="arena-compose-"))
    folder.chmod(0o711)
    found = Machine(folder, SECRETS)
    with ExitStack() as started:
        started.callback(shutil.rmtree, folder)
        started.enter_context(postgres_of(found))
        started.enter_context(redis_of(found))
        done = subprocess.run(
            found.command("migrate"), env=found.environment("migrate"), cwd=ROOT, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        for service in OURS[1:]:
            started.enter_context(found.running(service))
        yield found


def test_the_file_has_a_service_for_each_part() -> None:
    assert set(SERVICES) == {"postgres", "redis", *OURS}


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="docker-compose is not on this machine")
def test_docker_compose_accepts_the_file() -> None:
    done = subprocess.run(
        ["docker-compose", "config", "--quiet"], cwd=ROOT, env=bare_environment() | SECRETS, capture_output=True,
        text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_there_is_no_secret_that_everybody_knows() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    defaults = dict(re.findall(r"\$\{([A-Z_]+)([^}]*)\}", text))
    # Tokens travel in plain text as the file stands, so that the port is this machine's alone.
    assert defaults.pop("ARENA_BOTS_HOST") == ":-127.0.0.1"
    assert set(defaults.values()) == {":-"}


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="docker-compose is not on this machine")
def test_without_secrets_the_file_is_accepted_and_nothing_starts() -> None:
    done = subprocess.run(
        ["docker-compose", "config", "--quiet"], cwd=ROOT, env=bare_environment(), capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_an_empty_secret_is_refused_before_anything_starts() -> None:
    machine = Machine(Path("/nowhere"), {**SECRETS, "ARENA_REDIS_PASSWORD": "", "ARENA_WORKER_PASSWORD": ""})
    done = subprocess.run(
        machine.command("migrate"), env=machine.environment("migrate"), cwd=ROOT, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "ARENA_WORKER_PASSWORD, ARENA_REDIS_PASSWORD are empty" in done.stderr
    waiting = {name: set(SERVICES[name].get("depends_on", ())) for name in SERVICES}
    assert all("migrate" in waiting[name] for name in ("redis", "arbiter", "worker", "api"))


def test_live_bots_play_a_tournament(machine: Machine) -> None:
    """Without trust nothing is hosted: the bots dial in from outside, as the file's first lines say."""
    environ = machine.environment("migrate") | {
        "ARENA_REDIS_URL": machine.environment("worker")["ARENA_REDIS_URL"],
        "ARENA_BOTS_LISTEN": machine.environment("arbiter")["ARENA_BOTS_LISTEN"],
        "ARENA_DATA": str(machine.folder / "none"),
    }
    dashboard = f"http://127.0.0.1:{machine.port('8101')}"
    outside = Arena(environ, dashboard)
    token = outside.json("owner", "add", "somebody")["token"]
    author = bare_environment() | {"ARENA_DATA": str(machine.folder / "none"), "ARENA_OWNER_TOKEN": token}
    with ExitStack() as live:
        for name in ("greedy", "random"):
            live.enter_context(dialled_in(name, author, environ["ARENA_BOTS_LISTEN"], machine.folder))
        number = outside.tournament("Live", "gin", "--cycles", "3", bots=("greedy", "random"))
        table = outside.table(number)
    assert sum(line["matches"] for line in table) == 2 * 3  # A live bot's fixtures have a single leg.
    with urllib.request.urlopen(f"{dashboard}/api/v1/tournaments/{number}") as answer:
        assert answer.status == 200


@contextmanager
def dialled_in(name: str, author: dict[str, str], arena: str, folder: Path) -> Iterator[None]:
    """`arena bot run` of a sample bot, connected."""
    log = folder / f"{name}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "rummy.cli", "bot", "run", str(ROOT / "sample_bots" / name), "--arena", arena],
            env=author, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        wait_for_line(log, "is connected", process)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def test_a_package_is_refused_in_a_sentence(machine: Machine) -> None:
    environ = bare_environment() | {"ARENA_DATA": str(machine.folder / "none"), "ARENA_OWNER_TOKEN": "wrong"}
    arena = machine.environment("arbiter")["ARENA_BOTS_LISTEN"]
    done = command(
        "bot", "submit", str(ROOT / "sample_bots/greedy"), "--arena", arena, environ=environ, check=False
    )  # fmt: skip
    assert done.returncode == 1 and "token" in done.stderr and "Traceback" not in done.stderr
