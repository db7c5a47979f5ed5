"""A turn that ends with the card that may not be thrown: it goes on a meld as that will be, not as it was (COM-9)."""

from __future__ import annotations

from typing import Any

import pytest
from zones_table import default, draw_up, legal, play, refused, terms

from rummy.rules.games.basic import Basic
from rummy.rules.games.basic_deal import BasicState
from rummy.rules.games.contract import Contract
from rummy.rules.games.contract_deal import ContractState
from rummy.rules.games.rummy500 import Rummy500
from rummy.rules.games.zones import Zones

GAMES = ("basic", "rummy500", "contract")
OWN = "0:AcAdAh 0:KcKdKh"  # Two melds of the seat on turn: the first contract.
each_game = pytest.mark.parametrize("key", GAMES)


def position(key: str, hand: str, pile: str, melds: str) -> tuple[Any, Any]:
    """The game, and its deal before a draw of the seat that has *hand* and the melds `OWN`, in its second turn."""
    game: Any
    state: Any
    if key == "contract":
        game, state = Contract(), ContractState(terms(3), ([], [], []), (2, 0), whole=False)
    elif key == "basic":
        game, state = Basic(jokers=2), BasicState(terms(3), [()] * 3, [], [])
    else:
        game, state = Rummy500(jokers=2), Zones(terms(3), [()] * 3, [], [])
    draw_up(game, state, hand, "2c", "2d", stock="Qc", pile=pile, melds=f"{OWN} {melds}", turn=0)
    state.known = [()] * 3
    state.turns = 3
    return game, state


@each_game
def test_a_joker_in_its_place_leaves_the_last_card_nowhere_to_go(key: str) -> None:
    game, state = position(key, "Xr", "9s", "1:5s6s7s8s")
    play(game, state, "P1")
    assert {text for text in legal(game, state) if text.endswith(("2", "2-"))} == {"L:9s>2", "L:Xr>2-"}
    refused(game, state, "L:Xr>2", "may not be thrown")
    play(game, state, "L:Xr>2- L:9s>2")
    assert state.result is not None


@each_game
@pytest.mark.parametrize("melds", ["1:3h4h5h6h 1:5s6s7s8s 1:4d5d6d7d", "1:5s6s7s8s 1:4d5d6d7d 1:3h4h5h6h"])
def test_the_other_melds_stay_where_they_are(key: str, melds: str) -> None:
    number = 2 + melds.split().index("1:3h4h5h6h")
    game, state = position(key, "7h", "9s", melds)
    play(game, state, "P1")
    assert f"L:7h>{number}" in legal(game, state)
    play(game, state, f"L:7h>{number} L:9s>{2 + melds.split().index('1:5s6s7s8s')}")
    assert state.result is not None


@each_game
def test_com_14_it_is_laid_off_for_a_seat_that_does_not_answer(key: str) -> None:
    game, state = position(key, "4s", "9s", "1:5s6s7s8s")
    play(game, state, "P1")
    assert default(game, state) == "E"
    play(game, state, "L:4s>2")
    assert legal(game, state) == {"L:9s>2"}
    assert default(game, state) == "L:9s>2"


@each_game
def test_what_the_first_card_leads_to_takes_the_last(key: str) -> None:
    game, state = position(key, "Ts", "Js", "1:6s7s8s9s")
    play(game, state, "P1")
    assert "L:Ts>2" in legal(game, state)
    play(game, state, "L:Ts>2 L:Js>2")
    assert state.result is not None
