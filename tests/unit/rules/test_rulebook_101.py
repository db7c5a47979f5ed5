"""The page of 101 says what the code does: options, defaults, clauses."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

from rummy.rules.games.one_oh_one import OneOhOne

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/rulebook/one_oh_one.md").read_text(encoding="utf-8")
COMMON = (ROOT / "docs/rulebook/common.md").read_text(encoding="utf-8")


def plain(value: object) -> object:
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def test_the_table_of_options_is_complete_and_true() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", PAGE, re.MULTILINE)
    told = {name: json.loads(default) for name, default in rows}
    assert told == {field.name: plain(field.default) for field in fields(OneOhOne)}


def test_every_clause_that_the_code_cites_is_on_the_page() -> None:
    stated = set(re.findall(r"^\| ((?:101|COM)-[\d.]+) \|", PAGE + COMMON, re.MULTILINE))
    for module in (ROOT / "rummy/rules/games").glob("one_oh_one*.py"):
        cited = set(re.findall(r"\b((?:101|COM)-\d+(?:\.\d+)?)", module.read_text(encoding="utf-8")))
        assert {clause for clause in cited if clause != "101-9"} <= stated
