"""Every page of the rulebook: its clauses are numbered once, and each has a test whose name says its number.

A clause of a game is tested among the unit tests; a clause that holds for every game may be tested over the registry
as well. So a page for a new game, or a new clause, fails here until it has a test.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from rummy.rules.games import GAMES, find_game, presets_of

ROOT = Path(__file__).parents[3]
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs/rulebook").glob("*.md"))}
PREFIXES = dict(re.findall(r"^- \[.+\]\((\w+)\.md\) \(`(\w+)`\)$", PAGES["index"], re.MULTILINE))
CLAUSE = re.compile(r"^(?:- \*\*|\| )([A-Z0-9]+)-(\d+(?:\.\d+)?)(?:\*\*| \|)", re.MULTILINE)
PRESET = re.compile(r"^(?:- |\| )`(\w+)`(?:: | \| )(\{.*\})(?: \|)?$", re.MULTILINE)
TESTS = [path for folder in ("unit/rules", "property") for path in (ROOT / "tests" / folder).glob("test_*.py")]
NAMES = "\n".join(re.findall(r"def (test_\w+)\(", "".join(path.read_text(encoding="utf-8") for path in TESTS)))


def clauses(page: str) -> list[str]:
    """The numbers of the clauses that *page* states."""
    found = CLAUSE.findall(PAGES[page])
    assert {prefix for prefix, _ in found} == {PREFIXES[page]}
    return [number for _, number in found]


def is_named(prefix: str, number: str) -> bool:
    """Whether a test has this clause in its name; several clauses of one test share the prefix."""
    return re.search(rf"_{prefix.lower()}_(\d+_\d+_)*{number.replace('.', '_')}(?!\d)", NAMES) is not None


@pytest.mark.parametrize("key", GAMES)
def test_every_game_has_a_page_that_the_index_names(key: str) -> None:
    assert key in PAGES, f"write docs/rulebook/{key}.md"
    assert key in PREFIXES, f"name the page in docs/rulebook/index.md, as in: - [Title]({key}.md) (`XYZ`)"
    assert len(set(PREFIXES.values())) == len(PREFIXES)


@pytest.mark.parametrize("page", PREFIXES)
def test_every_clause_of_the_page_has_a_test_that_names_it(page: str) -> None:
    stated = clauses(page)
    assert len(stated) == len(set(stated)) > 5
    untested = [number for number in stated if not is_named(PREFIXES[page], number)]
    assert untested == [], f"name tests such as test_{PREFIXES[page].lower()}_4_5_what_holds"


def test_there_is_no_page_that_is_not_looked_at() -> None:
    assert set(PAGES) == {*PREFIXES, "index"} == {*GAMES, "common", "index"}


@pytest.mark.parametrize("key", GAMES)
def test_every_option_and_preset_stands_on_the_page(key: str) -> None:
    kind: Any = GAMES[key]
    for field in fields(kind):
        assert re.search(rf"^\| `{field.name}` \| .+ \| .+ \| .+ \|$", PAGES[key], re.MULTILINE), field.name
    told = {name: json.loads(chosen) for name, chosen in PRESET.findall(PAGES[key])}
    assert told == json.loads(json.dumps(presets_of(kind)))
    for preset in told:
        assert find_game(key, {"preset": preset}) == find_game(key, told[preset])


def test_every_game_has_worked_examples() -> None:
    examples = json.loads((ROOT / "tests/data/examples.json").read_text(encoding="utf-8"))
    assert len(examples) == len({example["id"] for example in examples}) >= 100
    assert set(GAMES) - {example["game"] for example in examples} == set(), "add some to tests/data/examples.json"
