"""A deal taken up from a view with hidden cards that cannot be: the seat on turn could not go on as it has to."""

from __future__ import annotations

from typing import Any

import pytest
from zones_table import draw_up, play, terms

from rummy.rules.cards import parse_cards
from rummy.rules.games.basic import Basic
from rummy.rules.games.basic_deal import BasicState
from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import ClubState
from rummy.rules.games.contract import Contract
from rummy.rules.games.contract_deal import ContractState
from rummy.rules.games.rummy500 import Rummy500
from rummy.rules.games.zones import Zones
from rummy.rules.tabling import hand_of, with_cards

OTHER = "2s4h6s"


def taken(key: str) -> tuple[Any, Any, str, str]:
    """A game and its deal in a turn that owes a meld, with hidden cards of the seat on turn that can pay, and cannot.

    In contract rummy the seat has laid the first of two sets.
    """
    game: Any
    state: Any
    script = "P2"
    if key == "contract":
        game, state = Contract(), ContractState(terms(3), ([], [], []), (2, 0), whole=False)
        draw_up(game, state, "JcJdJh7c7d7hKs", OTHER, OTHER, stock="2d", pile="3d", melds="", turn=0)
        script = "S M:JcJdJh"
    elif key == "basic":
        game, state = Basic(pile="spread"), BasicState(terms(3), [()] * 3, [], [])
    elif key == "club":
        game, state = Club(), ClubState(terms(3), [()] * 3, [], [])
    else:
        game, state = Rummy500(), Zones(terms(3), [()] * 3, [], [])
    if key != "contract":
        draw_up(game, state, "7c7dKs2h", OTHER, OTHER, stock="2d", pile="7hQd", melds="", turn=0)
    state.known = [()] * 3
    state.turns = 3
    play(game, state, script)
    return (
        game,
        state,
        "7c7d7hKs2d" if key == "contract" else "7c7dKs2h",
        "7c8d9hKs2d" if key == "contract" else "7c8dKs2h",
    )


@pytest.mark.parametrize("key", ["basic", "club", "rummy500", "contract"])
def test_what_is_owed_can_be_paid_com_15(key: str) -> None:
    game, state, able, unable = taken(key)
    for seat in (1, None):
        view = game.view(state, seat)
        for cards, fits in ((able, True), (unable, False)):
            hidden = with_cards(hand_of(parse_cards(cards)), state.known[0])
            resumed = game.resume(view, [hidden, *state.hands[1:]], state.stock.copy())
            assert (resumed is not None) is fits
    own = game.view(state, 0)
    assert game.resume(own, state.hands, state.stock.copy()) is not None
