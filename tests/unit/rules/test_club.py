"""Club by the clauses of docs/rulebook/club.md: seats and packs, melds, the deal, and the options."""

from __future__ import annotations

from typing import Any

import pytest
from club_table import OTHER, TEN, position
from zones_table import legal, play, refused

from rummy.errors import BadOptions
from rummy.rules.actions import Meld
from rummy.rules.cards import PACK, cards_text, parse_cards
from rummy.rules.game import DealTerms, Phase
from rummy.rules.games import find_game
from rummy.rules.games.club import Club
from rummy.rules.match import Match

GAME = Club()


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
