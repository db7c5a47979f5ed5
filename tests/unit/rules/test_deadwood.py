"""Least deadwood and best discards, against an oracle that shares no code with them."""

from random import Random

import oracle
import pytest
from hands import hands

from rummy.rules.cards import cards_of, cards_text, mask, parse_card, parse_cards
from rummy.rules.deadwood import best_discards, best_melds, deadwood, points


def held(hand: tuple[str, ...]) -> int:
    return mask(map(parse_card, hand))


def test_values_gin_2_4() -> None:
    assert points(mask(parse_cards("AsKcQdJhTs9c2d"))) == 52
    assert points(mask(range(52))) == 4 * 85
    assert points(0) == deadwood(0) == 0


def test_the_whole_pack_melds() -> None:
    assert deadwood(mask(range(52))) == 0


def test_deadwood_discards_and_knocks() -> None:
    random = Random(4)
    for hand in hands(5, 3000, 11):  # Of many more in test_oracle.py.
        dropped = random.choice(hand)
        ten = tuple([card for card in hand if card != dropped])
        assert deadwood(held(ten)) == oracle.least(ten), ten
        cards = held(hand)
        least, best = best_discards(cards)
        assert (least, list(map(oracle.ORDER.__getitem__, best))) == oracle.discards(hand), hand
        knocks = [card for card in cards_of(cards) if deadwood(cards ^ 1 << card) <= 10]
        assert list(map(oracle.ORDER.__getitem__, knocks)) == oracle.knocks(hand, 10), hand


def test_a_forbidden_card_is_never_a_best_discard() -> None:
    random = Random(6)
    for hand in hands(7, 3000, 11):
        forbidden = random.choice(hand)
        least, best = best_discards(held(hand), parse_card(forbidden))
        assert (least, list(map(oracle.ORDER.__getitem__, best))) == oracle.discards(hand, forbidden), hand


def test_hands_of_every_size() -> None:
    for size in (1, 2, 3, 7, 8, 13, 14):
        for hand in hands(size, 200, size):
            assert deadwood(held(hand)) == oracle.least(hand), hand
            least, best = best_discards(held(hand))
            assert (least, list(map(oracle.ORDER.__getitem__, best))) == oracle.discards(hand), hand


@pytest.mark.parametrize(("cards", "forbidden"), [("", None), ("As", "As")])
def test_no_discard_without_a_card(cards: str, forbidden: str | None) -> None:
    with pytest.raises(ValueError, match="no card to discard"):
        best_discards(mask(parse_cards(cards)), None if forbidden is None else parse_card(forbidden))


def test_the_melds_are_those_of_com_8() -> None:
    for hand in hands(8, 1500, 10):
        least, melds = best_melds(held(hand))
        points, expected, _ = oracle.best_show(hand, ())
        assert (least, tuple(map(cards_text, melds))) == (points, tuple(map("".join, expected))), hand
