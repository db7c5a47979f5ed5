"""Counts of legal sequences, to a small depth from fixed deals: a silent change of the rules shows here."""

from __future__ import annotations

from typing import Any

import pytest

from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match


def sequences(game: Any, state: Any, depth: int) -> int:
    """The number of sequences of *depth* legal actions; one that ends the deal earlier counts once."""
    if depth == 0 or game.decision(state) is None:
        return 1
    count = 0
    for action in game.legal_actions(state):
        after = state.copy()
        game.apply(after, action)
        count += sequences(game, after, depth - 1)
    return count


# Game, seats, plies of default play before, depth, count.
COUNTS = [
    ("gin", 2, 0, 1, 2),
    ("gin", 2, 0, 6, 5271),
    ("gin", 2, 30, 6, 9261),
    ("one_oh_one", 2, 0, 1, 1),
    ("one_oh_one", 2, 0, 6, 1800),
    ("one_oh_one", 3, 20, 7, 7425),
    ("one_oh_one", 4, 42, 8, 376),
    ("one_oh_one", 6, 8, 9, 92),
    ("basic", 2, 0, 4, 42),
    ("basic", 2, 0, 6, 497),
    ("basic", 2, 60, 6, 681),
    ("basic", 3, 30, 8, 1302),
    ("basic", 4, 70, 8, 2724),
    ("basic", 6, 80, 9, 2422),
    ("club", 2, 0, 5, 24),
    ("club", 2, 40, 7, 21661),
    ("club", 2, 46, 6, 8757),
    ("club", 3, 60, 4, 6957),
    ("club", 4, 70, 7, 2651),
    ("club", 5, 13, 7, 998),
    ("club", 6, 60, 4, 7390),
    ("indian13", 2, 0, 4, 666),
    ("indian13", 2, 40, 4, 954),
    ("indian13", 2, 100, 5, 2069),
    ("indian13", 3, 30, 4, 672),
    ("indian13", 3, 138, 6, 26176),
    ("indian13", 4, 100, 4, 933),
    ("indian13", 5, 60, 4, 786),
    ("indian13", 6, 90, 4, 707),
    ("contract", 3, 0, 5, 38),
    ("contract", 3, 60, 4, 34),
    ("contract", 4, 100, 4, 36),
    ("contract", 5, 120, 4, 314),
    ("contract", 6, 140, 4, 209),
    ("rummy500", 2, 0, 5, 64),
    ("rummy500", 2, 30, 5, 300),
    ("rummy500", 3, 45, 4, 2068),
    ("rummy500", 4, 60, 4, 4521),
    ("rummy500", 5, 75, 4, 6018),
    ("rummy500", 6, 90, 4, 20697),
]


def test_every_game_is_counted() -> None:
    missing = set(GAMES) - {row[0] for row in COUNTS}
    assert missing == set(), "add lines with a count of 0, run the test, and see that the count it finds is right"


@pytest.mark.parametrize(("key", "seats", "before", "depth", "count"), COUNTS)
def test_the_number_of_legal_sequences(key: str, seats: int, before: int, depth: int, count: int) -> None:
    match = Match(find_game(key), seats, b"perft")
    for _ in range(before):
        match.apply(match.default_action())
    assert match.deal == 0
    assert sequences(match.game, match._state, depth) == count
