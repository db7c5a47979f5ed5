"""Basic by the clauses of docs/rulebook/basic.md: cards, turns, melds, lay-offs, stock, going out, score."""

from __future__ import annotations

from collections import Counter

import pytest
from basic_table import points, position, refused, table
from zones_table import default, hand, legal, play

from rummy.errors import BadOptions
from rummy.rules.cards import cards_text, parse_cards
from rummy.rules.game import DealResult, DealTerms, EventKind, Phase, Renewal
from rummy.rules.games import find_game, options_of
from rummy.rules.games.basic import Basic
from rummy.rules.match import Match

GAME = Basic()


def deal_to(seats: int, game: Basic = GAME) -> Match:
    return Match(game, seats, b"seed")


# ---- cards, deal


@pytest.mark.parametrize("seats", range(2, 7))
def test_bas_1_1_two_to_six_seats_share_one_pack(seats: int) -> None:
    state = deal_to(seats)._state
    cards = [*state.stock, *state.pile, *[card for held in state.hands for card in held]]
    assert sorted(cards) == list(range(52))


@pytest.mark.parametrize("seats", [1, 7])
def test_bas_1_1_neither_one_seat_nor_seven(seats: int) -> None:
    with pytest.raises(BadOptions, match="2 to 6 seats"):
        deal_to(seats)


def test_bas_2_1_the_deal_goes_clockwise_from_a_dealer_drawn_from_the_seed() -> None:
    assert {Match(GAME, 4, bytes([number])).view(None).dealer for number in range(40)} == {0, 1, 2, 3}
    tally = GAME.tally(3, 2)
    dealers = []
    for _ in range(4):
        dealers.append(GAME.terms(tally).dealer)
        GAME.score(tally, DealResult((0, 0, 0), "out"))
    assert dealers == [2, 0, 1, 2]


@pytest.mark.parametrize(("seats", "count", "stock"), [(2, 10, 31), (3, 7, 30), (4, 7, 23), (5, 6, 21), (6, 6, 15)])
def test_bas_2_2_cards_by_seats(seats: int, count: int, stock: int) -> None:
    view = deal_to(seats).view(None)
    assert view.hand_sizes == (count,) * seats
    assert view.stock == stock


def test_bas_2_2_ten_card_rummy_is_a_preset() -> None:
    game = find_game("basic", {"preset": "ten_card", "ace": "either"})
    assert options_of(game) == {"cards": [10, 10, 10, 6, 6], "ace": "either"}
    assert Match(game, 4, b"seed").view(None).hand_sizes == (10,) * 4


def test_bas_2_3_one_card_is_turned_up_and_the_left_of_the_dealer_begins() -> None:
    deck = list(range(52))
    state = GAME.deal(deck, DealTerms(3, (0, 1, 2), 0, 1, (0, 0, 0)))
    assert state.hands == [tuple(range(2, 21, 3)), tuple(range(0, 21, 3)), tuple(range(1, 21, 3))]
    assert state.pile == [21]
    assert state.stock[-1] == 22
    assert GAME.decision(state) == (1, Phase.START)
    assert state.events[0].cards == (21,)


# ---- the turn


def test_bas_3_1_draw_then_meld_then_discard() -> None:
    state = position("4c4d4h9s", "Kc", stock="5h", pile="6d")
    assert legal(GAME, state) == {"S", "P1"}
    events = play(GAME, state, "S")
    assert events[0].cards and events[0].private
    assert events[0].seen_by(1).cards == ()
    assert GAME.decision(state) == (0, Phase.PLAY)
    play(GAME, state, "M:4c4d4h E")
    assert legal(GAME, state) == {"D:5h", "D:9s"}
    play(GAME, state, "D:9s")
    assert hand(state, 0) == "5h"
    assert GAME.decision(state) == (1, Phase.START)
    assert GAME.view(state, 1).pile == parse_cards("6d9s")


def test_bas_3_1_only_the_top_of_the_pile_is_taken_and_is_known_to_be_held() -> None:
    state = position("4c9s", "Kc", pile="6d7d")
    assert "Only the top card" in refused(GAME, state, "P2")
    play(GAME, state, "P1")
    assert hand(state, 0) == "4c7d9s"
    assert GAME.view(state, 1).known == (parse_cards("7d"), ())
    play(GAME, state, "E D:9s")
    assert GAME.view(state, 1).known == (parse_cards("7d"), ())


@pytest.mark.parametrize("script", ["M:4c4d4h L:4s>1 M:7c8c9c", "M:7c8c9c L:Th>0 M:4c4d4h4s"])
def test_bas_3_2_any_number_of_melds_and_lay_offs_in_any_order(script: str) -> None:
    state = position("4c4d4h4s7c8c9cThKs", "Kc", stock="Qd", melds="1:7h8h9h")
    play(GAME, state, "S " + script)
    assert GAME.decision(state) == (0, Phase.PLAY)


# ---- melds


@pytest.mark.parametrize(
    ("cards", "is_one"), [("4c4d", False), ("4c4d4h", True), ("4c4d4h4s", True), ("4c4d5h", False)]
)
def test_bas_4_1_a_set_has_three_or_four_of_a_rank(cards: str, is_one: bool) -> None:
    state = position(cards + "9sJs", "Kc", stock="Qd")
    play(GAME, state, "S")
    assert (f"M:{cards}" in legal(GAME, state)) is is_one
    if not is_one:
        assert "neither a set nor a run" in refused(GAME, state, f"M:{cards}")


@pytest.mark.parametrize(("cards", "is_one"), [("4c5c", False), ("4c5c6c", True), ("4c5c6d", False), ("4c5c7c", False)])
def test_bas_4_2_a_run_has_three_or_more_of_a_suit_in_order(cards: str, is_one: bool) -> None:
    state = position(cards + "9sJs", "Kd", stock="Qd")
    play(GAME, state, "S")
    assert (f"M:{cards}" in legal(GAME, state)) is is_one
    if not is_one:
        refused(GAME, state, f"M:{cards}")


def test_bas_4_2_runs_have_no_upper_size() -> None:
    state = position("2c3c4c5c6c7c8c9cTcJcQcKh", "Kd", stock="Qd")
    play(GAME, state, "S M:QcJcTc9c8c7c6c5c4c3c2c")
    assert table(state) == ["2c3c4c5c6c7c8c9cTcJcQc"]


@pytest.mark.parametrize(
    ("ace", "runs"),
    [
        ("low", {"Ac2c3c"}),
        ("high", {"QcKcAc"}),
        ("either", {"Ac2c3c", "QcKcAc"}),
        ("corner", {"Ac2c3c", "QcKcAc", "KcAc2c", "QcKcAc2c"}),
    ],
)
def test_bas_4_3_where_the_ace_may_stand(ace: str, runs: set[str]) -> None:
    game = Basic(ace=ace)
    for cards in ("Ac2c3c", "QcKcAc", "KcAc2c", "QcKcAc2c"):
        state = position(cards + "9s7s", "Kd", stock="Qd")
        play(game, state, "S")
        assert (f"M:{cards}" in legal(game, state)) is (cards in runs)
        if cards not in runs:
            refused(game, state, f"M:{cards}")


def test_bas_4_3_the_default_allows_all_three_and_no_ace_joins_a_set_of_kings() -> None:
    assert GAME.ace == "corner"
    state = position("AcKdKhKs9s", "Kc", stock="Qd")
    play(GAME, state, "S")
    refused(GAME, state, "M:AcKdKh")
    play(GAME, state, "M:KdKhKs")
    refused(GAME, state, "L:Ac>0")


def test_bas_4_4_with_two_packs_a_set_may_repeat_suits_and_exceed_four_cards() -> None:
    game = Basic(packs=2)
    assert Counter(game.deck(2)) == Counter(dict.fromkeys(range(52), 2))
    state = position("5d5d5h5s5s9cKc", "Kc", stock="Qd")
    play(game, state, "S M:5d5d5h5s5s")
    assert table(state) == ["5d5d5h5s5s"]


def test_bas_4_4_distinct_suits_and_no_rank_twice_in_a_run() -> None:
    strict = Basic(packs=2, distinct_suits=True)
    state = position("5d5d5h6h6h7h9cKc", "Kc", stock="Qd")
    play(strict, state, "S")
    refused(strict, state, "M:5d5d5h")
    for game in (strict, Basic(packs=2)):
        refused(game, state, "M:5h6h6h7h")
    play(strict, state, "M:5h6h7h")


def test_bas_4_4_a_seat_that_holds_two_copies_may_lay_both_off() -> None:
    state = position("5d5dKc2s", "Kc", stock="Qd", melds="1:5c5h5s")
    play(Basic(packs=2), state, "S L:5d5d>0")
    assert table(state) == ["5c5d5d5h5s"]
    assert state.melds[0].placers == (1, 0, 0, 1, 1)


def test_bas_4_5_nobody_has_to_meld() -> None:
    state = position("4c4d4h9s", "Kc", stock="5h")
    play(GAME, state, "S E D:9s")
    assert table(state) == []


# ---- lay-offs


def test_bas_5_1_on_any_meld_own_or_not_and_the_meld_is_named() -> None:
    state = position("3s7sTdKc2h", "Kd", stock="Qd", melds="1:4s5s6s 0:TcThTs")
    play(GAME, state, "S")
    assert {"L:3s>0", "L:7s>0", "L:Td>1"} <= legal(GAME, state)
    refused(GAME, state, "L:3s>1")
    refused(GAME, state, "L:3s>2")
    play(GAME, state, "L:3s>0 L:7s>0 L:Td>1")
    assert table(state) == ["3s4s5s6s7s", "TcTdThTs"]
    assert state.melds[0].placers == (0, 1, 1, 1, 0)
    assert state.melds[0].seat == 1


def test_bas_5_1_a_chain_of_any_length_in_order_only() -> None:
    state = position("7s8s9sTsKc2h", "Kd", stock="Qd", melds="1:4s5s6s")
    play(GAME, state, "S")
    refused(GAME, state, "L:8s7s>0")
    play(GAME, state, "L:7s8s9sTs>0")
    assert table(state) == ["4s5s6s7s8s9sTs"]


def test_bas_5_2_own_meld_first_and_one_of_the_same_turn_counts() -> None:
    game = Basic(own_meld_first=True)
    state = position("7s4c4d4hKc2h", "Kd", stock="Qd", melds="1:4s5s6s")
    play(game, state, "S")
    assert "meld of its own" in refused(game, state, "L:7s>0")
    play(game, state, "M:4c4d4h")
    play(game, state, "L:7s>0")
    assert table(state)[0] == "4s5s6s7s"


# ---- discard, stock


def test_bas_6_1_a_card_taken_from_the_pile_stays_for_the_turn() -> None:
    state = position("4c9s", "Kc", pile="6d")
    play(GAME, state, "P1 E")
    assert legal(GAME, state) == {"D:4c", "D:9s"}
    assert GAME.view(state, 0).forbidden == parse_cards("6d")[0]
    assert "taken from the pile" in refused(GAME, state, "D:6d")
    play(GAME, state, "D:4c S E")
    assert GAME.view(state, 1).forbidden is None


def test_bas_6_1_of_two_copies_one_may_go() -> None:
    state = position("6d9s", "Kc", pile="6d")
    play(Basic(packs=2), state, "P1 E D:6d")
    assert hand(state, 0) == "6d9s"


def test_bas_6_1_once_one_of_two_copies_is_tabled_the_other_may_go_com_1() -> None:
    state = position("6d7d8d9s", "Kc", pile="6d")
    play(Basic(packs=2), state, "P1 M:6d7d8d E")
    assert legal(Basic(packs=2), state) == {"D:6d", "D:9s"}
    last = position("6d7d8d", "Kc", pile="6d")
    play(Basic(packs=2), last, "P1")
    assert "M:6d7d8d" in legal(Basic(packs=2), last)  # What is left may be thrown.
    play(Basic(packs=2), last, "M:6d7d8d E D:6d")
    assert last.closer == 0
    laid = position("6d9s", "Kc", pile="6d", melds="1:7d8d9d")
    play(Basic(packs=2), laid, "P1 L:6d>0 E")
    assert legal(Basic(packs=2), laid) == {"D:6d", "D:9s"}


def test_bas_6_1_it_is_not_kept_as_the_only_card_with_nothing_to_do_with_it() -> None:
    state = position("4c4d4h", "Kc", pile="6d")
    play(GAME, state, "P1")
    assert legal(GAME, state) == {"E"}
    assert "BAS-6.1" in refused(GAME, state, "M:4c4d4h")


def test_bas_6_1_unless_it_can_still_be_laid_off() -> None:
    state = position("4c4d4h", "KcKd", pile="6d", melds="1:7d8d9d")
    play(GAME, state, "P1 M:4c4d4h")
    assert legal(GAME, state) == {"L:6d>0"}
    refused(GAME, state, "E")
    assert GAME.default_action(state) in GAME.legal_actions(state)
    play(GAME, state, "L:6d>0")
    assert state.result == DealResult((30, 0), "out", 0)  # Rummy was spoilt by the lay-off.


def test_bas_6_2_6_3_the_pile_is_turned_over_unshuffled() -> None:
    state = position("6c7h", "Kc9d", stock="", pile="4cKd9h2s")
    assert legal(GAME, state) == {"O", "P1"}
    refused(GAME, state, "S")
    events = play(GAME, state, "O")
    assert [(event.kind, event.cards) for event in events] == [(EventKind.TURN_OVER, parse_cards("4c"))]
    assert state.pile == list(parse_cards("4c"))
    assert cards_text(state.stock[::-1]) == "Kd9h2s"
    assert legal(GAME, state) == {"S", "P1"}
    play(GAME, state, "S")
    assert hand(state, 0) == "6cKd7h"


def test_bas_6_2_instead_the_top_discard_may_be_taken_and_with_a_stock_nothing_is_turned() -> None:
    state = position("6c7h", "Kc9d", stock="", pile="4cKd")
    play(GAME, state, "P1 E D:6c")
    assert legal(GAME, state) == {"O", "P1"}
    full = position("6c7h", "Kc9d", stock="9c", pile="4cKd")
    assert "once the stock is empty" in refused(GAME, full, "O")


def test_bas_6_4_a_single_card_turned_over_must_be_taken() -> None:
    state = position("6c7h", "Kc9d", stock="", pile="4c")
    play(GAME, state, "O")
    assert legal(GAME, state) == {"P1"}
    assert default(GAME, state) == "P1"
    assert state.renewal == Renewal(1, order=())
    refused(GAME, state, "O")
    play(GAME, state, "P1 E D:6c")
    assert legal(GAME, state) == {"O", "P1"}


def test_bas_6_4_without_stock_and_pile_a_turn_has_no_draw() -> None:
    game = Basic(call_rummy=True)
    state = position("6c7h9c", "Kc9d", "2s3s", stock="", pile="5d", melds="0:KdKhKs")
    play(game, state, "P1 E D:6c O")
    play(game, state, "P1 E D:Kc")
    assert GAME.decision(state) == (2, Phase.OFFER)
    play(game, state, "L:Kc>0")
    assert state.pile == []
    assert hand(state, 1) == "6c9d"
    assert GAME.decision(state) == (2, Phase.PLAY)
    play(game, state, "E D:2s")
    assert GAME.decision(state) == (0, Phase.START)


def test_bas_6_4_who_then_could_only_go_out_too_early_is_passed_over() -> None:
    game = Basic(call_rummy=True, min_turns_to_go_out=3)
    state = position("7h9c", "Kc9d", "2s", stock="", pile="5d", melds="0:KdKhKs", turn=1)
    play(game, state, "O P1 E D:Kc L:Kc>0")
    assert GAME.decision(state) == (0, Phase.PLAY)
    assert state.turns == 5  # Its turn counts.


def test_bas_6_5_a_third_end_of_the_stock_settles_the_deal() -> None:
    state = position("6c7h", "Kc9d", stock="3h", pile="4c", turned=1)
    play(GAME, state, "S E D:3h O S")
    assert not state.stock
    play(GAME, state, "E")
    assert state.result is None
    play(GAME, state, "D:9d")
    assert state.result == DealResult((-13, -13), "stock")


def test_bas_6_5_so_often_as_the_option_says() -> None:
    game = Basic(max_turnovers=1)
    state = position("6c7h", "Kc9d", stock="3h", pile="4c5d")
    play(game, state, "S E D:3h")
    assert state.result is None
    play(game, state, "O")
    assert state.renewal == Renewal(1, order=tuple(state.stock)) and len(state.stock) == 2
    play(game, state, "S E D:9d S E D:6c")
    assert state.result == DealResult((-7 - 3, -10 - 5), "stock")


def test_bas_6_5_turning_a_single_card_over_counts() -> None:
    state = position("6c7h", "Kc9d", stock="", pile="4c", turned=1)
    play(GAME, state, "O P1 E D:6c")
    assert state.result == DealResult((-11, -19), "stock")


def test_bas_6_5_so_does_the_cap_on_turns() -> None:
    state = position("6c7h", "Kc9d", stock="3h4h", turns=0)
    play(Basic(turn_cap=1), state, "S E D:3h S E D:4h")
    assert state.result == DealResult((-13, -19), "turn cap")


# ---- going out


@pytest.mark.parametrize("script", ["S M:4c4d4h D", "S L:7s>0 M:4c4d4h", "S M:4c4d4h L:7s>0"])
def test_bas_7_1_7_2_without_a_card_the_deal_is_won_by_meld_lay_off_or_discard(script: str) -> None:
    state = position("4c4d7s", "Kd9d", stock="4h", melds="1:4s5s6s 0:8c8d8h")
    play(GAME, state, script.replace(" D", " E D:7s"))
    assert state.result == DealResult((19 + 10, 0), "out", 0)
    assert GAME.view(state, 1).status == (2, 1)
    assert GAME.view(state, 1).closer == 0
    assert GAME.legal_actions(state) == ()


def test_bas_7_2_where_the_last_card_must_be_a_discard() -> None:
    game = Basic(must_discard_out=True)
    state = position("7d8d", "Kd", stock="9d", melds="0:4s5s6s")
    play(game, state, "S")
    assert legal(game, state) == {"E"}
    assert "must be a discard" in refused(game, state, "M:7d8d9d")
    other = position("7s", "Kd", stock="9d", melds="0:4s5s6s")
    play(game, other, "S L:7s>0")
    assert legal(game, other) == {"E"}
    play(game, other, "E D:9d")
    assert other.result == DealResult((20, 0), "out", 0)


def test_bas_7_3_nobody_goes_out_before_his_second_turn() -> None:
    state = position("4c4d4h7d7h7s", "Kd", stock="9c", melds="1:4s5s6s", turns=0)
    play(GAME, state, "S M:4c4d4h")
    assert "L:7s>0" in legal(GAME, state)
    assert "keep a card to throw and one more" in refused(GAME, state, "M:7d7h7s")
    play(GAME, state, "L:7s>0 E D:9c")
    assert state.result is None
    assert hand(state, 0) == "7d7h"


def test_bas_7_3_the_number_of_turns_is_an_option() -> None:
    state = position("4c4d", "Kd", stock="4h", turns=0)
    play(Basic(min_turns_to_go_out=1), state, "S M:4c4d4h")
    assert state.result is not None
    late = position("4c4d", "Kd", stock="4h", turns=1)
    play(Basic(min_turns_to_go_out=3), late, "S")
    assert legal(Basic(min_turns_to_go_out=3), late) == {"E"}


# ---- going rummy


@pytest.mark.parametrize("script", ["S M:4c4d4h M:7d8d9d", "S M:4c4d4h M:7d8d9d E D:Ks"])
def test_bas_8_1_8_3_all_cards_at_once_double_the_points(script: str) -> None:
    state = position("4c4d4h7d8d" + ("Ks" if "Ks" in script else ""), "Kd9d", stock="9d", pile="2d")
    play(GAME, state, script)
    assert state.result == DealResult((2 * 19 + 10, 0), "rummy", 0)


def test_bas_8_1_not_after_a_meld_or_lay_off_of_an_earlier_turn() -> None:
    state = position("4c4d4h7d8dQs", "KdTdJs", stock="9dAc9h", pile="2d", turns=0)
    play(GAME, state, "S M:7d8d9d E D:Qs S E D:Js S M:4c4d4h")
    assert hand(state, 0) == "9h"
    play(GAME, state, "E D:9h")
    assert state.result is not None
    assert state.result.reason == "out"


def test_bas_8_2_a_lay_off_makes_it_an_ordinary_going_out() -> None:
    for game, reason in ((GAME, "out"), (Basic(rummy_layoff_ok=True), "rummy")):
        state = position("4c4d7s", "Kd9d", stock="4h", melds="1:4s5s6s")
        play(game, state, "S M:4c4d4h L:7s>0")
        assert state.result is not None
        assert state.result.reason == reason


def test_bas_8_2_a_lay_off_of_another_seat_does_not_count() -> None:
    state = position("7s2d3d", "4c4d", stock="9h4h", melds="0:4s5s6s")
    play(GAME, state, "S L:7s>0 E D:9h S M:4c4d4h")
    assert state.result == DealResult((0, 2 * 5 + 10), "rummy", 1)


def test_bas_8_1_in_the_first_turn_of_the_deal_as_well() -> None:
    game = Basic(cards=(3, 7, 7, 6, 6), min_turns_to_go_out=1)
    state = game.deal(parse_cards("7s2c8s3d9s4hKcQd"), DealTerms(2, (0, 1), 1, 0, (0, 0)))
    play(game, state, "S M:7s8s9s E D:Qd")
    assert state.result == DealResult((2 * 9 + 10, 0), "rummy", 0)


def test_bas_8_3_it_needs_no_announcement() -> None:
    state = position("4c4d", "Kd", stock="4h")
    play(GAME, state, "S M:4c4d4h")
    assert points(state) == (2 * 10 + 10, 0)


# ---- score


def test_bas_9_1_the_winner_counts_all_other_hands_with_what_would_be_melds() -> None:
    state = position("4c4d", "KcQd7h7s7d2cAd", "Th9h8c", stock="4h", melds="0:8d8h8s")
    play(GAME, state, "S M:4c4d4h")
    assert points(state) == (44 + 27 + 10, 0, 0)


@pytest.mark.parametrize(("ace", "count"), [(1, 11), (11, 21), (15, 25)])
def test_bas_9_2_the_value_of_an_ace(ace: int, count: int) -> None:
    game = Basic(ace_value=ace)
    state = position("4c4d", "AsTh", stock="4h", melds="0:8d8h8s")
    play(game, state, "S M:4c4d4h")
    assert points(state) == (count + 10, 0)


def test_bas_9_3_the_bonus_is_counted_once() -> None:
    state = position("4c4d", "AsTh", stock="4h")
    play(Basic(going_out_bonus=25), state, "S M:4c4d4h")
    assert points(state) == (2 * 11 + 25, 0)


def test_bas_9_4_to_a_target_with_the_higher_total_first() -> None:
    tally = GAME.tally(3, 0)
    GAME.score(tally, DealResult((99, 0, 40), "out", 0))
    assert GAME.outcome(tally) is None
    GAME.score(tally, DealResult((1, 0, 0), "out", 0))
    outcome = GAME.outcome(tally)
    assert outcome is not None
    assert (outcome.placements, outcome.scores, outcome.reason) == ((1, 3, 2), (100, 0, 40), "target")


def test_bas_9_4_equal_totals_share_a_place() -> None:
    tally = GAME.tally(3, 0)
    GAME.score(tally, DealResult((100, 7, 7), "out", 0))
    outcome = GAME.outcome(tally)
    assert outcome is not None
    assert outcome.placements == (1, 2, 2)


def test_bas_9_4_a_number_of_deals_or_the_cap() -> None:
    for game, count, reason in ((Basic(deals=3), 3, "deals"), (Basic(deal_cap=2), 2, "deal cap")):
        tally = game.tally(2, 0)
        for number in range(1, count + 1):
            assert game.outcome(tally) is None
            GAME.score(tally, DealResult((1000 if reason == "deals" else 0, number), "out", 0))
        outcome = game.outcome(tally)
        assert outcome is not None
        assert outcome.reason == reason


def test_bas_9_4_who_forfeits_is_behind_and_the_others_play_on() -> None:
    match = deal_to(3)
    match.forfeit(1, "timeout")
    assert match.view(None).status == (1, 0, 1)
    assert match.view(None).hand_sizes == (10, 0, 10)
    match.forfeit(0, "timeout")
    assert match.result is not None
    assert match.result.placements == (2, 3, 1)
