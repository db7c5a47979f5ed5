"""A view with the cards that it does not show is the whole deal: nothing else that the rest depends on is forgotten."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tables import OPTION_SETS, eager
from test_club_reach import stubborn

from rummy.rules.actions import Action, Discard, DrawPile, LayOff
from rummy.rules.game import Phase, View
from rummy.rules.games import GAMES, find_game
from rummy.rules.games.indian13_deal import Indian13State
from rummy.rules.games.zones import slots_of
from rummy.rules.match import Match

CASES = [
    (key, number)
    for key, kind in GAMES.items()
    if key not in ("gin", "one_oh_one")  # Those whose cards lie in zones.
    for number in range(len(OPTION_SETS.get(key, [{}])))
]


def generous(match: Match, rng: random.Random) -> Action:
    """Takes from the pile and lays off where it may, and throws whatever: others may have a use for it."""
    legal = match.legal_actions()
    liked = [action for action in legal if isinstance(action, DrawPile | LayOff)]
    if liked and rng.random() < 0.5:
        return rng.choice(liked)
    return rng.choice(legal) if isinstance(legal[0], Discard) else eager(match, rng)


def decisions(key: str, number: int, seats: int) -> Iterator[Match]:
    """Matches of one option set at each of their decisions, in every style of play."""
    for policy in (eager, generous, stubborn):
        match = Match(find_game(key, OPTION_SETS.get(key, [{}])[number]), seats, bytes([number]), max_deals=2)
        rng = random.Random(number)
        while match.decision is not None:
            yield match
            match.apply(policy(match, rng))


def kept(state: Any) -> dict[str, Any]:
    """What *state* consists of, without its events and what only the match knows."""
    parts = {name: getattr(state, name) for name in slots_of(state) if name != "events"}
    if isinstance(
        state, Indian13State
    ):  # Who is out of the deal never draws; an upcard is taken at the start of a turn.
        parts["drawn"] = [state.drawn[seat] for seat in state.playing]
        parts["first"] = state.first and state.phase is Phase.START
    return {**parts, "terms": replace(state.terms, chance=b"", number=0)}


@pytest.mark.parametrize(("key", "number"), CASES)
def test_the_deal_of_a_view_is_the_deal_in_play(key: str, number: int) -> None:
    spec = GAMES[key].spec
    for seats in range(spec.min_seats, spec.max_seats + 1):
        rng = random.Random(seats)
        for match in decisions(key, number, seats):
            if rng.random() < 0.8:
                continue
            state, game = match._state, match.game
            view = match.view(rng.choice([*match.active, None]))
            resumed = game.resume(view, state.hands, state.stock.copy())  # type: ignore[attr-defined]
            assert kept(resumed) == kept(state)


def reached(key: str) -> Iterator[View]:
    for number in range(len(OPTION_SETS[key])):
        for seats in (2, 4):
            yield from (match.view(None) for match in decisions(key, number, seats))


def test_whatever_a_deal_of_basic_rummy_can_come_to_is_reached() -> None:
    seen: Counter[str] = Counter()
    for view in reached("basic"):
        seen["offer"] += view.phase is Phase.OFFER
        seen["several asked"] += len(view.to_ask) > 1
        seen["just turned over"] += view.renewing
        seen["turned over twice"] += view.renewal is not None and view.renewal.number == 2
        seen["had laid"] += view.had_laid
        seen["laid off first"] += view.laid_off and not view.had_laid
        seen["owed"] += view.owed is not None
    assert len(seen) == 7 and min(seen.values()) >= 5, seen


def test_whatever_a_deal_of_club_can_come_to_is_reached() -> None:
    seen: Counter[str] = Counter()
    for view in reached("club"):
        seen["going out"] += view.phase is Phase.GO_OUT
        seen["shuffled"] += view.renewal is not None
        seen["shuffled again"] += view.renewal is not None and view.renewal.number > 1
        seen["nothing to draw"] += view.idle > 0
        seen["had laid"] += view.had_laid
        seen["owed"] += view.owed is not None
    assert len(seen) == 6 and min(seen.values()) >= 5, seen
