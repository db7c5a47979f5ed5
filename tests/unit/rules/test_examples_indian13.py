"""The worked examples of Indian rummy in tests/data/examples.json: every one of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import oracle
import pytest
from indian13_table import POOR, play, position

from rummy.rules.actions import Cards
from rummy.rules.cards import RANKS, cards_text, parse_cards
from rummy.rules.games.indian13 import Indian13
from rummy.rules.games.indian13_groups import points, why_not_valid
from rummy.rules.games.indian13_search import least

EXAMPLES = [
    example
    for example in json.loads((Path(__file__).parents[2] / "data/examples.json").read_text(encoding="utf-8"))
    if example["game"] == "indian13"
]
Values = dict[str, Any]


def groups_of(given: Values) -> list[Cards]:
    return [parse_cards("".join(group)) for group in given["groups"]]


def declare(given: Values, expected: Values) -> None:
    groups, wild = groups_of(given), RANKS.index(given["wild_rank"])
    reason = why_not_valid(groups, wild) or "ok"
    assert reason.upper().replace(" ", "") == expected["reason"].upper().replace(" ", "")
    state = position("".join(map(cards_text, groups)), POOR, stock="8d", cut=given["wild_rank"] + "h")
    play(Indian13(), state, "S K:8d/" + ",".join(map(cards_text, groups)))
    assert (state.closer == 0) is expected["valid"]
    assert (state.losses[0] == 80) is not expected["valid"]


def loser_count(given: Values, expected: Values) -> None:
    count_of_given_groups(given, expected)
    hand = [*groups_of(given), parse_cards("".join(given["loose"]))]
    assert least([card for cards in hand for card in cards], RANKS.index(given["wild_rank"])) == expected["points"]


def count_of_given_groups(given: Values, expected: Values) -> None:
    groups, loose, wild = groups_of(given), parse_cards("".join(given["loose"])), given["wild_rank"]
    counted = points(groups, loose, RANKS.index(wild), whole_hand=False)
    assert min(Indian13().cap, counted) == expected["points"]
    assert oracle.indian_count(given["groups"], given["loose"], wild, whole=False) == expected["points"]


def drops(given: Values, expected: Values) -> None:
    game = Indian13()
    assert ({name: getattr(game, name) for name in given} == given) is expected["ok"]


CHECKS: dict[str, Callable[[Values, Values], None]] = {
    check.__name__: check for check in (declare, loser_count, count_of_given_groups, drops)
}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_a_worked_example(example: Values) -> None:
    CHECKS[example["kind"]](example["input"], example["expected"])


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 11
