"""The page of Club says what the code does: options, clauses, their tests, and how many actions are listed."""

from __future__ import annotations

import json
import random
import re
from dataclasses import fields
from pathlib import Path

from club_table import position

from rummy.rules.cards import cards_text
from rummy.rules.game import Phase
from rummy.rules.games.club import Club

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/rulebook/club.md").read_text(encoding="utf-8")
COMMON = (ROOT / "docs/rulebook/common.md").read_text(encoding="utf-8")
TESTS = "".join([path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_club*.py")])
STATED = re.findall(r"^\| ((?:CLB|COM)-[\d.]+) \|", PAGE + COMMON, re.MULTILINE)


def test_the_table_of_options_is_complete_and_true() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", PAGE, re.MULTILINE)
    assert {name: json.loads(default) for name, default in rows} == {
        field.name: field.default for field in fields(Club)
    }


def test_every_clause_has_a_test_that_names_it() -> None:
    named = set()
    for numbers in re.findall(r"def test_clb_((?:\d+_)+)", TESTS):
        parts = numbers.strip("_").split("_")
        named |= {f"CLB-{section}.{clause}" for section, clause in zip(parts[::2], parts[1::2], strict=False)}
    clauses = [clause for clause in STATED if clause.startswith("CLB")]
    assert len(clauses) == len(set(clauses)) == 33
    assert set(clauses) <= named


def test_every_clause_that_the_code_cites_is_on_the_page() -> None:
    for module in (ROOT / "rummy/rules/games").glob("club*.py"):
        cited = set(re.findall(r"\b((?:CLB|COM)-\d+(?:\.\d+)?)", module.read_text(encoding="utf-8")))
        sections = {clause.partition(".")[0] for clause in STATED}
        assert {clause for clause in cited if clause not in STATED and clause not in sections} == set()


def test_the_list_of_legal_actions_is_bounded_as_the_page_says() -> None:
    rng = random.Random(0)
    game = Club()
    most = 0
    for number in range(200):
        ranks = rng.sample(range(13), rng.choice([4, 5, 8, 13]))
        rng.shuffle(pack := [suit * 13 + rank for suit in range(4) for rank in range(13)] * 2)
        hand = sorted(pack, key=lambda card: card % 13 not in ranks)[:30]
        table = [f"0:{cards_text([rank, rank + 13, rank + 26])}" for rank in range(13)] if number % 2 else []
        table += [f"1:{cards_text(range(suit * 13 + 3, suit * 13 + 7))}" for suit in range(4)] if number % 3 else []
        state = position(cards_text(hand), "2c", melds=" ".join(table))
        state.phase = Phase.PLAY
        listed = len(game.legal_actions(state))
        assert listed <= 3 * 30 + 4 * len(table) + 1 <= 187
        most = max(most, listed)
    assert most > 80
