"""The worked examples of Basic in tests/data/examples.json: every one of them, by the rules and by the oracle."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import oracle
import pytest
from basic_table import position
from zones_table import legal, play

from rummy.rules.cards import cards_text, parse_cards
from rummy.rules.games.basic import Basic
from rummy.rules.match import Match
from rummy.rules.tabling import MeldRules, classified

EXAMPLES = [
    example
    for example in json.loads((Path(__file__).parents[2] / "data/examples.json").read_text(encoding="utf-8"))
    if example["game"] == "basic"
]
Values = dict[str, Any]


def meld_valid(given: Values, expected: Values) -> None:
    cards, distinct = given["cards"], given["distinct_suits_in_set"]
    rules = MeldRules(ace=given["ace"], distinct_suits=distinct)
    assert (classified(parse_cards("".join(cards)), rules) is not None) is expected["valid"]
    assert oracle.is_basic_meld(cards, ace=given["ace"], packs=1, distinct=distinct) is expected["valid"]


def deal(given: Values, expected: Values) -> None:
    views = [Match(Basic(), seats, b"seed").view(None) for seats in given["players"]]
    assert [view.hand_sizes[0] for view in views] == expected["cards_each"]
    assert [view.stock for view in views] == expected["stock_after_upcard"]


def hand_score(given: Values, expected: Values) -> None:
    game = Basic(going_out_bonus=given["going_out_bonus"], ace_value=given["ace"])
    winner, rummy = given["winner"], given["rummy"]
    seats = len(given["losers"]) + 1
    hands = ["".join(given["losers"].get(str(seat), ["4c", "4d"])) for seat in range(seats)]
    state = position(*hands, stock="4h", melds="" if rummy else f"{winner}:8d8h8s", turn=winner)
    play(game, state, "S M:4c4d4h")
    assert state.result is not None
    assert state.result.points[winner] == expected["winner_points"]
    score = oracle.basic_hand_score(
        given["losers"].values(), ace=given["ace"], bonus=given["going_out_bonus"], rummy=rummy
    )
    assert score == expected["winner_points"]


def ace_value(given: Values, expected: Values) -> None:
    cards = parse_cards("".join(given["cards"]))
    assert [Basic(ace_value=ace).arranger().count(cards) for ace in given["ace"]] == expected["totals"]
    assert [oracle.basic_value(given["cards"], ace) for ace in given["ace"]] == expected["totals"]


def going_out(given: Values, expected: Values) -> None:
    game = Basic(must_discard_out=given["must_discard"])
    state = position("".join(given["hand"]), "Kc", stock=given["draw"])
    play(game, state, "S")
    ways = [text for text in legal(game, state) if text[0] == "M"]
    assert bool(ways) is expected["can_go_out"]
    for text in ways:
        play(game, state, text)
        assert state.result is not None


def block(given: Values, expected: Values) -> None:
    hands = ["".join(hand) for hand in given["hands"].values()]
    state = position(*hands, stock="9s")
    play(Basic(block=True), state, "S E D:9s")
    assert state.result is not None
    assert list(state.result.points) == expected["score_change"]


def turn_over_pile(given: Values, expected: Values) -> None:
    state = position("6c7c", "Kc", stock="", pile="".join(given["discard_bottom_to_top"]))
    play(Basic(), state, "O")
    assert cards_text(state.pile) == expected["new_upcard"]
    assert cards_text(state.stock[::-1]) == "".join(expected["next_stock_draws"])


CHECKS: dict[str, Callable[[Values, Values], None]] = {
    check.__name__: check for check in (meld_valid, deal, hand_score, ace_value, going_out, block, turn_over_pile)
}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_a_worked_example(example: Values) -> None:
    CHECKS[example["kind"]](example["input"], example["expected"])


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 20
