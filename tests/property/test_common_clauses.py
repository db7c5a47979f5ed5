"""Clauses of docs/rulebook/common.md that every game shares, over the registry."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tables import TABLES, accepts, eager, states

from rummy.rules.actions import Action, Arrange, BigGin, Knock, LayOff, Meld
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match

SHORT = {"contract": {"turn_cap": 2}, "indian13": {"turn_cap": 2}}


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_first_dealer_is_drawn_from_the_seed_com_3(table: tuple[str, int]) -> None:
    key, seats = table
    dealers = {Match(find_game(key), seats, bytes([number])).view(None).dealer for number in range(16 * seats)}
    assert dealers == set(range(seats))
    again = [Match(find_game(key), seats, b"same").view(None) for _ in range(2)]
    assert again[0] == again[1]


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_deal_moves_clockwise_past_those_who_are_out_com_3(table: tuple[str, int]) -> None:
    moved = sum(check_dealers(*table, bytes([number])) for number in range(4))
    assert moved


def check_dealers(key: str, seats: int, seed: bytes) -> int:
    """Plays a match of which every deal has the right dealer; how often the deal moved."""
    match, rng = Match(find_game(key, SHORT.get(key)), seats, seed), random.Random(1)
    dealer = match.view(None).dealer
    moved = 0
    while match.decision is not None and moved < 8:
        deal = match.deal
        match.apply(eager(match, rng))
        if match.deal == deal or match.decision is None:
            continue
        view = match.view(None)
        steps = ((dealer + step) % seats for step in range(1, seats + 1))
        assert view.dealer == next(seat for seat in steps if view.status[seat])
        dealer = view.dealer
        moved += 1
    return moved


def cards_of(action: Action) -> Counter[int]:
    """Every card that an action names, as often as it does."""
    match action:
        case Meld(cards) | LayOff(cards):
            return Counter(cards)
        case Knock(card, melds):
            return Counter([card for meld in melds or () for card in meld] + ([] if card is None else [card]))
        case BigGin(melds):
            return Counter([card for meld in melds or () for card in meld])
        case Arrange(melds, lay_offs):
            laid = [*(melds or ()), *(lay_off.cards for lay_off in lay_offs)]
            return Counter([card for cards in laid for card in cards])
        case _:
            return Counter()


@pytest.mark.parametrize("key", sorted(GAMES))
def test_a_card_counts_in_one_meld_at_most_com_4(key: str) -> None:  # R2
    refused = 0
    for number in range(6):
        for match in states(key, 2 if key == "gin" else 3, bytes([number]), random.Random(number)):
            refused += check_once(match)
    assert refused


def check_once(match: Match) -> int:
    """How many melds and shows of the list were refused once they named a card more often than it is held."""
    assert match.decision is not None
    held = Counter(match.view(match.decision.seat).hand)
    refused = 0
    for action in match.legal_actions():
        assert not cards_of(action) - held
        wrong = once_more(action, held)
        if wrong is not None:
            reached = accepts(match.game, match._state, wrong)
            assert isinstance(reached, str)
            assert "twice" in reached or "more often" in reached
            refused += 1
    return refused


def once_more(action: Action, held: Counter[int]) -> Action | None:
    """*action* with a card named more often than it is held."""
    match action:
        case Meld(cards):
            spare = next((card for card in cards if held[card] == cards.count(card)), None)
            return None if spare is None else Meld((*cards, spare))
        case Arrange((meld,), ()):
            twice = Arrange((meld, meld), ())
            return twice if cards_of(twice) - held else None
        case _:
            return None
