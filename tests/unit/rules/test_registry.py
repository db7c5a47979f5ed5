"""The registry of games: options as text, presets by name, and a match that has just begun."""

from __future__ import annotations

import pytest

from rummy.errors import BadOptions
from rummy.rules.games import GAMES, find_game, options_json, presets_of
from rummy.rules.match import Match


def test_options_are_written_in_the_order_of_their_names() -> None:
    game = find_game("gin", {"wall": 3, "target": 50, "after_two_passes": "stock_only"})
    assert options_json(game) == '{"after_two_passes":"stock_only","target":50,"wall":3}'
    assert options_json(find_game("gin")) == "{}"


@pytest.mark.parametrize("key", sorted(GAMES))
def test_a_preset_that_there_is_not_is_told_those_that_there_are(key: str) -> None:
    names = ", ".join(sorted(presets_of(GAMES[key]))) or "none"
    with pytest.raises(BadOptions) as refusal:
        find_game(key, {"preset": "nonsense"})
    assert str(refusal.value).endswith(f"has no preset 'nonsense'; it has: {names}.")


@pytest.mark.parametrize("key", sorted(GAMES))
def test_a_match_that_has_just_begun_goes_on(key: str) -> None:
    game = find_game(key)
    tally = game.tally(max(2, game.spec.min_seats), 0)
    assert game.outcome(tally) is None
    assert game.outcome(tally, ended=True) is not None


def test_nobody_has_laid_a_card_before_the_first_turn_of_club_clb_8_7() -> None:
    assert Match(find_game("club"), 2, b"seed").view(None).had_laid is False
