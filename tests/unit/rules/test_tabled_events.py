"""What the games of tabled melds tell of a meld, and choices of rummy 500 that hang on a single card."""

from __future__ import annotations

from typing import Any

import pytest
from zones_table import draw_up, legal, play, terms

from rummy.rules.actions import LayOff
from rummy.rules.cards import parse_cards
from rummy.rules.game import EventKind
from rummy.rules.games import find_game
from rummy.rules.games.rummy500 import Rummy500
from rummy.rules.games.rummy500_deal import meld_points
from rummy.rules.games.zones import Zones
from rummy.rules.match import Match
from rummy.rules.tabling import tabled

GAME = Rummy500()
OTHER = "3c5d7h9sJcKd4s"


def position(*hands: str, stock: str, pile: str = "") -> Any:
    state = Zones(terms(len(hands)), [()] * len(hands), [], [])
    return draw_up(GAME, state, *hands, stock=stock, pile=pile, melds="", turn=0)


def test_a_meld_is_told_with_its_cards_r500_4() -> None:
    state = position("7s8s9s2c2dKh", OTHER, stock="Th")
    told = play(GAME, state, "S M:7s8s9s E D:Kh")
    (meld,) = [event for event in told if event.kind is EventKind.MELD]
    assert (meld.seat, meld.cards) == (0, parse_cards("7s8s9s"))


def test_turns_are_counted_one_by_one_r500_7() -> None:
    state = position("7s8s9s2c2dKh", OTHER, stock="ThTd")
    play(GAME, state, "S E D:Kh")
    assert GAME.view(state, None).turns == 1
    play(GAME, state, "S E D:Kd")
    assert GAME.view(state, None).turns == 2


@pytest.mark.parametrize("joker", ["Xr", "Xb"])
@pytest.mark.parametrize("in_pile", [False, True])
def test_either_joker_opens_the_pile_r500_3_2(joker: str, *, in_pile: bool) -> None:
    hand, above = ("5h2c3s", joker) if in_pile else ("5h2c3s" + joker, "Kd")
    state = position(hand, OTHER, stock="Th", pile="7h" + above)
    assert "P2" in legal(GAME, state)
    state = position("5h2c3s", OTHER, stock="Th", pile="7hKd")
    assert "P2" not in legal(GAME, state)


def test_a_lay_off_is_told_with_its_card_and_meld_r500_4() -> None:
    state = position("7s8s9s2c2dTs", OTHER, stock="Th")
    told = play(GAME, state, "S M:7s8s9s L:Ts>0")
    (lay_off,) = [event for event in told if event.kind is EventKind.LAY_OFF]
    assert (lay_off.seat, lay_off.lay_offs) == (0, (LayOff(parse_cards("Ts"), 0),))


@pytest.mark.parametrize("key", ["basic", "contract", "indian13", "rummy500"])
def test_where_nobody_knocks_there_is_no_limit_in_the_view(key: str) -> None:
    assert Match(find_game(key), 3, b"seed").view(None).knock_limit == 0


def test_nobody_has_won_a_deal_that_ends_with_equal_points_r500_7() -> None:
    game = Rummy500(turn_cap=1)
    state = position("2c", "2d", stock="KcKd")
    play(game, state, "S E D:Kc S E D:Kd")
    assert state.result is not None
    assert (state.result.reason, state.result.points, state.result.winner) == ("turn cap", (-2, -2), None)


@pytest.mark.parametrize(
    ("cards", "points"),
    [("AsXr3s", [1, 15, 3]), ("Xr2s3s", [15, 2, 3]), ("QsXrAs", [10, 15, 15]), ("AsAdXr", [15] * 3)],
)
def test_an_ace_counts_less_only_where_it_stands_below_a_two_r500_6_2(cards: str, points: list[int]) -> None:
    meld = tabled(parse_cards(cards), 0, GAME.meld_rules())
    assert meld is not None
    assert meld_points(meld) == points
