"""gRPC's switches are set before gRPC is imported, where the release has them and nobody has set others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rummy.wire import POLLER

ROOT = Path(__file__).parents[3]


def switch(package: str, path: Path = ROOT, name: str = "GRPC_EXPERIMENTS", **environment: str) -> str:
    """What gRPC would read after the import of *package*."""
    told = f"import os, sys; assert 'grpc' not in sys.modules; print(os.environ.get('{name}', 'unset'))"
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{path}:{ROOT}", **environment}
    command = [sys.executable, "-c", f"import {package}; {told}"]
    return subprocess.run(command, env=env, cwd=path, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("package", ["arbiter", "sample_bots"])
def test_whoever_serves_or_dials_sets_it_first(package: str) -> None:
    assert switch(package) == POLLER


@pytest.mark.parametrize("package", ["arbiter", "sample_bots"])
def test_children_are_spared_grpcs_handlers(package: str) -> None:
    """Keepers are forked, and so is what a bot starts by `multiprocessing`: some of them would not come to life."""
    assert switch(package, name="GRPC_ENABLE_FORK_SUPPORT") == "0"


def test_what_somebody_else_has_set_stays() -> None:
    assert switch("arbiter", GRPC_EXPERIMENTS="tcp_frame_size_tuning") == "tcp_frame_size_tuning"


@pytest.mark.parametrize(("release", "found"), [("1.85.9", POLLER), ("1.86.0", "unset")])
def test_a_release_that_was_not_measured_is_left_as_it_comes(tmp_path: Path, release: str, found: str) -> None:
    package = tmp_path / "grpc"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "_grpcio_metadata.py").write_text(f'__version__ = """{release}"""', "utf-8")
    assert switch("arbiter", tmp_path) == found
