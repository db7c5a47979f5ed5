"""Positions of Basic drawn in notation, and scripts of actions played on them."""

from __future__ import annotations

import pytest
from sentences import is_sentence
from zones_table import draw_up, legal, terms

from rummy.errors import IllegalAction
from rummy.rules.cards import cards_text
from rummy.rules.game import Renewal
from rummy.rules.games.basic import Basic
from rummy.rules.games.basic_deal import BasicState
from rummy.rules.notation import parse_action


def position(
    *hands: str, stock: str = "2c", pile: str = "2d", melds: str = "", turn: int = 0, turns: int = 1, turned: int = 0
) -> BasicState:
    """A deal in play, as `draw_up` draws it.

    Each seat has done *turns* turns, and the pile was turned over *turned* times.
    """
    state = BasicState(terms(len(hands), turn=turn), [()] * len(hands), [], [])
    draw_up(Basic(packs=2), state, *hands, stock=stock, pile=pile, melds=melds, turn=turn)
    state.had_laid = any(turn in meld.placers for meld in state.melds)
    state.renewal = Renewal(turned, tuple(state.stock)) if turned else None
    state.turns = turns * len(hands)
    return state


def refused(game: Basic, state: BasicState, text: str) -> str:
    """The reason for which an action is refused; it is in no list of legal ones either."""
    assert text not in legal(game, state)
    with pytest.raises(IllegalAction) as error:
        game.apply(state, parse_action(text))
    assert is_sentence(error.value.reason)
    return error.value.reason


def table(state: BasicState) -> list[str]:
    """The melds on the table."""
    return [cards_text(meld.cards) for meld in state.melds]


def points(state: BasicState) -> tuple[int, ...]:
    """What the deal that has ended scores."""
    assert state.result is not None
    return state.result.points
