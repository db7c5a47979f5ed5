"""`python -m api` as a process."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx


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
