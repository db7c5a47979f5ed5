"""Golden replays: matches that were recorded once and must come out the same for ever."""

from __future__ import annotations

import pytest
from golden_replays import FOLDER, GOLDEN, Golden, recorded

from rummy.errors import ReplayMismatch
from rummy.rules.games import GAMES
from rummy.rules.replay import verify


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: f"{golden.game}-{golden.name}")
def test_a_golden_replay_verifies(golden: Golden) -> None:
    found = verify(golden.path.read_bytes())
    assert found.header["game"] == golden.game
    assert found.header["options"] == golden.options


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: f"{golden.game}-{golden.name}")
def test_it_would_be_recorded_the_same_again(golden: Golden) -> None:
    # Where a change of the rules is meant: raise `rules_version`, run golden_replays.py, read the difference.
    assert recorded(golden) == golden.path.read_bytes()


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: f"{golden.game}-{golden.name}")
def test_it_does_not_verify_with_a_line_left_out(golden: Golden) -> None:
    lines = golden.path.read_bytes().splitlines(keepends=True)
    with pytest.raises(ReplayMismatch):
        verify(b"".join(lines[:7] + lines[8:]))


@pytest.mark.parametrize("key", sorted(GAMES))
def test_every_game_has_golden_replays(key: str) -> None:
    assert list((FOLDER / key).glob("*.jsonl")), f"add a line for {key} to golden_replays.py and run it"


def test_no_golden_replay_is_forgotten() -> None:
    assert set(FOLDER.rglob("*.jsonl")) == {golden.path for golden in GOLDEN}
