"""`arena up`, `down`, `status` and `demo` as real processes: what they say, what survives, and that nothing is left."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psycopg
import pytest
from processes import await_end, mentioning

from rummy.embedded import folders

ARENA = [sys.executable, "-P", "-m", "rummy.cli"]
ROOT = Path(__file__).parents[2]
OWN: dict[str, str] = {}
"""Addresses of servers that are not the arena's."""


@pytest.fixture
def data() -> Iterator[Path]:
    """A folder for the data of an arena; at the end nothing of the arena may run, nor its run folder stay."""
    above = Path(tempfile.mkdtemp(prefix="arena-e2e-"))
    above.chmod(0o711)
    folder = above / "data"
    run = folders.run_of(folder)
    yield folder
    left = mentioning(str(run)) | mentioning(str(folder))
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert await_end(left)
    shutil.rmtree(above)
    stays = run.exists()
    shutil.rmtree(run, ignore_errors=True)
    assert left == {}
    assert not stays


def free_ports() -> tuple[str, str]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return str(one.getsockname()[1]), f"127.0.0.1:{other.getsockname()[1]}"


def environ() -> dict[str, str]:
    return {**{k: v for k, v in os.environ.items() if not k.startswith("ARENA_")}, "PYTHONPATH": str(ROOT), **OWN}


def arena(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ARENA, *arguments], check=False, capture_output=True, text=True, env=environ(), cwd="/", timeout=120
    )


def up(data: Path, *more: str) -> dict[str, Any]:
    port, bots = free_ports()
    done = arena("up", "--data", str(data), "--port", port, "--bots", bots, "--json", *more)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def status(data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(arena("status", "--data", str(data), "--json").stdout)
    return found


def pids(data: Path) -> dict[str, int]:
    return {process["name"]: process["pid"] for process in status(data)["processes"]}


def connected(url: str) -> psycopg.Connection:
    """A connection, once a server that was started again has recovered."""
    while True:
        with suppress(psycopg.OperationalError):
            return psycopg.connect(url)


def test_up_again_and_down(data: Path) -> None:
    found = up(data)
    with urlopen(found["dashboard"]) as page:
        assert page.status == 200
    assert (data / "owner.token").stat().st_mode & 0o077 == 0
    told = status(data)
    assert [process["name"] for process in told["processes"]] == [
        "PostgreSQL",
        "Valkey",
        "arbiter",
        "worker",
        "dashboard",
    ]
    assert told["fixtures"] == {"waiting": 0, "running": 0, "abandoned": 0}
    assert "operator" not in told
    second = arena("up", "--data", str(data))
    assert second.returncode == 1
    assert second.stderr.startswith(f"arena: An arena runs on {data} already ({found['dashboard']})")
    token = (data / "owner.token").read_text()
    assert arena("down", "--data", str(data)).returncode == 0
    assert status(data) == {"running": False, "data": str(data)}
    up(data)
    assert (data / "owner.token").read_text() == token
    assert arena("down", "--data", str(data)).returncode == 0


def test_whatever_is_killed_is_started_again(data: Path) -> None:
    up(data)
    before = pids(data)
    url = json.loads((data / "state.json").read_text())["operator"]["ARENA_DATABASE_URL"]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO owner (name, created_at) VALUES ('kept', clock_timestamp())")
    for pid in before.values():
        os.kill(pid, signal.SIGKILL)
    assert await_end(before.values())
    while len(pids(data)) < len(before) or set(pids(data).values()) & set(before.values()):
        pass
    with connected(url) as connection:
        assert connection.execute("SELECT count(*) FROM owner WHERE name = 'kept'").fetchone() == (1,)
    assert arena("down", "--data", str(data)).returncode == 0


def test_nothing_outlives_the_process_that_holds_the_arena(data: Path) -> None:
    up(data)
    told = status(data)
    os.kill(told["keeper"], signal.SIGKILL)
    assert await_end(process["pid"] for process in told["processes"])
    left = folders.run_of(data) / "left"
    left.mkdir()
    up(data)  # What it left on the disk is no hindrance, and is cleared away.
    assert not left.exists()
    assert arena("down", "--data", str(data)).returncode == 0


def demo(data: Path, *more: str) -> subprocess.Popen[str]:
    port, _ = free_ports()
    command = [*ARENA, "demo", "--data", str(data), "--port", port, *more]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environ(), cwd="/"
    )


def read_until(process: subprocess.Popen[str], words: str) -> str:
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if words in line:
            return said
    raise AssertionError(f"{words!r} was never said, but: {said}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("when", ["starting Valkey", "random: manifest"])
def test_nothing_outlives_the_demo(data: Path, number: signal.Signals, when: str) -> None:
    launcher = demo(data)
    read_until(launcher, when)
    ours = set(mentioning(str(data))) | set(mentioning(str(folders.run_of(data))))
    launcher.send_signal(number)
    launcher.communicate(timeout=60)
    assert launcher.returncode != 0
    assert await_end(ours)


def test_the_demo_plays_twice_in_the_same_folder(data: Path) -> None:
    for _ in range(2):
        done = arena("demo", "--exit", "--matches", "1", "--json", "--data", str(data), "--port", free_ports()[0])
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert [played["game"] for played in told["tournaments"]] == ["gin", "one_oh_one"]
        for played in told["tournaments"]:
            assert sum(line["matches"] for line in played["table"]) in (24, 36)


def test_the_demo_goes_on_where_everything_under_it_is_killed(data: Path) -> None:
    launcher = demo(data, "--exit", "--matches", "24")
    read_until(launcher, "drawer: stored")
    for pid in pids(data).values():
        os.kill(pid, signal.SIGKILL)
    said, _ = launcher.communicate(timeout=120)
    assert launcher.returncode == 0, said
    assert "'arena up' goes on with its data" in said


def test_servers_of_ones_own_are_used(
    data: Path, database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sys.modules[__name__], "OWN", {"ARENA_DATABASE_URL": database_url, "ARENA_REDIS_URL": redis_url}
    )
    up(data)
    assert list(pids(data)) == ["arbiter", "worker", "dashboard"]
    assert arena("down", "--data", str(data)).returncode == 0
    assert not (data / "postgres").exists()


def test_a_taken_port_is_said(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = arena("demo", "--data", str(data), "--port", port)
    assert done.returncode == 1
    assert done.stderr == f"arena: Port {port} of 127.0.0.1 is taken: choose another with --port.\n"


def test_data_of_another_major_is_said(data: Path) -> None:
    (data / "postgres").mkdir(parents=True)
    (data / "postgres" / "PG_VERSION").write_text("13\n")
    done = arena("demo", "--data", str(data), "--port", free_ports()[0], "--json")
    assert done.returncode == 1
    assert "was made by PostgreSQL 13" in json.loads(done.stderr.splitlines()[-1])["sentence"]


def test_a_folder_where_one_may_not_write_is_said(data: Path) -> None:
    done = arena("up", "--data", "/proc/arena")
    assert done.returncode == 1
    assert done.stderr.startswith("arena: /proc/arena cannot be used for data (")


def test_down_without_an_arena_is_said(data: Path) -> None:
    done = arena("down", "--data", str(data))
    assert (done.returncode, done.stderr) == (1, f"arena: No arena runs on {data}.\n")
