"""Nothing that a seat receives depends on a card that it may not see.

At each decision the cards that a seat cannot see change places: hands of others, as far as they are not known, and the
stock. Then everything that this seat is told must be the same in both worlds, until a card becomes visible to it.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from tables import OPTION_SETS, SIMPLE, TABLES, accepts, cards_in, finished, hand_like, odd_actions, states

from rummy.rules.game import Event, EventKind
from rummy.rules.match import Match


def other_world(state: Any, seat: int | None, rng: random.Random) -> Any:
    """A copy of *state* in which the cards that *seat* cannot see lie elsewhere; the next stock card stays.

    So does the whole stock where everybody knows its order (COM-15).
    """
    world, stock = state.copy(), [] if knows_stock(state) else state.stock[:-1]
    others = [other for other in range(len(state.hands)) if other != seat]
    known = {other: Counter(cards_in(state.known[other])) & Counter(cards_in(state.hands[other])) for other in others}
    secret = {other: list((Counter(cards_in(state.hands[other])) - known[other]).elements()) for other in others}
    cards = [card for held in secret.values() for card in held] + stock
    rng.shuffle(cards)
    for other, held in secret.items():
        world.hands[other] = hand_like(state.hands[other], [*known[other].elements(), *cards[: len(held)]])
        del cards[: len(held)]
    world.stock = cards + state.stock[len(stock) :]
    return world


def knows_stock(state: Any) -> bool:
    """Whether everybody knows the order of the stock: the pile was turned over, unshuffled."""
    renewal = getattr(state, "renewal", None)
    return renewal is not None and bool(renewal.order)


def told(game: Any, state: Any, seat: int | None) -> object:
    """All that *seat* is told at this moment."""
    decision = game.decision(state)
    asked = decision is not None and decision.seat == seat
    return (
        game.view(state, seat),
        decision,
        (game.legal_actions(state), game.default_action(state)) if asked else None,
    )


def seen(events: list[Event], seat: int | None) -> list[Event]:
    return [event.seen_by(seat) for event in events]


def lays_open(events: list[Event]) -> bool:
    """Whether hands have been shown: from here on the worlds differ for everybody."""
    return any(event.kind is EventKind.SHOW for event in events)


def check_step(match: Match, world: Any, seat: int | None, rng: random.Random) -> None:
    """Every action has the same answer, and the same news, for *seat* in both worlds."""
    game, state, decision = match.game, match._state, match.decision
    assert decision is not None
    own = decision.seat == seat
    held = cards_in(state.hands[decision.seat])
    tried = [*match.legal_actions(), *SIMPLE, *odd_actions(held, len(state.melds), rng)] if own else list(SIMPLE)
    for action in rng.sample(tried, min(12, len(tried))):
        here, there = accepts(game, state, action), accepts(game, world, action)
        if isinstance(here, str) or isinstance(there, str):
            # A refusal is told to the seat that asked; what is refused to others is their own affair.
            assert not own or here == there
        elif not lays_open(here[1]) and game.decision(here[0]) is not None:
            assert seen(here[1], seat) == seen(there[1], seat)
            assert told(game, here[0], seat) == told(game, there[0], seat)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_what_a_seat_is_told_is_the_same_whatever_it_cannot_see(table: tuple[str, int]) -> None:  # P27, R17
    for number in range(max(5, len(OPTION_SETS.get(table[0], ())))):
        rng = random.Random(number)
        for match in states(*table, bytes([number]), rng):
            if rng.random() < 0.7:
                continue
            seat = rng.choice([*match.active, None])
            world = other_world(match._state, seat, rng)
            assert told(match.game, match._state, seat) == told(match.game, world, seat)
            check_step(match, world, seat, rng)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_next_stock_card_is_told_to_nobody(table: tuple[str, int]) -> None:
    rng = random.Random(1)
    for match in states(*table, b"stock", rng):
        world = match._state.copy()
        if knows_stock(world):
            assert match.view(None).renewal.order == tuple(world.stock)  # type: ignore[union-attr]
            continue
        rng.shuffle(world.stock)
        for seat in (*match.active, None):
            assert told(match.game, match._state, seat) == told(match.game, world, seat)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_private_cards_are_in_no_event_for_others(table: tuple[str, int]) -> None:
    match = finished(*table, b"events", random.Random(2))
    for event in match.events:
        if event.kind is EventKind.DRAW_STOCK:
            assert event.seen_by(event.seat).cards
            for other in {None, *range(match.seats)} - {event.seat}:
                assert event.seen_by(other).cards == ()
                assert not event.seen_by(other).private
