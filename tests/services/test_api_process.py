"""`python -m api` as a process."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from in_play import in_play, known
from season import as_dashboard
from world import World


@contextmanager
def dashboard(**settings: str) -> Iterator[subprocess.Popen[str]]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "api"], env={**plain, **settings}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as port:
        return str(port.getsockname()[1])


def test_it_says_when_it_is_ready_and_ends_with_pages_open(database_url: str) -> None:
    port = free_port()
    with dashboard(ARENA_DATABASE_URL=database_url, ARENA_HTTP_PORT=port) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"dashboard ready on http://127.0.0.1:{port}\n"
        with httpx.stream("GET", f"http://127.0.0.1:{port}/live", trust_env=False) as answer:
            assert next(answer.iter_lines()) == "event: hello"
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=10) == 0


def test_it_follows_fixtures_without_a_credential_at_an_address_of_its_own(world: World) -> None:
    """Least privilege: of all secrets it has the password of its role, which reads what pages show."""
    made = world.tournament(2, live=2)
    [fixture] = world.all_fixtures(made)
    claim = world.claim(fixture)
    assert claim is not None
    with world.database.transaction() as tx:
        known(tx, claim, "outside.test:50151", world.now)
    with in_play(fixture) as match:
        settings = {"ARENA_DATABASE_URL": as_dashboard(world.database.url), "ARENA_WATCH_ADDRESS": match.address}
        with dashboard(**settings, ARENA_HTTP_PORT=(port := free_port())) as process:
            assert process.stdout is not None and process.stdout.readline()
            page = f"http://127.0.0.1:{port}/fixtures/{fixture}/live"
            with httpx.stream("GET", page, trust_env=False, timeout=20) as answer:
                assert any('"table"' in line for line in answer.iter_lines())
                process.send_signal(signal.SIGTERM)
                assert process.wait(timeout=10) == 0


def test_it_says_why_it_cannot_start() -> None:
    with dashboard() as process:
        out, err = process.communicate(timeout=20)
        assert (out, process.returncode) == ("", 1)
        assert err.startswith("the dashboard cannot start: ARENA_DATABASE_URL is not set")


def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with dashboard(ARENA_DATABASE_URL="postgresql://nobody@/none", ARENA_HTTP_PORT=port) as process:
            _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert f"port {port} of 127.0.0.1 cannot be had" in err
