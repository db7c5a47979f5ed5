"""Contract rummy against an oracle that was written from the rulebook alone, its page, and the worked examples."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import oracle_tabled as judge
import pytest
from zones_table import draw_up, play, terms

from rummy.errors import IllegalAction
from rummy.rules.actions import LayOff, Meld
from rummy.rules.cards import TEXTS, parse_cards
from rummy.rules.game import EventKind
from rummy.rules.games.contract import Contract
from rummy.rules.games.contract_deal import ContractState, hand_points
from rummy.rules.games.contract_lay import least_cards
from rummy.rules.match import Match

GAME = Contract()
ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/rulebook/contract.md").read_text(encoding="utf-8")
COMMON = (ROOT / "docs/rulebook/common.md").read_text(encoding="utf-8")
TESTS = (Path(__file__).parent / "test_contract.py").read_text(encoding="utf-8")
EXAMPLES = [
    example
    for example in json.loads((ROOT / "tests/data/examples.json").read_text(encoding="utf-8"))
    if example["game"] == "contract"
]
Values = dict[str, Any]


# The oracle


@pytest.mark.parametrize("seats", range(3, 7))
def test_deals_score_what_the_oracle_says(seats: int) -> None:
    rng = random.Random(seats)
    game = Contract(contracts=((1, 0), (0, 1), (2, 0)), cards=(3, 4, 6), buying=True)
    ends: Counter[str] = Counter()
    for number in range(6):
        match = Match(game, seats, bytes([number]))
        while match.decision is not None:
            legal = match.legal_actions()
            placing = [action for action in legal if isinstance(action, Meld | LayOff)]
            match.apply(rng.choice(placing) if placing and rng.random() < 0.9 else rng.choice(legal))
        held: dict[int, list[str]] = {}
        for event in match.events:
            if event.kind is EventKind.SHOW:
                held[event.seat] = [TEXTS[card] for card in event.cards]
            if event.kind is EventKind.DEAL_END:
                assert event.points == tuple([judge.held_contract(held[seat]) for seat in range(seats)])
        ends.update(deal.reason for deal in match.deals)
    assert ends["out"] > 3


# The page


def test_the_table_of_options_is_complete_and_true() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", PAGE, re.MULTILINE)
    plain = {field.name: json.loads(json.dumps(field.default)) for field in fields(Contract)}
    assert {name: json.loads(default) for name, default in rows} == plain
    for preset in Contract.presets:
        assert f"`{preset}`" in PAGE


def test_every_clause_has_a_test_that_names_it() -> None:
    clauses = re.findall(r"^\| CON-([\d.]+) \|", PAGE, re.MULTILINE)
    assert len(clauses) == 11
    names = [clause.replace(".", "_") for clause in clauses]
    assert [name for name in names if not re.search(rf"def test_con_{name}_[a-z]", TESTS)] == []


def test_every_clause_that_the_code_cites_is_on_the_page() -> None:
    stated = set(re.findall(r"^\| ((?:CON|COM)-[\d.]+) \|", PAGE + COMMON, re.MULTILINE))
    for module in (ROOT / "rummy/rules/games").glob("contract*.py"):
        cited = set(re.findall(r"\b((?:CON|COM)-\d+(?:\.\d+)?)", module.read_text(encoding="utf-8")))
        assert cited - {"CON-4"} <= stated


# The worked examples


def contracts(given: Values, expected: Values) -> None:
    assert given["deals"] == list(range(1, 8))
    assert [list(pair) for pair in GAME.contracts] == expected["sets_runs"]
    assert [least_cards(*pair) for pair in GAME.contracts] == expected["least_cards"]
    assert list(GAME.cards) == expected["dealt"]


def lay_contract(given: Values, expected: Values) -> None:
    melds = ["".join(cards) for cards in given["melds"]]
    whole = given["deal"] == 7
    hand = "".join(melds) + ("" if whole else "2s2h9d")
    state = ContractState(terms(3), ([], [], []), GAME.contracts[given["deal"] - 1], whole=whole)
    draw_up(GAME, state, hand[:-2], "2c", "2d", stock=hand[-2:] + "Kd", pile="7s", melds="", turn=0)
    script = " ".join(["S", *[f"M:{meld}" for meld in melds], *([] if whole else ["E"])])
    if expected["valid"]:
        play(GAME, state, script)
        assert (state.closer == 0) is whole
    else:
        with pytest.raises(IllegalAction):
            play(GAME, state, script)


def hand_value(given: Values, expected: Values) -> None:
    assert hand_points(parse_cards("".join(given["cards"]))) == expected["points"]


CHECKS = {check.__name__: check for check in (contracts, lay_contract, hand_value)}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_a_worked_example(example: Values) -> None:
    CHECKS[example["kind"]](example["input"], example["expected"])


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 7
