"""Gin at its edges: the last card that a knock can shed, and refusals that name what was wrong."""

from __future__ import annotations

import pytest
from gin_table import dealt, legal, play

from rummy.errors import IllegalAction
from rummy.rules.actions import Action, Arrange, Discard, DrawStock, Knock, LayOff, Pass
from rummy.rules.cards import parse_cards
from rummy.rules.game import EventKind
from rummy.rules.games.gin import Gin

GIN = Gin()


def test_a_ten_thrown_brings_twenty_down_to_the_limit_gin_5_1() -> None:
    state = play(dealt("AsAcAd7s8s9sTs2h3d5c", upcard="Kd"), "T")
    assert "K:5c" not in legal(state)
    state = play(dealt("AsAcAd7s8s9sTs2h3d5c", upcard="Qh", stock="Kd"), "N N S")
    assert [text for text in legal(state) if text.startswith("K")] == ["K:Kd"]


def test_no_knock_is_listed_beyond_the_limit_gin_5_1() -> None:
    state = play(dealt("AsAcAd7s8s9sTs2h3d6c", upcard="Qh", stock="Kd"), "N N S")
    assert [text for text in legal(state) if text.startswith("K")] == []


@pytest.mark.parametrize("card", [52, 53, -1, 99, True])
def test_a_card_that_gin_has_not_is_refused_as_such(card: int) -> None:
    for action in (Discard(card), Knock(card)):
        state = play(dealt(), "N N S")
        with pytest.raises(IllegalAction) as refusal:
            GIN.apply(state, action)
        assert str(refusal.value) == "Gin has no such card."
        assert refusal.value.seat == 0


@pytest.mark.parametrize("action", [Pass(), Discard(0), DrawStock(), Arrange()])
def test_after_the_deal_nobody_is_asked(action: Action) -> None:
    state = play(dealt("As2s3s7c7d7hKcKdKh5d", upcard="Ks"), "T K:5d A")
    with pytest.raises(IllegalAction) as refusal:
        GIN.apply(state, action)
    assert str(refusal.value) == "The deal is over; nobody is asked any more."
    assert refusal.value.seat == -1


def test_a_show_tells_melds_lay_offs_and_what_is_left_gin_6_1() -> None:
    state = play(dealt("6s7s8s2c2d2hKcKdKhAs", "9sTs5sQcQdJhJd8c7c3d", upcard="Ac", stock="5d"), "N N S K:5d")
    play(state, "A/;9s>2,Ts>2")
    knocker, other = [event for event in state.events if event.kind is EventKind.SHOW]
    melds = tuple(map(parse_cards, ("2c2d2h", "KcKdKh", "6s7s8s")))
    assert (knocker.seat, knocker.groups, knocker.lay_offs, knocker.cards) == (0, melds, (), parse_cards("As"))
    assert (other.seat, other.groups, other.cards) == (1, (), tuple(sorted(parse_cards("7c8cQc3dJdQdJh5s"))))
    assert other.lay_offs == (LayOff(parse_cards("9s"), 2), LayOff(parse_cards("Ts"), 2))
