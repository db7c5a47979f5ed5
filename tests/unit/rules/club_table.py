"""Positions of Club drawn in notation, and scripts of actions played on them."""

from __future__ import annotations

from rummy.rules.cards import cards_text, parse_cards
from rummy.rules.game import DealTerms, Event
from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import MELDS, ClubState
from rummy.rules.notation import action_text, parse_action
from rummy.rules.tabling import tabled


def position(
    *hands: str, stock: str = "", pile: str = "", melds: str = "", turn: int = 0, turns: int | None = None
) -> ClubState:
    """A deal in play: the hands by seat, the next stock card first, the bottom of the pile first.

    *melds* are "seat:cards" between spaces; *turns*, done by all together, is one round unless it is given.
    """
    seats = tuple(range(len(hands)))
    terms = DealTerms(len(hands), seats, seats[-1], turn, (0,) * len(hands), chance=b"chance")
    held = [tuple(sorted(parse_cards(hand))) for hand in hands]
    state = ClubState(terms, held, list(parse_cards(stock))[::-1], list(parse_cards(pile)))
    for text in melds.split():
        seat, _, cards = text.partition(":")
        meld = tabled(parse_cards(cards), int(seat), MELDS["either"])
        assert meld is not None
        state.melds.append(meld)
    state.fresh = all(turn not in meld.placers for meld in state.melds)
    state.turns = len(hands) if turns is None else turns
    return state


def play(game: Club, state: ClubState, script: str) -> list[Event]:
    """Plays the actions of *script* one after the other; the events that they caused."""
    before = len(state.events)
    for text in script.split():
        game.apply(state, parse_action(text))
    return state.events[before:]


def legal(game: Club, state: ClubState) -> set[str]:
    """What is listed as legal, as texts."""
    return {action_text(action) for action in game.legal_actions(state)}


def hand(state: ClubState, seat: int) -> str:
    """The cards that a seat holds."""
    return cards_text(state.hands[seat])
