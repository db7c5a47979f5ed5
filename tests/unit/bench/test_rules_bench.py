"""The benchmark of the rules: its rows, and what it says without its peers."""

import sys

import pytest

from bench import rules
from rummy.errors import SettingsError


def test_without_the_peers_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(SettingsError, match=r"pyspiel is not installed: run '\S+ -m pip install"):
        rules.rows()


def test_a_row_compares_in_pairs_and_holds_at_nine_tenths(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(rules, "process_time", lambda: next(clock))
    row = rules.row("figure", "peer", lambda: 90, lambda: 10, goal=10, pairs=3)
    assert row == {"figure": "figure", "value": 90, "against": "peer: 10", "ratio": 9.0, "goal": 10, "holds": True}
    assert not rules.row("figure", "peer", lambda: 89, lambda: 10, goal=10, pairs=3)["holds"]


@pytest.mark.long
def test_every_goal_of_the_rules_holds() -> None:
    pytest.importorskip("pyspiel")
    pytest.importorskip("rlcard")
    assert [row for row in rules.rows() if not row["holds"]] == []
