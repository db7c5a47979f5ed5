"""Rummy 500 by the clauses of docs/rulebook/rummy500.md."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from zones_table import default, draw_up, hand, legal, play, refused, terms

from rummy.errors import BadOptions
from rummy.rules.actions import Meld
from rummy.rules.cards import PACK, cards_text, parse_cards
from rummy.rules.game import EventKind, Phase
from rummy.rules.games import find_game
from rummy.rules.games.rummy500 import Rummy500
from rummy.rules.games.rummy500_deal import END, hand_points, meld_points, table_points
from rummy.rules.games.totals import Totals
from rummy.rules.games.zones import Zones
from rummy.rules.match import Match
from rummy.rules.tabling import tabled

GAME = Rummy500()
LOOSE = "2c4d6h8sTcQd9s"  # Seven cards without a meld.
OTHER = "3c5d7h9sJcKd4s"


def position(*hands: str, stock: str = "Kc", pile: str = "", melds: str = "", turn: int = 0) -> Zones:
    state = Zones(terms(len(hands), turn=turn), [()] * len(hands), [], [])
    draw_up(GAME, state, *hands, stock=stock, pile=pile, melds=melds, turn=turn)
    return state


def meld(cards: str, seat: int = 0) -> Any:
    made = tabled(parse_cards(cards), seat, GAME.meld_rules())
    assert made is not None
    return made


# 1, 2: seats, cards, deal


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_r500_1_two_to_six_play(seats: int) -> None:
    with pytest.raises(BadOptions, match="2 to 6 seats"):
        Match(GAME, seats, b"seed")


@pytest.mark.parametrize(("seats", "packs"), [(2, 1), (3, 1), (4, 1), (5, 2), (6, 2)])
def test_r500_1_packs_by_seats_and_no_jokers(seats: int, packs: int) -> None:
    assert sorted(GAME.deck(seats)) == sorted(PACK * packs)
    assert sorted(Rummy500(jokers=3).deck(seats)) == sorted((*PACK * packs, 52, 52, 53))


def test_r500_1_a_forfeit_leaves_the_packs_of_those_who_stay() -> None:
    match = Match(GAME, 5, b"seed")
    assert match.view(None).stock == 104 - 36
    match.forfeit(2, "timeout")
    assert match.view(None).stock == 52 - 29


@pytest.mark.parametrize(
    "options",
    [
        {"cards_for_two": 6},
        {"cards_for_two": 14},
        {"jokers": 5},
        {"jokers": True},
        {"target": 0},
        {"turn_cap": 101},
        {"deal_cap": 0},
        {"ace": "low"},
    ],
)
def test_options_that_there_are_not(options: dict[str, Any]) -> None:
    with pytest.raises(BadOptions, match=next(iter(options))):
        find_game("rummy500", options)


@pytest.mark.parametrize("seats", range(2, 7))
def test_r500_2_seven_cards_an_upcard_and_the_dealers_left_begins(seats: int) -> None:
    match = Match(GAME, seats, b"seed")
    view = match.view(None)
    assert view.hand_sizes == (7,) * seats
    assert len(view.pile) == 1
    assert match.events[0].kind is EventKind.DEAL
    assert match.events[0].cards == view.pile
    assert view.turn == (view.dealer + 1) % seats


def test_r500_2_one_card_at_a_time_from_the_starter() -> None:
    state = GAME.deal(PACK, terms(3, turn=1))
    assert state.hands[1] == tuple(range(0, 21, 3))
    assert state.pile == [21]
    assert state.stock[-1] == 22


def test_r500_2_thirteen_for_two_as_an_option() -> None:
    game = Rummy500(cards_for_two=13)
    assert Match(game, 2, b"seed").view(None).hand_sizes == (13, 13)
    assert Match(game, 3, b"seed").view(None).hand_sizes == (7, 7, 7)


# 3: the draw


def test_r500_3_1_the_next_stock_card() -> None:
    state = position(LOOSE, OTHER, stock="KcAc", pile="2s")
    events = play(GAME, state, "S")
    assert hand(state, 0) == cards_text(sorted(parse_cards(LOOSE + "Kc")))
    assert events[0].private
    assert state.known[0] == ()


def test_r500_3_2_any_card_with_all_above_it_and_the_deepest_is_played() -> None:
    state = position("5h6hQcQdTs3d8s", OTHER, pile="4hKd9c2s")
    assert legal(GAME, state) == {"S", "P1", "P4"}
    events = play(GAME, state, "P4")
    assert cards_text(events[0].cards) == "4hKd9c2s"
    assert state.pile == []
    assert cards_text(sorted(state.known[0])) == "2s4h9cKd" or set(state.known[0]) == set(parse_cards("4hKd9c2s"))
    assert legal(GAME, state) == {"M:4h5h6h"}
    assert state.owed == parse_cards("4h")[0]


@pytest.mark.parametrize("last", ["E", "M:QcQdQs", "L:Ks>0", "D:4h"])
def test_r500_3_2_nothing_comes_before_the_deepest(last: str) -> None:
    state = position("5h6hQcQdQsKs8s", OTHER, pile="4hKd9c", melds="1:KcKdKh")
    refused(GAME, state, f"P3 {last}", "R500-3.2|Now melds")


def test_r500_3_2_the_deepest_may_be_laid_off_and_then_comes_the_rest() -> None:
    state = position("2c4d6h8sTcQdQs", OTHER, pile="KhQhJs", melds="1:KcKdKs")
    assert legal(GAME, state) == {"S", "P1", "P2", "P3"}
    play(GAME, state, "P3")
    assert legal(GAME, state) == {"L:Kh>0"}
    play(GAME, state, "L:Kh>0")
    assert legal(GAME, state) == {"M:QdQhQs", "E"}
    assert state.owed is None


def test_r500_3_2_a_chain_does_not_begin_with_another_card() -> None:
    state = position("6h4d2c8sTcQd9s", OTHER, pile="7hKd", melds="1:3h4h5h")
    assert legal(GAME, state) == {"S", "P1"}
    state = position("7h4d2c8sTcQd9s", OTHER, pile="6hKd", melds="1:3h4h5h")
    refused(GAME, state.copy(), "P2 L:7h6h>0", "does not go on")
    play(GAME, state, "P2 L:6h7h>0")
    assert cards_text(state.melds[0].cards) == "3h4h5h6h7h"


@pytest.mark.parametrize(("count", "sentence"), [(2, "could not be played"), (3, "could not"), (5, "has 4 cards")])
def test_r500_3_2_not_where_it_cannot_be_played(count: int, sentence: str) -> None:
    state = position("5h7hQcQdTs3d8s", OTHER, pile="4hKd9c2s")
    refused(GAME, state, f"P{count}", sentence)


def test_r500_3_2_what_is_listed_is_what_the_melds_of_the_larger_hand_allow() -> None:
    rng = random.Random(5)
    for _ in range(300):
        jokers = rng.choice([0, 0, 2, 4])
        cards = [*PACK * 2, *[52, 53, 52, 53][:jokers]]
        rng.shuffle(cards)
        state = position(cards_text(cards[:9]), OTHER, pile=cards_text(cards[9:21]), stock="2c")
        counts = {int(text[1:]) for text in legal(GAME, state) if text[0] == "P"}
        for count in range(2, 13):
            other = position(cards_text(cards[:9]), OTHER, pile=cards_text(cards[9:21]), stock="2c")
            other.hands[0] = tuple(sorted(cards[:9] + cards[21 - count : 21]))
            other.owed, other.phase = other.pile[-count], Phase.PLAY
            wanted = any(isinstance(each, Meld) for each in GAME.legal_actions(other))
            assert (count in counts) == wanted


def test_r500_3_3_the_top_card_alone_may_be_kept_but_not_thrown() -> None:
    state = position(LOOSE, OTHER, pile="Kd2s")
    play(GAME, state, "P1 E")
    assert "D:2s" not in legal(GAME, state)
    refused(GAME, state.copy(), "D:2s", "same turn")
    play(GAME, state, "D:9s")
    assert state.forbidden is None
    assert hand(state, 0) == cards_text(sorted(parse_cards("2c4d6h8sTcQd2s")))


def test_r500_3_3_a_copy_of_it_may_be_thrown() -> None:
    state = position("2s4d6h8sTcQd9s", OTHER, pile="2s")
    play(GAME, state, "P1 E")
    assert "D:2s" in legal(GAME, state)
    play(GAME, state, "D:2s")


def test_r500_3_3_once_tabled_it_is_kept_no_longer() -> None:
    state = position("2s2d2h2sTcQd9s", OTHER, pile="2s")
    play(GAME, state, "P1 M:2d2h2s")
    assert state.forbidden is None
    assert "D:2s" in legal(GAME, (play(GAME, state, "E"), state)[1])


def test_r500_3_3_it_is_not_left_alone_without_a_way_out() -> None:
    state = position("5h6h7h", OTHER, pile="2s")
    play(GAME, state, "P1")
    assert legal(GAME, state) == {"E"}
    refused(GAME, state, "M:5h6h7h", "R500-3.3")
    state = position("5h6h7h", OTHER, pile="8h")
    play(GAME, state, "P1")
    assert legal(GAME, state) == {"E", "M:6h7h8h", "M:5h6h7h8h", "M:5h6h7h"}
    play(GAME, state, "M:5h6h7h")
    assert legal(GAME, state) == {"L:8h>0"}
    refused(GAME, state.copy(), "E", "lay it off")
    play(GAME, state, "L:8h>0")
    assert state.closer == 0


def test_r500_3_3_a_lay_off_does_not_strand_it_either() -> None:
    state = position("6h", OTHER, pile="2s", melds="1:3h4h5h")
    play(GAME, state, "P1")
    assert legal(GAME, state) == {"E"}
    refused(GAME, state, "L:6h>0", "R500-3.3")


# 4: melds and lay-offs


@pytest.mark.parametrize("cards", ["QhKhAh", "Ah2h3h", "7c7d7h7s", "7c8c9cTcJc", "2h3h4h5h6h7h8h9hThJhQhKhAh"])
def test_r500_4_melds(cards: str) -> None:
    state = position(cards + "3s", OTHER)
    play(GAME, state, f"S M:{cards}")
    assert len(state.melds) == 1


@pytest.mark.parametrize("cards", ["KhAh2h", "7c7c7d", "7c7d", "7c8c9d", "7c7d7h7s7s", "Ah2h3h4h5h6h7h8h9hThJhQhKhAh"])
def test_r500_4_no_melds(cards: str) -> None:
    state = position(cards + "3s", OTHER, stock="9d")
    refused(GAME, state, f"S M:{cards}", "neither a set nor a run")


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("S M:2c2d2h", "not in the hand"),
        ("S M:4d4d4d", "more often than it is held"),
        ("S L:Kc>1", "the 1 melds on the table"),
        ("S L:2c>0", "does not go on"),
        ("S L:3c>0", "not in the hand"),
        ("S D:2c", "Now melds"),
        ("S E D:Ad", "not in the hand"),
        ("S E E", "ends with a discard"),
        ("E", "begins with a draw"),
        ("T", "begins with a draw"),
    ],
)
def test_what_is_refused_and_why(script: str, sentence: str) -> None:
    refused(GAME, position(LOOSE, OTHER, melds="1:AhKhQh"), script, sentence)


def test_r500_4_nothing_is_laid_off_past_an_ace() -> None:
    state = position("2h4h9c", OTHER, stock="Kc", melds="1:QhKhAh 1:As2s3s")
    play(GAME, state, "S")
    assert not [text for text in legal(GAME, state) if text[0] == "L"]
    refused(GAME, state, "L:2h>0", "does not go on")
    refused(GAME, state, "L:Kc>1", "does not go on")


def test_r500_4_on_anybodys_melds_and_its_points_are_the_placers() -> None:
    state = position("KhKs2c", OTHER, stock="Ac", melds="1:QcQdQh 1:TsJsQs 0:KcKdKhKs")
    play(GAME, state, "S L:Ks>1")
    assert state.melds[1].placers == (1, 1, 1, 0)
    assert table_points(state.melds, 2) == [50, 60]
    refused(GAME, state, "L:Kh>2", "does not go on")


def test_r500_4_lay_offs_go_on_without_end() -> None:
    state = position("6h7h8h9h2h2c", OTHER, melds="1:3h4h5h")
    play(GAME, state, "S L:6h>0 L:7h8h>0 L:2h>0")
    assert cards_text(state.melds[0].cards) == "2h3h4h5h6h7h8h"


def test_r500_4_two_packs_do_not_repeat_a_suit_in_a_set() -> None:
    state = position("7c7c7d7h2s", OTHER, stock="3s", melds="1:7d7h7s")
    play(GAME, state, "S")
    assert legal(GAME, state) == {"M:7c7d7h", "L:7c>0", "E"}


def test_jokers_stand_in_a_meld_with_two_natural_cards() -> None:
    state = position("5hXr7h9cXb2s", OTHER, stock="3s")
    play(GAME, state, "S")
    assert {"M:5hXr7h", "M:Xr5hXb7h", "M:5h7hXr"} & legal(GAME, state) >= {"M:5hXr7h", "M:Xr5hXb7h"}
    refused(GAME, state, "M:5hXrXb", "neither")
    play(GAME, state, "M:5hXr7h")
    assert meld_points(state.melds[0]) == [5, 15, 7]
    assert {"L:Xb>0", "L:Xb>0-"} <= legal(GAME, state)


def test_a_joker_at_the_bottom_of_what_is_taken_is_played() -> None:
    state = position("5h7h2cXb", OTHER, pile="Xr9s")
    assert "P2" in legal(GAME, state)
    play(GAME, state, "P2")
    assert all("Xr" in text for text in legal(GAME, state))
    play(GAME, state, "M:5hXr7h")


def test_the_wanted_joker_is_the_one_that_is_laid() -> None:
    state = position("5h7h2cXr", OTHER, pile="Xb9s")
    play(GAME, state, "P2")
    assert "M:5hXb7h" in legal(GAME, state)
    assert all("Xb" in text for text in legal(GAME, state))


# 5: ends


def test_r500_5_the_last_card_may_be_thrown() -> None:
    state = position("2c", OTHER, stock="3c3d", melds="1:4c5c6c")
    play(GAME, state, "S L:3c>0 E D:2c")
    assert state.closer == 0
    assert GAME.decision(state) is None
    assert state.result is not None
    assert state.result.reason == "out"


def test_r500_5_or_melded_without_a_discard() -> None:
    state = position("2c3c", OTHER, stock="4c")
    play(GAME, state, "S M:2c3c4c")
    assert state.result is not None
    assert state.result.reason == "out"
    assert legal(GAME, state) == set()
    with pytest.raises(Exception, match="The deal is over"):
        GAME.apply(state, END)


def test_r500_5_an_empty_stock_and_nothing_taken() -> None:
    state = position(LOOSE, OTHER, stock="", pile="Ks")
    assert legal(GAME, state) == {"P1", "N"}
    refused(GAME, state.copy(), "S", "stock is empty")
    events = play(GAME, state, "N")
    assert [event.kind for event in events] == [EventKind.PASS, EventKind.SHOW, EventKind.SHOW]
    assert state.result is not None
    assert state.result.reason == "stock"
    assert state.closer is None


def test_r500_5_play_goes_on_while_something_is_taken() -> None:
    state = position(LOOSE, OTHER, stock="", pile="Ks")
    play(GAME, state, "P1 E D:2c P1 E D:5d")
    assert state.turn == 0
    assert state.result is None


def test_r500_5_the_seat_that_draws_the_last_card_ends_its_turn() -> None:
    state = position(LOOSE, OTHER, stock="Ac", pile="Ks")
    play(GAME, state, "S E D:Ac")
    assert state.result is None
    assert legal(GAME, state) == {"P1", "N"}


# 6: scoring


def test_r500_6_1_values_on_the_table() -> None:
    assert meld_points(meld("7c8c9cTcJc")) == [7, 8, 9, 10, 10]
    assert meld_points(meld("QhKhAh")) == [10, 10, 15]
    assert meld_points(meld("AcAdAh")) == [15, 15, 15]


def test_r500_6_2_an_ace_below_a_two_counts_one() -> None:
    assert meld_points(meld("Ah2h3h")) == [1, 2, 3]


def test_r500_6_2_the_place_counts_also_where_it_was_laid_off() -> None:
    state = position("AhAs9c", OTHER, stock="9d", melds="1:2h3h4h 1:JsQsKs")
    play(GAME, state, "S L:Ah>0 L:As>1")
    assert table_points(state.melds, 2) == [16, 9 + 30]


def test_r500_6_3_in_a_hand_an_ace_counts_fifteen() -> None:
    assert hand_points(parse_cards("Ah2h3h")) == 20
    assert hand_points(parse_cards("TcJcQcKc9d")) == 49
    assert hand_points(parse_cards("Xr")) == 15


def test_r500_6_4_table_less_hand_and_it_may_be_negative() -> None:
    state = position("2c3c", "AhAs4h5h6h", "9c", stock="4c", melds="2:QhQdQs 0:7c8c9c")
    events = play(GAME, state, "S M:2c3c4c")
    assert state.result is not None
    assert state.result.points == (9 + 24, -45, 30 - 9)
    assert state.result.winner == 0
    assert [event.cards for event in events if event.kind is EventKind.SHOW][1] == state.hands[1]


# 7: the match


def score(game: Rummy500, *deals: tuple[int, ...]) -> Any:
    tally = Totals(len(deals[0]), 0)
    for points in deals:
        tally.scores = [score + more for score, more in zip(tally.scores, points, strict=True)]
        tally.deals += 1
    return game.outcome(tally)


def test_r500_7_the_first_total_of_500_wins() -> None:
    assert score(GAME, (499, 0, -30)) is None
    result = score(GAME, (500, 20, -30))
    assert result.placements == (1, 2, 3)
    assert result.reason == "target"


def test_r500_7_of_several_the_highest() -> None:
    assert score(GAME, (510, 520, 20)).placements == (2, 1, 3)


def test_r500_7_where_that_is_shared_another_deal() -> None:
    assert score(GAME, (510, 510, 20)) is None
    assert score(GAME, (510, 510, 520)).placements == (2, 2, 1)
    assert score(Rummy500(deal_cap=1), (510, 510, 20)).placements == (1, 1, 3)


def test_r500_7_after_sixty_deals_the_highest_total() -> None:
    assert score(GAME, *[(1, 2)] * 59) is None
    result = score(GAME, *[(1, 2)] * 60)
    assert result.placements == (2, 1)
    assert result.reason == "deal cap"


def test_r500_7_at_the_cap_on_turns_a_deal_is_scored_as_any_other() -> None:
    state = position("2c", "AhAs", stock="3d", melds="0:7c8c9c")
    state.turns = 119
    play(GAME, state, "S E D:3d")
    assert state.result is not None
    assert state.result.reason == "turn cap"
    assert state.result.points == (22, -30)


# 8 and the defaults


def test_r500_8_passing_is_for_an_empty_stock() -> None:
    refused(GAME, position(LOOSE, OTHER, pile="Ks"), "N", "Passing is for an empty stock")


def test_r500_8_of_several_cards_another_may_be_thrown() -> None:
    state = position("5h6hQcQdTs3d8s", OTHER, pile="4hKd9c2s")
    play(GAME, state, "P4 M:4h5h6h E")
    assert {"D:2s", "D:9c", "D:Kd"} <= legal(GAME, state)
    play(GAME, state, "D:2s")
    assert Counter(state.known[0]) == Counter(parse_cards("Kd9c"))


def test_defaults() -> None:
    state = position("2c3c4c8sTcQd9s", OTHER, stock="Kh", pile="4hKd9c2s")
    assert default(GAME, state) == "S"
    play(GAME, state, "S")
    assert default(GAME, state) == "E"
    play(GAME, state, "E")
    assert default(GAME, state) == "D:Kh"
    state = position(LOOSE, OTHER, stock="", pile="4hKd9c2s")
    assert default(GAME, state) == "P1"
    state = position("5h6hQcQdTs3d8s", OTHER, pile="4hKd9c2s")
    play(GAME, state, "P4")
    assert default(GAME, state) == "M:4h5h6h"
    state = position("XrXb", OTHER, pile="Xr", stock="2c")
    play(GAME, state, "P1 E")
    assert default(GAME, state) in {"D:Xr", "D:Xb"}


def test_the_view_tells_what_everybody_may_know() -> None:
    state = position("5h6hQcQdTs3d8s", OTHER, pile="4hKd9c2s", melds="1:JhJsJd")
    play(GAME, state, "P4")
    view = GAME.view(state, 1)
    assert view.hand == state.hands[1]
    assert view.owed == parse_cards("4h")[0]
    assert view.hand_sizes == (11, 7)
    assert view.phase is Phase.PLAY
    assert set(view.known[0]) == set(parse_cards("4hKd9c2s"))
    assert GAME.view(state, None).hand == ()
