"""`arena replay show` and `arena replay verify`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rummy.cli.replays import app
from rummy.rules.game import Event, EventKind
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.rules.narrate import sentence
from rummy.rules.replay import Recorder

GOLDEN = Path(__file__).parents[2] / "golden"
GIN = GOLDEN / "gin/match.jsonl"
VOID = GOLDEN / "one_oh_one/three-void-deal.jsonl"
run = CliRunner().invoke


def test_verify_says_who_has_won() -> None:
    answer = run(app, ["verify", str(GIN), str(VOID)])
    assert answer.exit_code == 0
    first, second = answer.stdout.splitlines()
    assert "verified, gin" in first
    assert "1. Golden" in first
    assert "one_oh_one" in second


def test_verify_answers_in_json() -> None:
    answer = run(app, ["verify", "--json", str(VOID)])
    (found,) = json.loads(answer.stdout)
    assert found["verified"] is True
    assert sorted(found["placements"]) == [1, 2, 3]
    assert len(found["digest"]) == 64


@pytest.fixture
def altered(tmp_path: Path) -> Path:
    lines = GIN.read_bytes().splitlines(keepends=True)
    file = tmp_path / "altered.jsonl"
    file.write_bytes(b"".join(lines[:40] + lines[41:]))
    return file


def test_verify_ends_with_status_1_and_a_sentence(altered: Path) -> None:
    answer = run(app, ["verify", str(GIN), str(altered)])
    assert answer.exit_code == 1
    assert "verified, gin" in answer.stdout
    assert "altered.jsonl: Line 41 of the replay" in answer.stderr
    answer = run(app, ["verify", "--json", str(altered)])
    assert answer.exit_code == 1
    assert json.loads(answer.stdout)[0]["ply"] == 39


@pytest.mark.parametrize("command", ["verify", "show"])
def test_a_file_that_is_not_there_is_named(command: str, tmp_path: Path) -> None:
    answer = run(app, [command, str(tmp_path / "none.jsonl")])
    assert answer.exit_code == 1
    assert "none.jsonl: The file cannot be read" in answer.stderr
    assert run(app, [command, str(tmp_path)]).exit_code == 1


def test_show_tells_the_match() -> None:
    answer = run(app, ["show", str(VOID)])
    assert answer.exit_code == 0
    assert "Deal 1. Golden" in answer.stdout
    assert [line.split()[0] for line in answer.stdout.splitlines()[1:4]] == ["1", "2", "3"]  # Seats, with their hands.
    assert "leaves the match (disconnected)" in answer.stdout
    assert "(strike: timeout)" in answer.stdout
    assert "verified" in answer.stdout.splitlines()[-1]


def test_show_answers_in_json() -> None:
    frames = json.loads(run(app, ["show", "--json", str(GIN)]).stdout)
    assert frames[0]["deal"] == 0
    assert len(frames[0]["hands"][0]) == 10
    assert frames[-1]["points"] is not None


def test_show_stops_where_the_replay_differs(altered: Path) -> None:
    answer = run(app, ["show", str(altered)])
    assert answer.exit_code == 1
    assert "Deal 1." in answer.stdout
    assert "Line 41" in answer.stderr


def test_a_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    match = Match(find_game("gin"), 2, b"seed", max_deals=1)
    recorder = Recorder({"bots": ["\x1b[2Jevil", "[bold]b[/]"]}, match)
    while match.decision is not None:
        seat, action = match.decision.seat, match.default_action()
        match.apply(action)
        recorder.action(seat, action, took_us=1)
    file = tmp_path / "evil.jsonl"
    file.write_bytes(recorder.finish())
    for command in ("show", "verify"):
        answer = run(app, [command, str(file)])
        assert answer.exit_code == 0
        assert "\x1b" not in answer.stdout
        assert "?[2Jevil" in answer.stdout
        assert "[bold]b[/]" in answer.stdout


@pytest.mark.parametrize("kind", EventKind)
def test_every_event_has_a_sentence(kind: EventKind) -> None:
    told = sentence(Event(kind, 1, (0, 13), points=(3, 4), reason="stock"), ["Anna", "Bert"])
    assert told.endswith(".")
    assert "Bert" in told
