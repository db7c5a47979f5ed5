"""Melds and lay-offs of 101 after the break: what is told of them, and what is known of the hands (101-9, COM-12)."""

from __future__ import annotations

from positions import play, position

from rummy.rules.actions import LayOff
from rummy.rules.cards import parse_cards
from rummy.rules.game import EventKind
from rummy.rules.games.one_oh_one import OneOhOne

GAME = OneOhOne()


def test_what_is_tabled_is_told_and_no_other_card_becomes_known_101_9_4_com_12() -> None:
    state = position("Ac2c3c8d9hJdKs", "5c6s9c9dTdQh4c", stock="7h8h", pile="4s")
    play(GAME, state, "S")
    (meld,) = [event for event in play(GAME, state, "M:3c2cAc") if event.kind is EventKind.MELD]
    assert (meld.seat, meld.cards) == (0, parse_cards("Ac2c3c"))
    play(GAME, state, "E D:9h P1")
    assert GAME.view(state, None).known == ((), parse_cards("9h"))
    play(GAME, state, "M:9c9d9h")
    assert GAME.view(state, None).known == ((), ())
    (lay_off,) = [event for event in play(GAME, state, "L:4c>0") if event.kind is EventKind.LAY_OFF]
    assert (lay_off.seat, lay_off.lay_offs) == (1, (LayOff(parse_cards("4c"), 0),))
