"""The page of Basic says what the code does: every clause has a test, every option its line, every preset its own."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

from rummy.rules.games import find_game, options_of
from rummy.rules.games.basic import PILES, Basic
from rummy.rules.tabling import ACES

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/rulebook/basic.md").read_text(encoding="utf-8")
TESTS = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_basic*.py"))


def plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def test_every_clause_has_a_test_that_names_it() -> None:
    clauses = re.findall(r"^- \*\*BAS-(\d+)\.(\d+)\*\*", PAGE, re.MULTILINE)
    assert len(clauses) == len(set(clauses)) == 34
    assert [f"BAS-{a}.{b}" for a, b in clauses if not re.search(rf"def test_bas_(\d+_\d+_)*{a}_{b}(?!\d)", TESTS)] == []


def test_every_clause_that_is_cited_exists() -> None:
    stated = set(re.findall(r"\*\*(BAS-\d+\.\d+)\*\*", PAGE))
    for module in (ROOT / "rummy/rules/games").glob("basic*.py"):
        cited = set(re.findall(r"BAS-\d+\.\d+", module.read_text(encoding="utf-8")))
        assert cited and cited <= stated


def test_the_table_of_options_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|{]+?) \| [^|]+ \| \S+ \|$", PAGE, re.MULTILINE)
    told = {name: json.loads(default) for name, default in rows}
    assert told == {field.name: plain(field.default) for field in fields(Basic)}
    for choice in (*ACES, *PILES):
        assert f"`{choice}`" in PAGE


def test_the_table_of_presets_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\{.+\}) \|$", PAGE, re.MULTILINE)
    told = {name: json.loads(options) for name, options in rows}
    assert told == {
        name: {option: plain(value) for option, value in chosen.items()} for name, chosen in Basic.presets.items()
    }
    for name, options in told.items():
        assert find_game("basic", {"preset": name}) == find_game("basic", options)
        assert options_of(find_game("basic", {"preset": name})).items() <= options.items()
