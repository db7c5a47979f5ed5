"""Positions of Club drawn in notation."""

from __future__ import annotations

from zones_table import draw_up, terms

from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import ClubState

TEN = "2c4d6h8sTcQd3s5h7dKs"  # Ten cards without a meld.
OTHER = "3c5d7h9sJcKd4s6h8d2s"


def position(
    *hands: str, stock: str = "", pile: str = "", melds: str = "", turn: int = 0, turns: int | None = None
) -> ClubState:
    """A deal in play, as `draw_up` draws it; *turns*, done by all together, is one round unless it is given."""
    state = ClubState(terms(len(hands), turn=turn), [()] * len(hands), [], [])
    draw_up(Club(), state, *hands, stock=stock, pile=pile, melds=melds, turn=turn)
    state.had_laid = any(turn in meld.placers for meld in state.melds)
    state.turns = len(hands) if turns is None else turns
    return state
