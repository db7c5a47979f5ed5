"""The worked examples of 101 in tests/data/examples.json: every one of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from positions import play, position

from rummy.rules.cards import PACK
from rummy.rules.game import DealResult, DealTerms, Phase
from rummy.rules.games.one_oh_one import OneOhOne
from rummy.rules.games.one_oh_one_tally import knock_limit

GAME = OneOhOne()
EXAMPLES = [
    example
    for example in json.loads((Path(__file__).parents[2] / "data/examples.json").read_text(encoding="utf-8"))
    if example["game"] == "one_oh_one"
]
Values = dict[str, Any]


def hands_of(given: Values) -> list[str]:
    return ["".join(given["hands"][str(seat)]) for seat in range(len(given["hands"]))]


def knock_scoring(given: Values, expected: Values) -> None:
    before = given["scores_before"]
    state = position(*hands_of(given), stock="", scores=before, turn=given["knocker"])
    play(GAME, state, "K" + " A" * (len(before) - 1))
    assert state.result is not None
    points = list(state.result.points)
    points[given["knocker"]] -= expected["knocker_penalty"]
    assert points == expected["hand_points"]
    tally = GAME.tally(len(before), 0)
    tally.scores = list(before)
    GAME.score(tally, state.result)
    assert tally.scores == expected["scores_after"]
    assert list(tally.gone) == expected["eliminated"]


def knock_limit_table(given: Values, expected: Values) -> None:
    assert [knock_limit(GAME.knock_table, score) for score in given["scores"]] == expected["limits"]


def band_property(given: Values, expected: Values) -> None:
    assert knock_limit(GAME.knock_table, given["score"]) == given["unmatched"]
    assert GAME.penalty == given["penalty"]
    tally = GAME.tally(2, 0)
    tally.scores = [given["score"], 0]
    GAME.score(tally, DealResult((given["unmatched"] + given["penalty"], 0), "knock"))
    assert tally.scores[0] == expected["after"]
    assert (0 in tally.gone) is expected["eliminated"]


def over_limit_knock(given: Values, expected: Values) -> None:
    state = position("".join(given["hand"]), "AcAd2d3c5h6h7h", scores=(given["score"], 0))
    assert GAME.view(state, 0).knock_limit == given["limit"]
    play(GAME, state, "K")
    assert (state.result is not None) is expected["hand_ends"]
    assert state.result is not None
    assert state.result.points[0] == expected["unmatched"]
    assert (state.result.out == (0,)) is expected["knocker_eliminated"]


def all_bust_same_hand(given: Values, expected: Values) -> None:
    after = [given["scores_after"][str(seat)] for seat in range(len(given["scores_after"]))]
    tally = GAME.tally(len(after), 0)
    GAME.score(tally, DealResult(tuple(after), "stock"))
    outcome = GAME.outcome(tally)
    assert outcome is not None
    ranking = [[seat for seat, place in enumerate(outcome.placements) if place == at + 1] for at in range(len(after))]
    assert ranking == expected["ranking"]
    assert ranking[0] == expected["winner"]


def break_timing(given: Values, expected: Values) -> None:
    stocks, draws = [], []
    for seats in given["active_players"]:
        state = GAME.deal(PACK, DealTerms(seats, tuple(range(seats)), 0, 1, (0,) * seats))
        stocks.append(len(state.stock))
        before = 0
        while len(state.stock) > seats:
            play(GAME, state, "S")
            assert state.phase is Phase.DISCARD
            GAME.apply(state, GAME.default_action(state))
            before += 1
        play(GAME, state, "S")
        assert state.breaker is not None
        draws.append(before)
    assert stocks == expected["stock_after_deal"]
    assert draws == expected["stock_draws_before_break"]


def break_scoring(given: Values, expected: Values) -> None:
    # The last turn of a deal that nobody has knocked in: seat 1 has finished, seat 2 draws the last card and throws it.
    assert given["unmelded_points"] == [7, 0, 23]
    state = position("7c", "2c", "KdKc3h", stock="Qs", scores=given["scores_before"], turn=2)
    state.hands[1], state.breaker = 0, 0
    play(GAME, state, "S E D:Qs")
    assert state.result is not None
    assert state.result.points == (7, 0, 23)
    tally = GAME.tally(3, 0)
    tally.scores = list(given["scores_before"])
    GAME.score(tally, state.result)
    assert tally.scores == expected["scores_after"]


CHECKS: dict[str, Callable[[Values, Values], None]] = {
    check.__name__: check
    for check in (
        knock_scoring,
        knock_limit_table,
        band_property,
        over_limit_knock,
        all_bust_same_hand,
        break_timing,
        break_scoring,
    )
}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_a_worked_example(example: Values) -> None:
    CHECKS[example["kind"]](example["input"], example["expected"])


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 12
