"""The worked examples of gin, every one: a kind of example has a checker, and a kind without one fails."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gin_table import dealt, legal, play
from oracle import ORDER

from rummy.rules.cards import cards_of, cards_text, mask, parse_card
from rummy.rules.deadwood import best_discards, best_melds, deadwood
from rummy.rules.game import DealResult
from rummy.rules.games.gin import Gin

Example = dict[str, Any]

FILE = Path(__file__).parents[2] / "data" / "examples.json"
EXAMPLES: list[Example] = [each for each in json.loads(FILE.read_text()) if each["game"] == "gin"]
NUMBER = 28  # Of gin's examples in the rulebook: none has been lost.


def held(cards: list[str]) -> int:
    return mask(map(parse_card, cards))


def spare(*used: list[str]) -> list[str]:
    taken = {card for cards in used for card in cards}
    return [card for card in ORDER if card not in taken]


def min_deadwood(given: Example, expected: Example) -> None:
    assert deadwood(held(given["hand"])) == best_melds(held(given["hand"]))[0] == expected["deadwood"]


def best_discard(given: Example, expected: Example) -> None:
    hand = given["hand"]
    least, cards = best_discards(held(hand))
    assert (least, [cards_text([card]) for card in cards]) == (
        expected["min_deadwood"],
        sorted(expected["best_discards"], key=ORDER.index),
    )
    rest = spare(hand)
    state = play(dealt("".join(hand[:10]), "".join(rest[:10]), upcard=rest[10], stock=hand[10]), "N N S")
    listed = legal(state)
    assert ("B" in listed) is expected["big_gin"]
    assert any(text.startswith("K:") for text in listed) is expected["may_knock"]
    assert (least == 0) is expected["gin"]


def knock_card_excluded(given: Example, expected: Example) -> None:
    hand, card = given["hand"], given["knock_card"]
    kept = [each for each in hand if each != card]
    rest = spare(hand)
    state = play(dealt("".join(kept), "".join(rest[:10]), upcard=rest[10], stock=card), "N N S")
    assert (f"K:{card}" in legal(state)) is expected["legal"]
    assert play(state, f"K:{card}").count == expected["deadwood"]


def knock_legality(given: Example, expected: Example) -> None:
    rest = spare(given["kept"])
    state = play(dealt("".join(given["kept"]), "".join(rest[:10]), upcard=rest[10], stock=rest[11]), "N N S")
    assert deadwood(held(given["kept"])) == expected["deadwood"]
    assert (f"K:{rest[11]}" in legal(state)) is expected["legal"]


def hand_result(given: Example, expected: Example) -> None:
    mine, other = given["knocker_hand"], given["defender_hand"]
    rest = spare(mine, other)
    big = given["big_gin"]
    drawn = mine[10] if big else rest[1]
    state = play(dealt("".join(mine[:10]), "".join(other), upcard=rest[0], stock=drawn), "N N S")
    melds = ",".join("".join(meld) for meld in given["knocker_melds"])
    play(state, f"B/{melds}" if big else f"K:{drawn}/{melds}")
    assert state.count == expected["knocker_deadwood"]
    play(state, "A")
    assert sum(min(card % 13 + 1, 10) for card in cards_of(state.hands[1])) == expected["defender_deadwood"]
    points = (expected["knocker_points"], expected["defender_points"])
    winner = 0 if points[0] else 1
    assert state.result == DealResult(points, expected["kind"].replace("_", " "), winner)


def game_total(given: Example, expected: Example) -> None:
    game = Gin()
    tally = game.tally(2, 0)
    for deal in given["hands"]:
        assert game.outcome(tally) is None
        winner, points = deal["winner"], [0, 0]
        if winner is not None:
            points[winner] = deal["points"]
        game.score(tally, DealResult((points[0], points[1]), "knock" if winner is not None else "wall", winner))
    outcome = game.outcome(tally)
    assert outcome is not None and outcome.reason == "target"
    assert (tally.scores, tally.won, tally.ties) == (expected["running"], expected["hands_won"], expected["ties"])
    reached = expected["reached"]
    assert tally.scores[reached] >= game.target
    assert (tally.won[reached] == tally.deals) is expected["shutout"]
    assert list(outcome.scores) == expected["grand_totals"]
    assert outcome.placements.index(1) == expected["winner"]


CHECKERS: dict[str, Callable[[Example, Example], None]] = {
    "min_deadwood": min_deadwood,
    "best_discard": best_discard,
    "knock_card_excluded": knock_card_excluded,
    "knock_legality": knock_legality,
    "hand_result": hand_result,
    "game_total": game_total,
}


@pytest.mark.parametrize("example", EXAMPLES, ids=[each["id"] for each in EXAMPLES])
def test_example(example: Example) -> None:
    CHECKERS[example["kind"]](example["input"], example["expected"])


def test_no_example_is_left_out() -> None:
    assert len(EXAMPLES) == len({each["id"] for each in EXAMPLES}) == NUMBER
    assert {each["kind"] for each in EXAMPLES} == set(CHECKERS)
