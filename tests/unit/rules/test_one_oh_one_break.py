"""101 from the break on (clauses 101-9.1 to 9.10)."""

from __future__ import annotations

import pytest
from positions import hand, play, position
from sentences import is_sentence

from rummy.errors import IllegalAction
from rummy.rules.actions import EndMelds, LayOff, Meld
from rummy.rules.cards import PACK, mask, parse_card, parse_cards
from rummy.rules.game import DealTerms, Phase
from rummy.rules.games.one_oh_one import OneOhOne
from rummy.rules.games.one_oh_one_deal import OneOhOneState, is_possible
from rummy.rules.notation import action_text, parse_action

GAME = OneOhOne()

MELDS = "As2s3s7c7d7hKd"  # Two melds and a king.
LOOSE = "Kc9h8s6c5h2d2h"
THIRD = "KhQcTd9c6s4d3d"


def legal(state: OneOhOneState) -> set[str]:
    return {action_text(action) for action in GAME.legal_actions(state)}


def refused(state: OneOhOneState, text: str, sentence: str) -> None:
    before = state.copy()
    with pytest.raises(IllegalAction, match=sentence) as refusal:
        GAME.apply(state, parse_action(text))
    assert is_sentence(refusal.value.reason)
    for name in set(OneOhOneState.__slots__) - {"events"}:
        assert getattr(state, name) == getattr(before, name)


@pytest.mark.parametrize(("seats", "draws"), [(2, 36), (3, 28), (4, 20), (5, 12), (6, 4)])
def test_101_9_1_the_break_comes_when_the_stock_is_one_card_a_seat(seats: int, draws: int) -> None:
    terms = DealTerms(seats, tuple(range(seats)), seats - 1, 0, (0,) * seats)
    state = GAME.deal(PACK, terms)
    for _ in range(draws):
        play(GAME, state, "S")
        assert state.phase is Phase.DISCARD
        GAME.apply(state, GAME.default_action(state))
    assert len(state.stock) == seats
    play(GAME, state, "S")
    assert state.breaker == draws % seats
    assert state.phase is Phase.PLAY


def test_101_9_2_a_discard_is_taken_only_into_a_meld_of_the_hand() -> None:
    state = position(MELDS, LOOSE, stock="TcTh", pile="7s")
    assert legal(state) == {"S", "P1", "K"}
    other = position(LOOSE, MELDS, stock="TcTh", pile="7s")
    assert "P1" not in legal(other)
    refused(other, "P1", "only into a meld")
    before = position(LOOSE, MELDS, stock="TcThTd", pile="7s")
    assert "P1" in legal(before)


def test_101_9_2_a_lay_off_does_not_qualify() -> None:
    state = position(MELDS, LOOSE, stock="TcTh", pile="Qs")
    play(GAME, state, "S M:As2s3s M:7c7d7h E D:Kd S E D:8s")
    state.pile.append(parse_cards("4s")[0])
    state.stock = list(parse_cards("Jh"))
    assert "P1" not in legal(state)  # It would only fit As2s3s on the table.


def test_101_9_3_the_breaker_tables_all_his_melds() -> None:
    state = position(MELDS, LOOSE, stock="TcTh")
    play(GAME, state, "S")
    assert GAME.view(state, 1).closer == 0
    refused(state, "E", "A meld is left")
    refused(state, "D:Kd", "melds are tabled")
    play(GAME, state, "M:7h7d7c")
    assert "E" not in legal(state)
    play(GAME, state, "M:3s2sAs")
    assert legal(state) == {"E"}
    play(GAME, state, "E")
    assert legal(state) == {"D:Kd", "D:Tc"}
    assert [meld.cards for meld in state.melds] == [parse_cards("7c7d7h"), parse_cards("As2s3s")]
    assert [meld.run for meld in state.melds] == [False, True]


def test_101_9_3_the_breaker_lays_nothing_off_in_that_turn() -> None:
    state = position("As2s3s4s7c7d7h", LOOSE, stock="TcTh")
    play(GAME, state, "S M:As2s3s")
    refused(state, "L:4s>0", "only tables melds")
    assert "L:4s>0" not in legal(state)


def test_101_9_3_the_arrangement_is_free_but_leaves_no_meld() -> None:
    state = position("5s6s7s7c7d9hKd", LOOSE, stock="TcTh")
    play(GAME, state, "S")
    assert legal(state) == {"M:5s6s7s", "M:7c7d7s"}
    play(GAME, state, "M:7c7d7s E")
    assert hand(state, 0) == set(parse_cards("5s6s9hKdTc"))


def test_101_9_3_a_card_taken_from_the_pile_must_be_in_a_tabled_meld() -> None:
    # Seat 0 breaks; seat 1 takes the 7s, which its run of 5s6s needs, and may not use the run's cards otherwise.
    state = position(LOOSE, "5s6s8h8d8cKdQd", "4sKhQcTd9c3d2s", stock="ThJh9s")
    play(GAME, state, "S E D:Kc")
    state.pile.append(parse_cards("7s")[0])
    play(GAME, state, "P1")
    assert GAME.view(state, 0).owed == parse_cards("7s")[0]
    assert legal(state) == {"M:5s6s7s", "M:8c8d8h"}
    refused(state, "E", "A meld is left")
    play(GAME, state, "M:8c8d8h")
    assert legal(state) == {"M:5s6s7s"}
    play(GAME, state, "M:5s6s7s E")
    assert state.owed is None


def test_101_9_3_the_taken_card_is_never_laid_off_nor_its_meld_spoilt() -> None:
    # 7s is owed. On the table lies 7c7d7h; 5s6s8s in hand. Laying off 7s, or 6s on a run, would break the duty.
    state = position("7c7d7h2s3s4sKd", "5s6sTdJdQc9h2c", "4c4hKhAd9c3dTs", stock="ThJh9s")
    play(GAME, state, "S M:7c7d7h M:2s3s4s E D:Kd")
    state.pile.append(parse_cards("7s")[0])
    play(GAME, state, "P1")
    assert "L:5s>1" not in legal(state)
    refused(state, "L:7s>0", "goes into a meld")
    refused(state, "L:5s>1", "could not be melded any more")
    refused(state, "L:5s6s7s>1", "goes into a meld")
    play(GAME, state, "M:5s6s7s")


def test_101_9_4_a_discard_taken_before_the_breaker_draws_tables_nothing() -> None:
    state = position(MELDS, LOOSE, stock="TcTh", pile="7s")
    play(GAME, state, "P1")
    assert state.phase is Phase.DISCARD
    assert state.breaker is None
    assert state.melds == []


def test_101_9_5_later_seats_lay_off_on_any_meld_on_the_table() -> None:
    state = position(MELDS, "8d9dTd4s5sAdKc", "6s7s8s9hQcQdQh", stock="TcTh4c")
    play(GAME, state, "S M:As2s3s M:7c7d7h E D:Kd")
    play(GAME, state, "S M:8d9dTd")
    assert "L:4s>0" in legal(state)
    refused(state, "L:5s>0", "does not fit")
    refused(state, "L:4s>3", "one of the 3 melds")
    play(GAME, state, "L:4s5s>0 E D:Kc")
    assert state.melds[0].placers == (0, 0, 0, 1, 1)
    play(GAME, state, "S M:6s7s8s M:QcQdQh E D:9h")
    assert state.result is not None
    assert state.result.points == (10, 11, 4)


def test_101_9_5_ones_own_earlier_melds_may_grow_and_go_by_number() -> None:
    # Seat 0 breaks, and comes again since seat 1 takes from the pile. R12: each lay-off names its meld.
    state = position("4s5s6s7c7d7hQd", "Kc9h8s6c5h2d2h", stock="TcTh", pile="")
    play(GAME, state, "S M:4s5s6s M:7c7d7h E D:Qd")
    state.pile.append(parse_cards("2s")[0])
    play(GAME, state, "P1 M:2s2d2h E D:Kc")
    state.stock = list(parse_cards("7s"))
    play(GAME, state, "S")
    assert {"L:7s>0", "L:7s>1"} <= legal(state)
    play(GAME, state, "L:7s>1")
    assert state.melds[1].cards == parse_cards("7c7d7h7s")


def test_a_run_takes_a_third_card_on_one_end() -> None:
    state = position(MELDS, "4s5s6s9d9cKcKh", THIRD, stock="TcTh4c")
    play(GAME, state, "S M:As2s3s M:7c7d7h E D:Kd S")
    play(GAME, state, "L:4s>0 L:5s>0 L:6s>0")
    assert state.melds[0].cards == parse_cards("As2s3s4s5s6s")


def test_101_9_6_each_of_these_turns_ends_with_a_discard() -> None:
    state = position(MELDS, LOOSE, stock="TcTh")
    play(GAME, state, "S M:As2s3s M:7c7d7h E")
    assert state.phase is Phase.DISCARD
    play(GAME, state, "D:Tc")
    assert GAME.decision(state) == (1, Phase.START)


def test_101_9_7_a_seat_without_a_card_has_finished_and_scores_nothing() -> None:
    state = position("As2s3s7c7d7hKd", LOOSE, THIRD, stock="4sThJc")
    play(GAME, state, "S M:As2s3s4s M:7c7d7h E D:Kd")
    assert GAME.view(state, 1).status == (2, 1, 1)
    play(GAME, state, "S E D:Th S E D:Jc")
    assert state.result is not None
    assert state.result.points == (0, 42, 52)


def test_101_9_7_a_turn_that_melds_its_last_card_has_no_discard() -> None:
    state = position("As2s3s4s7c7d7h", LOOSE, stock="7sTh")
    play(GAME, state, "S M:As2s3s4s M:7c7d7h7s")
    assert GAME.decision(state) == (1, Phase.START)
    assert state.pile == []
    assert legal(state) == {"S"}  # 4.2: the pile is empty.


def test_101_9_7_the_deal_ends_when_every_seat_has_finished() -> None:
    state = position("As2s3s4s7c7d7h", "8c8d8hTcTdTh5c", stock="7s8s")
    play(GAME, state, "S M:As2s3s4s M:7c7d7h7s S M:8c8d8h8s M:TcTdTh")
    assert hand(state, 1) == set(parse_cards("5c"))
    play(GAME, state, "E D:5c")
    assert state.result is not None
    assert (state.result.reason, state.result.points) == ("all finished", (0, 0))


def test_101_9_8_the_deal_ends_with_the_turn_that_drew_the_last_stock_card() -> None:
    state = position(MELDS, "4s9h8s6c5h2d2h", stock="TcTh")
    play(GAME, state, "S M:As2s3s M:7c7d7h E D:Kd S E")
    assert GAME.decision(state) is not None
    play(GAME, state, "D:Th")
    assert state.result is not None
    # The 4s that would have gone on As2s3s counts: nobody lays off any more, and nobody adds 15.
    assert (state.result.reason, state.result.points) == ("stock", (10, 36))


def test_101_9_9_nobody_knocks_once_the_stock_is_broken() -> None:
    state = position(LOOSE, MELDS, stock="TcTh")
    play(GAME, state, "S E D:Tc")
    assert "K" not in legal(state)
    refused(state, "K", "Nobody may knock")


def test_101_9_10_the_turn_cap_counts_the_hands_as_they_are() -> None:
    game = OneOhOne(turn_cap=1)
    state = position(MELDS, LOOSE, stock="TcThJdJhQs")
    play(game, state, "S D:Tc S D:Th")
    assert state.result is not None
    assert (state.result.reason, state.result.points) == ("turn cap", (10, 42))


def test_defaults_table_an_owed_meld_first_then_the_best_ones_then_end() -> None:
    state = position(LOOSE, "5s6s8h8d8cKdQd", THIRD, stock="ThJh9s")
    play(GAME, state, "S")
    assert GAME.default_action(state) == EndMelds()
    play(GAME, state, "E D:Kc")
    state.pile.append(parse_cards("7s")[0])
    play(GAME, state, "P1")
    assert GAME.default_action(state) == Meld(parse_cards("5s6s7s"))
    play(GAME, state, "M:5s6s7s")
    assert GAME.default_action(state) == Meld(parse_cards("8c8d8h"))
    play(GAME, state, "M:8c8d8h")
    assert GAME.default_action(state) == EndMelds()


def test_hostile_melds_and_lay_offs_are_refused() -> None:
    state = position(MELDS, LOOSE, stock="TcTh4c")
    play(GAME, state, "S")
    for action in (Meld(()), Meld((-1,)), Meld((39, 39, 39)), Meld((0, 1, 2)), LayOff((), 0), LayOff((39,), -1)):
        with pytest.raises(IllegalAction):
            GAME.apply(state, action)


@pytest.mark.parametrize(
    ("cards", "taken", "can_be"),
    [
        ("5s6s7s", None, True),  # The card just drawn made the meld.
        ("5s6s9c", None, True),
        ("5s6s7s9c9d9h", None, False),  # Both melds cannot have come with one card.
        ("5s6s7s", "7s", True),
        ("5s6s7s8s", "8s", False),  # It held the others before.
    ],
)
def test_101_9_3_a_hand_that_has_been_played_since_held_no_meld(cards: str, taken: str | None, can_be: bool) -> None:
    state = position("4s5s6s7c7d7hQd", "Kc9h8s6c5h2d2h", stock="TcTh", pile="")
    play(GAME, state, "S M:4s5s6s M:7c7d7h E D:Qd")
    state.pile.append(parse_card("2s"))
    play(GAME, state, "P1 M:2s2d2h E D:Kc")
    state.stock = [parse_card("Ah")]
    play(GAME, state, "S")
    state.hands[0], state.owed = mask(parse_cards(cards)), None if taken is None else parse_card(taken)
    assert is_possible(state) is can_be
