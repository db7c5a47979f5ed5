"""Hands that a pile has swollen: what lies on a meld, and what is thrown for a seat that does not answer (COM-14)."""

from __future__ import annotations

import random
from collections.abc import Callable
from heapq import heappop
from typing import Any

import pytest

from rummy.rules import arranging
from rummy.rules.actions import Cards, Discard
from rummy.rules.arranging import Arranger
from rummy.rules.cards import cards_text, parse_card, parse_cards
from rummy.rules.game import Phase
from rummy.rules.games import find_game
from rummy.rules.games.gathered import SEARCHED, Gathered, melds_with
from rummy.rules.match import Match
from rummy.rules.tabling import JOKER, MeldRules, hand_of, melds_in

SWELLING: list[tuple[str, int, dict[str, Any]]] = [
    ("basic", 2, {"pile": "spread", "packs": 2, "jokers": 4}),
    ("basic", 2, {"pile": "spread", "ace": "either"}),
    ("rummy500", 2, {"jokers": 4}),
    ("rummy500", 6, {}),
    ("club", 2, {"ace": "corner"}),
    ("club", 6, {}),
    ("contract", 6, {"buying": True, "max_buys": 10, "packs": "two"}),
    ("contract", 6, {"buying": True, "max_buys": 10}),
]
# The hardest that a climb from hand to hand has found, for an ace round the corner and without.
HARD = (
    "Ac2cJcQcKcKcAd2dTdJdQdKdKdAh2hKhAsQsKsKs",
    "AcAc2c3cQcKcAdAd2dQdKdAh2hTsJsQsQsKsAhKs",
    "AcJcQc4d5d6d7d8d9dTdJdQdTsJsKsKs9hThJhQh",
    "7cAdAd7h8h9hThJhQhKhAh6s7s8s8s9s9sTsJsKs",
)
MOST_WAYS = 12_000  # Some four times as many as those hands take.


@pytest.fixture(name="ways")
def fixture_ways(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many ways to arrange hands have been looked at, as a list of one number."""
    count = [0]
    arranging.arranger.cache_clear()  # What has been arranged before takes no step.

    def counted(heap: list[Any]) -> Any:
        count[0] += 1
        return heappop(heap)

    monkeypatch.setattr(arranging, "heappop", counted)
    return count


def holding(game: Any, seats: int, hand: Cards) -> Any:
    """A deal in which the seat on turn holds *hand* and is to discard."""
    state = Match(game, seats, b"seed")._state  # A match tells no hidden cards; here they are set.
    state.hands[state.turn] = hand
    state.phase = Phase.DISCARD
    return state


def gathered_of(game: Any, seats: int, size: int, seed: int) -> Cards:
    """*size* cards of the deck of *game*."""
    return hand_of(random.Random(seed).sample(game.deck(seats), size))


@pytest.mark.parametrize(("key", "seats", "options"), SWELLING)
def test_com_14_a_default_discard_from_any_hand_takes_few_steps(
    key: str, seats: int, options: dict[str, Any], ways: list[int]
) -> None:
    game = find_game(key, options)
    for size in (1, SEARCHED, SEARCHED + 1, len(game.deck(seats)) // 2, len(game.deck(seats)) - 1):
        for seed in range(4):
            hand, ways[0] = gathered_of(game, seats, size, seed), 0
            thrown = game.default_action(holding(game, seats, hand))
            assert isinstance(thrown, Discard) and thrown.card in hand
            searched = sum(card < JOKER for card in hand) <= SEARCHED
            assert 0 < ways[0] <= MOST_WAYS if searched else ways[0] == 0


@pytest.mark.parametrize("text", HARD)
@pytest.mark.parametrize(("key", "seats", "options"), SWELLING)
def test_com_14_the_hardest_hands_that_are_searched_take_few_steps(
    key: str, seats: int, options: dict[str, Any], text: str, ways: list[int]
) -> None:
    game, hand = find_game(key, options), hand_of(parse_cards(text))
    assert len(hand) == SEARCHED
    game.default_action(holding(game, seats, hand))
    assert 0 < ways[0] <= MOST_WAYS


LOW = "4c5c6c7c8c9c4d5d6d7d8d9d4h5h6h7h8h9h"  # Eighteen cards, all of them on melds.


@pytest.mark.parametrize(
    ("cards", "thrown"),
    [
        (LOW + "2c2sTsKs", "Ks"),
        (LOW + "2c2sTsJsQs", "2c"),  # The dearest lie on a run; of equals clubs go first.
        (LOW + "2s3sTsJsQsXrXb", "3s"),  # No joker is thrown, and none makes a meld here.
        (LOW + "TsJsQsTcJcQc", "Qc"),  # Each lies on a meld.
    ],
)
@pytest.mark.parametrize("key", ["basic", "rummy500"])
def test_com_14_a_swollen_hand_throws_its_dearest_card_beside_its_melds(key: str, cards: str, thrown: str) -> None:
    game = find_game(key, {"pile": "spread", "jokers": 2} if key == "basic" else {"jokers": 2})
    assert game.default_action(holding(game, 2, hand_of(parse_cards(cards)))) == Discard(parse_card(thrown))


def test_com_14_a_swollen_hand_keeps_the_card_that_was_taken_and_its_melds_are_those_of_the_game() -> None:
    taken = find_game("rummy500", {})
    state = holding(taken, 2, hand_of(parse_cards(LOW + "2sTsKs")))
    state.forbidden = parse_card("Ks")
    assert taken.default_action(state) == Discard(parse_card("Ts"))
    for key, thrown in (("contract", "Qs"), ("club", "2h"), ("rummy500", "2h")):
        game = find_game(key, {"two_seats": True} if key == "contract" else {})
        state = holding(game, 2, hand_of(parse_cards(LOW + "TsJsQs2h")))
        assert game.default_action(state) == Discard(parse_card(thrown))
    club = find_game("club", {})
    state = holding(club, 2, hand_of(parse_cards(LOW + "KsQhJc")))
    assert club.default_action(state) == Discard(parse_card("Jc"))  # Clubs count double there.


@pytest.mark.parametrize("ace", ["low", "high", "either", "corner"])
@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("least_run", [3, 4])
def test_what_lies_on_a_meld_is_what_all_the_melds_hold(ace: str, least_run: int, *, distinct: bool) -> None:
    rules = MeldRules(ace=ace, distinct_suits=distinct, most_set=4 if distinct else 8, least_run=least_run)
    chance = random.Random(least_run)
    for _ in range(40):
        hand = hand_of(chance.sample(list(range(52)) * 2, chance.randint(3, 24)))
        melded = {card for cards in melds_in(hand, rules) for card in cards}
        gathered = Gathered(hand, rules)
        assert {card for card in hand if gathered.melds(card)} == melded
        for card in set(hand):
            assert melds_with(hand, card, rules) == [cards for cards in melds_in(hand, rules) if card in cards]


@pytest.mark.parametrize("joker", ["Xr", "Xb"])
def test_melds_with_a_joker_have_others_as_well(joker: str) -> None:
    rules, hand = MeldRules(), hand_of(parse_cards("5c8cXrXb"))
    melds = melds_with(hand, parse_card(joker), rules)
    other = "Xb" if joker == "Xr" else "Xr"
    assert [cards_text(cards) for cards in melds] == [f"5c{joker}{other}8c"]
    solver: Callable[[Cards], int] = Arranger(rules, tuple(range(13))).least
    assert solver(hand) == 0


def test_jokers_are_no_aces() -> None:
    rules = MeldRules(distinct_suits=False, most_set=8)
    gathered = Gathered(parse_cards("XrXrXbAc"), rules)
    assert not gathered.melds(parse_cards("Ac")[0])
