"""The operator's commands in this process, on the database of a world."""

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from world import World

from rummy.cli.main import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command; its status, and what it wrote to both outputs."""
    monkeypatch.setenv("ARENA_DATA", str(tmp_path))
    monkeypatch.setenv("ARENA_DATABASE_URL", world.database.url)
    world.now = datetime.now(UTC) + timedelta(hours=1)  # Commands take the database's clock.

    def run_one(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["arena", *arguments])
        capsys.readouterr()
        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        return status, *capsys.readouterr()

    return run_one


def answer(run: Run, *arguments: str) -> Any:
    """What a command that succeeds says to programs."""
    status, out, err = run(*arguments, "--json")
    assert status == 0, err
    return json.loads(out)
