"""101: who is out, who has won, and in which place (clauses 101-8.1 to 8.6)."""

from __future__ import annotations

from rummy.rules.game import DealResult
from rummy.rules.games.one_oh_one import OneOhOne
from rummy.rules.games.one_oh_one_tally import OneOhOneTally, knock_penalty

GAME = OneOhOne()


def match_with(*scores: int) -> OneOhOneTally:
    """A match between so many seats in which these scores have been made."""
    tally = GAME.tally(len(scores), 0)
    tally.scores = list(scores)
    return tally


def deal(tally: OneOhOneTally, *points: int, out: tuple[int, ...] = ()) -> None:
    GAME.score(tally, DealResult(points, "knock", out=out))


def places(tally: OneOhOneTally, *, ended: bool = False) -> tuple[int, ...] | None:
    outcome = GAME.outcome(tally, ended=ended)
    return None if outcome is None else outcome.placements


def test_101_8_1_a_hundred_stays_and_a_hundred_and_one_is_out() -> None:
    tally = match_with(90, 90, 0)
    deal(tally, 10, 11, 5)
    assert tally.active == [0, 2]
    assert places(tally) is None


def test_101_8_1_the_target_is_an_option() -> None:
    tally = OneOhOne(target=50).tally(3, 0)
    deal(tally, 49, 50, 5)
    assert tally.active == [0, 2]


def test_101_8_2_the_last_seat_left_wins() -> None:
    tally = match_with(95, 90, 80)
    deal(tally, 20, 30, 20)
    assert places(tally) == (2, 3, 1)
    assert GAME.outcome(tally).reason == "last seat"  # type: ignore[union-attr]


def test_101_8_3_where_all_go_out_at_once_the_lowest_total_wins() -> None:
    tally = match_with(100, 100, 100)
    deal(tally, 18, 4, 31)
    assert places(tally) == (2, 1, 3)


def test_101_8_3_equal_totals_share() -> None:
    tally = match_with(100, 100, 100)
    deal(tally, 5, 4, 4)
    assert places(tally) == (3, 1, 1)


def test_101_8_4_later_is_better_and_equal_totals_share() -> None:
    tally = match_with(100, 100, 0, 0, 0)
    deal(tally, 40, 40, 99, 0, 0)
    deal(tally, 0, 0, 90, 0, 0)
    assert places(tally) is None
    deal(tally, 0, 0, 0, 101, 50)
    assert places(tally) == (4, 4, 3, 2, 1)


def test_101_8_4_a_foul_knocker_ranks_below_those_who_go_by_points_in_the_same_deal() -> None:
    tally = match_with(0, 100, 100)
    deal(tally, 1, 90, 20, out=(0,))
    assert places(tally) == (3, 2, 1)


def test_101_8_4_a_foul_knocker_of_a_later_deal_ranks_above() -> None:
    tally = match_with(100, 0, 0)
    deal(tally, 90, 0, 0)
    deal(tally, 0, 30, 0, out=(1,))
    assert places(tally) == (3, 2, 1)


def test_101_8_5_of_two_the_one_who_made_no_foul_knock_has_won_whatever_his_score() -> None:
    tally = match_with(0, 100)
    deal(tally, 50, 60, out=(0,))
    assert places(tally) == (2, 1)


def test_101_8_6_after_sixty_deals_the_lowest_total_wins() -> None:
    tally = match_with(0, 0, 0)
    for _ in range(59):
        deal(tally, 1, 0, 1)
    assert places(tally) is None
    deal(tally, 1, 0, 0)
    assert places(tally) == (3, 1, 2)
    assert GAME.outcome(tally).reason == "deal cap"  # type: ignore[union-attr]


def test_a_short_match_ends_in_the_order_of_its_totals() -> None:
    tally = match_with(0, 0, 0)
    deal(tally, 7, 3, 7)
    assert places(tally, ended=True) == (2, 1, 2)


def test_a_forfeit_ends_behind_everybody() -> None:
    tally = match_with(100, 0, 0, 0)
    deal(tally, 60, 0, 0, 0)
    GAME.retire(tally, 3)
    GAME.retire(tally, 1)
    assert places(tally) == (2, 3, 1, 4)


def test_when_the_dealer_forfeits_the_next_seat_deals() -> None:
    tally = GAME.tally(4, 2)
    GAME.retire(tally, 2)
    assert GAME.terms(tally).dealer == 3
    GAME.retire(tally, 1)
    assert GAME.terms(tally).dealer == 3


def test_101_7_3_the_penalty_is_for_not_having_the_lowest_count() -> None:
    assert knock_penalty({0: 4, 1: 5}, 0, penalty=15, on_tie=False) == 0
    assert knock_penalty({0: 4, 1: 3}, 0, penalty=15, on_tie=False) == 15
    assert knock_penalty({0: 4, 1: 4}, 0, penalty=15, on_tie=False) == 0
    assert knock_penalty({0: 4, 1: 4}, 0, penalty=15, on_tie=True) == 15
