"""Every game of the registry against the slow second opinion: tests/oracle.py and its like, from the rulebook alone.

pytest tests/unit/rules/test_oracle.py                    20,000 hands a kind
pytest -m long tests/unit/rules/test_oracle.py -k gin     1,000,000 hands a kind
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from judging import Kind, judged

from rummy.rules.games import GAMES

TESTS = Path(__file__).parents[2]
ORDINARY, MANY = 20_000, 1_000_000  # Hands of a kind, hands of a game.


def kinds_of(key: str) -> Mapping[str, Kind]:
    """What is judged of a game; nothing where nobody has written it."""
    if find_spec(f"judge_{key}") is None:
        return {}
    kinds: Mapping[str, Kind] = import_module(f"judge_{key}").KINDS
    return kinds


JUDGED = [pytest.param(key, name, id=f"{key}-{name}".replace(" ", "-")) for key in GAMES for name in kinds_of(key)]


@pytest.mark.parametrize("key", GAMES)
def test_every_game_has_an_oracle(key: str) -> None:
    assert kinds_of(key), f"Write tests/unit/rules/judge_{key}.py: an oracle from the rulebook of the game."


@pytest.mark.parametrize(("key", "name"), JUDGED)
def test_twenty_thousand_hands_agree(key: str, name: str) -> None:
    agree(kinds_of(key)[name], 1, ORDINARY, 20)


@pytest.mark.long
@pytest.mark.parametrize(("key", "name"), JUDGED)
def test_a_million_hands_agree(key: str, name: str) -> None:
    kinds = kinds_of(key)
    agree(kinds[name], 2, -(-MANY // len(kinds)), 500)


def agree(what: Kind, seed: int, hands: int, least: int) -> None:
    """So many hands agree, and each word comes up among them *least* times."""
    seen = judged(what, seed, hands)
    print(seen.total(), dict(seen))
    assert set(seen) == what.words
    assert min(seen.values()) >= least, seen


@pytest.mark.parametrize("module", sorted(TESTS.glob("oracle*.py")), ids=lambda path: path.stem)
def test_no_oracle_shares_code_with_the_rules(module: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    assert not [name for name in imported if name.partition(".")[0] in ("rummy", "sample_bots", "arbiter")]
