"""A card that a set and a run both want goes where the hand counts least (GIN-2.3, 2.4), whichever its suit."""

from __future__ import annotations

import pytest

from rummy.rules.cards import mask, parse_cards
from rummy.rules.deadwood import best_discards, deadwood

SUITS = "cdhs"


@pytest.mark.parametrize("suit", SUITS)
def test_one_of_four_alike_goes_to_its_run(suit: str) -> None:
    hand = mask(parse_cards(f"5c5d5h5s4{suit}6{suit}"))
    assert deadwood(hand) == 0
    assert deadwood(hand | mask(parse_cards("Kc"))) == 10
    assert best_discards(hand | mask(parse_cards("Kc"))) == (0, parse_cards("Kc"))


@pytest.mark.parametrize("suit", SUITS)
def test_all_four_alike_are_a_set_where_another_set_has_broken_the_run(suit: str) -> None:
    others = [each for each in SUITS if each != suit][:2]
    fours = "".join("4" + each for each in (suit, *others))
    hand = mask(parse_cards(f"{fours}5c5d5h5s6{suit}"))
    assert deadwood(hand) == 6  # 4 4 4, 5 5 5 5 and a six; with the run 4 5 6 two fours would be left.


@pytest.mark.parametrize("left_out", SUITS)
def test_three_alike_are_a_set_or_give_a_card_to_a_run(left_out: str) -> None:
    a, b, c = (each for each in SUITS if each != left_out)
    fives = f"5{a}5{b}5{c}"
    for suit in (a, b, c):
        assert deadwood(mask(parse_cards(f"{fives}4{suit}6{suit}"))) == 10  # Either way ten are left.
        assert deadwood(mask(parse_cards(f"{fives}3{suit}4{suit}"))) == 7  # The set; with the run it were ten.
        assert deadwood(mask(parse_cards(f"{fives}6{suit}7{suit}"))) == 10  # The run; with the set it were thirteen.


def test_four_alike_are_no_set_where_three_of_them_are_in_runs() -> None:
    hand = mask(parse_cards("3c4c5c5d6d7d4h5h6h5sKd"))
    assert deadwood(hand) == 15
    assert best_discards(hand) == (5, parse_cards("Kd"))
