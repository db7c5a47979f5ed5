"""gRPC's switch is set before gRPC is imported, where the release has it and nobody has set another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rummy.wire import POLLER

ROOT = Path(__file__).parents[3]


def switch(package: str, path: Path = ROOT, **environment: str) -> str:
    """What gRPC would read after the import of *package*."""
    told = "import os, sys; assert 'grpc' not in sys.modules; print(os.environ.get('GRPC_EXPERIMENTS', 'unset'))"
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{path}:{ROOT}", **environment}
    command = [sys.executable, "-c", f"import {package}; {told}"]
    return subprocess.run(command, env=env, cwd=path, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("package", ["arbiter", "sample_bots"])
def test_whoever_serves_or_dials_sets_it_first(package: str) -> None:
    assert switch(package) == POLLER


def test_what_somebody_else_has_set_stays() -> None:
    assert switch("arbiter", GRPC_EXPERIMENTS="tcp_frame_size_tuning") == "tcp_frame_size_tuning"


@pytest.mark.parametrize(("release", "found"), [("1.85.9", POLLER), ("1.86.0", "unset")])
def test_a_release_that_was_not_measured_is_left_as_it_comes(tmp_path: Path, release: str, found: str) -> None:
    package = tmp_path / "grpc"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "_grpcio_metadata.py").write_text(f'__version__ = """{release}"""', "utf-8")
    assert switch("arbiter", tmp_path) == found
