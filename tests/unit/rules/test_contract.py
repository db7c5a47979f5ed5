"""Contract rummy by the clauses of docs/rulebook/contract.md."""

from __future__ import annotations

from typing import Any

import pytest
from zones_table import default, draw_up, hand, legal, play, refused, terms

from rummy.errors import BadOptions
from rummy.rules.cards import PACK, cards_text, parse_cards
from rummy.rules.game import EventKind, Phase
from rummy.rules.games import find_game
from rummy.rules.games.contract import Contract
from rummy.rules.games.contract_deal import ContractState, hand_points
from rummy.rules.games.contract_lay import RULES, exactly, least_cards
from rummy.rules.games.totals import Totals
from rummy.rules.match import Match
from rummy.rules.tabling import classified

GAME = Contract()
BUYING = Contract(buying=True)
LOOSE = "2c4d6h8sTcQd9s3h5cKs"  # Ten cards without a meld.
OTHER = "3c5d7h9sJcKd4s6d8h2s"


def position(
    *hands: str, deal: int = 1, stock: str = "Kc9d", pile: str = "7s", melds: str = "", turn: int = 0
) -> ContractState:
    state = ContractState(terms(len(hands)), ([], [], []), GAME.contracts[deal - 1], whole=deal == 7)
    draw_up(GAME, state, *hands, stock=stock, pile=pile, melds=melds, turn=turn)
    state.known = [()] * len(hands)
    return state


# 1: seats and cards


@pytest.mark.parametrize("seats", [0, 1, 2, 7])
def test_con_1_three_to_six_play(seats: int) -> None:
    with pytest.raises(BadOptions, match="3 to 6 seats"):
        Match(GAME, seats, b"seed")


def test_con_1_two_where_the_option_allows_it() -> None:
    match = Match(Contract(two_seats=True), 2, b"seed")
    assert match.view(None).hand_sizes == (10, 10)
    with pytest.raises(BadOptions, match="2 to 6 seats"):
        Match(Contract(two_seats=True), 1, b"seed")


@pytest.mark.parametrize(("seats", "packs", "jokers"), [(2, 2, 1), (3, 2, 1), (4, 2, 1), (5, 3, 2), (6, 3, 2)])
def test_con_1_packs_and_jokers_by_seats(seats: int, packs: int, jokers: int) -> None:
    assert sorted(GAME.deck(seats)) == sorted((*PACK * packs, *(52, 53)[:jokers]))
    other = Contract(packs="two").deck(seats)
    assert len(other) == 104 + seats - 1


@pytest.mark.parametrize("cards", ["Ac2c3c4c", "JcQcKcAc", "Xr2c3c4c", "TcJcXrXb"])
def test_con_1_the_ace_at_either_end_and_jokers_are_wild(cards: str) -> None:
    found = classified(parse_cards(cards), RULES)
    assert found is not None
    assert found[1]


@pytest.mark.parametrize("cards", ["KcAc2c3c", "QcKcAc2c", "Xr2cXb", "5cXrXb8h"])
def test_con_1_but_not_both(cards: str) -> None:
    assert classified(parse_cards(cards), RULES) is None


@pytest.mark.parametrize(
    "options",
    [
        {"contracts": []},
        {"contracts": [[0, 0]], "cards": [5]},
        {"contracts": [[5, 0]], "cards": [15]},
        {"contracts": [[1, 0, 0]], "cards": [5]},
        {"cards": [10]},
        {"cards": [4, 10, 10, 10, 12, 12, 12]},
        {"cards": [17, 10, 10, 10, 12, 12, 12]},
        {"packs": "three"},
        {"buying": 1},
        {"max_buys": 0},
        {"max_buys": 5},
        {"turn_cap": 0},
        {"preset": "canasta"},
        {"target": 5},
    ],
)
def test_options_that_there_are_not(options: dict[str, Any]) -> None:
    with pytest.raises(BadOptions, match=next(iter(options))):
        find_game("contract", options)


# 2: contracts and deal


def test_con_2_1_seven_contracts_and_their_least_cards() -> None:
    assert GAME.contracts == ((2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))
    assert [least_cards(*pair) for pair in GAME.contracts] == [6, 7, 8, 9, 10, 11, 12]


@pytest.mark.parametrize("seats", range(3, 7))
def test_con_2_2_ten_cards_then_twelve(seats: int) -> None:
    match = Match(Contract(turn_cap=1), seats, b"seed")
    sizes, contracts = [], []
    while match.decision is not None:
        view = match.view(None)
        if match.ply == 0:
            sizes.append(view.hand_sizes)
            contracts.append(view.contract)
            assert view.turn == (view.dealer + 1) % seats
            assert len(view.pile) == 1
        match.apply(match.default_action())
    assert sizes == [(count,) * seats for count in (10, 10, 10, 10, 12, 12, 12)]
    assert tuple(contracts) == GAME.contracts


@pytest.mark.parametrize(
    ("preset", "cards"),
    [("continental", GAME.cards), ("dummy", (10, 10, 10, 12, 12, 12, 12)), ("rising", (7, 10, 10, 10, 12, 12, 14))],
)
def test_con_2_2_other_deals_are_presets(preset: str, cards: tuple[int, ...]) -> None:
    game = find_game("contract", {"preset": preset})
    assert isinstance(game, Contract)
    assert game.cards == cards


def test_con_2_1_a_void_deal_is_dealt_again_with_the_same_contract() -> None:
    match = Match(Contract(turn_cap=1), 4, b"seed")
    while match.deal < 2:
        match.apply(match.default_action())
    match.forfeit(1, "timeout")
    assert match.deal == 3
    assert match.view(None).contract == (0, 2)


# 3: the draw, and buying


def test_con_3_stock_or_upcard() -> None:
    state = position(LOOSE, OTHER, OTHER)
    assert legal(GAME, state) == {"S", "P1"}
    refused(GAME, state.copy(), "P2", "Only the top card")
    play(GAME, state, "S")
    assert state.phase is Phase.PLAY
    assert legal(GAME, state) == {"E"}


def test_con_3_the_upcard_that_was_refused_is_offered_clockwise() -> None:
    state = position(LOOSE, OTHER, OTHER, stock="Kc9dAh", pile="5s7s")
    play(BUYING, state, "S")
    assert BUYING.decision(state) == (1, Phase.OFFER)
    assert BUYING.view(state, 1).phase is Phase.OFFER
    assert legal(BUYING, state) == {"T", "N"}
    assert default(BUYING, state) == "N"
    refused(BUYING, state.copy(), "E", "upcard is offered")
    events = play(BUYING, state, "N T")
    assert [event.kind for event in events] == [EventKind.PASS, EventKind.DRAW_PILE, EventKind.DRAW_STOCK]
    assert events[2].private
    assert (events[1].seat, events[2].seat) == (2, 2)
    assert len(state.hands[2]) == 12
    assert state.known[2] == parse_cards("7s")
    assert BUYING.decision(state) == (0, Phase.PLAY)
    assert cards_text(state.pile) == "5s"
    assert cards_text(state.stock) == "Ah"


def test_con_3_nobody_is_asked_after_the_upcard_was_taken_or_where_buying_is_off() -> None:
    state = position(LOOSE, OTHER, OTHER)
    play(BUYING, state, "P1")
    assert state.phase is Phase.PLAY
    state = position(LOOSE, OTHER, OTHER)
    play(GAME, state, "S")
    assert state.phase is Phase.PLAY


def test_con_3_all_may_decline() -> None:
    state = position(LOOSE, OTHER, OTHER)
    play(BUYING, state, "S N N")
    assert BUYING.decision(state) == (0, Phase.PLAY)
    assert cards_text(state.pile) == "7s"


# 4: the contract


def test_con_4_1_sets_of_three_with_any_suits_and_runs_of_four() -> None:
    assert classified(parse_cards("8c8c8d"), RULES) is not None
    assert classified(parse_cards("8c8c8c8d8d8h8s8s8s"), RULES) is not None
    assert classified(parse_cards("8c9cTc"), RULES) is None
    assert classified(parse_cards("8c8d"), RULES) is None


def test_con_4_2_in_one_go_and_exactly() -> None:
    state = position("8c8d8s8hKcKdKh2c3d", OTHER, OTHER, stock="9d")
    play(GAME, state, "S")
    listed = {text for text in legal(GAME, state) if text != "E"}
    assert {"M:8c8d8h8s", "M:8c8d8s", "M:KcKdKh"} <= listed
    play(GAME, state, "M:8c8d8h8s")
    assert legal(GAME, state) == {"M:KcKdKh"}
    assert default(GAME, state) == "M:KcKdKh"
    refused(GAME, state.copy(), "E", "completed in the same go")
    refused(GAME, state.copy(), "L:2c>0", "once its whole contract")
    play(GAME, state, "M:KcKdKh")
    assert legal(GAME, state) == {"E"}


def test_con_4_2_no_part_of_it_alone() -> None:
    state = position("8c8d8sKcKd2c3d4h9s", OTHER, OTHER, stock="9d")
    play(GAME, state, "S")
    assert legal(GAME, state) == {"E"}
    refused(GAME, state, "M:8c8d8s", "laid in one go")


def test_con_4_2_nothing_before_it_and_nothing_else() -> None:
    state = position("8c8d8sKcKdKh3h4h5h6h", OTHER, OTHER, stock="7h", melds="1:QcQdQs")
    play(GAME, state, "S")
    refused(GAME, state.copy(), "M:3h4h5h6h", "no more runs")
    state = position("QhKcKd2c3d4h9s", OTHER, OTHER, melds="1:QcQdQs 1:5c5d5h")
    refused(GAME, state, "S L:Qh>0", "once its whole contract")


def test_con_4_2_a_choice_that_would_spoil_the_rest_is_not_there() -> None:
    state = position("5c6c7c8c8d8s", OTHER, OTHER, deal=2, stock="2h")
    play(GAME, state, "S")
    assert legal(GAME, state) == {"E"}
    state = position("5c6c7c8c8d8s4c", OTHER, OTHER, deal=2, stock="2h8h")
    play(GAME, state, "S")
    assert legal(GAME, state) == {"M:4c5c6c7c", "M:8c8d8s", "E"}
    refused(GAME, state.copy(), "M:5c6c7c8c", "laid in one go")
    play(GAME, state, "M:8c8d8s")
    assert legal(GAME, state) == {"M:4c5c6c7c"}


def test_con_4_2_a_joker_may_have_to_stand_where_its_card_is_held() -> None:
    # Two sets need the fives; the run takes the joker between four and six.
    state = position("4h5h6h7hXr5c5d2s", OTHER, OTHER, deal=2, stock="9d")
    play(GAME, state, "S")
    assert "M:4hXr6h7h" in legal(GAME, state) or "M:5c5dXr" in legal(GAME, state)
    play(GAME, state.copy(), "M:5c5d5h M:4hXr6h7h E")
    play(GAME, state.copy(), "M:4hXr6h7h M:5c5d5h E")


def test_con_4_3_half_of_a_meld_is_natural() -> None:
    for cards, valid in [("8c8dXr", True), ("8cXrXb", False), ("5cXrXb8c", True), ("5cXrXb8c9cXr", True)]:
        assert (classified(parse_cards(cards), RULES) is not None) is valid
    state = position("XrXr9s", OTHER, OTHER, stock="2d", melds="0:8c8dXrXb 0:KcKdKh 1:5h6h7h8h")
    play(GAME, state, "S")
    assert "L:Xr>0" not in legal(GAME, state)
    refused(GAME, state.copy(), "L:Xr>0", "does not go on")
    assert {"L:Xr>1", "L:Xr>2", "L:Xr>2-"} <= legal(GAME, state)


# 5: lay-offs


def test_con_5_lay_offs_in_the_same_turn_or_later_on_any_meld() -> None:
    state = position(
        "8c8d8s3d4d5d6d9hQh2c", OTHER, OTHER, deal=2, stock="9dKcAcKs", melds="1:5h6h7h8h 1:QcQdQs"
    )  # fmt: skip
    play(GAME, state, "S M:8c8d8s M:3d4d5d6d")
    assert legal(GAME, state) == {"L:9h>0", "L:Qh>1", "E"}
    play(GAME, state, "L:9h>0 E D:9d S E D:3c S E D:3c S L:Qh>1")
    assert state.melds[1].placers == (1, 1, 0, 1)


def test_con_5_no_further_melds() -> None:
    state = position("4c4d4h9s", OTHER, OTHER, melds="0:8c8d8s 0:KcKdKh")
    refused(GAME, state, "S M:4c4d4h", "no meld is added")


# 6: the last deal


def test_con_6_all_cards_at_once_as_three_runs_and_no_discard() -> None:
    state = position("3c4c5c6c7c8d9dTdJdQhKhAh", OTHER, OTHER, deal=7, stock="Jh")
    events = play(GAME, state, "S M:3c4c5c6c7c M:8d9dTdJd M:JhQhKhAh")
    assert state.closer == 0
    assert events[-1].kind is EventKind.SHOW
    assert state.result is not None
    assert state.result.points[0] == 0


def test_con_6_not_with_a_card_left() -> None:
    state = position("3c4c5c6c7c8d9dTdJdQhKhAh", OTHER, OTHER, deal=7, stock="2s")
    play(GAME, state, "S")
    assert legal(GAME, state) == {"E"}
    state = position("3c4c5c6c7c8d9dTdJdQhKhAh", OTHER, OTHER, deal=7, stock="Jh")
    play(GAME, state, "S")
    refused(GAME, state, "M:3c4c5c6c", "all the cards go down at once")


def test_con_6_off_the_last_deal_is_as_the_others() -> None:
    game = Contract(last_at_once=False)
    state = game.deal(game.deck(3), terms(3, number=6))
    assert not state.whole
    assert GAME.deal(GAME.deck(3), terms(3, number=6)).whole
    assert not GAME.deal(GAME.deck(3), terms(3, number=5)).whole


# 7: scoring, stock, match


def test_con_7_the_others_count() -> None:
    assert hand_points(parse_cards("XrAsKd7hTc")) == 57
    state = position("8c8d8sKcKdKh9h", "AhXr2c", "Td9s", stock="9d", melds="1:5h6h7h8h 1:QcQdQs")
    play(GAME, state, "S M:8c8d8s M:KcKdKh L:9h>0 E D:9d")
    assert state.result is not None
    assert state.result.points == (0, 32, 19)
    assert state.result.reason == "out"
    assert state.result.winner == 0


def test_con_7_the_pile_but_its_top_is_shuffled_once() -> None:
    state = position(LOOSE, OTHER, OTHER, stock="", pile="7s8s9c")
    events = play(GAME, state, "S")
    assert [event.kind for event in events] == [EventKind.TURN_OVER, EventKind.DRAW_STOCK]
    assert events[0].cards == parse_cards("9c")
    assert len(state.stock) == 1
    play(GAME, state, f"E D:{hand(state, 0)[:2]} S E")
    play(GAME, state, f"D:{hand(state, 1)[:2]}")
    assert state.result is not None
    assert state.result.reason == "stock"
    assert state.closer is None
    assert all(state.result.points)


def test_con_7_nothing_to_shuffle_ends_the_deal_too() -> None:
    state = position(LOOSE, OTHER, OTHER, stock="", pile="7s")
    state.phase, state.stock = Phase.START, list(parse_cards("9d"))
    state.pile = []
    play(GAME, state, "S E D:9d")
    assert state.result is not None
    assert state.result.reason == "stock"


def test_con_7_so_does_the_cap() -> None:
    state = position(LOOSE, OTHER, OTHER)
    state.turns = 179
    play(GAME, state, "S E D:Kc")
    assert state.result is not None
    assert state.result.reason == "turn cap"


def test_con_7_the_lowest_sum_after_all_contracts_wins() -> None:
    tally = Totals(3, 0, lowest=True)
    tally.scores, tally.deals = [30, 12, 30], 6
    assert GAME.outcome(tally) is None
    tally.deals = 7
    result = GAME.outcome(tally)
    assert result is not None
    assert result.placements == (2, 1, 2)
    assert result.reason == "deals"


# 8: particular cases


def test_con_8_the_upcard_taken_is_not_thrown_back() -> None:
    state = position(LOOSE, OTHER, OTHER)
    play(GAME, state, "P1 E")
    assert "D:7s" not in legal(GAME, state)
    refused(GAME, state, "D:7s", "same turn")
    state = position("7s" + LOOSE[2:], OTHER, OTHER)
    play(GAME, state, "P1 E D:7s")
    assert state.forbidden is None


def test_con_8_two_sets_of_a_rank_and_runs_side_by_side() -> None:
    state = position("8c8d8s8h8h8c2c3d", OTHER, OTHER, stock="9d")
    play(GAME, state, "S M:8c8d8s M:8c8h8h E")
    state = position("2c3c4c5c6c7c8c9c", OTHER, OTHER, deal=3, stock="9d")
    play(GAME, state, "S M:2c3c4c5c M:6c7c8c9c E")


def test_con_8_the_closing_discard_is_optional() -> None:
    state = position("8c8d8sKcKdKh", OTHER, OTHER, stock="8h")
    play(GAME, state, "S M:8c8d8h8s M:KcKdKh")
    assert state.closer == 0
    state = position("9h", OTHER, OTHER, stock="Th", melds="0:8c8d8s 0:KcKdKh 1:5h6h7h8h")
    play(GAME, state, "S L:9hTh>2")
    assert state.closer == 0


def test_con_8_what_may_not_be_thrown_is_not_left_alone() -> None:
    state = position("8c8d8sKcKdKh", OTHER, OTHER, pile="2s")
    play(GAME, state, "P1")
    assert legal(GAME, state) == {"E"}
    refused(GAME, state.copy(), "M:8c8d8s", "laid in one go")
    state = position("8c8d8sKcKdKh", OTHER, OTHER, pile="Ks")
    play(GAME, state, "P1")
    assert {"M:8c8d8s", "M:KcKdKhKs", "M:KcKdKs"} <= legal(GAME, state)
    play(GAME, state, "M:8c8d8s")
    assert "M:KcKdKh" in legal(GAME, state)
    play(GAME, state, "M:KcKdKh")
    assert legal(GAME, state) == {"L:Ks>1"}
    refused(GAME, state.copy(), "E", "lay it off")
    state = position("8c2s", OTHER, OTHER, pile="3d", melds="0:8d8h8s 0:KcKdKh")
    play(GAME, state, "P1 L:8c>0 E D:2s")


def test_con_8_a_lay_off_does_not_strand_it_either() -> None:
    state = position("8c", OTHER, OTHER, pile="3d", melds="0:8d8h8s 0:KcKdKh")
    play(GAME, state, "P1")
    assert legal(GAME, state) == {"E"}
    refused(GAME, state, "L:8c>0", "may not be thrown")


def test_con_8_a_joker_stays_what_it_was_laid_for() -> None:
    state = position("6h9s8h", OTHER, OTHER, stock="2d", melds="0:8c8d8s 0:KcKdKh 1:4h5hXr7h")
    play(GAME, state, "S")
    refused(GAME, state.copy(), "L:6h>2", "does not go on")
    play(GAME, state, "L:8h>2")


def test_con_8_three_buys_a_seat_and_none_from_an_empty_stock() -> None:
    state = position(LOOSE, OTHER, OTHER, stock="KcKdKh")
    state.bought = [0, 3, 0]
    play(BUYING, state, "S")
    assert BUYING.decision(state) == (2, Phase.OFFER)
    state = position(LOOSE, OTHER, OTHER, stock="Kc")
    play(BUYING, state, "S")
    assert state.phase is Phase.PLAY


def test_con_8_bought_cards_go_down_too_in_the_last_deal() -> None:
    hand_of_fifteen = "3c4c5c6c7c8c8d9dTdJdQdJhQhKh"
    state = position(hand_of_fifteen, OTHER, OTHER, deal=7, stock="Ah")
    play(GAME, state, "S M:3c4c5c6c7c8c M:8d9dTdJdQd M:JhQhKhAh")
    assert state.closer == 0


def test_defaults() -> None:
    state = position(LOOSE, OTHER, OTHER)
    assert default(GAME, state) == "S"
    play(GAME, state, "S")
    assert default(GAME, state) == "E"
    play(GAME, state, "E")
    assert default(GAME, state) == "D:Kc"
    state = position("Xr", OTHER, OTHER, pile="Xb")
    play(GAME, state, "P1 E")
    assert default(GAME, state) == "D:Xr"


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("E", "begins with a draw"),
        ("S D:2c", "Now the contract"),
        ("S E E", "ends with a discard"),
        ("S E D:Ad", "not in the hand"),
        ("S M:AdAhAc", "not in the hand"),
        ("S M:4d4d4d", "more often"),
        ("S M:2c4d6h", "neither a set nor a run"),
    ],
)
def test_what_is_refused_and_why(script: str, sentence: str) -> None:
    refused(GAME, position(LOOSE, OTHER, OTHER), script, sentence)


@pytest.mark.parametrize(
    "text",
    [
        "Ac2c3c3c4c4c5c5c6c6c7c7c8c8c9c9cTcTcJcQcKcKc2h3h4hXrXrXrXr",
        "Ac2c3c4c5c6c6c7c7c8c8c9c9cTcTcJcJcQcKcKc2s3s4s5s6s7s8s9sTsJsQsKsXrXrXrXrXr",
    ],
)
def test_con_6_the_greatest_hands_are_looked_through_in_few_steps(text: str) -> None:
    cards = tuple(sorted(parse_cards(text)))
    exactly.cache_clear()
    found = exactly(cards, 0, 3)
    assert found is not None and sorted(card for meld in found for card in meld) == list(cards)
    for number in range(0, len(cards), 2):
        exactly(cards[:number] + cards[number + 1 :], 0, 3)
    assert exactly.cache_info().misses < 1000
