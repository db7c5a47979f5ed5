"""Club where deals grow long: piles shuffled anew, big hands, nothing to draw; each counted."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from tables import accepts, states
from test_hidden import check_step, other_world, told

from rummy.rules.actions import Action, DrawPile, GoOut, LayOff, Meld
from rummy.rules.game import EventKind, Phase
from rummy.rules.match import Match


def stubborn(match: Match, rng: random.Random) -> Action:
    """Never goes out, melds now and then, and likes the pile."""
    legal = match.legal_actions()
    liked = [action for action in legal if isinstance(action, DrawPile | Meld | LayOff)]
    if liked and rng.random() < 0.4:
        return rng.choice(liked)
    return rng.choice([action for action in legal if not isinstance(action, GoOut)])


@pytest.mark.parametrize("seats", range(2, 7))
def test_every_phase_and_every_kind_of_draw_is_reached(seats: int) -> None:
    phases: Counter[Phase] = Counter()
    reached: Counter[str] = Counter()
    for number in range(4):
        match = None
        for match in states("club", seats, bytes([number]), random.Random(number), stubborn):
            assert match.decision is not None
            seat, phase = match.decision
            phases[phase] += 1
            hand = len(match.view(seat).hand)
            reached["big hand"] += hand >= 20
            reached["no card"] += hand == 0
            reached["may go out"] += phase is Phase.GO_OUT and len(match.legal_actions()) == 2
            reached["may not"] += phase is Phase.GO_OUT and len(match.legal_actions()) == 1
            reached["most"] = max(reached["most"], len(match.legal_actions()))
        assert match is not None
        reached.update(event.kind.name for event in match.events)
        reached.update(deal.reason for deal in match.deals)
    assert min(phases[phase] for phase in (Phase.START, Phase.PLAY, Phase.DISCARD, Phase.GO_OUT)) >= 100
    assert min(reached[each] for each in ("may go out", "no card", EventKind.DRAW_PILE.name)) >= 100, reached
    assert reached["may not"] >= 5, reached
    assert reached[EventKind.TURN_OVER.name] >= 10, reached
    assert reached["turn cap"] + reached["nothing to draw"] > 0, reached
    assert reached["most"] <= 60, reached


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_a_shuffle_of_the_pile_tells_nobody_what_is_hidden(seats: int) -> None:
    rng = random.Random(seats)
    seen = 0
    for number in range(3):
        for match in states("club", seats, bytes([number]), rng, stubborn):
            state = match._state
            if len(state.stock) > 1 or rng.random() < 0.7:
                continue
            seen += not state.stock
            seat = rng.choice([*match.active, None])
            world = other_world(state, seat, rng)
            assert told(match.game, state, seat) == told(match.game, world, seat)
            check_step(match, world, seat, rng)
    assert seen >= 20


def test_the_order_after_a_shuffle_follows_from_the_deal_and_from_nothing_that_a_seat_sees() -> None:
    rng = random.Random(3)
    checked = 0
    for match in states("club", 3, b"\0", rng, stubborn):
        state = match._state
        if state.phase is not Phase.START or state.stock or len(state.pile) < 8:
            continue
        another = state.copy()
        another.terms = replace(state.terms, chance=b"another")
        here, there = (accepts(match.game, each, match.default_action()) for each in (state, another))
        assert not isinstance(here, str) and not isinstance(there, str)
        assert here[0].stock != there[0].stock
        assert told(match.game, state, state.turn) == told(match.game, another, state.turn)
        checked += 1
    assert checked >= 2
