"""Positions of 101 drawn in notation, and scripts of actions played on them."""

from __future__ import annotations

from collections.abc import Sequence

from rummy.rules.cards import cards_of, mask, parse_cards
from rummy.rules.game import DealTerms, Event
from rummy.rules.games.one_oh_one import OneOhOne
from rummy.rules.games.one_oh_one_deal import OneOhOneState
from rummy.rules.notation import parse_action


def position(
    *hands: str, stock: str = "", pile: str = "", scores: Sequence[int] | None = None, turn: int = 0
) -> OneOhOneState:
    """A deal in play: the hands by seat ("" is out of the match), the next stock card first, the bottom first."""
    seats = tuple(seat for seat, hand in enumerate(hands) if hand)
    terms = DealTerms(len(hands), seats, seats[-1], turn, tuple(scores or [0] * len(hands)))
    state = OneOhOneState(terms, [mask(parse_cards(hand)) for hand in hands], list(parse_cards(stock))[::-1])
    state.pile = list(parse_cards(pile))
    return state


def play(game: OneOhOne, state: OneOhOneState, script: str) -> list[Event]:
    """Plays the actions of *script* one after the other; the events that they caused."""
    before = len(state.events)
    for text in script.split():
        game.apply(state, parse_action(text))
    return state.events[before:]


def hand(state: OneOhOneState, seat: int) -> set[int]:
    """The cards that a seat holds."""
    return set(cards_of(state.hands[seat]))
