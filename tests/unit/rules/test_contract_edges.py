"""Contract rummy at its edges: a pile of two that is shuffled, a deal that nobody wins, options named as given."""

from __future__ import annotations

import pytest
from zones_table import draw_up, play, terms

from rummy.errors import BadOptions
from rummy.rules.cards import parse_card, parse_cards
from rummy.rules.game import EventKind
from rummy.rules.games.contract import Contract
from rummy.rules.games.contract_deal import ContractState, completion
from rummy.rules.games.contract_lay import RULES, exactly, some
from rummy.rules.tabling import classified, hand_of, tabled

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


@pytest.mark.parametrize("cards", ["As2s3s4s", "Ad2d3d4d", "Th Jh Qh Kh", "JsQsKsAs", "2cXr4c5c"])
def test_any_four_in_a_row_are_a_run_con_4_1(cards: str) -> None:
    hand = hand_of(parse_cards(cards))
    for melds in (some(hand, 0, 1), exactly(hand, 0, 1)):
        assert melds is not None
        assert [hand_of(meld) for meld in melds] == [hand]
        assert classified(melds[0], RULES) is not None


def test_a_run_ends_with_the_ace_above_the_king_con_4_1() -> None:
    assert exactly(hand_of(parse_cards("QsKsAs2s")), 0, 1) is None
    (meld,) = exactly(hand_of(parse_cards("QsKsXrXb")), 0, 1) or ()
    assert classified(meld, RULES) is not None


def test_a_set_has_two_natural_cards_and_takes_no_more_than_it_needs_con_4_3() -> None:
    assert some(hand_of(parse_cards("5sXrXb")), 1, 0) is None
    melds = some(hand_of(parse_cards("KcKcKdKdKhXr")), 2, 0) or ()
    assert [len(meld) for meld in melds] == [3, 3]
    assert hand_of([card for meld in melds for card in meld]) == hand_of(parse_cards("KcKcKdKdKhXr"))


def test_a_card_that_may_not_be_thrown_stays_where_it_can_be_laid_off_con_8() -> None:
    state = position(Contract(), "5c5d5h9s", OTHER, stock="2c", pile="7s")
    left, taken, run = hand_of(parse_cards("5c5d5h9s")), parse_card("9s"), tabled(parse_cards("5s6s7s8s"), 1, RULES)
    assert run is not None
    assert completion(state, left, (1, 0), taken, [run]) == (parse_cards("5c5d5h"),)
    assert completion(state, left, (1, 0), taken, []) is None


@pytest.mark.parametrize(("pile", "ended"), [("7s", None), ("", "stock")])
def test_two_cards_of_the_pile_are_enough_to_go_on_con_7(pile: str, ended: str | None) -> None:
    state = position(Contract(), LOOSE, OTHER, OTHER, stock="Kd", pile=pile)
    play(Contract(), state, "S E D:Kd")
    assert (state.result and state.result.reason) == ended
