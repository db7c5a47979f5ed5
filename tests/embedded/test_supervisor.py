"""What is kept running is started again, and nothing outlives whoever keeps it."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
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

    kill_and_watch(supervisor, part, until=lambda: True)
    assert part.running.pid != first
    assert supervisor.restarts["service"] == 1
    assert await_end([grandchild])
    supervisor.stop()


class Seen(Exception):
    """What a test has waited for."""


def kill_and_watch(supervisor: Supervisor, *parts: Service, until: Callable[[], bool]) -> None:
    """Kills *parts* and has the supervisor watch until something holds when it has started what had died."""

    def look() -> None:
        if until():
            raise Seen

    supervisor.changed = look
    for part in parts:
        assert part.running is not None
        os.kill(part.running.pid, signal.SIGKILL)
    with pytest.raises(Seen):
        supervisor.watch()


def test_what_waits_for_another_does_not_keep_that_one_from_being_started(tmp_path: Path) -> None:
    """An arbiter is not ready before it has reached PostgreSQL: both are dead, and the arbiter was seen first."""
    needs, needed = tmp_path / "needs", tmp_path / "needed"
    waits = f"from pathlib import Path\nwhile not Path({str(tmp_path / 'here')!r}).exists(): pass\n"
    gives = f"from pathlib import Path\nPath({str(tmp_path / 'here')!r}).touch()\n"
    ready = "print('ready', flush=True); import time; time.sleep(600)"
    first = Service("first", [sys.executable, "-c", waits + ready], {"PATH": os.defpath}, needs)
    second = Service("second", [sys.executable, "-c", gives + ready], {"PATH": os.defpath}, needed)
    supervisor = Supervisor()
    supervisor.start(first, second)
    (tmp_path / "here").unlink()
    kill_and_watch(supervisor, first, second, until=lambda: supervisor.restarts == {"first": 1, "second": 1})
    first.wait_ready()
    supervisor.stop()


def test_without_an_end_a_part_may_die_as_often_as_it_likes(tmp_path: Path) -> None:
    supervisor = Supervisor(endless=True)
    part = service(DIES, tmp_path / "log")
    supervisor.start(part)
    kill_and_watch(supervisor, until=lambda: supervisor.restarts["service"] > MOST_DEATHS)
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
