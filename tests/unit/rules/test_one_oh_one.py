"""101 by the clauses of docs/rulebook/one_oh_one.md, up to the break."""

from __future__ import annotations

import pytest
from positions import hand, play, position
from sentences import is_sentence

from rummy.errors import BadOptions, IllegalAction
from rummy.rules.actions import Arrange, Discard, DrawPile, DrawStock, Knock, LayOff, Meld
from rummy.rules.cards import PACK, parse_cards
from rummy.rules.game import DealResult, DealTerms, EventKind, Phase
from rummy.rules.games.one_oh_one import OneOhOne
from rummy.rules.games.one_oh_one_deal import OneOhOneState
from rummy.rules.match import Match
from rummy.rules.notation import action_text

GAME = OneOhOne()
LAX = OneOhOne(knock_table=((100, 70),), penalty=0)  # Any hand may knock, at its count.

# Two melds, on the table 7c7d7h as number 0 and As2s3s as number 1, and a count of 4.
LOW = "As2s3s7c7d7h4d"
HIGH = "KcQdJh9s8c6d2h"
OTHER = "KdQcJs9h8d6c5h"
STOCK = "3c5c9cTcTdThTs4c4h4s"


def legal(state: OneOhOneState) -> set[str]:
    return {action_text(action) for action in GAME.legal_actions(state)}


def refused(state: OneOhOneState, script: str, sentence: str) -> None:
    before = state.copy()
    with pytest.raises(IllegalAction, match=sentence) as refusal:
        play(GAME, state, script)
    assert is_sentence(refusal.value.reason)
    for name in set(OneOhOneState.__slots__) - {"events"}:
        assert getattr(state, name) == getattr(before, name)


# 1, 2, 3: players, the deal, melds


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_101_1_1_two_to_six_play(seats: int) -> None:
    with pytest.raises(BadOptions, match="2 to 6 seats"):
        Match(GAME, seats, b"seed")


@pytest.mark.parametrize(
    ("cards", "count"),
    [("Ac2c3c", 0), ("JcQcKc", 0), ("QcKcAc", 21), ("KcAc2c", 13), ("AcKdKh", 21), ("AcAdAhAs", 0), ("9cTcJcQcKc", 0)],
)
def test_101_1_2_3_1_3_2_the_ace_is_low_and_joins_no_kings(cards: str, count: int) -> None:
    state = position(cards, HIGH, stock=STOCK)
    play(LAX, state, "K A")
    assert state.result is not None
    assert state.result.points[0] == count
    assert [meld.cards for meld in state.melds if meld.seat == 0] == ([] if count else [parse_cards(cards)])


@pytest.mark.parametrize("cards", ["AcAd", "7c8c", "7c8d9c", "7c9cJc", "7c8cTc", "7c7d8h"])
def test_101_3_1_3_2_what_is_neither_a_run_nor_a_set(cards: str) -> None:
    refused(position(cards + "Ks", HIGH, stock=STOCK), f"K/{cards}", "neither a set nor a run")


def test_101_1_3_the_deal_moves_clockwise_past_those_who_are_out() -> None:
    tally = GAME.tally(4, 1)
    tally.active = [0, 1, 3]
    tally.gone[2] = (1, 1, 1, -101)
    tally.score(DealResult((5, 5, 0, 5), "stock"))
    assert GAME.terms(tally).dealer == 3
    assert GAME.terms(tally).starter == 0


def test_101_2_1_seven_cards_one_at_a_time_to_the_dealers_left_first() -> None:
    state = GAME.deal(PACK, DealTerms(3, (0, 1, 2), 0, 1, (0, 0, 0)))
    assert hand(state, 1) == set(range(0, 21, 3))
    assert hand(state, 2) == set(range(1, 21, 3))
    assert hand(state, 0) == set(range(2, 21, 3))
    assert state.stock[::-1] == list(range(21, 52))
    assert state.pile == []
    assert GAME.decision(state) == (1, Phase.START)


def test_101_2_2_seats_that_are_out_get_no_cards() -> None:
    state = GAME.deal(PACK, DealTerms(4, (0, 3), 0, 3, (0, 101, 102, 0)))
    assert [held.bit_count() for held in state.hands] == [7, 0, 0, 7]
    assert len(state.stock) == 38


# 4: the turn


def test_101_4_1_a_draw_and_a_discard_pass_the_turn() -> None:
    state = position(LOW, HIGH, stock=STOCK)
    play(GAME, state, "S D:3c")
    assert GAME.decision(state) == (1, Phase.START)
    assert state.pile == list(parse_cards("3c"))
    assert state.turns == 1


def test_101_4_2_the_first_turn_draws_from_the_stock() -> None:
    state = position(HIGH, OTHER, stock=STOCK)
    assert legal(state) == {"S"}
    refused(state, "P1", "pile is empty")


def test_101_4_2_only_the_top_card_is_taken() -> None:
    state = position(HIGH, OTHER, stock=STOCK, pile="AcAd")
    refused(state, "P2", "Only the top card")
    play(GAME, state, "P1")
    assert parse_cards("Ad")[0] in hand(state, 0)


def test_101_4_3_the_card_taken_is_not_thrown_back() -> None:
    state = position(HIGH, OTHER, stock=STOCK, pile="Ad")
    play(GAME, state, "P1")
    assert "D:Ad" not in legal(state)
    assert len(legal(state)) == 7
    refused(state, "D:Ad", "may not be discarded")
    assert GAME.view(state, 1).forbidden == parse_cards("Ad")[0]


def test_101_4_3_unless_the_option_allows_it() -> None:
    game = OneOhOne(rediscard_ban=False)
    state = position(HIGH, OTHER, stock=STOCK, pile="Ad")
    play(game, state, "P1 D:Ad")
    assert state.pile == list(parse_cards("Ad"))


def test_101_4_4_nothing_is_melded_in_a_normal_turn() -> None:
    state = position(LOW, HIGH, stock=STOCK)
    refused(state, "M:As2s3s", "begins with a draw")
    play(GAME, state, "S")
    refused(state, "M:As2s3s", "ends with a discard")
    refused(state, "E", "ends with a discard")


def test_a_card_that_is_not_held_is_not_discarded() -> None:
    state = position(LOW, HIGH, stock=STOCK)
    play(GAME, state, "S")
    refused(state, "D:Kc", "not in the hand")
    refused(state, "D:Xr", "not in the hand")
    for card in (-1, 200, True, "Kc", None):
        with pytest.raises(IllegalAction):
            GAME.apply(state, Discard(card))  # type: ignore[arg-type]


# 6: the knock


def test_101_6_1_a_knock_comes_before_the_draw_even_on_the_first_turn() -> None:
    state = position(LOW, HIGH, stock=STOCK)
    assert legal(state) == {"S", "K"}
    play(GAME, state, "S")
    refused(state, "K", "ends with a discard")


def test_101_6_1_a_knock_throws_no_card() -> None:
    refused(position(LOW, HIGH, stock=STOCK), "K:4d", "without a card")


@pytest.mark.parametrize(
    ("score", "limit"), [(0, 20), (25, 20), (26, 15), (50, 15), (51, 10), (75, 10), (76, 5), (100, 5)]
)
def test_101_6_2_the_limit_falls_with_the_score(score: int, limit: int) -> None:
    state = position(LOW, HIGH, scores=(score, 0))
    assert GAME.view(state, 0).knock_limit == limit
    assert GAME.view(state, 1).knock_limit == 20


def test_101_6_2_the_table_is_an_option_whose_last_band_holds_above_it() -> None:
    game = OneOhOne(knock_table=((10, 30), (20, 0)), target=200)
    assert [game.view(position(LOW, HIGH, scores=(score, 0)), 0).knock_limit for score in (10, 11, 150)] == [30, 0, 0]


@pytest.mark.parametrize(("four", "foul"), [("5d", False), ("6d", True)])
def test_101_6_2_the_limit_itself_is_allowed(four: str, foul: bool) -> None:
    state = position("As2s3s7c7d7h" + four, HIGH, stock=STOCK, scores=(76, 0))
    assert ("K" in legal(state)) is not foul
    play(GAME, state, "K")
    assert (state.result is not None) is foul


def test_101_6_3_the_arrangement_handed_in_is_what_counts() -> None:
    state = position(LOW, HIGH, stock=STOCK, scores=(76, 0))
    play(GAME, state, "K/As2s3s")  # 7 + 7 + 7 + 4 is over 5.
    assert state.result is not None
    assert state.result.out == (0,)
    assert state.result.points[0] == 25


def test_101_6_3_an_arrangement_that_is_none_is_refused() -> None:
    state = position(LOW, HIGH, stock=STOCK)
    refused(state, "K/As2s4d", "neither a set nor a run")
    refused(state, "K/7c7d7h,7c7d7h", "used twice")
    refused(state, "K/KcKdKh", "not in the hand")


def test_101_6_4_a_knock_over_the_limit_throws_the_knocker_out_and_the_others_count() -> None:
    # Seat 1 holds 4s5s, which seat 0's As2s3s would take: nobody lays off.
    state = position("As2s3sKcQdJh9c", "4s5s3c3d3h2cAc", OTHER, stock=STOCK, scores=(30, 0, 0))
    assert "K" not in legal(state)  # 6.5
    events = play(GAME, state, "K")
    assert state.result is not None
    assert state.result.reason == "foul knock"
    assert state.result.out == (0,)
    assert state.result.points == (39, 12, 58)
    assert [event.kind for event in events] == [EventKind.KNOCK, EventKind.SHOW, EventKind.SHOW, EventKind.SHOW]
    assert GAME.decision(state) is None


def test_101_6_4_void_lets_nobody_else_score() -> None:
    state = position("KcQdJh9c8d6s2c", "4s5s3c3d3h2cAc", OTHER, stock=STOCK)
    play(OneOhOne(over_limit="void"), state, "K")
    assert state.result is not None
    assert state.result.points == (55, 0, 0)
    assert state.result.out == (0,)


def test_101_6_5_a_knock_over_the_limit_is_legal_but_not_listed() -> None:
    state = position(HIGH, LOW, stock=STOCK)
    assert legal(state) == {"S"}
    play(GAME, state, "K")
    assert state.result is not None
    assert state.result.out == (0,)


def test_101_6_6_after_a_valid_knock_each_other_seat_shows_clockwise() -> None:
    state = position(HIGH, LOW, OTHER, "KsQhJdTs9d8h5c", stock=STOCK, turn=1)
    play(GAME, state, "K")
    asked = []
    while (decision := GAME.decision(state)) is not None:
        asked.append(decision)
        play(GAME, state, "A")
    assert asked == [(2, Phase.SHOW), (3, Phase.SHOW), (0, Phase.SHOW)]
    assert state.result is not None
    assert state.result.reason == "knock"


def test_101_6_6_a_hand_that_has_not_been_shown_is_nobodys_to_see() -> None:
    state = position(LOW, HIGH, OTHER, stock=STOCK)
    play(GAME, state, "K A")
    assert GAME.view(state, 0).known[1] == tuple(sorted(parse_cards(HIGH)))
    assert GAME.view(state, 0).known[2] == ()


def test_101_6_7_nobody_lays_off_against_go_rummy() -> None:
    state = position("As2s3s4s7c7d7h", "5s6sKcKdQh2cAd", stock=STOCK)
    play(GAME, state, "K")
    refused(state, "A/;5s>0", "Go Rummy")
    assert GAME.legal_actions(state) == (Arrange(),)
    play(GAME, state, "A")
    assert state.result is not None
    assert state.result.points == (0, 44)
    assert state.result.reason == "go rummy"


def test_101_6_8_lay_offs_go_on_the_knockers_melds_only() -> None:
    state = position(LOW, "KcKdKh9s8c5c2d", "Ks4s6d6c6h2hAc", stock=STOCK)
    play(GAME, state, "K A")
    refused(state, "A/6d6c6h;Ks>2", "one of the 2 melds")
    play(GAME, state, "A/6d6c6h;4s>1")
    assert state.result is not None
    assert state.result.points[2] == 13
    assert state.melds[1].cards == parse_cards("As2s3s4s")
    assert state.melds[1].placers == (0, 0, 0, 2)


def test_101_6_8_a_worse_arrangement_of_ones_own_stands() -> None:
    state = position(LOW, "KcKdKh9s8c5c2d", stock=STOCK)
    play(GAME, state, "K A/")
    assert state.result is not None
    assert state.result.points[1] == 54


def test_101_6_8_lay_offs_without_melds_are_refused() -> None:
    state = position(LOW, "4s5s6s9d8c5c2d", stock=STOCK)
    play(GAME, state, "K")
    with pytest.raises(IllegalAction, match="names its melds"):
        GAME.apply(state, Arrange(None, (LayOff(parse_cards("4s"), 0),)))


def test_101_6_8_chains_have_no_length_limit() -> None:
    state = position(LOW, "4s5s6s7s8sKdKc", stock=STOCK)
    play(GAME, state, "K A/;4s5s6s7s8s>1")
    assert state.melds[1].cards == parse_cards("As2s3s4s5s6s7s8s")
    assert state.result is not None
    assert state.result.points == (4, 20)


def test_101_6_9_the_knocker_never_lays_off() -> None:
    # Seat 1 tables 5s6s7s: the 8s that the knocker is left with would go there.
    state = position("As2s3s7c7d7h8s", "9c9d9hAd5s6s7s", OTHER, stock=STOCK)
    play(GAME, state, "K A/9c9d9h,5s6s7s")
    assert GAME.decision(state) == (2, Phase.SHOW)
    play(GAME, state, "A")
    assert GAME.decision(state) is None
    assert state.result is not None
    assert state.result.points[0] == 8 + GAME.penalty


# 7: scoring


def test_101_7_1_every_seat_counts_what_is_left_after_its_melds_and_lay_offs() -> None:
    state = position(LOW, "4s5s8c8d8hKdKc", OTHER, stock=STOCK)
    play(GAME, state, "K A A")
    assert state.result is not None
    assert state.result.points == (4, 20, 58)
    tally = GAME.tally(3, 0)
    tally.scores = [10, 20, 30]
    GAME.score(tally, state.result)
    assert tally.scores == [14, 40, 88]


def test_101_7_2_what_a_card_counts() -> None:
    state = position("2c4d6h8sTcQdAh", "3c5d7h9sJcKdAd", stock=STOCK)
    play(LAX, state, "K A")
    assert state.result is not None
    assert state.result.points == (2 + 4 + 6 + 8 + 10 + 10 + 1, 3 + 5 + 7 + 9 + 10 + 10 + 1)


def test_101_7_3_a_knocker_who_is_beaten_adds_fifteen() -> None:
    state = position("As2s3s7c7d7hTd", "4c4d4h8c8d8hAc", stock=STOCK)
    play(GAME, state, "K A")
    assert state.result is not None
    assert state.result.points == (25, 1)
    assert state.result.winner == 1


def test_101_7_4_a_tie_is_free_unless_the_option_says_otherwise() -> None:
    for game, points in ((OneOhOne(), 4), (OneOhOne(tie_penalty=True), 19), (OneOhOne(penalty=99), 4)):
        state = position(LOW, "8c8d8hTcTdTh4s", stock=STOCK)
        play(game, state, "K A/8c8d8h,TcTdTh")
        assert state.result is not None
        assert state.result.points == (points, 4)


def test_101_7_5_the_comparison_is_made_after_lay_offs() -> None:
    # The 4s goes on As2s3s, so seat 1 is left with nothing.
    state = position(LOW, "8c8d8hTcTdTh4s", stock=STOCK)
    play(GAME, state, "K A")
    assert state.result is not None
    assert state.result.points == (19, 0)


# COM-14


def test_defaults_never_knock_and_throw_the_dearest_of_equals() -> None:
    state = position(LOW, HIGH, stock="Ks" + STOCK)
    assert GAME.default_action(state) == DrawStock()
    play(GAME, state, "S")
    assert GAME.default_action(state) == Discard(parse_cards("Ks")[0])
    play(GAME, state, "D:Ks")
    tie = position("KsKcQdAc2d3h5s", HIGH, stock="Th" + STOCK)
    play(GAME, tie, "S")
    assert GAME.default_action(tie) == Discard(parse_cards("Kc")[0])


def test_an_action_of_another_game_is_refused() -> None:
    state = position(LOW, HIGH, stock=STOCK, pile="Kd")
    for text in ("T", "N", "B", "A", "E", "L:4s>0"):
        refused(state, text, "begins with a draw")
    for action in (None, "S", 3, Meld, DrawPile(0), DrawPile(-1), Knock(0)):
        with pytest.raises(IllegalAction):
            GAME.apply(state, action)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        {"target": 0},
        {"target": True},
        {"target": "101"},
        {"knock_table": ()},
        {"knock_table": ((25, 20), (25, 15))},
        {"knock_table": ((25, 20, 1),)},
        {"knock_table": ((25, 71),)},
        {"knock_table": 5},
        {"over_limit": "forget"},
        {"penalty": -1},
        {"tie_penalty": 1},
        {"rediscard_ban": "yes"},
        {"turn_cap": 0},
        {"deal_cap": 101},
        {"turn_cap": 61},
    ],
)
def test_impossible_options_are_refused_by_name(options: dict[str, object]) -> None:
    with pytest.raises(BadOptions, match=next(iter(options))):
        OneOhOne(**options)  # type: ignore[arg-type]
