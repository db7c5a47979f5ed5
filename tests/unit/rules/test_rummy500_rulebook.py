"""The page of Rummy 500 says what the code does, every clause has a test, and the worked examples come out."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from zones_table import draw_up, legal, play, terms

from rummy.rules.cards import cards_text, parse_cards
from rummy.rules.games.rummy500 import Rummy500
from rummy.rules.games.rummy500_deal import hand_points, meld_points, table_points
from rummy.rules.games.zones import Zones
from rummy.rules.tabling import places, tabled

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/rulebook/rummy500.md").read_text(encoding="utf-8")
COMMON = (ROOT / "docs/rulebook/common.md").read_text(encoding="utf-8")
TESTS = (Path(__file__).parent / "test_rummy500.py").read_text(encoding="utf-8")
EXAMPLES = [
    example
    for example in json.loads((ROOT / "tests/data/examples.json").read_text(encoding="utf-8"))
    if example["game"] == "rummy500"
]
Values = dict[str, Any]


def test_the_table_of_options_is_complete_and_true() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", PAGE, re.MULTILINE)
    assert {name: json.loads(default) for name, default in rows} == {
        field.name: field.default for field in fields(Rummy500)
    }


def test_every_clause_has_a_test_that_names_it() -> None:
    clauses = re.findall(r"^\| R500-([\d.]+) \|", PAGE, re.MULTILINE)
    assert len(clauses) == 13
    names = [clause.replace(".", "_") for clause in clauses]
    assert [name for name in names if not re.search(rf"def test_r500_{name}_[a-z]", TESTS)] == []


def test_every_clause_that_the_code_cites_is_on_the_page() -> None:
    stated = set(re.findall(r"^\| ((?:R500|COM)-[\d.]+) \|", PAGE + COMMON, re.MULTILINE))
    for module in (ROOT / "rummy/rules/games").glob("rummy500*.py"):
        cited = set(re.findall(r"\b((?:R500|COM)-\d+(?:\.\d+)?)", module.read_text(encoding="utf-8")))
        assert cited - {"R500-3", "R500-6"} <= stated


def meld_value(given: Values, expected: Values) -> None:
    made = tabled(parse_cards("".join(given["cards"])), 0, Rummy500().meld_rules())
    assert made is not None
    low = made.run and places(made)[0] == 0
    assert low is given["ace_in_low_run"]
    assert sum(meld_points(made)) == expected["points"]


def net(given: Values, expected: Values) -> None:
    game = Rummy500()
    state = Zones(terms(2), [()] * 2, [], [])
    melds = "0:AcAdAh 0:9c9d9h 0:4c5c6c"
    draw_up(game, state, "As" * 6, "2h", stock="", pile="2c", melds=melds, turn=0)
    assert table_points(state.melds, 2) == [given["table"], 0]
    assert hand_points(state.hands[0]) == given["hand"]
    play(game, state, "N")
    assert state.result is not None
    assert state.result.points == (expected["net"], -2)


def take_from_pile(given: Values, expected: Values) -> None:
    game = Rummy500()
    pile = given["pile_bottom_to_top"]
    state = Zones(terms(2), [()] * 2, [], [])
    draw_up(game, state, "".join(given["hand"]), "2h", stock="Kc", pile="".join(pile), melds="", turn=0)
    text = f"P{len(pile) - pile.index(given['want'])}"
    assert (text in legal(game, state)) is expected["legal"]
    if expected["legal"]:
        (told,) = play(game, state, text)
        assert cards_text(told.cards) == "".join(expected["cards_taken"])
        assert state.owed == parse_cards(expected["must_use"])[0]


CHECKS = {check.__name__: check for check in (meld_value, net, take_from_pile)}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_a_worked_example(example: Values) -> None:
    CHECKS[example["kind"]](example["input"], example["expected"])


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 6
