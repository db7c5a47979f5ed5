"""The engine of gRPC is chosen before gRPC is imported, in each process that carries messages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rummy.wire.engine import POLLING, VARIABLE

ROOT = Path(__file__).parents[3]
LOOK = f"import sys, os, {{package}}; print('grpc' in sys.modules, os.environ['{VARIABLE}'])"


@pytest.mark.parametrize("package", ["arbiter", "sample_bots", "bench"])
@pytest.mark.parametrize(("given", "wanted"), [(None, POLLING), ("mine", "mine")])
def test_a_package_chooses_before_grpc_is_there(package: str, given: str | None, wanted: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    if given is not None:
        environment[VARIABLE] = given
    command = [sys.executable, "-c", LOOK.format(package=package)]
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", wanted]
