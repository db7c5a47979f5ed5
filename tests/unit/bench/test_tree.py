"""Processor time of a process with what hangs below it, ended or not."""

import os
import subprocess
import sys

from bench.tree import used_by

BUSY = "import time\nwhile time.process_time() < 0.3: pass\n"
STAYS = BUSY + "print('worked', flush=True); input()"
# Has a child that works and ends, and one that works and stays until its input ends.
PARENT = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {BUSY!r}])
stays = subprocess.Popen([sys.executable, "-c", {STAYS!r}], stdout=subprocess.PIPE)
stays.stdout.readline()
print("worked", flush=True)
input()
"""


def test_children_count_whether_they_have_ended_or_not_and_once() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    parent.stdout.readline()
    alone = used_by([parent.pid])
    assert alone >= 0.55
    assert used_by([os.getpid(), parent.pid]) >= alone
    assert used_by([parent.pid, parent.pid]) < 2 * alone
    parent.communicate(b"\n")
    assert used_by([parent.pid]) == 0
