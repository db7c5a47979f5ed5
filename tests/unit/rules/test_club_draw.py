"""Club by the clauses of docs/rulebook/club.md: the draw, and what the pile demands."""

from __future__ import annotations

from typing import Any

import pytest
from club_table import OTHER, TEN, position
from zones_table import legal, play, refused

from rummy.errors import IllegalAction
from rummy.rules.actions import DrawPile
from rummy.rules.cards import parse_cards
from rummy.rules.game import EventKind, Phase, Renewal
from rummy.rules.games.club import Club

GAME = Club()


# 4: the draw


def test_clb_4_1_a_stock_card_or_the_top_n_of_the_pile() -> None:
    state = position("7c7d9s9dTd" + "2s4h", OTHER, stock="Kc", pile="9hJdQc8d7h")
    # 7h makes a set; 8d a run with 9d Td; Qc nothing; Jd a run with 9d Td; 9h a set.
    assert legal(GAME, state) == {"S", "P1", "P2", "P4", "P5"}
    assert GAME.view(state, 1).pile == parse_cards("9hJdQc8d7h")
    (taken,) = play(GAME, state, "P4")
    assert (taken.kind, taken.cards) == (EventKind.DRAW_PILE, parse_cards("JdQc8d7h"))
    assert state.pile == list(parse_cards("9h"))
    assert GAME.view(state, 1).known[0] == tuple(sorted(parse_cards("JdQc8d7h")))


@pytest.mark.parametrize("count", [0, -1, 4, 200, True, None])
def test_clb_4_1_not_more_than_the_pile_holds_and_not_less_than_one(count: Any) -> None:
    state = position("7c7d9s9d", OTHER, stock="Kc", pile="7h7s9h")
    with pytest.raises(IllegalAction, match="3 cards to take"):
        GAME.apply(state, DrawPile(count))


def test_clb_4_2_the_deepest_card_is_melded_in_this_turn_and_one_card_is_no_exception() -> None:
    state = position("7c7dKs2h", OTHER, stock="Kc", pile="7h")
    play(GAME, state, "P1")
    assert GAME.view(state, 0).owed == parse_cards("7h")[0]
    refused(GAME, state, "E", "has to be melded first")
    assert legal(GAME, state) == {"M:7c7d7h"}
    play(GAME, state, "M:7c7d7h")
    assert GAME.view(state, 0).owed is None
    assert legal(GAME, state) == {"E"}


def test_clb_4_3_adding_it_to_a_meld_does_not_do() -> None:
    state = position("7c7dKs2h", OTHER, stock="Kc", pile="7h", melds="0:4h5h6h")
    refused(GAME, state, "P1 L:7h>0", "melded first")
    only_fits = position("Kc2s", OTHER, stock="9c", pile="7h", melds="0:4h5h6h")
    assert legal(GAME, only_fits) == {"S"}
    refused(GAME, only_fits, "P1", "could not be melded")


def test_clb_4_3_unless_the_option_lets_it() -> None:
    game = Club(partial_discharges=True)
    state = position("Kc2s3s4s", OTHER, stock="9c", pile="7h8d", melds="0:4h5h6h 1:9d9s9h")
    assert legal(game, state) == {"S", "P2"}
    play(game, state, "P2")
    assert legal(game, state) == {"L:7h>0"}
    refused(game, state, "M:2s3s4s", "melded first")
    play(game, state, "L:7h>0")
    assert state.owed is None
    own_only = Club(partial_discharges=True, shared_partials=False)
    other = position("Kc2s", OTHER, stock="9c", pile="7h", melds="1:4h5h6h")
    assert legal(own_only, other) == {"S"}
    assert legal(game, other) == {"S", "P1"}


def test_clb_4_4_cards_taken_along_may_make_the_meld_and_it_comes_first() -> None:
    state = position("Ks2h3c3d3h", OTHER, stock="Kc", pile="4c7h7s7d", melds="0:Th9h8h")
    assert legal(GAME, state) == {"S", "P3"}
    play(GAME, state, "P3")
    assert legal(GAME, state) == {"M:7d7h7s"}
    refused(GAME, state, "M:3c3d3h", "The 7h taken from the pile is melded first")
    refused(GAME, state, "L:7h>0", "melded first")
    play(GAME, state, "M:7d7h7s M:3c3d3h")


def test_clb_4_5_cards_taken_along_may_be_kept_or_discarded() -> None:
    state = position("7c7dKs2h", OTHER, stock="Kc", pile="7hQd")
    play(GAME, state, "P2 M:7c7d7h E D:Qd")
    assert state.pile == list(parse_cards("Qd"))


def test_clb_4_6_the_whole_pile_is_shuffled_into_a_new_stock() -> None:
    cards = "2c3c4c5c6c7c8c9cTcJcQcKc2d3d4d5d"
    state = position(TEN, OTHER, stock="", pile=cards)
    events = play(GAME, state, "S")
    assert [event.kind for event in events] == [EventKind.TURN_OVER, EventKind.DRAW_STOCK]
    assert state.pile == []
    drawn = events[1].cards[0]
    assert sorted([drawn, *state.stock]) == sorted(parse_cards(cards))
    assert [drawn, *state.stock[::-1]] not in (list(parse_cards(cards)), list(parse_cards(cards))[::-1])
    play(GAME, state, "E D:2c")
    assert state.pile == list(parse_cards("2c"))


def test_clb_4_6_each_shuffle_is_another_and_depends_on_the_deal_alone() -> None:
    cards = "2c3c4c5c6c7c8c9cTcJcQcKc2d3d4d5d"

    def stock(shuffles: int) -> list[int]:
        state = position(TEN, OTHER, pile=cards)
        state.renewal = Renewal(shuffles) if shuffles else None
        play(GAME, state, "S")
        return state.stock

    assert stock(0) == stock(0) != stock(1)


def test_clb_4_7_without_stock_and_pile_the_turn_goes_on_without_a_draw() -> None:
    # Seat 1 takes the whole pile and throws nothing back: it melds all it has.
    state = position("4d6h", "7c8c9c", stock="", pile="9d8d7d", turn=1)
    play(GAME, state, "P3 M:7d8d9d M:7c8c9c")
    assert state.hands[1] == () and state.phase is Phase.GO_OUT
    play(GAME, state, "C")
    assert GAME.decision(state) == (0, Phase.PLAY)
    play(GAME, state, "E D:4d C")
    assert GAME.decision(state) == (1, Phase.START)


def test_clb_4_7_the_deal_ends_once_nobody_in_a_row_could_draw() -> None:
    state = position("", "7c8c9c", stock="", pile="9d8d7d", turn=1, melds="0:4c4d4h")
    play(GAME, state, "P3 M:7d8d9d M:7c8c9c C")
    assert GAME.decision(state) == (0, Phase.GO_OUT)
    play(GAME, state, "C")
    assert GAME.decision(state) == (1, Phase.GO_OUT)
    play(GAME, state, "C")
    assert state.result is not None
    assert state.result.reason == "nothing to draw"
    assert state.closer is None
    assert state.result.points == (10 + 5 + 5, 15 + 30)  # Clubs count double; nobody has a bonus.


def test_clb_4_7_the_last_stock_card_is_a_draw_like_any_other() -> None:
    state = position("7c8c", "", stock="9c", melds="1:4c4d4h")
    play(GAME, state, "S M:7c8c9c C C")
    assert GAME.decision(state) == (0, Phase.GO_OUT)  # Of the two turns in a row one has drawn.
    play(GAME, state, "C")
    assert state.result is not None
    assert state.result.reason == "nothing to draw"


def test_clb_4_7_com_10_the_turn_cap_ends_the_deal_with_nobody_going_out() -> None:
    state = position("4d6h", "2h3s", stock="9c9d", turns=79)
    play(GAME, state, "S E D:9c C")
    assert state.result is not None
    assert state.result.reason == "turn cap"
    assert state.result.points == (-10, -10)
    short = position("4d6h", "2h3s", stock="9c9d", turns=3)
    play(Club(turn_cap=2), short, "S E D:9c C")
    assert short.result is not None


@pytest.mark.parametrize(
    ("hand", "card", "aces"),
    [
        ("QsKs2d5h9c", "As", {"high", "either", "corner"}),
        ("2s3s7d5h9c", "As", {"low", "either", "corner"}),
        ("KsAs7d5h9c", "2s", {"corner"}),
        ("As2s7d5h9c", "Ks", {"corner"}),
        ("JsQs7d5h9c", "Ks", {"low", "high", "either", "corner"}),
    ],
)
def test_clb_1_2_a_card_is_taken_into_a_run_with_the_ace_where_it_may_stand(
    hand: str, card: str, aces: set[str]
) -> None:
    state = position(hand, OTHER, stock="3d", pile=card)
    assert {ace for ace in ("low", "high", "either", "corner") if "P1" in legal(Club(ace=ace), state)} == aces
