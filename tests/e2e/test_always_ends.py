"""Tournaments on real processes with bots that are not there, that say nothing, and that take their time."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from impatient import IMPATIENT, VISIBILITY_SECONDS
from real_arena import PATIENCE, ROOT, Arena, dialled_in

pytestmark = pytest.mark.realtime
SHORT = ("--options", '{"target": 10, "deal_cap": 2}')
BOT = """
import time
from sample_bots import knocking, sdk

slept = set()

def choose(decision):
    if decision.match not in slept:
        slept.add(decision.match)
        time.sleep({seconds})
    return knocking.choose(decision.view, decision.legal)

sdk.run(choose)
"""
MANIFEST = 'name = "{name}"\nversion = "1"\ngames = ["gin"]\nlanguage = "python"\nentry = "bot.py"\n'
FIXTURES = """
    SELECT f.fixture_id, state, attempt, absent, reason,
           (SELECT count(*) FROM match m WHERE m.fixture_id = f.fixture_id)
      FROM fixture f JOIN fixture_attempt USING (fixture_id, attempt) WHERE tournament_id = %s ORDER BY 1"""
FAULTS = """
    SELECT bot.name, coalesce(forfeit, ''), sum(strikes)::int FROM seat_result JOIN fixture USING (fixture_id)
      JOIN entrant USING (tournament_id, entrant_no) JOIN bot_version USING (version_id) JOIN bot USING (bot_id)
     WHERE tournament_id = %s GROUP BY 1, 2 ORDER BY 1, 2"""
SLEPT_SECONDS = VISIBILITY_SECONDS + 6


def a_bot(folder: Path, name: str, seconds: float = 0) -> Path:
    """A live bot that sleeps once in each match."""
    made = folder / name
    made.mkdir()
    (made / "bot.toml").write_text(MANIFEST.format(name=name))
    (made / "bot.py").write_text(BOT.format(seconds=seconds))
    return made


def rows(arena: Arena, query: str, tournament: int) -> list[tuple[Any, ...]]:
    with psycopg.connect(arena.database_url()) as connection:
        return connection.execute(query.encode(), (tournament,)).fetchall()


def until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < limit, "it did not happen"
        time.sleep(0.1)


def test_a_bot_that_is_offline_holds_up_nobody_and_is_named(arena: Arena, tmp_path: Path) -> None:
    """Fault P12: the others play at once, and it forfeits its own fixtures, and only those, by the deadline."""
    with dialled_in(arena, a_bot(tmp_path, "gone"), tmp_path / "log"):
        pass
    number = arena.tournament(
        "Waiting", "gin", *SHORT, "--fixture-deadline", "8", "--grace", "0.5", bots=("greedy", "random", "gone")
    )
    until(lambda: bool(arena.json("tournament", "show", str(number))["done"]))
    shown = arena.json("tournament", "show", str(number))
    assert [(block["bot"], block["fixtures"]) for block in shown["waits_for"]] == [("gone 1", 2)]
    assert (shown["done"], shown["state"]) == (1, "running")
    assert "then it forfeits" in arena.run("tournament", "show", str(number)).stdout
    with urllib.request.urlopen(f"{arena.dashboard}/api/v1/tournaments/{number}") as answer:
        assert [block["name"] for block in json.load(answer)["waits_for"]] == ["gone"]
    table = arena.table(number)
    assert table[-1]["bot"].startswith("gone")
    assert rows(arena, FAULTS, number) == [("gone", "never started", 0), ("greedy", "", 0), ("random", "", 0)]


def test_an_arbiter_ends_a_match_at_its_deadline_and_has_its_seats_free(arena: Arena, tmp_path: Path) -> None:
    """Fault P18, for matches, long before its worker would: then another tournament is played with the same bot."""
    with dialled_in(arena, a_bot(tmp_path, "slow", 6), tmp_path / "log"):
        number = arena.tournament("Too long", "gin", *SHORT, "--match-deadline", "3", bots=("greedy", "slow"))
        arena.table(number)
        why = "The match's deadline has passed while it was in play."
        assert [row[1:] for row in rows(arena, FIXTURES, number)] == [("done", 1, [], why, 0)]
        took = "SELECT extract(epoch FROM ended_at - claimed_at) FROM fixture_attempt JOIN fixture USING (fixture_id)"
        [(seconds,)] = rows(arena, f"{took} WHERE tournament_id = %s", number)
        assert 3 <= seconds < 3 + 10  # A worker waits for ten seconds longer.
        again = arena.tournament("In time", "gin", *SHORT, bots=("greedy", "slow"))
        arena.table(again)
        assert rows(arena, FAULTS, again) == [("greedy", "", 0), ("slow", "", 0)]


@contextmanager
def standing_still(pids: list[int]) -> Iterator[None]:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@contextmanager
def impatient_workers(arena: Arena, logs: Sequence[Path]) -> Iterator[None]:
    """Workers that are ready, each with a log."""
    operator = json.loads((Path(arena.environ["ARENA_DATA"]) / "state.json").read_text())["operator"]
    with ExitStack() as stack:
        for log in logs:
            output = stack.enter_context(log.open("w"))
            command = (sys.executable, "-c", IMPATIENT, "--name", log.name, "--concurrency", "2")
            worker = stack.enter_context(
                subprocess.Popen(
                    command, cwd=ROOT, env=arena.environ | operator, stdout=output, stderr=subprocess.STDOUT
                )
            )
            stack.callback(worker.kill)
        until(lambda: all("worker ready" in log.read_text() for log in logs))
        yield


def test_a_fixture_that_outlasts_the_visibility_timeout_is_delivered_again_and_played_once(
    arena: Arena, tmp_path: Path
) -> None:
    """Fault P1, with a real arbiter and a bot that takes its time; no other worker takes a message meanwhile."""
    logs = [tmp_path / f"worker {place}" for place in range(2)]
    with (
        dialled_in(arena, a_bot(tmp_path, "sleeper", SLEPT_SECONDS), tmp_path / "log"),
        standing_still(arena.processes("worker")),
        impatient_workers(arena, logs),
    ):
        number = arena.tournament("Asleep", "gin", *SHORT, bots=("greedy", "sleeper"))
        arena.table(number)
    [(fixture, *rest)] = rows(arena, FIXTURES, number)
    delivered = Counter(line for log in logs for line in log.read_text().splitlines() if line.startswith("delivered"))
    assert delivered[f"delivered {fixture}"] >= 2, "nothing was delivered twice"
    assert rest == ["done", 1, None, "", 1]
    assert rows(arena, FAULTS, number) == [("greedy", "", 0), ("sleeper", "", 0)]
    assert arena.json("rate", "--recompute")["same"] is True
