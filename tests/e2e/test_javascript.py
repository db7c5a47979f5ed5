"""A bot in JavaScript, written from proto/ alone, plays tournaments of every game as one that dials in by itself."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from real_arena import PATIENCE, ROOT, Arena

from rummy.rules.games import GAMES

FOLDER = ROOT / "sample_bots" / "javascript"
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(
    NODE is None or not (FOLDER / "node_modules").is_dir(),
    reason="needs node, and 'npm ci --prefix sample_bots/javascript'",
)


@pytest.fixture
def stranger(arena: Arena, tmp_path: Path) -> Iterator[Path]:
    """The bot's process, connected; gives what it writes."""
    operator = json.loads((Path(arena.environ["ARENA_DATA"]) / "state.json").read_text())["operator"]
    environ = {
        "PATH": os.environ["PATH"],
        "ARENA_ADDRESS": operator["ARENA_BOTS_LISTEN"],
        "ARENA_OWNER_TOKEN": operator["ARENA_OWNER_TOKEN"],
    }
    said = tmp_path / "said"
    with said.open("w") as output:
        process = subprocess.Popen([str(NODE), "bot.js"], cwd=FOLDER, env=environ, stdout=output, stderr=output)
    try:
        ends = time.monotonic() + PATIENCE
        while "is connected" not in said.read_text():
            assert process.poll() is None and time.monotonic() < ends, said.read_text()
            time.sleep(0.05)
        yield said
    finally:
        process.kill()
        process.wait()


def play(arena: Arena, game: str, *more: str) -> list[tuple[str, str | None, int]]:
    """Name, forfeit and strikes of every seat of a finished tournament."""
    bots = ("javascript", "greedy", "random")
    more = (*more, "--seed", "strangers")  # Practice: the ladders of other tests stay as they are.
    number = arena.tournament(f"strangers at {game}", game, *more, bots=bots[: max(2, GAMES[game].spec.min_seats)])
    arena.table(number)
    with psycopg.connect(arena.database_url()) as database:
        return database.execute(
            """SELECT bot.name, forfeit, strikes
                 FROM seat_result JOIN match USING (match_id)
                 JOIN fixture ON fixture.fixture_id = match.fixture_id
                 JOIN entrant USING (tournament_id, entrant_no)
                 JOIN bot_version USING (version_id) JOIN bot USING (bot_id)
                WHERE tournament_id = %s""",
            [number],
        ).fetchall()


@pytest.mark.parametrize("game", GAMES)
def test_it_plays_a_tournament_of_every_game_without_a_fault(arena: Arena, stranger: Path, game: str) -> None:
    seats = max(2, GAMES[game].spec.min_seats)
    played = play(arena, game, "--table-size", str(seats), "--cycles", "6" if game == "gin" else "1")
    assert len(played) == seats * (6 if game == "gin" else 1)
    assert {name for name, _, _ in played} == {"javascript", "greedy", "random"} - ({"random"} if seats == 2 else set())
    assert [(forfeit, strikes) for _, forfeit, strikes in played] == [(None, 0)] * len(played)
    assert "rejected" not in stranger.read_text()
