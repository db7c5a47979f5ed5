"""Clauses of docs/rulebook/common.md that every game shares, over the registry."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from tables import PLAIN_TABLES, accepts, eager, states

from rummy.rules.actions import Action, Arrange, BigGin, Knock, LayOff, Meld
from rummy.rules.game import DealResult, MatchResult, seats_of
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match

SHORT = {"contract": {"turn_cap": 2}, "indian13": {"turn_cap": 2}}


@pytest.mark.parametrize("table", PLAIN_TABLES, ids=str)
def test_the_first_dealer_is_drawn_from_the_seed_com_3(table: tuple[str, int]) -> None:
    key, seats = table
    dealers = {Match(find_game(key), seats, bytes([number])).view(None).dealer for number in range(16 * seats)}
    assert dealers == set(range(seats))
    again = [Match(find_game(key), seats, b"same").view(None) for _ in range(2)]
    assert again[0] == again[1]


@pytest.mark.parametrize("table", PLAIN_TABLES, ids=str)
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
        for match in states(key, min(3, GAMES[key].spec.max_seats), bytes([number]), random.Random(number)):
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


PLAYED = [*((key, {}) for key in GAMES), ("indian13", {"preset": "pool_101"}), ("contract", {"two_seats": True})]
LOW_WINS = ("one_oh_one", "contract")


def standing(key: str, options: dict[str, Any], points: Sequence[int], leaving: Sequence[int] = ()) -> MatchResult:
    """How a match stands after one deal with these points, and after those who leave have left."""
    game = find_game(key, options)
    tally = game.tally(len(points), 0)
    game.score(tally, DealResult(tuple(points), "test"))
    for seat in leaving:
        game.retire(tally, seat)
    result = game.outcome(tally, ended=True)
    assert result is not None
    return result


def seat_counts(key: str, options: dict[str, Any]) -> range:
    least, most = seats_of(find_game(key, options))
    return range(least, most + 1)


@pytest.mark.parametrize(("key", "options"), PLAYED, ids=str)
def test_equal_scores_share_a_place_and_better_ones_are_ahead_com_11(key: str, options: dict[str, Any]) -> None:
    low = key in LOW_WINS or "preset" in options
    for seats in seat_counts(key, options):
        assert standing(key, options, [7] * seats).placements == (1,) * seats
        points = [(4, 9, 4, 2, 9, 2)[seat] for seat in range(seats)]
        wanted = tuple([1 + sum(other < mine if low else other > mine for other in points) for mine in points])
        assert standing(key, options, points).placements == wanted


@pytest.mark.parametrize(("key", "options"), PLAYED, ids=str)
def test_who_leaves_is_behind_all_others_and_later_is_better(key: str, options: dict[str, Any]) -> None:
    for seats in seat_counts(key, options):
        best = [9 if key not in LOW_WINS and "preset" not in options else 1, *[5] * (seats - 1)]
        assert standing(key, options, best, [0]).placements == (seats, *[1] * (seats - 1))
        if seats > 2:
            places = standing(key, options, best, [0, seats - 1]).placements
            assert places == (seats, *[1] * (seats - 2), seats - 1)


@pytest.mark.parametrize(("key", "options"), [("one_oh_one", {}), ("indian13", {"preset": "pool_101"})], ids=str)
def test_where_one_deal_puts_everybody_out_the_lowest_score_wins(key: str, options: dict[str, Any]) -> None:
    for seats in range(2, 7):
        together = standing(key, options, [150] * seats)
        assert (together.placements, together.reason) == ((1,) * seats, "all out")
        apart = standing(key, options, [101 + seat // 2 for seat in range(seats)])
        assert apart.placements == tuple([1 + seat // 2 * 2 for seat in range(seats)])
        one = standing(key, options, [100, *[101] * (seats - 1)])
        assert (one.placements, one.reason) == ((1, *[2] * (seats - 1)), "last seat")
