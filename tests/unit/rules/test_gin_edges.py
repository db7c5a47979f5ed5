"""Gin at its edges: the last card that a knock can shed, and refusals that name what was wrong."""

from __future__ import annotations

import pytest
from gin_table import dealt, legal, play

from rummy.errors import IllegalAction
from rummy.rules.actions import Action, Arrange, Discard, DrawStock, Knock, LayOff, Pass
from rummy.rules.cards import cards_of, parse_cards
from rummy.rules.game import DealResult, EventKind, Phase
from rummy.rules.games.gin import Gin
from rummy.rules.games.gin_state import GinState

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


def test_the_deal_tells_its_upcard_and_who_starts_gin_3_1() -> None:
    (event,) = dealt(upcard="Qh").events
    assert (event.kind, event.seat, event.cards) == (EventKind.DEAL, 0, parse_cards("Qh"))


def test_every_card_taken_from_the_pile_stays_known_com_12() -> None:
    state = play(dealt(upcard="Kh", stock="2d"), "T D:9s P1 D:5s P1 D:5d")
    view = GIN.view(state, None)
    assert view.known == (parse_cards("Kh5s"), parse_cards("9s"))


@pytest.mark.parametrize("card", ["Ac", "2c"])
def test_the_default_keeps_what_was_taken_even_the_first_card_of_the_pack_gin_4_5(card: str) -> None:
    state = play(dealt("As2s3s7c7d7hKcKdKhKs", upcard=card), "T")
    default = GIN.default_action(state)
    assert default != Discard(parse_cards(card)[0])
    assert default in GIN.legal_actions(state)
    GIN.apply(state, default)


@pytest.mark.parametrize("text", ["K:Ah", "K:Ah/As2s3s", "D:Ah"])
def test_a_card_that_is_not_held_ends_no_turn_gin_5_1(text: str) -> None:
    state = play(dealt("As2s3s7c7d7hKcKdKh5d", upcard="Ks"), "T")
    with pytest.raises(IllegalAction, match="Ah is not in the hand"):
        play(state, text)


@pytest.mark.parametrize("card", ["Ac", "Qh"])
def test_a_view_tells_the_card_that_may_not_be_thrown_back_gin_4_5(card: str) -> None:
    state = dealt("As2s3s7c7d7hKcKdKhKs", upcard=card)
    assert GIN.view(state, 0).forbidden is None
    play(state, "T")
    for seat in (0, 1, None):
        assert GIN.view(state, seat).forbidden == parse_cards(card)[0]
    assert GIN.view(state, 0).status == (1, 1)
    play(state, "D:Ks")
    assert GIN.view(state, 0).forbidden is None
    play(state, "S")
    assert GIN.view(state, 1).forbidden is None


def test_a_knock_completes_the_turn_and_lifts_the_ban_gin_4_5() -> None:
    state = play(dealt("As2s3s7c7d7hKcKdKh5d", upcard="Ks"), "N N P1")
    assert (GIN.view(state, None).turns, GIN.view(state, None).forbidden) == (0, parse_cards("Ks")[0])
    play(state, "K:5d")
    assert (GIN.view(state, None).turns, GIN.view(state, None).forbidden) == (1, None)
    state = play(dealt("As2s3s7c7d7hKcKdKh5d", upcard="Ks", stock="2d3d2c"), "N N S D:2d S D:3d S K:5d")
    assert GIN.view(state, None).turns == 3


@pytest.mark.parametrize(
    ("option", "starters"),
    [
        ("alternate", [0, 1, 0, 1]),
        ("alternate_after_win", [0, 1, 0, 0]),
        ("loser", [0, 0, 0, 0]),
        ("winner", [0, 1, 1, 1]),
    ],
)
def test_the_four_ways_to_start_the_next_deal_differ_gin_3_3(option: str, starters: list[int]) -> None:
    game = Gin(next_starter=option)
    tally = game.tally(2, 1)
    seen = [tally.starter]
    for winner in (1, 1, None):
        game.score(tally, DealResult((0, 0) if winner is None else (0, 5), "knock", winner))
        seen.append(game.terms(tally).starter)
    assert seen == starters


TO_DISCARD = "Now the turn ends: discard, knock or declare big gin."
TO_DRAW = "Now the turn begins: draw a card."
TO_SHOW = "Now the hand is to be shown."
OFFERED = "Now the upcard is offered: take or pass."


@pytest.mark.parametrize(
    ("before", "text", "reason", "seat"),
    [
        ("T", "T", f"The upcard can be taken only while it is offered. {TO_DISCARD}", 0),
        ("N N", "T", f"The upcard can be taken only while it is offered. {TO_DRAW}", 0),
        ("T", "N", f"Only the offer of the upcard can be passed. {TO_DISCARD}", 0),
        ("N", "S", f"A card is drawn at the beginning of a turn only. {OFFERED}", 1),
        ("T", "P1", f"A card is drawn at the beginning of a turn only. {TO_DISCARD}", 0),
        ("N N", "D:5d", f"A card is discarded at the end of a turn only. {TO_DRAW}", 0),
        ("N N", "K:5d", f"A knock ends a turn, after the draw. {TO_DRAW}", 0),
        ("", "B", f"Big gin ends a turn, after the draw. {OFFERED}", 0),
        ("T", "A", f"A hand is shown after somebody has ended the deal. {TO_DISCARD}", 0),
        ("T K:5d", "S", f"A card is drawn at the beginning of a turn only. {TO_SHOW}", 1),
        ("T", "K", "A knock names the card that is discarded face down.", 0),
        ("N N", "P2", "One card is taken from the pile, its top card.", 0),
    ],
)
def test_an_action_of_another_phase_is_told_which_one_it_is(before: str, text: str, reason: str, seat: int) -> None:
    state = play(dealt("As2s3s7c7d7hKcKdKh5d", upcard="Ks"), before)
    with pytest.raises(IllegalAction) as refusal:
        play(state, text)
    assert (str(refusal.value), refusal.value.seat) == (reason, seat)


def test_all_are_told_which_card_of_the_pile_was_taken_and_thrown_and_by_whom_com_12() -> None:
    state = play(dealt(upcard="Kh"), "T D:9s P1 D:5s")
    told = [(event.kind, event.seat, event.cards) for event in (each.seen_by(None) for each in state.events[1:])]
    assert told == [
        (EventKind.DRAW_PILE, 0, parse_cards("Kh")),
        (EventKind.DISCARD, 0, parse_cards("9s")),
        (EventKind.DRAW_PILE, 1, parse_cards("9s")),
        (EventKind.DISCARD, 1, parse_cards("5s")),
    ]


@pytest.mark.parametrize(
    ("upcard", "script"),
    [
        ("Qh", ""),
        ("Qh", "N"),
        ("Qh", "N N"),  # GIN-4.2: with stock_only the stock it is.
        ("Qh", "N N S"),
        ("Qh", "N N S D:5d"),
        ("Qh", "N N S D:5d S D:5s"),
        ("Kh", "T"),
        ("Kh", "T D:9s"),
        ("Kh", "T K:9s"),  # A knock,
        ("Ks", "T K:5d"),  # gin,
        ("Ks", "T B"),  # and big gin.
    ],
)
def test_a_view_with_the_hidden_cards_is_the_whole_deal(upcard: str, script: str) -> None:
    game = Gin(after_two_passes="stock_only")
    last = {"T K:5d": "Kh5d", "T B": "Kh7s"}.get(script, "9s5d")
    first = f"As2s3s7c7d7hKcKd{last}"
    state = play(dealt(first, upcard=upcard, game=game), script, game)
    resumed = game.resume(game.view(state, None), [cards_of(hand) for hand in state.hands], state.stock.copy())
    for name in set(GinState.__slots__) - {"events", "passes", "stock_only"}:
        assert getattr(resumed, name) == getattr(state, name), name
    assert list(game.legal_actions(resumed)) == list(game.legal_actions(state))
    if game.view(state, None).phase is Phase.OFFER:
        assert resumed.passes == state.passes
