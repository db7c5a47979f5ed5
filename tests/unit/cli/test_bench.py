"""`arena bench`: its names, and its status."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from bench import rules, wire
from rummy.cli.main import app
from rummy.errors import NotFound

JUDGED = [0.9, 0.77, *[None] * 4, 0.7, None, 0.65, None, 2.0, None, None, 1.0, 1.8]
ROW: dict[str, Any] = {"figure": "f", "value": 1, "against": "p: 1", "ratio": 1.0, "goal": 1.0, "holds": True}


def test_an_unknown_benchmark_is_refused_with_the_names() -> None:
    result = CliRunner().invoke(app, ["bench", "speed"])
    assert type(result.exception) is NotFound
    assert "rules, wire" in str(result.exception)


@pytest.mark.parametrize("holds", [True, False])
@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_the_status_says_whether_all_goals_hold(
    monkeypatch: pytest.MonkeyPatch, holds: bool, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setattr(rules, "rows", lambda: [ROW, {**ROW, "holds": holds}])
    result = CliRunner().invoke(app, ["bench", "rules", *arguments])
    assert result.exit_code == (0 if holds else 1)
    if arguments:
        assert json.loads(result.stdout)[1]["holds"] is holds


def test_a_row_without_a_goal_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "rows", lambda: [{**ROW, "figure": "looked at", "goal": None}])
    result = CliRunner().invoke(app, ["bench", "rules"])
    assert result.exit_code == 0
    (line,) = [line for line in result.stdout.splitlines() if "looked at" in line]
    assert "1.00" in line
    assert "yes" not in line


@pytest.mark.long
def test_the_wire_is_measured() -> None:
    pytest.importorskip("pyspiel")
    rows = wire.rows(pairs=1)
    assert [row["goal"] for row in rows] == JUDGED
    assert all(row.keys() == ROW.keys() and row["value"] > 0 for row in rows)
