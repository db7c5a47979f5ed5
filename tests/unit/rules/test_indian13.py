"""Indian rummy by the clauses of docs/rulebook/indian13.md: the deal, the turn, dropping, shows, scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from indian13_table import IDLE, POOR, READY, READY_GROUPS, hand, legal, play, position
from sentences import is_sentence

from rummy.errors import BadOptions, IllegalAction
from rummy.rules import shuffle
from rummy.rules.actions import Arrange, DrawPile, Drop, Knock
from rummy.rules.cards import cards_text, parse_card, parse_cards
from rummy.rules.game import EventKind, Phase, Renewal
from rummy.rules.games import find_game
from rummy.rules.games.indian13 import Indian13
from rummy.rules.match import Match
from rummy.rules.narrate import sentence
from rummy.rules.notation import parse_action
from rummy.rules.tabling import hand_of, without

GAME = Indian13()


def refused(state: Any, text: str, sentence: str, game: Indian13 = GAME) -> None:
    kept = state.copy()
    events = len(state.events)
    with pytest.raises(IllegalAction, match=sentence) as refusal:
        game.apply(state, parse_action(text))
    assert is_sentence(refusal.value.reason)
    assert len(state.events) == events
    names = [name for name in type(state).__slots__ if name != "events"]
    assert [getattr(state, name) for name in names] == [getattr(kept, name) for name in names]


# ---- cards, deal


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_ind_1_two_to_six_seats_play_with_106_cards(seats: int) -> None:
    match = Match(find_game("indian13"), seats, b"deal")
    state = match._state
    cards = [*state.stock, *state.pile, state.cut, *[card for held in state.hands for card in held]]
    pack = Counter(cards)
    assert len(cards) == 106
    assert [pack[card] for card in range(54)] == [2] * 52 + [1, 1]


@pytest.mark.parametrize("seats", [1, 7])
def test_ind_1_no_other_number_of_seats(seats: int) -> None:
    with pytest.raises(BadOptions, match="2 to 6 seats"):
        Match(find_game("indian13"), seats, b"deal")


def test_ind_2_1_thirteen_cards_the_cut_card_and_the_upcard_from_the_dealers_left() -> None:
    match = Match(find_game("indian13"), 3, b"deal")
    deck = shuffle.shuffled(shuffle.deal_seed(b"deal", 0), match.game.deck(3))
    view = match.view(None)
    first = (view.dealer + 1) % 3
    assert match.decision == (first, Phase.START)
    for number in range(3):
        assert match.view((first + number) % 3).hand == tuple(sorted(deck[number:39:3]))
    assert (view.wild, view.pile, view.stock) == (deck[39], (deck[40],), 65)
    assert match._state.stock[-1] == deck[41]
    assert match.events[0].cards == (deck[40],) and match.events[0].groups == ((deck[39],),)
    assert "cut for the wild rank" in sentence(match.events[0], ["a", "b", "c"])


def test_ind_2_2_a_joker_cut_makes_the_aces_wild() -> None:
    state = position(READY.replace("4h", "Ad"), POOR, cut="Xr", stock="7c")
    assert "K:7c" in legal(GAME, play_on(state, "S"))


def play_on(state: Any, script: str, game: Indian13 = GAME) -> Any:
    play(game, state, script)
    return state


# ---- the turn


def test_ind_4_1_draw_one_card_then_discard_one() -> None:
    state = position(POOR, IDLE)
    assert legal(GAME, state) == {"S", "P1", "Q"}
    refused(state, "D:2c", "begins with a draw")
    refused(state, "P2", "top card")
    refused(state, "K:2c/2c", "begins with a draw")
    play(GAME, state, "S")
    assert hand(state, 0).count("7c") == 1
    refused(state, "S", "ends with a discard")
    refused(state, "Q", "ends with a discard")
    refused(state, "D:4c", "not in the hand")
    assert {text for text in legal(GAME, state) if text[0] == "D"} == {
        f"D:{cards_text((card,))}" for card in state.hands[0]
    }
    play(GAME, state, "D:2c")
    assert (state.turn, cards_text(state.pile)) == (1, "4c2c")


def test_ind_4_2_an_open_joker_may_be_taken_as_the_very_first_upcard_only() -> None:
    for upcard in ("Xr", "Kh"):
        state = position(POOR, IDLE, pile=upcard)
        assert "P1" in legal(GAME, state)
        assert "P1" in legal(GAME, play_on(position(POOR, IDLE, IDLE, pile=upcard), "Q"))  # Nobody has covered it.
        play(GAME, state, "P1")
        assert hand(state, 0).count(upcard) == (POOR + upcard).count(upcard)
        state = position(POOR.replace("2c", upcard), IDLE)
        play(GAME, state, f"S D:{upcard}")
        assert legal(GAME, state) == {"S", "Q"}
        refused(state, "P1", "very first upcard")


def test_ind_4_2_a_first_upcard_that_comes_back_is_no_first_upcard() -> None:
    state = position(POOR, IDLE, pile="Xr", stock="7c")
    play(Indian13(rediscard_ban=False), state, "P1 D:Xr")
    refused(state, "P1", "very first upcard")


def test_ind_4_3_the_card_taken_stays_unless_there_is_another_copy() -> None:
    state = position(READY.replace("9s", "8d"), POOR, pile="9s")
    play(GAME, state, "P1")
    refused(state, "D:9s", "just taken")
    refused(state, "K:9s/" + READY_GROUPS.replace("9s", "8d"), "just taken")
    assert "D:9s" not in legal(GAME, state) and "K:8d" in legal(GAME, state)
    assert GAME.view(state, 0).forbidden == parse_card("9s")
    state = position(POOR.replace("2c", "4c"), IDLE, pile="4c")
    play(GAME, state, "P1 D:4c")
    assert state.turn == 1 and state.known[0] == ()
    state = position(POOR, IDLE, pile="4c")
    assert "D:4c" in legal(Indian13(rediscard_ban=False), play_on(state, "P1", Indian13(rediscard_ban=False)))


def test_ind_4_4_an_empty_stock_is_made_of_the_pile_without_its_top() -> None:
    state = position(POOR, IDLE, stock="", pile="4c9c9d4d")
    (turned, drawn) = play(GAME, state, "S")
    assert (turned.kind, cards_text(turned.cards), turned.reason) == (EventKind.TURN_OVER, "4d", "shuffled")
    assert drawn.seen_by(1).cards == ()
    assert cards_text(state.pile) == "4d" and len(state.stock) == 2
    again = shuffle.shuffled(shuffle.again_seed(b"chance", 0), list(parse_cards("4c9c9d")))
    assert [drawn.cards[0], *state.stock[::-1]] == again


# ---- dropping


def test_ind_5_a_drop_costs_20_before_the_first_draw_and_40_later() -> None:
    state = position(POOR, IDLE, POOR)
    (event,) = play(GAME, state, "Q")
    assert (event.kind, event.seat, event.reason, event.cards) == (EventKind.DROP, 0, "first drop", ())
    assert GAME.view(state, None).status == (2, 1, 1)
    (*_, last) = play(GAME, state, "S D:7c P1 D:2c Q")
    assert (last.kind, last.reason) == (EventKind.DROP, "middle drop")
    assert state.result is not None
    assert (state.result.reason, state.result.winner) == ("last seat", 2)
    assert state.result.points == (-20, -40, 60)
    assert state.hands[0] == tuple(sorted(parse_cards(POOR)))  # Unseen, out of play.
    assert GAME.view(state, 2).known[0] == ()


def test_ind_5_the_price_of_a_drop_is_an_option() -> None:
    game = Indian13(first_drop=25, middle_drop=50)
    state = position(POOR, IDLE, POOR)
    play(game, state, "S D:2c Q S D:3d Q")
    assert state.result is not None and state.result.points == (-50, -25, 75)


def test_ind_5_a_seat_that_has_dropped_is_passed_over() -> None:
    state = position(POOR, IDLE, POOR)
    play(GAME, state, "S D:2c Q S D:2c")
    assert state.turn == 0


# ---- the show


@pytest.mark.parametrize("text", ["K:7c", "K:7c/" + READY_GROUPS])
def test_ind_6_a_show_ends_the_play_and_the_others_show(text: str) -> None:
    state = position(READY, POOR, IDLE)
    knock, show = play(GAME, state, "S " + text)[1:]
    assert (knock.kind, knock.reason, knock.seen_by(1).cards) == (EventKind.KNOCK, "declares", ())
    assert sentence(knock, "xyz") == "x declares with 7c."
    assert show.kind is EventKind.SHOW and show.cards == () and len(show.groups) == 4
    assert GAME.decision(state) == (1, Phase.SHOW)
    assert GAME.view(state, 1).closer == 0
    assert len(state.melds) == 4 and hand(state, 0) == ""
    assert [meld.run for meld in state.melds] == [meld.cards[0] % 13 != meld.cards[1] % 13 for meld in state.melds]
    assert GAME.view(state, None).turns == 1
    play(GAME, state, "A A")
    assert state.result is not None
    assert (state.result.reason, state.result.winner, state.result.points) == ("show", 0, (147, -69, -78))


def test_ind_6_a_wrong_show_costs_80_and_the_others_play_on() -> None:
    state = position(READY.replace("4h", "5h"), POOR, IDLE)
    groups = READY_GROUPS.replace("4h", "5h")
    play(GAME, state, "S")
    assert not any(text[0] == "K" for text in legal(GAME, state))
    show, discard, drop = play(GAME, state, f"K:7c/{groups}")
    assert [show.kind, discard.kind, drop.kind] == [EventKind.SHOW, EventKind.DISCARD, EventKind.DROP]
    assert drop.reason == "wrong show"
    assert show.groups == tuple(parse_cards(group) for group in groups.split(","))
    assert discard.cards == parse_cards("7c")
    assert (state.turn, state.result, state.losses) == (1, None, [80, 0, 0])
    assert GAME.view(state, 1).known[0] == state.hands[0]  # Everybody has seen it.
    assert state.melds == []
    play(GAME, state, "Q")
    assert state.result is not None and state.result.points == (-80, -20, 100)


def test_ind_4_2_the_joker_of_a_wrong_show_is_not_the_first_upcard() -> None:
    state = position(READY.replace("4h", "Xr"), POOR, IDLE)
    play(GAME, state, "S K:Xr/" + READY_GROUPS.replace("4h", "7c"))
    resumed = GAME.resume(GAME.view(state, None), state.hands, state.stock.copy())
    for deal in (state, resumed):
        assert legal(GAME, deal) == {"S", "Q"}


def test_ind_6_after_a_wrong_show_of_two_seats_the_other_has_won() -> None:
    state = position(POOR, IDLE)
    play(Indian13(wrong_show=90), state, "S K:7c/" + POOR.replace(" ", ","))
    assert state.result is not None
    assert (state.result.reason, state.result.points) == ("last seat", (-90, 90))


def test_ind_6_a_show_names_its_card_and_each_of_the_thirteen_once() -> None:
    state = position(READY, POOR)
    play(GAME, state, "S")
    refused(state, "K", "name it")
    refused(state, "K/" + READY_GROUPS, "name it")
    refused(state, "K:8c/" + READY_GROUPS, "not in the hand")
    refused(state, "K:7c/4s5s6s7s,2h3h4h,QcQdQh", "all of the other thirteen")
    refused(state, "K:7c/" + READY_GROUPS.replace("9s", "7c"), "not in the hand")
    refused(state, "K:7c/" + READY_GROUPS.replace("9s", "9d"), "more often")
    refused(state, "K:9s", "no valid show")
    for odd in (Knock(parse_card("7c"), ((),)), Knock(parse_card("7c"), ((99, -1),)), Knock(-1), Knock(99, ())):
        with pytest.raises(IllegalAction):
            GAME.apply(state, odd)
    assert state.phase is Phase.DISCARD


def test_ind_6_a_show_in_a_later_turn_counts_as_a_turn() -> None:
    state = position(POOR, READY, IDLE, stock="7c7d")
    play(GAME, state, "S D:2c S K:7d")
    assert GAME.view(state, None).turns == 2


@pytest.mark.parametrize(
    ("drawn", "known", "stays"), [("9c", "9cQc", "9cQc"), ("7d", "7dQc", "Qc"), ("7d", "Qc", "Qc")]
)
def test_ind_6_of_two_copies_the_unknown_one_is_put_to_the_finish_slot_com_12(
    drawn: str, known: str, stays: str
) -> None:
    state = position(READY, POOR, IDLE, stock=drawn)
    play(GAME, state, "S")
    state.known[0] = tuple(sorted(parse_cards(known)))
    state.renewal = Renewal(1, (), parse_cards("2s"), (0,) * 3, ((),) * 3)
    play(GAME, state, f"K:{drawn}/{READY_GROUPS}")
    assert state.renewal is not None
    assert state.renewal.revealed[0] == without(hand_of(parse_cards(READY.replace(" ", ""))), parse_cards(stays))


def test_ind_6_leftover_jokers_go_into_the_second_sequence() -> None:
    state = position("4s5s6s 7h8h9h QcQdQhQs XrXbKc", POOR, stock="Kd")
    play(GAME, state, "S K:Kd A")
    assert state.result is not None and state.result.winner == 0


# ---- counting


def test_ind_7_1_the_others_show_clockwise_each_as_it_likes() -> None:
    state = position(IDLE, READY, *["4c5c6cThJhQh2d2h2s 9c9dAd5d"] * 2, turn=1)
    play(GAME, state, "S K:7c")
    assert state.turn == 2
    refused(state, "S", "is to be shown")
    refused(state, "A/2d2h2s;9c>0", "Nothing is laid off")
    refused(state, "A/2d2h9c", "neither a sequence nor a set")
    refused(state, "A/2d2h2s,2s3c4c", "not in the hand|more often")
    refused(state, "A/8d8h8s", "not in the hand")
    with pytest.raises(IllegalAction, match="laid off"):
        GAME.apply(state, Arrange(None, (parse_action("L:9c>0"),)))  # type: ignore[arg-type]
    assert {"A", "A/4c5c6c", "A/2d2h2s", "A/ThJhQh"} == legal(GAME, state)
    play(GAME, state, "A")
    assert cards_text(state.hands[2]) == "9cAd5d9d"
    assert state.turn == 3
    play(GAME, state, "A/4c5c6c A")
    assert state.losses == [78, 0, 33, 30 + 6 + 33]  # The worse arrangement stands.


def test_ind_7_3_reading_b_is_that_of_the_arrangement_as_well() -> None:
    """The king is wild: in a pure sequence of 40, or with 2h3h in a second one beside a pure sequence of 30."""
    hand = "TsJsQsKsAs2h3h5c8cJc4d7dTd"
    for game, points in ((Indian13(without_second="all"), 54), (Indian13(), 49)):
        state = position(READY, hand, cut="Kd")
        play(game, state, "S K:7c A")
        assert state.losses[1] == points
        state = position(hand, POOR, cut="Kd", stock="2s2s")
        play(replace(game, turn_cap=1), state, "S D:2s S D:2s")
        assert state.losses[0] == points


def test_ind_7_3_reading_b_is_an_option() -> None:
    for game, points in ((Indian13(), 15 + 9), (Indian13(without_second="all"), 15 + 9 + 15)):
        state = position(READY, "4c5c6c5d5h5s9c")
        play(game, state, "S K:7c A")
        assert state.losses[1] == points


def test_ind_7_5_no_hand_counts_more_than_the_cap() -> None:
    state = position(READY, POOR)
    play(Indian13(cap=60), state, "S K:7c A")
    assert state.losses == [0, 60]


# ---- scoring


def test_ind_8_a_pool_adds_up_losses_and_puts_seats_out() -> None:
    match = Match(find_game("indian13", {"preset": "pool_101"}), 3, b"pool")
    out = 0
    while match.decision is not None and not match.forfeits[0]:
        first = match.view(None).scores
        match.apply(Drop())
        out += match.view(None).scores != first
    assert match.result is not None
    assert match.result.reason == "last seat"
    assert sorted(match.result.placements) == [1, 2, 3]
    winner = match.result.placements.index(1)
    assert match.result.scores[winner] < 101
    assert all(score >= 101 for seat, score in enumerate(match.result.scores) if seat != winner)
    assert all(sorted(deal.points)[0] == 0 for deal in match.deals)
    assert [event.seat for event in match.events if event.kind is EventKind.OUT]


def test_ind_8_the_cap_on_turns_makes_losers_of_all_who_are_still_in() -> None:
    for scoring, sign in (("points", -1), ("pool", 1)):
        game = Indian13(turn_cap=1, scoring=scoring)
        state = position(POOR, READY, POOR)
        play(game, state, "Q S D:7c")
        events = play(game, state, "S D:7d")
        assert state.result is not None
        assert (state.result.reason, state.result.winner) == ("turn cap", None)
        assert state.result.points == (20 * sign, 0, 69 * sign)
        assert [event.seat for event in events if event.kind is EventKind.SHOW] == [1, 2]


def test_ind_9_a_session_of_points_has_two_deals_a_seat() -> None:
    match = Match(find_game("indian13"), 3, b"session")
    while match.decision is not None:
        match.apply(Drop())
    assert match.result is not None
    assert (match.result.reason, match.result.deals) == ("deals", 6)
    assert sum(match.result.scores) == 0
    winners = [deal.points.index(40) for deal in match.deals]
    assert winners == [(winners[0] + number) % 3 for number in range(6)]


def test_ind_9_the_card_of_a_wrong_show_lies_on_the_pile_and_may_be_taken() -> None:
    state = position(POOR, IDLE, POOR)
    play(GAME, state, "S K:7c/" + POOR.replace(" ", ","))
    assert cards_text(state.pile) == "4c7c"
    play(GAME, state, "P1")
    assert hand(state, 1).count("7c") == 1


def test_ind_9_a_pool_has_the_same_drops() -> None:
    for preset in ("pool_101", "pool_201"):
        game = find_game("indian13", {"preset": preset})
        assert isinstance(game, Indian13)
        assert (game.first_drop, game.middle_drop, game.scoring) == (20, 40, "pool")


# ---- views, defaults, options


def test_com_12_what_is_taken_from_the_pile_is_known_until_it_is_thrown() -> None:
    state = position(POOR, IDLE, stock="7c7d8d")
    play(GAME, state, "P1 D:2c S D:7c")
    assert cards_text(state.known[0]) == "4c"
    play(GAME, state, "S D:4c")
    assert state.known[0] == ()


def test_com_14_defaults() -> None:
    state = position("4s5s6s 7h8h9h QcQdQh 2c3d XrKh", POOR, stock="Ks")
    assert GAME.default_action(state) == parse_action("S")
    play(GAME, state, "S")
    assert GAME.default_action(state) == parse_action("D:3d")  # A show would be possible; it is never the default.
    state = position(POOR, IDLE, stock="7c")
    play(GAME, state, "S")
    assert GAME.default_action(state) == parse_action("D:Jc")  # The kings are wild.
    state = position(READY, POOR)
    play(GAME, state, "S K:7c")
    assert GAME.default_action(state) == Arrange()


@pytest.mark.parametrize(
    "options",
    [
        {"target": 201}, {"rounds": 3, "scoring": "pool"},
        {"scoring": "chips"}, {"scoring": 1}, {"target": 0}, {"rounds": 11}, {"first_drop": 0}, {"middle_drop": True},
        {"wrong_show": "80"}, {"cap": 1001}, {"without_second": "B"}, {"rediscard_ban": 1}, {"turn_cap": 0},
        {"deal_cap": 101}, {"preset": "pool"}, {"jokers": 2},
    ],
    ids=str,
)  # fmt: skip
def test_bad_options_are_refused_by_name(options: dict[str, object]) -> None:
    with pytest.raises(BadOptions, match=next(iter(options))):
        find_game("indian13", options)


def test_a_match_ends_at_its_cap_of_deals_too() -> None:
    match = Match(find_game("indian13", {"preset": "pool_201", "target": 1000, "deal_cap": 2}), 2, b"cap")
    while match.decision is not None:
        match.apply(Drop())
    assert match.result is not None and match.result.reason == "deal cap"


def test_a_forfeit_at_a_table_of_three_voids_the_deal() -> None:
    match = Match(find_game("indian13"), 3, b"forfeit")
    match.forfeit(1, "timeout")
    assert match.deals[0].reason == "void" and match.active == (0, 2)
    assert match.view(0).hand_sizes == (13, 0, 13) and match.view(0).status == (1, 0, 1)


def test_a_take_of_two_cards_has_no_sense_here() -> None:
    with pytest.raises(IllegalAction, match="top card"):
        GAME.apply(position(POOR, IDLE), DrawPile(0))


def test_nothing_is_played_once_the_deal_is_over() -> None:
    state = position(POOR, IDLE)
    play(GAME, state, "Q")
    assert GAME.legal_actions(state) == () and GAME.decision(state) is None
    refused(state, "S", "over")
