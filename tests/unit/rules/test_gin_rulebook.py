"""The rulebook of gin says what the code does: every clause has a test, every option its line."""

import re
from dataclasses import fields
from pathlib import Path

from rummy.rules.games.gin import AFTER_TWO_PASSES, NEXT_STARTER, Gin

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "rulebook" / "gin.md").read_text(encoding="utf-8")
TESTS = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))


def test_every_clause_has_a_test_that_names_it() -> None:
    clauses = re.findall(r"^- \*\*GIN-(\d+)\.(\d+)\*\*", PAGE, re.MULTILINE)
    assert len(clauses) == len(set(clauses)) >= 35
    assert [f"GIN-{a}.{b}" for a, b in clauses if not re.search(rf"def test_\w*gin_{a}_{b}(?!\d)", TESTS)] == []


def test_every_clause_that_is_cited_exists() -> None:
    clauses = set(re.findall(r"\*\*(GIN-\d+\.\d+)\*\*", PAGE))
    sources = [ROOT / "rummy" / "rules" / "games" / name for name in ("gin.py", "gin_state.py")]
    cited = {clause for path in sources for clause in re.findall(r"GIN-\d+\.\d+", path.read_text(encoding="utf-8"))}
    assert cited and cited <= clauses


def test_the_table_of_options_is_that_of_the_code() -> None:
    table = dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", PAGE, re.MULTILINE))
    plain = {field.name: getattr(Gin(), field.name) for field in fields(Gin)}
    written = {
        name: str(value).lower() if isinstance(value, bool | int) else f"`{value}`" for name, value in plain.items()
    }
    assert table == written
    for choice in (*AFTER_TWO_PASSES, *NEXT_STARTER):
        assert f"`{choice}`" in PAGE
