"""Club by the clauses of docs/rulebook/club.md: a turn after its draw, going out, what is asked, and the defaults."""

from __future__ import annotations

from typing import Any

import pytest
from club_table import OTHER, position
from zones_table import hand, legal, play, refused

from rummy.errors import IllegalAction
from rummy.rules.actions import Continue, Discard, DrawPile, DrawStock, EndMelds, GoOut, LayOff, Meld
from rummy.rules.cards import cards_text, parse_cards
from rummy.rules.game import EventKind, Phase
from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import LIMIT, is_asked

GAME = Club()


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
    refused(GAME, state, "S L:7h6h8h>0", "does not go on 3h4h5h")
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
    refused(GAME, position("7cKs2d", OTHER, stock="7d"), "S M:7c7c7d", "named more often than it is held")
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


def test_clb_7_1_nor_with_no_card_at_all_before_everybody_had_a_turn() -> None:
    state = position("7c8c", OTHER, stock="9c9d", turns=0)
    play(GAME, state, "S M:7c8c9c")
    assert GAME.decision(state) == (1, Phase.START)  # Nobody is asked.


def test_clb_7_going_out_lays_all_hands_open() -> None:
    state = position("4d6h", OTHER, stock="9c")
    events = play(GAME, state, "S E D:9c G")[-3:]
    assert [event.kind for event in events] == [EventKind.GO_OUT, EventKind.SHOW, EventKind.SHOW]
    assert GAME.view(state, None).known == (tuple(sorted(parse_cards("4d6h"))), tuple(sorted(parse_cards(OTHER))))
    assert GAME.view(state, None).phase is None
    assert GAME.legal_actions(state) == ()
    with pytest.raises(IllegalAction, match="over"):
        GAME.apply(state, DrawStock())


def test_what_is_asked_depends_on_what_everybody_sees() -> None:
    one, other = (position(cards, OTHER, stock="9c") for cards in ("2d3d4d", "KdKhQs"))
    assert is_asked(one) is is_asked(other) is True


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
        (LayOff(parse_cards("4d"), 0), "4d does not go on 5h6h7h"),
        (LayOff(parse_cards("Qs"), 0), "not in the hand"),
        (LayOff((52,), 0), "Xr is not in the hand"),
        (Meld((54, 3, 4)), "that there is not"),
        (Meld((True, 3, 4)), "that there is not"),
        (Meld(()), "at least one card"),
        (Meld([1, 2, 3]), "at least one card"),  # type: ignore[arg-type]
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


def test_com_14_of_a_hand_that_a_pile_has_swollen_the_dearest_card_on_no_meld_goes() -> None:
    """Neither one of three kings nor the ten that stands below the queen; the queen has no knave beside her."""
    for kept, thrown in (("Ts", "Qs"), ("TsJs", "Kc")):  # With her whole run everything lies on one: the dearest goes.
        state = position(f"KcKdKhQs{kept} 2c3c4c5c6c7c8c9c 2d3d4d5d6d7d8d9d", OTHER, stock="2s")
        state.phase = Phase.DISCARD
        assert Club(double_clubs=False).default_action(state) == Discard(parse_cards(thrown)[0])


def test_clb_10_1_a_match_goes_on_until_its_deals_are_done() -> None:
    assert GAME.outcome(GAME.tally(2, 0)) is None
