"""`arena chaos`, as a user runs it: everything is killed, and nothing of it is to be seen in the table."""

import json
import random
from pathlib import Path

import pytest
from real_arena import bare_environment, command

from rummy.cli.chaos.command import struck
from rummy.cli.chaos.points import Point
from rummy.cli.chaos.victims import Kind
from rummy.cli.chaos.wreck import CELLS, CUTS, Kill, Wreck

pytestmark = pytest.mark.realtime
FIXTURES = 600
MINUTES = 15  # At most: it ends once everybody has died everywhere.


def test_whatever_is_killed_wherever_table_and_ratings_are_those_of_a_calm_run() -> None:
    """Faults P4, P6 and P14, with real processes: no strike, no forfeit, one result each, and nothing left over."""
    asked = ("chaos", "--minutes", str(MINUTES), "--fixtures", str(FIXTURES), "--seed", "short", "--json")
    done = command(*asked, environ=bare_environment(), check=False, patience=MINUTES * 120)
    assert done.stdout, done.stderr[-4000:]
    answer = json.loads(done.stdout)
    assert [check for check in answer["checks"] if not check["holds"]] == [], done.stderr[-8000:]
    assert done.returncode == 0 and answer["holds"] is True
    assert all(answer["kills"][kind][point] for kind in Kind for point in Point)
    assert answer["matches"] >= 2 * FIXTURES


def test_a_run_in_which_something_was_spared_has_failed() -> None:
    wreck = Wreck(ground=None, detours={}, chance=random.Random(1))  # type: ignore[arg-type]
    assert [check.holds for check in struck(wreck)] == [False, False, False]
    wreck.kills = [Kill(kind, "somebody", 1, point, None) for kind, point in CELLS]
    wreck.cuts.update(CUTS)
    wreck.freezes["worker"] = 1
    assert [check.holds for check in struck(wreck)] == [True, True, True]
    wreck.kills.pop()
    wreck.cuts[CUTS[3]] = 0  # There was nothing to be cut.
    wreck.freezes.clear()
    told = [(check.holds, check.figure) for check in struck(wreck)]
    assert told == [(False, "19 of 20"), (False, "3 of 4"), (False, "0 times")]


def test_it_kills_no_server_of_anybody_else(tmp_path: Path) -> None:
    environ = bare_environment() | {"ARENA_DATABASE_URL": "postgresql://somebody@/else", "TMPDIR": str(tmp_path)}
    done = command("chaos", environ=environ, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "arena: ARENA_DATABASE_URL names a server, and 'arena chaos' kills its servers: unset it for this run.\n"
    )
    assert list(tmp_path.iterdir()) == []
