"""Club by the clauses of docs/rulebook/club.md: what cards and ends of a deal are worth, and who wins the match."""

from __future__ import annotations

from dataclasses import replace

import pytest
from club_table import position
from zones_table import play

from rummy.rules.cards import parse_cards
from rummy.rules.game import DealResult
from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import ClubState
from rummy.rules.games.club_score import hand_points, table_points
from rummy.rules.match import Match

GAME = Club()
PLAIN = Club(double_clubs=False)


def points(state: ClubState) -> tuple[int, ...]:
    assert state.result is not None
    return state.result.points


@pytest.mark.parametrize(
    ("cards", "held", "tabled"),
    [("2d5d9d", 15, None), ("TdJdQdKd", 40, 45), ("AdAhAs", 15, 45), ("QdKdAd", 25, 35), ("AcAdAh", 20, 60)],
)
def test_clb_8_1_what_cards_count_in_the_hand_and_on_the_table(cards: str, held: int, tabled: int | None) -> None:
    assert hand_points(parse_cards(cards), double=True) == held
    if tabled is not None:
        state = position(f"{cards}4d", "9h", stock="4d")
        play(GAME, state, f"S M:{cards}")
        assert table_points(state.melds, 2, double=True) == [tabled, 0]


def test_clb_8_2_8_3_all_of_ones_melds_less_all_of_ones_hand() -> None:
    state = position("4d4h4s", "TdJdQd", stock="9h", melds="0:6d7d8d 0:KdKhKs 1:2s3s4s")
    play(GAME, state, "S E D:9h G")
    assert points(state) == (15 + 30 - 15, 15 - 30)  # Cards that would form melds count as well.


def test_clb_8_5_out_with_more_than_another_seat_costs_35() -> None:
    worst = position("5d6h", "4s", "KcKs", stock="9h")
    play(GAME, worst, "S E D:9h G")
    assert points(worst) == (-10 - 35, -5, -30)


def test_clb_8_5_equal_is_not_more() -> None:
    equal = position("5d6h", "4s3s", "Kd", stock="9h")
    play(GAME, equal, "S E D:9h G")
    assert points(equal) == (-10, -10, -10)


def test_clb_8_5_the_comparison_counts_clubs_twice() -> None:
    for game, penalty in ((GAME, 35), (PLAIN, 0)):
        state = position("5c", "4s", stock="9h")
        play(game, state, "S E D:9h G")
        assert points(state) == ((-10 if game is GAME else -5) - penalty, -5)


def test_clb_8_5_seats_out_of_the_match_are_not_compared() -> None:
    state = position("5d6h", "KsKh", "", stock="9h")
    state.terms = replace(state.terms, active=(0, 1))
    play(GAME, state, "S E D:9h G")
    assert points(state) == (-10, -20, 0)


def test_clb_8_6_out_without_cards_earns_40() -> None:
    state = position("7c7d", "Ks", stock="7h", melds="0:4d5d6d")
    play(GAME, state, "S M:7c7d7h G")
    assert points(state) == (15 + 20 + 40, -10)
    assert state.result is not None
    assert state.result.reason == "out"


@pytest.mark.parametrize("script", ["S M:7c7d7h M:2s3s4s G", "S M:2s3s4s L:5s>0 M:7c7d7h E D:Kd G"])
def test_clb_8_7_all_in_one_turn_earns_100_instead(script: str) -> None:
    state = position("7c7d2s3s4s" + ("5sKd" if "Kd" in script else ""), "Ks", stock="7h")
    play(GAME, state, script)
    assert points(state) == (20 + 15 + (10 if "Kd" in script else 0) + 100, -10)
    assert state.result is not None
    assert state.result.reason == "out at once"


def test_clb_8_7_a_card_placed_earlier_on_anothers_meld_spoils_it() -> None:
    state = position("7c7d5s", "Ks", stock="9h9d7h", melds="1:2s3s4s")
    play(GAME, state, "S L:5s>0 E D:9h C S E D:9d C S M:7c7d7h G")
    assert points(state) == (20 + 10 + 40, 15 - 10)


def test_clb_8_7_in_the_same_turn_it_does_not() -> None:
    state = position("7c7d5s", "Ks", stock="7h", melds="1:2s3s4s")
    play(GAME, state, "S L:5s>0 M:7c7d7h G")
    assert points(state) == (20 + 10 + 100, 15 - 10)


def test_clb_8_7_going_out_a_turn_later_is_no_going_out_in_one_turn() -> None:
    state = position("7c7d", "Ks", stock="7h9h9d")
    play(GAME, state, "S M:7c7d7h C S E D:9h C S E D:9d G")
    assert points(state) == (20 + 40, -10)


def test_clb_8_8_five_for_each_card_beyond_three() -> None:
    state = position("Kd", "Ks", stock="9h", melds="0:4d5d6d7d8d 0:QdQhQsQc 1:2s3s4s")
    play(GAME, state, "S E D:9h G")
    assert points(state) == (25 + 10 + 50 + 5 - 10, 15 - 10)


def test_clb_8_9_totals_may_be_negative() -> None:
    match = Match(GAME, 2, b"seed", max_deals=1)
    while match.decision is not None:
        match.apply(match.default_action())
    assert match.result is not None
    assert min(match.result.scores) < 0


def test_clb_9_1_clubs_count_double_on_the_table_in_the_hand_and_for_the_limit() -> None:
    for game, table, held in ((GAME, 50 + 10, 20), (PLAIN, 25 + 10, 10)):
        state = position("Kc", "9d", stock="9h", melds="0:4c5c6c7c8c")
        play(game, state, "S E D:9h")
        assert [type(action).__name__ for action in game.legal_actions(state)] == ["GoOut", "Continue"]
        play(game, state, "G")
        assert points(state) == (table - held - 35, -5)
    state = position("KcTd", "9d", stock="9h")
    play(GAME, state, "S E D:9h")
    assert len(GAME.legal_actions(state)) == 1
    state = position("KcTd", "9d", stock="9h")
    play(PLAIN, state, "S E D:9h")
    assert len(PLAIN.legal_actions(state)) == 2


def test_clb_9_2_bonuses_and_penalties_are_not_doubled() -> None:
    state = position("", "9d", stock="9h", melds="0:4c5c6c7c")
    play(GAME, state, "S E D:9h G")
    assert points(state) == (40 + 5 + 40, -5)


def test_clb_9_3_cards_are_added_to_melds_of_others() -> None:
    state = position("9c5sKd", "Ks", stock="9h", melds="1:2s3s4s")
    play(GAME, state, "S L:5s>0 E D:9c")
    assert state.melds[0].seat == 1


def test_clb_9_4_9_5_a_card_and_its_credit_are_his_who_placed_it() -> None:
    state = position("5cKd", "4cKs", "2d", stock="9h9d9s", melds="2:6c7c8c9c", turn=0)
    play(GAME, state, "S L:5c>0 E D:9h C S L:4c>0 E D:9d C S E D:9s G")
    # Seat 2: four cards of clubs and one of them beyond three; the others a club each, and its five.
    assert points(state) == (10 + 5 - 10, 10 + 5 - 10, 40 + 5 - 5)


def test_clb_10_1_two_deals_a_seat_and_the_highest_sum_wins() -> None:
    for seats in (2, 3, 6):
        match = Match(GAME, seats, b"match")
        while match.decision is not None:
            match.apply(match.default_action())
        assert match.result is not None
        assert (match.result.deals, match.result.reason) == (2 * seats, "deals")
        sums = [sum(deal.points[seat] for deal in match.deals) for seat in range(seats)]
        assert list(match.result.scores) == sums
        assert [place == 1 for place in match.result.placements] == [each == max(sums) for each in sums]


def test_clb_10_1_equal_sums_share() -> None:
    tally = Club(rounds=1).tally(3, 0)
    for _ in range(3):
        tally.score(DealResult((5, -5, 5), "out"))
    outcome = Club(rounds=1).outcome(tally)
    assert outcome is not None
    assert outcome.placements == (1, 3, 1)
    assert outcome.scores == (15, -15, 15)


def test_forfeits_are_behind_everybody_and_the_later_one_is_better() -> None:
    match = Match(GAME, 4, b"forfeits")
    match.forfeit(1, "timeout")
    match.forfeit(3, "timeout")
    while match.decision is not None:
        match.apply(match.default_action())
    assert match.result is not None
    assert match.result.placements[1] == 4
    assert match.result.placements[3] == 3
    assert match.result.deals == 2 + 8  # Void ones, and two a seat of those that began.
    last = Match(GAME, 3, b"last")
    last.forfeit(0, "timeout")
    last.forfeit(1, "timeout")
    assert last.result is not None
    assert last.result.placements == (3, 2, 1)


def test_the_deal_moves_on_past_a_seat_that_has_left() -> None:
    tally = GAME.tally(3, 1)
    tally.retire(1)
    assert (tally.terms().dealer, tally.terms().starter) == (2, 0)
    tally.score(DealResult((0, 0, 0), "out"))
    assert (tally.terms().dealer, tally.terms().starter) == (0, 2)


def test_the_winner_of_a_deal_has_most_points_alone() -> None:
    state = position("5d", "4s", stock="9h")
    play(GAME, state, "S E D:9h G")
    assert state.result is not None
    assert state.result.winner is None
    state = position("5d", "Ks", stock="9h")
    play(GAME, state, "S E D:9h G")
    assert state.result is not None
    assert state.result.winner == 0
