"""Positions of Indian 13-card rummy drawn in notation, and scripts of actions played on them."""

from __future__ import annotations

from rummy.rules.cards import cards_text, parse_card, parse_cards
from rummy.rules.game import DealTerms, Event
from rummy.rules.games.indian13 import Indian13
from rummy.rules.games.indian13_deal import Indian13State
from rummy.rules.notation import action_text, parse_action

READY = "4s5s6s7s 2h3h4h QcQdQh 9c9d9s"  # Thirteen cards that are a valid show.
READY_GROUPS = "4s5s6s7s,2h3h4h,QcQdQh,9c9d9s"
POOR = "2c5c8cJc 3d6d8d 6hThKh 3s8sKs"  # No two cards that go together.
IDLE = "3c6cTcKc 2d5d7d Jd5h8h 2sJsAs"


def position(*hands: str, stock: str = "7c7d", pile: str = "4c", cut: str = "Ks", turn: int = 0) -> Indian13State:
    """A deal in play: the hands by seat, the next stock card first, the bottom of the pile first."""
    seats = tuple(range(len(hands)))
    terms = DealTerms(len(hands), seats, seats[-1], turn, (0,) * len(hands), chance=b"chance")
    held = [tuple(sorted(parse_cards(hand))) for hand in hands]
    return Indian13State(terms, held, parse_card(cut), list(parse_cards(pile)), list(parse_cards(stock))[::-1])


def play(game: Indian13, state: Indian13State, script: str) -> list[Event]:
    """Plays the actions of *script* one after the other; the events that they caused."""
    before = len(state.events)
    for text in script.split():
        game.apply(state, parse_action(text))
    return state.events[before:]


def legal(game: Indian13, state: Indian13State) -> set[str]:
    """What is listed as legal, as texts."""
    return {action_text(action) for action in game.legal_actions(state)}


def hand(state: Indian13State, seat: int) -> str:
    """The cards that a seat holds."""
    return cards_text(state.hands[seat])
