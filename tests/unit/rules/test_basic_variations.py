"""The variations of docs/rulebook/basic.md, section 10, and options that do not go together."""

from __future__ import annotations

import random

import pytest
from basic_table import points, position, refused, table
from zones_table import hand, legal, play

from rummy.errors import BadOptions, IllegalAction
from rummy.rules.actions import Discard, DrawPile
from rummy.rules.cards import cards_text, parse_cards
from rummy.rules.game import DealResult, EventKind, Phase
from rummy.rules.games import find_game
from rummy.rules.games.basic import Basic
from rummy.rules.match import Match
from rummy.rules.tabling import MeldRules, melds_in, places, stands_for, tabled

JOKERS = Basic(jokers=2)
SPREAD = Basic(pile="spread")
CALL = Basic(call_rummy=True)


# ---- jokers


def test_bas_10_1_jokers_are_in_the_pack_and_count_nothing() -> None:
    assert sorted(Basic(jokers=3, packs=2).deck(4))[-3:] == [52, 52, 53]
    state = position("4c4d", "AsXrXb", stock="4h", melds="0:8d8h8s")
    play(JOKERS, state, "S M:4c4d4h")
    assert points(state) == (1 + 10, 0)


@pytest.mark.parametrize(
    ("cards", "laid"),
    [
        ("XrXb4c", None),
        ("4cXr4d", "4c4dXr"),
        ("4c4dXrXb", "4c4dXrXb"),
        ("4c5cXr", "4c5cXr"),
        ("Xr4c5c", "Xr4c5c"),
        ("4cXr6c", "4cXr6c"),
        ("4c6cXr", None),
        ("QcKcXr", "QcKcXr"),
        ("XrXb4c4d4h", None),
    ],
)
def test_bas_10_1_two_natural_cards_a_meld_and_runs_in_their_order(cards: str, laid: str | None) -> None:
    state = position(cards + "9sJs", "Kd", stock="2h")
    play(JOKERS, state, "S")
    if laid is None:
        refused(JOKERS, state, f"M:{cards}")
    else:
        play(JOKERS, state, f"M:{cards}")
        assert table(state) == [laid]


def test_bas_10_1_a_joker_in_a_run_keeps_its_place() -> None:
    state = position("3c6c7c7c9s", "Kd", stock="2h", melds="1:4cXr6c")
    play(JOKERS, state, "S")
    assert {text for text in legal(JOKERS, state) if text[0] == "L"} == {"L:3c>0", "L:7c>0"}
    refused(JOKERS, state, "L:6c>0")


def test_bas_10_1_a_joker_in_a_set_stands_for_the_first_suit_that_is_missing() -> None:
    state = position("7h7s9s", "Kd", stock="2h", melds="1:7c7dXr")
    assert cards_text(stands_for(state.melds[0])) == "7c7d7h"
    play(JOKERS, state, "S")
    refused(JOKERS, state, "L:7h>0")
    play(JOKERS, state, "L:7s>0")
    assert cards_text(stands_for(state.melds[0])) == "7c7d7s7h"


def test_bas_10_1_a_set_of_one_pack_has_at_most_four_cards_with_its_jokers() -> None:
    state = position("7h7s9sXb", "Kd", stock="2h", melds="1:7c7dXr")
    play(JOKERS, state, "S L:Xb>0")
    assert cards_text(stands_for(state.melds[0])) == "7c7d7h7s"
    assert not [text for text in legal(JOKERS, state) if text[0] == "L"]
    refused(JOKERS, state, "L:7s>0")


def test_bas_10_1_the_player_says_at_which_end_a_joker_goes() -> None:
    for text, laid in (("L:Xr>0", "5c6c7cXr"), ("L:Xr>0-", "Xr5c6c7c"), ("L:Xr3c>0-", "3cXr5c6c7c")):
        state = position("3cXr9sJs", "Kd", stock="2h", melds="1:5c6c7c")
        play(JOKERS, state, "S")
        assert {"L:Xr>0", "L:Xr>0-"} <= legal(JOKERS, state)
        play(JOKERS, state, text)
        assert table(state) == [laid]


def test_bas_10_1_the_low_end_is_named_only_where_there_is_a_choice() -> None:
    state = position("8cXr9sJs", "Kd", stock="2h", melds="1:5c6c7c 1:7d7hXb")
    play(JOKERS, state, "S")
    refused(JOKERS, state, "L:8c>0-")
    refused(JOKERS, state, "L:Xr>1-")


# ---- the spread pile


def test_bas_10_2_several_cards_are_taken_where_the_deepest_can_be_played() -> None:
    state = position("4c4d9s", "Kc", stock="5h", pile="4h2sJd")
    assert legal(SPREAD, state) == {"S", "P1", "P3"}
    assert "played at once" in refused(SPREAD, state, "P2")
    refused(SPREAD, state, "P4")
    events = play(SPREAD, state, "P3")
    assert events[0].cards == parse_cards("4h2sJd")
    assert SPREAD.view(state, 0).owed == parse_cards("4h")[0]
    assert legal(SPREAD, state) == {"M:4c4d4h"}
    assert "played first" in refused(SPREAD, state, "E")
    play(SPREAD, state, "M:4c4d4h E")
    assert legal(SPREAD, state) == {"D:2s", "D:Jd", "D:9s"}  # Others taken along may be thrown.


def test_bas_10_2_a_lay_off_of_the_deepest_card_will_do() -> None:
    state = position("9sKh", "Kc", stock="5h", pile="7s2d", melds="1:4s5s6s")
    assert "P2" in legal(SPREAD, state)
    play(SPREAD, state, "P2")
    assert legal(SPREAD, state) == {"L:7s>0"}
    assert SPREAD.default_action(state) in SPREAD.legal_actions(state)
    play(SPREAD, state, "L:7s>0 E D:2d")
    first = Basic(pile="spread", own_meld_first=True)
    assert "P2" not in legal(first, position("9sKh", "Kc", stock="5h", pile="7s2d", melds="1:4s5s6s"))


def test_bas_10_2_the_top_card_alone_brings_no_duty_but_stays() -> None:
    state = position("4c9s", "Kc", stock="5h", pile="4h2s")
    play(SPREAD, state, "P1 E")
    assert legal(SPREAD, state) == {"D:4c", "D:9s"}


def test_bas_10_2_a_squared_pile_gives_its_top_card() -> None:
    assert legal(Basic(), position("4c4d9s", "Kc", pile="4h2sJd")) == {"S", "P1"}


@pytest.mark.parametrize(
    ("game", "sentence"),
    [(Basic(), "Only the top card of the pile"), (SPREAD, "The pile has 2 cards; take from 1 to so many")],
)
def test_bas_10_2_what_is_no_number_of_cards_of_the_pile(game: Basic, sentence: str) -> None:
    for count in (0, 3, -1, True, None):
        state = position("7h8h2c", "Kc9d", stock="9c", pile="4cKd")
        with pytest.raises(IllegalAction, match=sentence):
            game.apply(state, DrawPile(count))  # type: ignore[arg-type]


def test_bas_10_2_a_first_turn_must_still_be_able_to_end() -> None:
    state = position("4c4d", "Kc", stock="5h", pile="4hKd", turns=0)
    assert "P2" not in legal(SPREAD, state)  # King alone would be left, and had to be thrown: out, too early.
    state.turns = 2
    assert "P2" in legal(SPREAD, state)


def test_bas_10_2_a_joker_that_was_taken_is_played_as_well() -> None:
    game = Basic(pile="spread", jokers=2)
    state = position("4c4d9sXr", "Kc", stock="5h", pile="XbKd")
    play(game, state, "P2")
    assert legal(game, state) == {"M:4c4dXb", "M:4c4dXbXr"}


# ---- own meld first, block, corner


def test_bas_10_3_own_meld_first_is_an_option() -> None:
    assert not Basic().own_meld_first
    state = position("7sKc2h", "Kd", stock="Qd", melds="1:4s5s6s")
    play(Basic(own_meld_first=True), state, "S")
    refused(Basic(own_meld_first=True), state, "L:7s>0")


@pytest.mark.parametrize("seat", [0, 1])
def test_bas_10_3_with_its_first_meld_a_seat_may_lay_its_last_card_off(seat: int) -> None:
    game = Basic(own_meld_first=True)
    state = position("7h8h9h", "Kc9d", pile="9s", melds=f"{seat}:6s7s8s")
    play(game, state, "P1")
    assert "M:7h8h9h" in legal(game, state)
    play(game, state, "M:7h8h9h L:9s>0")
    assert state.result is not None


def test_bas_10_4_the_deal_ends_with_the_discard_after_the_last_stock_card() -> None:
    state = position("Kc2d", "As3h4c", stock="5h")
    play(Basic(block=True), state, "S E")
    assert state.result is None
    play(Basic(block=True), state, "D:5h")
    assert state.result == DealResult((-12, -8), "block")


def test_bas_10_4_going_out_with_that_card_still_wins() -> None:
    state = position("4c4d", "As3h4c", stock="4h")
    play(Basic(block=True), state, "S M:4c4d4h")
    assert points(state)[0] > 0


def test_bas_10_5_round_the_corner_also_by_laying_off() -> None:
    state = position("Ac2c3c9sJs", "Kd", stock="2h", melds="1:JcQcKc")
    play(Basic(), state, "S L:Ac>0 L:2c3c>0")
    assert table(state) == ["JcQcKcAc2c3c"]
    assert places(state.melds[0]) == (10, 11, 12, 13, 14, 15)
    assert find_game("basic", {"preset": "round_the_corner"}) == Basic(ace_value=15)


def test_bas_10_5_but_not_with_the_ace_at_one_end_only() -> None:
    game = Basic(ace="either")
    state = position("Ac2cKc9sJs", "Kd", stock="2h", melds="1:TcJcQc")
    play(game, state, "S L:KcAc>0")
    refused(game, state, "L:2c>0")


def test_bas_10_5_a_run_has_thirteen_cards_at_most() -> None:
    state = position("Kc9sJs", "Kd", stock="2h", melds="1:Ac2c3c4c5c6c7c8c9cTcJcQc")
    state.hands[0] = parse_cards("KcKc9sJs")
    play(Basic(packs=2), state, "S L:Kc>0")
    refused(Basic(packs=2), state, "L:Kc>0")
    whole = tuple(range(13))
    assert [cards for cards in melds_in(whole, MeldRules(ace="corner")) if len(cards) == 13] == [whole]


# ---- calling rummy


def test_bas_10_6_seats_are_asked_in_order_and_the_first_to_accept_lays_off() -> None:
    state = position("7s9s", "Kd9d", "2h3h", "4h5h", stock="8dJcQcTc", melds="2:4s5s6s")
    play(CALL, state, "S E D:7s")
    assert CALL.decision(state) == (1, Phase.OFFER)
    assert legal(CALL, state) == {"L:7s>0", "N"}
    refused(CALL, state, "T")
    refused(CALL, state, "L:9d>0")
    play(CALL, state, "N")
    assert CALL.decision(state) == (2, Phase.OFFER)
    events = play(CALL, state, "L:7s>0")
    assert [(event.kind, event.seat) for event in events] == [
        (EventKind.DRAW_PILE, 2),
        (EventKind.LAY_OFF, 2),
        (EventKind.DRAW_STOCK, 0),
        (EventKind.DRAW_STOCK, 0),
    ]
    assert hand(state, 0) == "JcQc8d9s"
    assert hand(state, 2) == "2h3h"
    assert state.melds[0].placers == (2, 2, 2, 2)
    assert CALL.decision(state) == (1, Phase.START)


def test_bas_10_6_all_may_pass_and_play_goes_on() -> None:
    state = position("7s9s", "Kd9d", "2h3h", stock="8dJcQcTc", melds="2:4s5s6s")
    play(CALL, state, "S E D:7s N N")
    assert CALL.decision(state) == (1, Phase.START)
    assert state.pile[-1] == parse_cards("7s")[0]


def test_bas_10_6_the_discarder_takes_the_pile_where_the_stock_has_fewer_than_two() -> None:
    state = position("7s9s", "Kd9d", stock="JcQc", pile="2d3d", melds="1:4s5s6s")
    play(CALL, state, "S E D:7s L:7s>0")
    assert hand(state, 0) == "Jc2d3d9s"
    assert state.known[0] == parse_cards("2d3d")
    assert CALL.decision(state) == (1, Phase.START)
    assert legal(CALL, state) == {"S"}


def test_bas_10_6_what_cannot_be_called() -> None:
    nothing = position("7s9s", "Kd9d", stock="JcQc", melds="1:4s5s6s")
    play(CALL, nothing, "S E D:9s")
    assert CALL.decision(nothing) == (1, Phase.START)
    out = position("7s", "Kd9d", stock="8sQc", melds="1:4s5s6s 0:5c6c7c")
    play(CALL, out, "S L:7s>0 E D:8s")
    assert points(out) == (29, 0)
    last = position("7s9s", "Kd9d", stock="Jc", melds="1:4s5s6s", turned=2)
    play(CALL, last, "S E D:7s")
    assert points(last) == (-19, -19)
    off = position("7s9s", "Kd9d", stock="JcQc", melds="1:4s5s6s")
    play(Basic(), off, "S E D:7s")
    assert Basic().decision(off) == (1, Phase.START)


def test_bas_10_6_the_penalty_may_take_the_last_stock_and_settle_the_deal() -> None:
    state = position("7s9s", "Kd9d", stock="JcQcTc", melds="1:4s5s6s", turned=2)
    play(CALL, state, "S E D:7s L:7s>0")
    assert state.result == DealResult((-39, -19), "stock")


def test_bas_10_6_own_meld_first_holds_for_claims_and_a_claim_is_a_lay_off_for_rummy() -> None:
    game = Basic(call_rummy=True, own_meld_first=True)
    state = position("7s9s", "Kd9d", "2h3h", stock="JcQcTcAc", melds="2:4s5s6s")
    play(game, state, "S E D:7s")
    assert game.decision(state) == (2, Phase.OFFER)
    free = position("7s9s", "4c4d", stock="JcQcTc4h", melds="0:4s5s6s")
    play(CALL, free, "S E D:7s L:7s>0 S M:4c4d4h")
    assert free.result is not None
    assert free.result.reason == "out"


# ---- options


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"packs": 3}, "packs"),
        ({"jokers": 5}, "jokers"),
        ({"ace": "middle"}, "ace"),
        ({"ace_value": 5}, "ace_value"),
        ({"pile": "heap"}, "pile"),
        ({"block": 1}, "block"),
        ({"cards": [10, 7]}, "cards"),
        ({"cards": 10}, "cards"),
        ({"cards": [10, 7, 7, 6, 9]}, "6 seats"),
        ({"cards": [2, 7, 7, 6, 6]}, "2 seats"),
        ({"block": True, "max_turnovers": 1}, "max_turnovers"),
        ({"distinct_suits": True}, "distinct_suits"),
        ({"deals": 61}, "deals"),
        ({"deals": 3, "target": 50}, "target"),
        ({"preset": "nothing"}, "ten_card"),
        ({"preset": 3}, "preset"),
        ({"knock_limit": 3}, "knock_limit"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], word: str) -> None:
    with pytest.raises(BadOptions, match=word):
        find_game("basic", options)


def test_every_preset_is_a_game() -> None:
    for name in Basic.presets:
        match = Match(find_game("basic", {"preset": name}), 4, b"seed", max_deals=1)
        rng = random.Random(name)
        while match.decision is not None:
            match.apply(rng.choice(match.legal_actions()))
        assert match.result is not None and match.result.deals == 1


def test_a_default_discard_leaves_the_fewest_points_and_no_joker() -> None:
    state = position("4c4d4hKsKdXr", "Kd", stock="Qd")
    play(JOKERS, state, "S E")
    assert JOKERS.default_action(state) == Discard(parse_cards("Kd")[0])
    jokers = position("4c", "Kd", pile="4c")
    jokers.hands[0] = (52,)
    play(JOKERS, jokers, "P1 E")
    assert JOKERS.default_action(jokers) == Discard(52)
    taken = position("Xb", "Kd", pile="Xr")
    play(JOKERS, taken, "P1 E")
    assert JOKERS.default_action(taken) == Discard(53)


def test_meld_rules_refuse_what_no_game_has() -> None:
    with pytest.raises(ValueError, match="two of them natural"):
        MeldRules(naturals=1)
    assert tabled(parse_cards("4c"), 0, MeldRules()) is None
