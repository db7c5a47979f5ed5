"""The tally of 101 by itself: what a knock may count, and who deals after somebody has left."""

from __future__ import annotations

import pytest

from rummy.rules.games.one_oh_one_tally import OneOhOneTally, knock_limit

TABLE = ((25, 20), (50, 15), (75, 10), (100, 5))


@pytest.mark.parametrize(
    ("score", "limit"), [(0, 20), (25, 20), (26, 15), (50, 15), (51, 10), (76, 5), (100, 5), (101, 5), (900, 5)]
)
def test_beyond_the_table_its_last_limit_holds_101_6_2(score: int, limit: int) -> None:
    assert knock_limit(TABLE, score) == limit


def test_a_forfeit_moves_the_deal_only_where_the_dealer_has_left_101_1_3() -> None:
    tally = OneOhOneTally(4, 2, 101)
    tally.retire(0)
    assert (tally.terms().dealer, tally.terms().starter) == (2, 3)
    tally.retire(2)
    assert (tally.terms().dealer, tally.terms().starter) == (3, 1)
    tally.retire(3)
    assert tally.dealer == 1
    tally.retire(1)
    assert tally.dealer == 1
    outcome = tally.outcome(60, ended=False)
    assert outcome is not None
    assert (outcome.reason, outcome.placements) == ("all out", (4, 1, 3, 2))
