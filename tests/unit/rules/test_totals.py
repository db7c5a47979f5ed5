"""The totals of a match by points: who deals, when it ends and why, and the places at its end (COM-10, COM-11)."""

from __future__ import annotations

import pytest

from rummy.rules.game import DealResult, DealTerms
from rummy.rules.games.totals import Totals


def tally(*scores: int, dealer: int = 0, lowest: bool = False, deals: int = 1) -> Totals:
    """Totals after so many deals, in the last of which these points fell."""
    totals = Totals(len(scores), dealer, lowest=lowest)
    for _ in range(deals - 1):
        totals.score(DealResult((0,) * len(scores), "out"))
    totals.score(DealResult(scores, "out"))
    return totals


def why(
    totals: Totals, *, target: int | None = None, deals: int | None = None, cap: int = 9, ended: bool = False
) -> str:
    outcome = totals.outcome(target=target, deals=deals, cap=cap, ended=ended)
    return "" if outcome is None else outcome.reason


def test_a_match_begins_with_nothing() -> None:
    assert Totals(3, 2).terms() == DealTerms(3, (0, 1, 2), dealer=2, starter=0, scores=(0, 0, 0), number=0)
    assert Totals(3, 1).terms() == DealTerms(3, (0, 1, 2), dealer=1, starter=2, scores=(0, 0, 0), number=0)


def test_points_add_up_and_the_deal_moves_on() -> None:
    totals = tally(5, 0, -2, dealer=1)
    assert totals.terms() == DealTerms(3, (0, 1, 2), dealer=2, starter=0, scores=(5, 0, -2), number=1)
    totals.score(DealResult((1, 2, 3), "out"))
    assert totals.terms() == DealTerms(3, (0, 1, 2), dealer=0, starter=1, scores=(6, 2, 1), number=2)


def test_the_deal_moves_past_seats_that_are_out() -> None:
    totals = Totals(4, 0)
    totals.retire(1)
    assert totals.terms() == DealTerms(4, (0, 2, 3), dealer=0, starter=2, scores=(0, 0, 0, 0), number=0)
    totals.retire(0)  # The dealer: the next seat deals.
    assert totals.terms() == DealTerms(4, (2, 3), dealer=2, starter=3, scores=(0, 0, 0, 0), number=0)
    totals.score(DealResult((0, 0, 4, 0), "out"))
    assert (totals.terms().dealer, totals.terms().starter) == (3, 2)


@pytest.mark.parametrize(
    ("totals", "terms", "reason"),
    [
        (tally(99, 98), {"target": 100}, ""),
        (tally(100, 0), {"target": 100}, "target"),
        (tally(0, 101), {"target": 100}, "target"),
        (tally(500, 0), {}, ""),
        (tally(0, 0, deals=2), {"deals": 3}, ""),
        (tally(0, 0, deals=3), {"deals": 3}, "deals"),
        (tally(0, 0, deals=4), {"deals": 3}, "deals"),
        (tally(0, 0, deals=8), {"cap": 9}, ""),
        (tally(0, 0, deals=9), {"cap": 9}, "deal cap"),
        (tally(0, 0, deals=10), {"cap": 9}, "deal cap"),
        (tally(1, 0), {"ended": True}, "short match"),
        (tally(100, 0, deals=9), {"target": 100, "deals": 9, "ended": True}, "target"),
        (tally(0, 0, deals=9), {"target": 100, "deals": 9, "ended": True}, "deals"),
        (tally(0, 0, deals=9), {"target": 100, "ended": True}, "deal cap"),
    ],
)
def test_a_match_ends_for_the_first_reason_that_holds(totals: Totals, terms: dict[str, int], reason: str) -> None:
    assert why(totals, **terms) == reason  # type: ignore[arg-type]


def test_the_last_seat_ends_the_match() -> None:
    totals = tally(0, 120, 3)
    totals.retire(1)
    assert why(totals, target=100) == ""  # Who has left reaches no target.
    totals.retire(2)
    assert why(totals, target=100) == "last seat"


@pytest.mark.parametrize(
    ("scores", "lowest", "places"),
    [
        ((5, 9, 9, 1), False, (3, 1, 1, 4)),
        ((5, 9, 9, 1), True, (2, 3, 3, 1)),
        ((-4, 0, -4, 2), False, (3, 2, 3, 1)),
        ((0, 0), True, (1, 1)),
    ],
)
def test_places_follow_the_totals_and_equals_share(
    scores: tuple[int, ...], lowest: bool, places: tuple[int, ...]
) -> None:
    outcome = tally(*scores, lowest=lowest).outcome(target=None, deals=1, cap=9, ended=False)
    assert outcome is not None
    assert (outcome.placements, outcome.scores, outcome.deals) == (places, scores, 1)
    assert outcome.forfeits == (None,) * len(scores)


def test_who_forfeits_is_behind_the_others_and_the_later_the_better() -> None:
    totals = tally(50, 9, 90, 1)
    for seat in (2, 0):
        totals.retire(seat)
    outcome = totals.outcome(target=None, deals=1, cap=9, ended=False)
    assert outcome is not None
    assert outcome.placements == (3, 1, 4, 2)
