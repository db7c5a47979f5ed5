"""A process that is tied to the one that has started it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARENT = """
import subprocess, sys
from rummy.embedded.privileges import tied_command
subprocess.Popen(tied_command([sys.executable, "-c", "import time; print('runs', flush=True); time.sleep(600)"])).wait()
"""


def test_what_is_tied_ends_even_where_its_parent_is_killed() -> None:
    command = [sys.executable, "-P", "-c", PARENT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)}) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"runs\n"
        parent.kill()
        assert parent.communicate(timeout=30)[0] == b""  # The end of the pipe, which the child held too.
