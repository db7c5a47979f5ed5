"""Positions of Basic drawn in notation, and scripts of actions played on them."""

from __future__ import annotations

import pytest

from rummy.errors import IllegalAction
from rummy.rules.cards import cards_text, parse_cards
from rummy.rules.game import DealTerms, Event
from rummy.rules.games.basic import Basic
from rummy.rules.games.basic_deal import BasicState
from rummy.rules.notation import action_text, parse_action
from rummy.rules.tabling import MeldRules, tabled

ANY = MeldRules(ace="corner", distinct_suits=False, most_set=8)


def position(
    *hands: str, stock: str = "2c", pile: str = "2d", melds: str = "", turn: int = 0, turns: int = 1
) -> BasicState:
    """A deal in play: the hands by seat, the next stock card first, the bottom of the pile first.

    *melds* are "seat:cards" between spaces; each seat has done *turns* turns.
    """
    seats = tuple(range(len(hands)))
    terms = DealTerms(len(hands), seats, seats[-1], turn, (0,) * len(hands))
    held = [tuple(sorted(parse_cards(hand))) for hand in hands]
    state = BasicState(terms, held, list(parse_cards(stock))[::-1], list(parse_cards(pile)))
    state.turn = turn
    for text in melds.split():
        seat, _, cards = text.partition(":")
        meld = tabled(parse_cards(cards), int(seat), ANY)
        assert meld is not None
        state.melds.append(meld)
    state.opened = state.placed = frozenset(meld.seat for meld in state.melds)
    state.turns_of = [turns] * len(hands)
    state.turns = turns * len(hands)
    return state


def play(game: Basic, state: BasicState, script: str) -> list[Event]:
    """Plays the actions of *script* one after the other; the events that they caused."""
    before = len(state.events)
    for text in script.split():
        game.apply(state, parse_action(text))
    return state.events[before:]


def refused(game: Basic, state: BasicState, text: str) -> str:
    """The reason for which an action is refused; it is in no list of legal ones either."""
    assert text not in legal(game, state)
    with pytest.raises(IllegalAction) as error:
        game.apply(state, parse_action(text))
    return error.value.reason


def legal(game: Basic, state: BasicState) -> set[str]:
    """What is listed as legal, as texts."""
    return {action_text(action) for action in game.legal_actions(state)}


def hand(state: BasicState, seat: int) -> str:
    """The cards that a seat holds."""
    return cards_text(state.hands[seat])


def table(state: BasicState) -> list[str]:
    """The melds on the table."""
    return [cards_text(meld.cards) for meld in state.melds]


def points(state: BasicState) -> tuple[int, ...]:
    """What the deal that has ended scores."""
    assert state.result is not None
    return state.result.points
