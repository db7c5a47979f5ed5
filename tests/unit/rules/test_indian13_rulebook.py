"""The page of Indian rummy says what the code does: every clause has a test, every option its line."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

from rummy.rules.games import find_game
from rummy.rules.games.indian13 import READINGS, SCORINGS, Indian13

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/rulebook/indian13.md").read_text(encoding="utf-8")
TESTS = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_indian13*.py"))


def test_every_clause_has_a_test_that_names_it() -> None:
    clauses = re.findall(r"^- \*\*IND-([\d.]+)\*\*", PAGE, re.MULTILINE)
    assert len(clauses) == len(set(clauses)) == 21
    names = [clause.replace(".", "_") for clause in clauses]
    assert [name for name in names if not re.search(rf"def test_ind_{name}_[a-z]", TESTS)] == []


def test_every_clause_that_is_cited_exists() -> None:
    stated = set(re.findall(r"\*\*(IND-[\d.]+)\*\*", PAGE))
    for module in (ROOT / "rummy/rules/games").glob("indian13*.py"):
        cited = set(re.findall(r"IND-\d+(?:\.\d+)?", module.read_text(encoding="utf-8")))
        assert cited - {"IND-3", "IND-7"} <= stated


def test_the_table_of_options_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|{]+?) \| [^|]+ \| \S+ \|$", PAGE, re.MULTILINE)
    assert {name: json.loads(default) for name, default in rows} == {
        field.name: field.default for field in fields(Indian13)
    }
    for choice in (*SCORINGS, *READINGS):
        assert f"`{choice}`" in PAGE


def test_the_table_of_presets_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\{.+\}) \|$", PAGE, re.MULTILINE)
    told = {name: json.loads(options) for name, options in rows}
    assert told == Indian13.presets
    for name, options in told.items():
        assert find_game("indian13", {"preset": name}) == find_game("indian13", options)
