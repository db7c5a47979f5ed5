"""Positions of games whose melds are tabled, drawn in notation, and scripts of actions played on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sentences import is_sentence

from rummy.errors import IllegalAction
from rummy.rules.cards import cards_text, parse_cards
from rummy.rules.game import DealTerms, Event
from rummy.rules.games.zones import slots_of
from rummy.rules.notation import action_text, parse_action
from rummy.rules.tabling import hand_of, tabled


def terms(seats: int, *, turn: int = 0, scores: Sequence[int] = (), number: int = 0) -> DealTerms:
    """What a deal between *seats* seats is told of its match."""
    return DealTerms(seats, tuple(range(seats)), seats - 1, turn, tuple(scores) or (0,) * seats, b"chance", number)


def draw_up(game: Any, state: Any, *hands: str, stock: str, pile: str, melds: str, turn: int) -> Any:
    """Puts cards into *state*: the hands by seat, the next stock card first, the bottom of the pile first.

    *melds* are "seat:cards" between spaces.
    """
    state.hands = [hand_of(parse_cards(hand)) for hand in hands]
    state.stock = list(parse_cards(stock))[::-1]
    state.pile = list(parse_cards(pile))
    state.turn = turn
    for text in melds.split():
        seat, _, cards = text.partition(":")
        meld = tabled(parse_cards(cards), int(seat), game.meld_rules())
        assert meld is not None
        state.melds.append(meld)
    return state


def play(game: Any, state: Any, script: str) -> list[Event]:
    """Plays the actions of *script* one after the other; the events that they caused."""
    before = len(state.events)
    for text in script.split():
        game.apply(state, parse_action(text))
    return list(state.events[before:])


def legal(game: Any, state: Any) -> set[str]:
    """What is listed as legal, as texts."""
    return {action_text(action) for action in game.legal_actions(state)}


def default(game: Any, state: Any) -> str:
    """What is played for a seat that does not answer."""
    return action_text(game.default_action(state))


def hand(state: Any, seat: int) -> str:
    """The cards that a seat holds."""
    return cards_text(state.hands[seat])


def refused(game: Any, state: Any, script: str, sentence: str) -> None:
    """The last action of *script* is refused with *sentence* in the reason, and changes nothing."""
    *before, last = script.split()
    play(game, state, " ".join(before))
    kept = state.copy()
    told = len(state.events)
    with pytest.raises(IllegalAction, match=sentence) as refusal:
        game.apply(state, parse_action(last))
    assert is_sentence(refusal.value.reason)
    assert len(state.events) == told
    for name in set(slots_of(state)) - {"events"}:
        assert getattr(state, name) == getattr(kept, name)
