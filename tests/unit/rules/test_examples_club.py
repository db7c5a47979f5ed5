"""The worked examples of Club in tests/data/examples.json: every one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from club_table import position
from zones_table import legal, play

from rummy.rules.cards import cards_text, parse_cards
from rummy.rules.game import TableMeld
from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import MELDS
from rummy.rules.games.club_score import hand_points, table_points
from rummy.rules.tabling import tabled

EXAMPLES = [
    example
    for example in json.loads((Path(__file__).parents[2] / "data/examples.json").read_text(encoding="utf-8"))
    if example["game"] == "club"
]
Values = dict[str, Any]
OTHER = "3c5d7h9sJcKd4s6h8d2s"


def meld_of(cards: Sequence[str], seat: int = 0) -> TableMeld:
    meld = tabled(parse_cards("".join(cards)), seat, MELDS["either"])
    assert meld is not None
    return meld


def melds_of(cards: list[str]) -> list[str]:
    """The melds that lie one after the other in *cards*, each as long as it can be."""
    melds: list[str] = []
    while cards:
        size = max(n for n in range(3, len(cards) + 1) if tabled(parse_cards("".join(cards[:n])), 0, MELDS["either"]))
        melds.append("".join(cards[:size]))
        cards = cards[size:]
    return melds


def card_values(given: Values, expected: Values) -> None:
    assert given["on_table"]
    assert table_points([meld_of(given["cards"])], 1, double=given["clubs_double"]) == [expected["points"]]


def large_meld(given: Values, expected: Values) -> None:
    double = given["clubs_double"]
    assert table_points([meld_of(given["meld"])], 1, double=double) == [expected["total"]]
    assert sum(2 * 5 if double and card[1] == "c" else 5 for card in given["meld"]) == expected["cards"]
    assert expected["cards"] + expected["bonus"] == expected["total"]


def may_go_out(given: Values, expected: Values) -> None:
    game = Club(double_clubs=given["clubs_double"])
    cards = "".join(given["hand"])
    assert hand_points(parse_cards(cards), double=given["clubs_double"]) == expected["hand_points"]
    state = position(cards, *[OTHER] * (given["players"] - 1), stock="As", turns=given["players"])
    play(game, state, "S E D:As")
    assert ("G" in legal(game, state)) is expected["allowed"]


def shared_partial(given: Values, expected: Values) -> None:
    game = Club(double_clubs=given["clubs_double"])
    seats = len(given["placed"])
    laid = "".join(given["placed"][0])
    hands = ["".join(cards) for cards in given["in_hand"]]
    hands = [hands[0], *[hands[seat] + "".join(given["placed"][seat]) for seat in range(1, seats)]]
    state = position(*hands, stock="9s9h9d", melds=f"0:{laid}", turn=1, turns=seats * 40 - 3)
    for seat in range(1, seats):
        play(game, state, f"S L:{''.join(given['placed'][seat])}>0 E")
        play(game, state, f"D:{cards_text(set(state.hands[seat]) & set(parse_cards('9s9h')))} C")
    play(game, state, "S E D:9d C")
    assert given["went_out"] is None
    assert state.closer is None
    assert state.result is not None
    assert list(state.result.points) == expected["points"]


def hand_score(given: Values, expected: Values) -> None:
    game = Club(double_clubs=given["clubs_double"])
    out, placed = given["went_out"], [melds_of(cards) for cards in given["placed"]]
    hands = ["".join(cards) for cards in given["in_hand"]]
    own = placed[out] if given["all_in_one_turn"] else []
    hands[out] += "".join(own)
    table = [f"{seat}:{meld}" for seat, melds in enumerate(placed) for meld in melds if meld not in own]
    state = position(*hands, stock="6s", melds=" ".join(table), turn=out)
    play(game, state, " ".join(["S", *[f"M:{meld}" for meld in own], "E", "D:6s", "G"]))
    assert [sum(len(meld) // 2 - 3 for meld in melds) for melds in placed] == given["excess_cards"]
    assert state.result is not None
    assert list(state.result.points) == expected["points"]


CHECKS: dict[str, Callable[[Values, Values], None]] = {
    check.__name__: check for check in (card_values, large_meld, may_go_out, shared_partial, hand_score)
}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_a_worked_example(example: Values) -> None:
    CHECKS[example["kind"]](example["input"], example["expected"])


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 16
