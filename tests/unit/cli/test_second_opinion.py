"""The ratings of openskill over fixtures."""

from random import Random

import pytest
from known_strengths import all_pairs, played, tables
from openskill.models import PlackettLuce

from rummy.cli.second_opinion import Belief, beliefs
from rummy.league.model import FixtureResult


def test_nothing_is_believed_of_nobody() -> None:
    assert beliefs([]) == {}


def test_a_fixture_is_one_game_whose_places_are_those_of_its_scores() -> None:
    model = PlackettLuce()
    won, lost = model.rate([[model.rating()], [model.rating()]], ranks=[1, 2])
    found = beliefs([FixtureResult(0, 0, (7, 8), ((1, 2), (1, 1)))])
    assert found == {7: Belief(won[0].mu, won[0].sigma), 8: Belief(lost[0].mu, lost[0].sigma)}
    level = beliefs([FixtureResult(0, 0, (7, 8), ((1, 2), (2, 1)))])
    assert level[7] == level[8] and level[7].mean == pytest.approx(25)


def test_scores_of_thirds_that_are_equal_are_a_tie() -> None:
    legs = ((1, 2, 3), (2, 3, 1), (3, 1, 2))  # Each has every place once, in another order.
    found = beliefs([FixtureResult(0, 0, (0, 1, 2), legs)])
    assert len({belief.mean for belief in found.values()}) == 1


def test_it_puts_bots_that_are_far_apart_in_their_order() -> None:
    strengths = [1.5, 0.5, -0.5, -1.5]
    for design in (all_pairs(60), tables(3, 300)):
        found = beliefs(played(Random(1), strengths, design, 0.1, 0.5))
        assert sorted(found, key=lambda entrant: -found[entrant].mean) == [0, 1, 2, 3]
