"""What is kept running is started again, and nothing outlives whoever keeps it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from processes import await_end

from rummy.embedded.process import children
from rummy.embedded.service import Service
from rummy.embedded.supervisor import MOST_DEATHS, Supervisor
from rummy.errors import HostFault

# Has a child of its own in another session, as a service has that was killed before it could clean up.
WITH_CHILD = (
    "import subprocess, sys, time\n"
    "print(subprocess.Popen(['sleep', '600'], start_new_session=True).pid)\n"
    "print('ready', flush=True)\n"
    "time.sleep(600)"
)
DIES = "print('ready', flush=True); raise SystemExit('no more')"
# A process that keeps one service and says its number.
KEEPER = """
import sys, time
from pathlib import Path
from rummy.embedded.service import Service
from rummy.embedded.supervisor import Supervisor
log = Path(sys.argv[1])
script = "print('ready', flush=True); import time; time.sleep(600)"
service = Service("service", [sys.executable, "-c", script], {}, log)
Supervisor().start(service)
print(service.running.pid, flush=True)
time.sleep(600)
"""


def service(script: str, log: Path) -> Service:
    return Service("service", [sys.executable, "-c", script], {"PATH": os.defpath}, log)


def test_stop_leaves_nothing_behind(tmp_path: Path) -> None:
    before = set(children(os.getpid()))
    log = tmp_path / "log"
    supervisor = Supervisor()
    supervisor.start(service(WITH_CHILD, log))
    grandchild = int(log.read_text().split()[0])
    supervisor.stop()
    assert await_end([grandchild])
    assert set(children(os.getpid())) <= before


def test_a_killed_part_is_started_again_and_its_children_are_ended(tmp_path: Path) -> None:
    log = tmp_path / "log"
    part = service(WITH_CHILD, log)
    supervisor = Supervisor()
    supervisor.start(part)
    assert part.running is not None
    first, grandchild = part.running.pid, int(log.read_text().split()[0])

    class Seen(Exception):
        pass

    def seen() -> None:
        raise Seen

    supervisor.changed = seen
    os.kill(first, signal.SIGKILL)
    with pytest.raises(Seen):
        supervisor.watch()
    assert part.running.pid != first
    assert supervisor.restarts["service"] == 1
    assert await_end([grandchild])
    supervisor.stop()


def test_a_part_that_dies_again_and_again_is_given_up(tmp_path: Path) -> None:
    supervisor = Supervisor()
    supervisor.start(service(DIES, tmp_path / "log"))
    with pytest.raises(HostFault, match=f"died {MOST_DEATHS} times within a minute: no more"):
        supervisor.watch()
    supervisor.stop()


def test_a_part_that_ends_before_it_is_ready_is_told_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(HostFault, match="ended at once: something is wrong"):
        Supervisor().start(service("raise SystemExit('something is wrong')", tmp_path / "log"))


def test_parts_die_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    keeper = subprocess.Popen([sys.executable, "-c", KEEPER, str(tmp_path / "log")], stdout=subprocess.PIPE, text=True)
    assert keeper.stdout is not None
    part = int(keeper.stdout.readline())
    keeper.kill()
    keeper.communicate()
    assert await_end([part])
