"""A copy of a deal has all that the deal has, at every moment and in every game, and lives on alone."""

from __future__ import annotations

import random
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match


def parts(state: Any) -> dict[str, Any]:
    """Every attribute of a state but its events, which a copy begins anew; lists as they are now."""
    names = {name for kind in type(state).__mro__ for name in getattr(kind, "__slots__", ())}
    names |= {each.name for each in fields(state)} if is_dataclass(state) else set()
    names |= set(getattr(state, "__dict__", ()))
    return {name: repr(getattr(state, name, None)) for name in names - {"events"}}


@pytest.mark.parametrize("key", sorted(GAMES))
@pytest.mark.parametrize("seats", [2, 4])
def test_a_copy_has_every_part_of_its_deal(key: str, seats: int) -> None:
    game = find_game(key)
    if not game.spec.min_seats <= seats <= game.spec.max_seats:
        seats = game.spec.max_seats
    rng = random.Random(seats)
    for number in range(3):
        match: Any = Match(game, seats, bytes([number]), max_deals=1)
        while match.decision is not None:
            if match.actions % 3 == 0:
                before = parts(match._state)
                assert parts(match._state.copy()) == before
                twin = match._state.copy()
                game.apply(twin, rng.choice(game.legal_actions(twin)))
                assert parts(match._state) == before
            match.apply(rng.choice(match.legal_actions()))
        assert parts(match._state.copy()) == parts(match._state)
        assert match._state.copy().events == []
