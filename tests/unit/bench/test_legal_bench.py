"""No list of legal actions is longer than its bound: in play of every game, and with hands larger than play brings."""

from __future__ import annotations

import random

import pytest
from tables import OPTION_SETS, TABLES

from bench import legal
from rummy.rules.game import Phase
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_no_list_met_in_play_is_longer_than_its_bound(table: tuple[str, int]) -> None:
    key, seats = table
    for options in OPTION_SETS.get(key, [{}]):
        game = find_game(key, options)
        if seats < getattr(game, "min_seats", 2):
            continue
        most = legal.bound(game, seats)
        assert 1 <= max(legal.met(game, seats, random.Random(seats), 600)) <= most


@pytest.mark.parametrize("key", ["basic", "club", "contract", "rummy500"])
def test_no_list_of_a_huge_hand_is_longer_than_its_bound(key: str) -> None:
    longest = 0
    for options in OPTION_SETS[key]:
        game, seats, choose = find_game(key, options), 4, random.Random(1)
        for size in (20, 30, 40):
            match = Match(game, seats, b"huge")
            while match.decision is not None and match.decision.phase is not Phase.PLAY:
                match.apply(match.default_action())
            state = match._state
            state.hands[state.turn] = tuple(sorted(choose.sample(list(game.deck(seats)), size)))
            listed = game.legal_actions(state)
            longest = max(longest, len(listed))
            assert len(listed) <= legal.bound(game, seats)
    assert longest > 40


def test_there_is_a_row_for_every_game() -> None:
    assert {key for key, *_ in legal.TABLES} == set(GAMES)
