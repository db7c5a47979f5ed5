"""Club by the clauses of docs/rulebook/club.md, up to going out; what it scores is in test_club_scores.py."""

from __future__ import annotations

from typing import Any

import pytest
from club_table import hand, legal, play, position

from rummy.errors import BadOptions, IllegalAction
from rummy.rules.actions import Continue, Discard, DrawPile, DrawStock, EndMelds, GoOut, LayOff, Meld
from rummy.rules.cards import PACK, cards_text, parse_cards
from rummy.rules.game import DealTerms, EventKind, Phase
from rummy.rules.games import find_game
from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import LIMIT, ClubState, is_asked
from rummy.rules.match import Match
from rummy.rules.notation import parse_action

GAME = Club()
TEN = "2c4d6h8sTcQd3s5h7dKs"  # Ten cards without a meld.
OTHER = "3c5d7h9sJcKd4s6h8d2s"


def refused(game: Club, state: ClubState, script: str, sentence: str) -> None:
    """The last action of *script* is refused and changes nothing."""
    *before, last = script.split()
    play(game, state, " ".join(before))
    kept = state.copy()
    told = len(state.events)
    with pytest.raises(IllegalAction, match=sentence):
        game.apply(state, parse_action(last))
    assert len(state.events) == told
    for name in set(ClubState.__slots__) - {"events"}:
        assert getattr(state, name) == getattr(kept, name)


# 1: seats and packs


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_clb_1_1_two_to_six_play(seats: int) -> None:
    with pytest.raises(BadOptions, match="2 to 6 seats"):
        Match(GAME, seats, b"seed")


@pytest.mark.parametrize(("seats", "packs"), [(2, 1), (3, 1), (4, 1), (5, 2), (6, 2)])
def test_clb_1_1_packs_by_seats(seats: int, packs: int) -> None:
    assert sorted(GAME.deck(seats)) == sorted(PACK * packs)
    assert sorted(Club(packs_for_four=2).deck(seats)) == sorted(PACK * (2 if seats == 4 else packs))


def test_clb_1_1_a_forfeit_leaves_packs_for_those_who_stay() -> None:
    match = Match(GAME, 5, b"seed")
    assert match.view(None).stock == 104 - 51
    match.forfeit(2, "timeout")
    assert match.view(None).stock == 52 - 41


RUNS = {"low": {"Ah2h3h"}, "high": {"AhKhQh"}, "either": {"Ah2h3h", "AhKhQh"}, "corner": {"Ah2h3h", "AhKhQh", "KhAh2h"}}


@pytest.mark.parametrize("ace", RUNS)
@pytest.mark.parametrize("run", sorted(RUNS["corner"]))
def test_clb_1_2_where_the_ace_stands_in_a_run(ace: str, run: str) -> None:
    game = Club(ace=ace)
    state = position(run + "4c7d", OTHER, stock="9c")
    play(game, state, "S")
    listed = {frozenset(action.cards) for action in game.legal_actions(state) if isinstance(action, Meld)}
    if run in RUNS[ace]:
        assert listed == {frozenset(parse_cards(run))}
        play(game, state, f"M:{run}")
    else:
        assert not listed
        refused(game, state, f"M:{run}", "neither a set nor a run")


def test_clb_1_2_one_ace_does_not_stand_at_both_ends() -> None:
    state = position("AhKs", OTHER, stock="AhKs", melds="0:2h3h4h5h6h7h8h9hThJhQhKh")
    play(GAME, state, "S")
    assert "L:Ah>0" in legal(GAME, state)
    play(GAME, state, "L:Ah>0")
    assert not any(text.startswith("L:Ah") for text in legal(GAME, state))


@pytest.mark.parametrize(("meld", "more"), [("Qh,Kh", "Ah"), ("2h,3h", "Ah")])
def test_clb_1_2_a_run_on_the_table_takes_an_ace_at_either_end(meld: str, more: str) -> None:
    first = "JhQhKh" if meld.startswith("Q") else "2h3h4h"
    state = position(more + "Ks", OTHER, stock="9c", melds=f"0:{first}")
    play(GAME, state, f"S L:{more}>0")
    assert cards_text(state.melds[0].cards) == ("JhQhKhAh" if meld.startswith("Q") else "Ah2h3h4h")


# 2: melds


@pytest.mark.parametrize("meld", ["5d5d5h", "5d5d5h5h5s5c5c5s", "5c5d5h", "5c5d5h5s"])
def test_clb_2_1_a_set_repeats_suits_and_has_no_upper_size(meld: str) -> None:
    state = position(meld + "Ks", OTHER, stock="9c")
    play(GAME, state, f"S M:{meld}")
    assert not state.melds[0].run
    assert len(state.melds[0].cards) == len(meld) // 2


@pytest.mark.parametrize("meld", ["5d5h", "5d5d", "5d5h6h", "4h5h6d", "4h5h5h6h", "4h5h7h", "5d"])
def test_clb_2_1_2_2_what_is_no_meld(meld: str) -> None:
    refused(GAME, position(meld + "Ks", OTHER, stock="9c"), f"S M:{meld}", "neither a set nor a run")


def test_clb_2_2_a_run_is_three_or_more_of_a_suit_without_repeats() -> None:
    state = position("4h5h6h7h7hKs", OTHER, stock="9c")
    play(GAME, state, "S M:7h5h4h6h")
    assert cards_text(state.melds[0].cards) == "4h5h6h7h"
    assert "L:7h>0" not in legal(GAME, state)


# 3: deal


def test_clb_3_1_ten_cards_one_at_a_time_then_the_upcard() -> None:
    state = GAME.deal(PACK, DealTerms(3, (0, 1, 2), 0, 1, (0, 0, 0)))
    assert state.hands[1] == tuple(range(0, 30, 3))
    assert state.hands[2] == tuple(range(1, 30, 3))
    assert state.hands[0] == tuple(range(2, 30, 3))
    assert state.pile == [30]
    assert state.stock[::-1] == list(range(31, 52))
    assert GAME.decision(state) == (1, Phase.START)


def test_clb_3_1_seats_out_of_the_match_get_no_cards() -> None:
    state = GAME.deal(PACK, DealTerms(4, (0, 3), 0, 3, (0, 0, 0, 0)))
    assert [len(cards) for cards in state.hands] == [10, 0, 0, 10]


def test_clb_3_1_the_first_turn_moves_clockwise_with_each_deal() -> None:
    tally = GAME.tally(3, 2)
    starters = []
    for _ in range(4):
        starters.append(GAME.terms(tally).starter)
        state = GAME.deal(PACK, GAME.terms(tally))
        state.turns = 3 * 40 - 1
        play(GAME, state, f"S E D:{cards_text(state.hands[state.turn][:1])}")
        assert state.result is not None
        GAME.score(tally, state.result)
    assert starters == [0, 1, 2, 0]


def test_clb_3_1_play_goes_clockwise() -> None:
    state = position(TEN, OTHER, TEN, stock="9c9d9h9s", turn=1, turns=0)
    for seat in (1, 2, 0):
        assert state.turn == seat
        play(GAME, state, "S E")
        GAME.apply(state, GAME.legal_actions(state)[0])


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
        state.shuffles = shuffles
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


def test_clb_4_7_com_10_the_turn_cap_ends_the_deal_with_nobody_going_out() -> None:
    state = position("4d6h", "2h3s", stock="9c9d", turns=79)
    play(GAME, state, "S E D:9c C")
    assert state.result is not None
    assert state.result.reason == "turn cap"
    assert state.result.points == (-10, -10)
    short = position("4d6h", "2h3s", stock="9c9d", turns=3)
    play(Club(turn_cap=2), short, "S E D:9c C")
    assert short.result is not None


# 5, 6: melds of a turn, the discard


def test_clb_5_1_any_number_of_melds_and_none_is_required() -> None:
    state = position("7c7d7h3s4s5sKs", OTHER, stock="9c")
    play(GAME, state, "S")
    assert legal(GAME, state) == {"M:7c7d7h", "M:3s4s5s", "E"}
    kept = state.copy()
    play(GAME, kept, "E D:9c")
    play(GAME, state, "M:3s4s5s M:7c7d7h E D:9c")
    assert [cards_text(meld.cards) for meld in state.melds] == ["3s4s5s", "7c7d7h"]


def test_clb_5_2_cards_are_added_to_ones_own_melds() -> None:
    game = Club(shared_partials=False)
    state = position("7s8hKs6h", OTHER, stock="9c", melds="0:7c7d7h 1:3h4h5h")
    play(game, state, "S")
    assert legal(game, state) == {"L:7s>0", "E"}
    refused(game, state, "L:6h>1", "one's own melds only")
    play(game, state, "L:7s>0")
    assert state.melds[0].placers == (0, 0, 0, 0)


def test_com_6_a_lay_off_of_several_cards_goes_one_by_one() -> None:
    state = position("6h7h8hKs", OTHER, stock="9c", melds="1:3h4h5h")
    refused(GAME, state, "S L:7h6h8h>0", "does not fit")
    play(GAME, state, "L:6h7h8h>0")
    assert state.melds[0].placers == (1, 1, 1, 0, 0, 0)


def test_clb_6_1_the_turn_ends_with_one_discard() -> None:
    state = position("7c7d7hKs2h", OTHER, stock="9c")
    play(GAME, state, "S M:7c7d7h E")
    assert legal(GAME, state) == {"D:9c", "D:2h", "D:Ks"}
    refused(GAME, state, "D:3d", "not in the hand")
    (thrown,) = play(GAME, state, "D:2h")
    assert (thrown.kind, thrown.cards) == (EventKind.DISCARD, parse_cards("2h"))
    assert hand(state, 0) == "9cKs"


def test_clb_6_1_unless_no_card_is_left() -> None:
    state = position("7c7d", OTHER, stock="7h")
    play(GAME, state, "S M:7c7d7h")
    assert GAME.decision(state) == (0, Phase.GO_OUT)


def test_clb_6_1_the_card_taken_may_not_come_back_because_it_is_melded() -> None:
    state = position("7c7dKs", OTHER, stock="9c", pile="7h")
    play(GAME, state, "P1 M:7c7d7h E")
    assert legal(GAME, state) == {"D:Ks"}


def test_com_1_of_two_copies_one_may_be_thrown_and_the_other_is_kept() -> None:
    state = position("7c7c9dKs", OTHER, stock="2s")
    play(GAME, state, "S E D:7c")
    assert hand(state, 0) == "7c9d2sKs"
    refused(GAME, position("7cKs2d", OTHER, stock="7d"), "S M:7c7c7d", "used more often than it is held")
    refused(GAME, position("7cKs2d", OTHER, stock="7d"), "S M:7c7h7d", "7h is not in the hand")


# 7: going out


def test_clb_7_1_nobody_goes_out_before_all_have_had_a_turn() -> None:
    state = position("4d6h", "2h3s", "5s5h", stock="9c9d9h9s", turns=0)
    play(GAME, state, "S E D:9c")
    assert GAME.decision(state) == (1, Phase.START)
    refused(GAME, state.copy(), "G", "begins with a draw")
    play(GAME, state, "S E D:9d")
    assert GAME.decision(state) == (2, Phase.START)
    play(GAME, state, "S E D:9h")
    assert GAME.decision(state) == (2, Phase.GO_OUT)  # The last seat of the round may, at once.
    assert legal(GAME, state) == {"G", "C"}
    play(GAME, state, "G")
    assert state.result is not None
    assert state.closer == 2


@pytest.mark.parametrize(
    ("cards", "allowed"),
    [("5c6c7d", True), ("5c6c7c", False), ("AdAhAsKh", True), ("Ac7dTs", True), ("TcJd", False), ("2d3d4d5d6d", True)],
)
def test_clb_7_2_at_most_25_points_in_the_hand(cards: str, allowed: bool) -> None:
    state = position(cards, OTHER, stock="9c")
    play(GAME, state, "S E D:9c")
    assert GAME.decision(state) == (0, Phase.GO_OUT)
    assert legal(GAME, state) == ({"G", "C"} if allowed else {"C"})
    if not allowed:
        refused(GAME, state, "G", "more than 25")


def test_clb_7_2_the_question_tells_nothing_about_the_cards() -> None:
    # Six cards count thirty at least, so nobody has to be asked; with five the answer depends on them.
    state = position("2d3d4d5d6d7d", OTHER, stock="9c")
    play(GAME, state, "S E D:9c")
    assert GAME.decision(state) == (1, Phase.START)
    for cards in ("2d3d4d5d6d", "KdKhKsKcTc"):
        state = position(cards, OTHER, stock="9c")
        play(GAME, state, "S E D:9c")
        assert GAME.decision(state) == (0, Phase.GO_OUT)


def test_clb_7_3_five_or_six_wait_two_turns_unless_they_hold_nothing() -> None:
    for seats in (5, 6):
        others = [OTHER] * (seats - 1)
        early = position("4d", *others, stock="9c9d", turns=2 * seats - 2)
        play(GAME, early, "S E D:9c")
        assert GAME.decision(early) == (1, Phase.START)
        empty = position("7c7d", *others, stock="7h", turns=2 * seats - 2)
        play(GAME, empty, "S M:7c7d7h")
        assert legal(GAME, empty) == {"G", "C"}
        late = position("4d", *others, stock="9c9d", turns=2 * seats - 1)
        play(GAME, late, "S E D:9c")
        assert legal(GAME, late) == {"G", "C"}
        assert GAME.view(late, 0).knock_limit == LIMIT
        assert GAME.view(empty, 0).knock_limit == 0
    four = position("4d", OTHER, OTHER, OTHER, stock="9c9d", turns=4)
    play(GAME, four, "S E D:9c")
    assert legal(GAME, four) == {"G", "C"}


def test_clb_7_4_a_seat_without_cards_goes_on_if_it_likes() -> None:
    state = position("7c7d", OTHER, stock="7h9s9h", pile="2s")
    play(GAME, state, "S M:7c7d7h C")
    assert state.result is None
    assert GAME.view(state, 1).status == (1, 1)
    play(GAME, state, "S E D:3c")
    assert GAME.decision(state) == (0, Phase.START)
    play(GAME, state, "S E D:9h")
    assert legal(GAME, state) == {"G", "C"}


def test_clb_7_going_out_lays_all_hands_open() -> None:
    state = position("4d6h", OTHER, stock="9c")
    events = play(GAME, state, "S E D:9c G")[-3:]
    assert [event.kind for event in events] == [EventKind.GO_OUT, EventKind.SHOW, EventKind.SHOW]
    assert GAME.view(state, None).known == (tuple(sorted(parse_cards("4d6h"))), tuple(sorted(parse_cards(OTHER))))
    assert GAME.view(state, None).phase is None
    assert GAME.legal_actions(state) == ()
    with pytest.raises(IllegalAction, match="over"):
        GAME.apply(state, DrawStock())


# What holds in each phase


ALL: list[Any] = [
    DrawStock(), DrawPile(), Meld(parse_cards("7c7d7h")), LayOff(parse_cards("7s"), 0), EndMelds(), Discard(3),
    GoOut(), Continue(), None, "S",
]  # fmt: skip
IN_PHASE: list[tuple[str, tuple[type, ...], str]] = [
    ("", (DrawStock, DrawPile), "begins with a draw"),
    ("S", (Meld, LayOff, EndMelds), "melds are tabled"),
    ("S E", (Discard,), "ends with a discard"),
    ("S E D:9c", (GoOut, Continue), "go out or continue"),
]


@pytest.mark.parametrize(("script", "kinds", "sentence"), IN_PHASE)
def test_an_action_of_another_phase_is_refused(script: str, kinds: tuple[type, ...], sentence: str) -> None:
    state = position("4d6h", OTHER, stock="9c", pile="2s")
    play(GAME, state, script)
    for action in ALL:
        if not isinstance(action, kinds):
            with pytest.raises(IllegalAction, match=sentence):
                GAME.apply(state, action)


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (LayOff((), 0), "at least one card"),
        (LayOff(parse_cards("8h"), 1), "one of the 1 melds"),
        (LayOff(parse_cards("8h"), -1), "one of the 1 melds"),
        (LayOff(parse_cards("4d"), 0), "does not fit"),
        (LayOff(parse_cards("Qs"), 0), "not in the hand"),
        (LayOff((52,), 0), "does not have"),
        (Meld((52, 3, 4)), "does not have"),
        (Meld((True, 3, 4)), "does not have"),
        (Meld(()), "neither"),
        (Meld([1, 2, 3]), "does not have"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_meld_or_lay_off_has_its_own_reason(action: Any, sentence: str) -> None:
    state = position("4d6h8h", OTHER, stock="9c", melds="1:5h6h7h")
    play(GAME, state, "S")
    with pytest.raises(IllegalAction, match=sentence):
        GAME.apply(state, action)


# COM-12: what is known


def test_com_12_a_card_taken_is_known_until_it_leaves_the_hand() -> None:
    state = position("7c7dKsQd", OTHER, stock="Kc", pile="7hQd8d")
    play(GAME, state, "P3 M:7c7d7h")
    assert GAME.view(state, 1).known[0] == parse_cards("8dQd")
    play(GAME, state, "E D:Qd")  # One of two queens: the known one may be the one that went.
    assert GAME.view(state, 1).known[0] == parse_cards("8d")
    assert hand(state, 0) == "8dQdKs"


# COM-14: defaults


def test_com_14_the_default_of_each_phase() -> None:
    state = position("7c7d9c9dKs2h", OTHER, stock="3s", pile="7h9h")
    assert GAME.default_action(state) == DrawStock()
    taken = state.copy()
    play(GAME, taken, "P2")
    assert GAME.default_action(taken) == Meld(parse_cards("7c7d7h"))
    play(GAME, taken, "M:7c7d7h")
    assert GAME.default_action(taken) == EndMelds()
    play(GAME, state, "S E")
    assert GAME.default_action(state) == Discard(parse_cards("Ks")[0])
    few = position("4d6h", OTHER, stock="9c")
    play(GAME, few, "S E D:9c")
    assert GAME.default_action(few) == Continue()


@pytest.mark.parametrize(
    ("cards", "thrown"),
    [
        ("7c7d7h4s5s6sKs2h3d", "Ks"),  # The king counts most.
        ("7c7d7h5cTd2h", "Td"),  # A club of five counts ten, as the ten does: the higher rank goes.
        ("8c9d7d7h7s", "8c"),  # Ten for the club, five for the nine.
        ("3c7d7h7sJd", "Jd"),
        ("JdJhKs4c4d4h4s", "Ks"),
        ("9d9h2s3s4s", "9d"),  # Equal in rank: diamonds before hearts.
    ],
)
def test_com_14_the_default_discard_leaves_the_least_unmelded(cards: str, thrown: str) -> None:
    state = position(cards, OTHER, stock="2s")
    state.phase = Phase.DISCARD
    assert GAME.default_action(state) == Discard(parse_cards(thrown)[0])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"packs_for_four": 3}, "packs_for_four"),
        ({"ace": "top"}, "either"),
        ({"partial_discharges": 1}, "partial_discharges"),
        ({"double_clubs": None}, "double_clubs"),
        ({"shared_partials": "no"}, "shared_partials"),
        ({"rounds": 0}, "rounds"),
        ({"turn_cap": 1000}, "turn_cap"),
        ({"jokers": 2}, "no option 'jokers'"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadOptions, match=sentence):
        find_game("club", options)


def test_what_is_asked_depends_on_what_everybody_sees() -> None:
    one, other = (position(cards, OTHER, stock="9c") for cards in ("2d3d4d", "KdKhQs"))
    assert is_asked(one) is is_asked(other) is True
