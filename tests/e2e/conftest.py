"""One arena for all the tests of this folder, with two workers and the four sample bots submitted over gRPC."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_arena import BOTS, ROOT, Arena, bare_environment, command, free_port


@pytest.fixture(scope="session")
def arena() -> Iterator[Arena]:
    data = Path(tempfile.mkdtemp(prefix="arena-e2e-"))
    data.chmod(0o711)
    environ = bare_environment() | {"ARENA_DATA": str(data)}
    port, bots = free_port(), free_port()
    up = ("up", "--port", str(port), "--bots", f"127.0.0.1:{bots}", "--workers", "2", "--trust-bots")
    command(*up, environ=environ)
    try:
        found = Arena(environ, f"http://127.0.0.1:{port}")
        for name in BOTS:
            found.run("bot", "submit", str(ROOT / "sample_bots" / name))
        yield found
    finally:
        command("down", environ=environ)
        shutil.rmtree(data)
