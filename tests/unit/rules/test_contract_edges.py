"""Contract rummy at its edges: a pile of two that is shuffled, a deal that nobody wins, options named as given."""

from __future__ import annotations

import pytest
from zones_table import draw_up, play, terms

from rummy.errors import BadOptions
from rummy.rules.game import EventKind
from rummy.rules.games.contract import Contract
from rummy.rules.games.contract_deal import ContractState

LOOSE = "2c4d6h8sTcQd9s3h5cKs"  # Ten cards without a meld.
OTHER = "3c5d7h9sJcKd4s6d8h2s"


def position(game: Contract, *hands: str, stock: str, pile: str) -> ContractState:
    state = ContractState(terms(len(hands)), ([], [], []), game.contracts[0], whole=False)
    draw_up(game, state, *hands, stock=stock, pile=pile, melds="", turn=0)
    state.known = [()] * len(hands)
    return state


def test_a_pile_of_two_is_enough_to_shuffle_con_7() -> None:
    state = position(Contract(), LOOSE, OTHER, OTHER, stock="", pile="7s8s")
    told = play(Contract(), state, "S")
    assert (told[0].kind, told[0].reason) == (EventKind.TURN_OVER, "shuffled")
    assert state.result is None


@pytest.mark.parametrize(
    ("hands", "winner"), [(("2c", "4c", "4d"), 0), (("4c", "4d", "5s"), None), (("5c", "4d", "3s"), 2)]
)
def test_nobody_wins_a_deal_that_ends_with_equal_hands_con_7(hands: tuple[str, ...], winner: int | None) -> None:
    game = Contract(turn_cap=1)
    state = position(game, *hands, stock="KcKdKh", pile="7s")
    play(game, state, "S E D:Kc S E D:Kd S E D:Kh")
    assert state.result is not None
    assert (state.result.reason, state.result.winner) == ("turn cap", winner)


def test_contracts_are_lists_of_pairs_of_numbers_con_2_1() -> None:
    for contracts in ([(2, 0)], {(2, 0): 1}, "2"):
        with pytest.raises(BadOptions, match="contracts"):
            Contract(contracts=contracts, cards=(10,))  # type: ignore[arg-type]
    with pytest.raises(
        BadOptions, match=r"The option contracts \(sets or runs of one\) is a whole number from 0 to 4, not 5"
    ):
        Contract(contracts=((5, 0),), cards=(10,))
