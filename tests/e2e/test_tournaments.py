"""A tournament on real processes, with a worker killed in the middle: exactly one result, and the table of a calm run.

Faults P1, P4, P6, P14 and P31.
"""

import json
import os
import signal
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from real_arena import BOTS, PATIENCE, Arena

from rummy.errors import ReplayMismatch
from rummy.rules import replay

GAMES = {"gin": ("--cycles", "8"), "one_oh_one": ("--table-size", "3", "--cycles", "6")}
TABLES = {"gin": 6 * 8, "one_oh_one": 4 * 6}
LEGS = {"gin": 2, "one_oh_one": 3}

HELD = "SELECT count(*) FROM fixture WHERE tournament_id = %s AND state = 'running' AND holder LIKE %s"
FIXTURES = "SELECT fixture_id, state, attempt FROM fixture WHERE tournament_id = %s ORDER BY fixture_id"
MATCHES = "SELECT fixture_id, leg, match_id FROM match JOIN fixture USING (fixture_id) WHERE tournament_id = %s"
SCORES = (
    "SELECT fixture_id, count(*) FROM fixture_score JOIN fixture USING (fixture_id) WHERE tournament_id = %s GROUP BY 1"
)
FAULTS = """SELECT count(*) FILTER (WHERE forfeit IS NOT NULL), coalesce(sum(strikes), 0)
              FROM seat_result JOIN match USING (match_id) JOIN fixture ON fixture.fixture_id = match.fixture_id
             WHERE fixture.tournament_id = %s"""


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """The process stands still: what it holds it goes on holding."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # It has been killed meanwhile.
            os.kill(pid, signal.SIGCONT)


def kill_while_holding(connection: psycopg.Connection, workers: Sequence[int], tournament: int) -> None:
    """SIGKILLs one of *workers* that holds a running fixture of *tournament* at that moment."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        for pid in workers:
            with frozen(pid):
                held = connection.execute(HELD, (tournament, f"%#{pid}-%")).fetchone()
                if held and held[0]:
                    os.kill(pid, signal.SIGKILL)
                    return
    raise AssertionError("no worker was ever seen holding a fixture")


def replays(arena: Arena, tournament: int) -> list[bytes]:
    """All replays, as the dashboard gives them out."""
    with psycopg.connect(arena.database_url()) as connection:
        found = connection.execute(MATCHES, (tournament,)).fetchall()
    addresses = [f"{arena.dashboard}/api/v1/matches/{match}/replay" for _, _, match in found]
    answers = []
    for address in addresses:
        with urllib.request.urlopen(address) as answer:
            answers.append(answer.read())
    return answers


@pytest.fixture(scope="module", params=sorted(GAMES))
def disturbed(request: pytest.FixtureRequest, arena: Arena) -> tuple[str, int]:
    """A finished rated tournament during which a worker was killed."""
    game: str = request.param
    workers = arena.processes("worker")
    with psycopg.connect(arena.database_url(), autocommit=True) as connection:
        with ExitStack() as still:  # Nothing is played before we look, however slow this machine is today.
            for pid in workers:
                still.enter_context(frozen(pid))
            number = arena.tournament(f"Disturbed {game}", game, *GAMES[game])
        kill_while_holding(connection, workers, number)
    arena.table(number)
    return game, number


def test_every_fixture_has_exactly_one_result(arena: Arena, disturbed: tuple[str, int]) -> None:
    game, number = disturbed
    with psycopg.connect(arena.database_url()) as connection:
        fixtures = connection.execute(FIXTURES, (number,)).fetchall()
        matches = Counter(row[0] for row in connection.execute(MATCHES, (number,)))
        scores: dict[int, int] = dict(connection.execute(SCORES, (number,)).fetchall())
        faults = connection.execute(FAULTS, (number,)).fetchone()
    ids = [fixture for fixture, _, _ in fixtures]
    assert len(ids) == TABLES[game]
    assert {state for _, state, _ in fixtures} == {"done"}
    assert max(attempt for _, _, attempt in fixtures) >= 2, "the kill hit no running fixture"
    assert matches == Counter(dict.fromkeys(ids, LEGS[game]))
    assert scores == dict.fromkeys(ids, LEGS[game])  # As many entrants as legs.
    assert faults == (0, 0), "a bot was blamed for the death of a worker"


def test_the_table_is_that_of_an_undisturbed_practice_run(arena: Arena, disturbed: tuple[str, int]) -> None:
    game, number = disturbed
    calm = arena.tournament(f"Calm {game}", game, *GAMES[game], "--seed-of", str(number))
    assert arena.table(calm) == arena.json("tournament", "table", str(number))["table"]
    assert digests(arena, calm) == digests(arena, number)


def digests(arena: Arena, tournament: int) -> Counter[str]:
    """What was played in each match: all lines but the header and the clock readings."""
    return Counter(
        json.dumps([played(line) for line in text.splitlines()[1:-1]]) for text in replays(arena, tournament)
    )


def played(line: bytes) -> object:
    """A line of a replay without its clock readings."""
    return {name: value for name, value in json.loads(line).items() if name not in ("us", "wait")}


def test_recomputed_ratings_are_the_same_bits(arena: Arena, disturbed: tuple[str, int]) -> None:
    answer = arena.json("rate", "--recompute")
    assert answer["same"] is True and answer["changes"] > 0


def test_replays_verify_without_the_arena(arena: Arena, disturbed: tuple[str, int], tmp_path: Path) -> None:
    found = replays(arena, disturbed[1])
    assert len(found) == TABLES[disturbed[0]] * LEGS[disturbed[0]]
    files = []
    for number, text in enumerate(found):
        files.append(tmp_path / f"{number}.jsonl")
        files[-1].write_bytes(text)
    nowhere = Arena({**arena.environ, "ARENA_DATA": str(tmp_path / "none")}, "")
    nowhere.run("replay", "verify", *map(str, files))


def test_its_archive_holds_without_the_arena(arena: Arena, disturbed: tuple[str, int], tmp_path: Path) -> None:
    game, number = disturbed
    file = str(tmp_path / "all.jsonl.gz")
    assert (
        arena.json("export", str(number), "--format", "archive", "--out", file)["replays"] == TABLES[game] * LEGS[game]
    )
    nowhere = Arena({**arena.environ, "ARENA_DATA": str(tmp_path / "none")}, "")
    assert nowhere.json("import", file, "--check")["fixtures"] == TABLES[game]
    again = arena.run("import", file, check=False)
    assert again.stderr == f"arena: this tournament is here already: it is tournament {number}\n"


def test_a_replay_with_any_line_altered_fails(arena: Arena, disturbed: tuple[str, int], tmp_path: Path) -> None:
    lines = min(replays(arena, disturbed[1]), key=len).splitlines(keepends=True)
    for at in range(len(lines)):
        for altered in (lines[:at] + lines[at + 1 :], [*lines[:at], changed(lines[at]), *lines[at + 1 :]]):
            with pytest.raises(ReplayMismatch):
                replay.verify(b"".join(altered))
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"".join(lines[:-1]))
    done = arena.run("replay", "verify", str(bad), check=False)
    assert done.returncode == 1 and done.stderr.strip() and "Traceback" not in done.stderr


def changed(line: bytes) -> bytes:
    """The line with one digit replaced by another."""
    at = next(i for i in range(len(line) - 1, -1, -1) if line[i : i + 1].isdigit())
    return line[:at] + (b"1" if line[at : at + 1] == b"0" else b"0") + line[at + 1 :]


def test_the_greedy_bots_are_ahead_of_the_random_one(arena: Arena, disturbed: tuple[str, int]) -> None:
    table = arena.json("tournament", "table", str(disturbed[1]))["table"]
    assert len(table) == len(BOTS)
    assert table[-1]["bot"].startswith("random")
    assert all(line["error"] is not None for line in table)
