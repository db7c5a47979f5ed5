"""Contract rummy at its edges: a pile of two that is shuffled, a deal that nobody wins, options named as given."""

from __future__ import annotations

from random import Random

import pytest
from zones_table import draw_up, legal, play, refused, terms

from rummy.errors import BadOptions
from rummy.rules.cards import parse_card, parse_cards
from rummy.rules.game import EventKind
from rummy.rules.games.contract import Contract
from rummy.rules.games.contract_deal import ContractState, completion
from rummy.rules.games.contract_lay import RULES, exactly, some
from rummy.rules.tabling import JOKER, classified, hand_of, tabled, without

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
    assert exactly(hand_of(parse_cards("JcQcKcAd")), 0, 1) is None
    assert exactly(hand_of(parse_cards("JcQcKcAdAdAhAs")), 1, 1) is None
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


def test_or_where_another_card_is_left_con_8() -> None:
    state = position(Contract(), "5c5d5h9s", OTHER, stock="2c", pile="7s")
    left = hand_of(parse_cards("5c5d5hKd"))
    for taken in ("5c", "5h"):
        assert completion(state, left, (1, 0), parse_card(taken), []) == (parse_cards("5c5d5h"),)
    for cards, need in (("5c5d5h5s", (1, 0)), ("4c5c6c7c8c", (0, 1)), ("Xr5c6cXb8c", (0, 1)), ("5c5dXrXb", (1, 0))):
        for card in parse_cards(cards):
            assert completion(state, hand_of(parse_cards(cards)), need, card, []) is not None


def test_the_last_meld_leaves_no_card_that_must_stay_con_8() -> None:
    state = position(Contract(), "5c5d5h7c7d7hXr", OTHER, stock="2c", pile="9s")
    play(Contract(), state, "P1 M:5c5d5h")
    assert {"M:7c7d7h", "M:7c7dXr"} <= legal(Contract(), state)
    assert "M:7c7d7hXr" not in legal(Contract(), state)
    refused(Contract(), state, "M:7c7d7hXr", "could not complete it")


def test_a_deal_beyond_the_last_contract_is_like_the_last_con_6() -> None:
    game = Contract()
    for number in (6, 7, 20):
        state = game.deal(game.deck(3), terms(3, number=number))
        assert (state.sets, state.runs, state.whole, len(state.hands[0])) == (0, 3, True, 12)
    state = game.deal(game.deck(3), terms(3, number=5))
    assert (state.sets, state.runs, state.whole, len(state.hands[0])) == (1, 2, False, 12)


def test_the_last_meld_of_the_last_deal_leaves_no_card_con_6() -> None:
    game = Contract(contracts=((2, 0),), cards=(7,))
    state = position(game, "5c5d5h7c7d7h9s", OTHER, stock="7s", pile="Ks")
    state.whole = True
    assert legal(game, state) == {"S", "P1"}
    play(game, state, "S")
    assert legal(game, state) == {"E"}
    state.hands[0] = hand_of(parse_cards("5c5d5h7c7d7h7s"))
    play(game, state, "M:5c5d5h")
    assert legal(game, state) == {"M:7c7d7h7s"}
    refused(game, state, "M:7c7d7h", "all the cards go down at once")


@pytest.mark.parametrize("suit", "cdhs")
def test_a_joker_may_stand_for_a_card_that_another_run_needs_con_4(suit: str) -> None:
    """Of a run A234 there would be three jokers left for the six."""
    for ranks in ("A2346", "23457", "34568"):
        hand = hand_of(parse_cards("".join(rank + suit for rank in ranks) + "XrXrXb"))
        assert exactly(hand, 0, 2) is not None and some(hand, 0, 2) is not None
        assert exactly(hand_of([*hand, *[JOKER] * 3]), 0, 2) is None  # More jokers than natural cards.


def test_four_sets_of_one_rank_con_4() -> None:
    kings = "KcKcKdKdKhKhKsKs"
    for jokers, sets in ((4, 4), (1, 3), (0, 2)):
        hand = hand_of(parse_cards(kings + "Xr" * jokers))
        melds = some(hand, sets, 0)
        assert melds is not None and {classified(meld, RULES) is not None for meld in melds} == {True}
        assert some(hand[1:], sets, 0) is None or sets == 2


@pytest.mark.parametrize(("pile", "ended"), [("7s", None), ("", "stock")])
def test_two_cards_of_the_pile_are_enough_to_go_on_con_7(pile: str, ended: str | None) -> None:
    state = position(Contract(), LOOSE, OTHER, OTHER, stock="Kd", pile=pile)
    play(Contract(), state, "S E D:Kd")
    assert (state.result and state.result.reason) == ended


def drawn(random: Random, sets: int, runs: int) -> tuple[int, ...]:
    """A hand that is so many sets and runs, natural cards of which are replaced by jokers as often as they may be."""
    hand: list[int] = []
    suit = random.randrange(4)
    for number in range(sets + runs):
        if number < sets:
            rank = random.randrange(13)
            cards = [random.randrange(4) * 13 + rank for _ in range(random.choice((3, 3, 3, 4, 5)))]
        else:
            size = random.choice((4, 4, 5, 6))
            start = random.randrange(15 - size)
            suit = random.choice((suit, random.randrange(4)))
            cards = [suit * 13 + (start + at) % 13 for at in range(size)]
        for at in random.sample(range(len(cards)), random.choice((0, 0, 0, 1, len(cards) // 2))):
            cards[at] = JOKER
        hand += cards
    return hand_of(hand)


@pytest.mark.parametrize(("sets", "runs"), [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)])
def test_a_hand_that_is_a_contract_is_laid_con_4(sets: int, runs: int) -> None:
    random = Random(10 * sets + runs)
    for _ in range(60):
        hand = drawn(random, sets, runs)
        whole, shortest = exactly(hand, sets, runs), some(hand, sets, runs)
        assert whole is not None and shortest is not None, hand
        assert without(hand, [card for meld in whole for card in meld]) == ()
        assert without(hand, [card for meld in shortest for card in meld]) is not None
        for melds in (whole, shortest):
            kinds = [kind[1] for meld in melds if (kind := classified(meld, RULES)) is not None]
            assert (kinds.count(False), kinds.count(True)) == (sets, runs)
        assert {len(meld) for meld in shortest} <= {3, 4}
