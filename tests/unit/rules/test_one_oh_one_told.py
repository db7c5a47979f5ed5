"""What everybody is told and knows in 101: cards of the pile, who has knocked, and what is laid off at a show."""

from __future__ import annotations

import pytest
from positions import play, position

from rummy.errors import BadOptions
from rummy.rules.actions import LayOff
from rummy.rules.cards import parse_cards
from rummy.rules.game import EventKind
from rummy.rules.games import find_game
from rummy.rules.games.one_oh_one import OneOhOne

GAME = OneOhOne()
LOW = "Ac2c3c4d4h4s5d"  # Counts five.
HIGH = "KcQdJh9s8c6d2h"


def test_every_card_taken_from_the_pile_stays_known_com_12() -> None:
    state = position(HIGH, LOW, stock="7s8h9dTs3s", pile="Kd")
    (taken, thrown) = play(GAME, state, "P1 D:9s")
    assert (taken.kind, taken.seat, taken.cards) == (EventKind.DRAW_PILE, 0, parse_cards("Kd"))
    assert (thrown.kind, thrown.cards) == (EventKind.DISCARD, parse_cards("9s"))
    play(GAME, state, "P1 D:5d P1 D:6d")
    view = GAME.view(state, None)
    assert view.known == (parse_cards("5dKd"), parse_cards("9s"))
    play(GAME, state, "S D:9s")
    assert GAME.view(state, None).known == (parse_cards("5dKd"), ())


def test_a_knock_names_its_seat_and_a_show_what_is_laid_off_101_6_1() -> None:
    state = position(LOW, "4c6s7s8dThJdKs", stock="7h8h9dTs3s", pile="Kd")
    assert GAME.view(state, None).closer is None
    play(GAME, state, "K")
    for seat in (0, 1, None):
        assert GAME.view(state, seat).closer == 0
    told = play(GAME, state, "A")
    shown = {event.seat: event for event in state.events if event.kind is EventKind.SHOW}
    assert told[-1].kind is EventKind.SHOW
    assert (shown[0].groups, shown[0].cards) == ((parse_cards("Ac2c3c"), parse_cards("4d4h4s")), parse_cards("5d"))
    assert (shown[1].groups, shown[1].lay_offs) == ((), (LayOff(parse_cards("4c"), 0),))


@pytest.mark.parametrize(
    "table",
    [[[0, 70]], [[1000, 0]], [[0, 1], [1, 2]], [[number, 5] for number in range(20)]],
)
def test_a_knock_table_within_its_bounds_101_6_2(table: list[list[int]]) -> None:
    game = find_game("one_oh_one", {"knock_table": table})
    assert isinstance(game, OneOhOne)
    assert game.knock_table == tuple(map(tuple, table))


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([], "The option knock_table is a list of 1 to 20 pairs"),
        ([[number, 5] for number in range(21)], "The option knock_table is a list of 1 to 20 pairs"),
        (
            [[1001, 5]],
            r"The option knock_table \(a score, above the one before\) is a whole number from 0 to 1000, not 1001",
        ),
        ([[-1, 5]], r"above the one before\) is a whole number from 0 to 1000, not -1"),
        ([[3, 5], [3, 4]], r"above the one before\) is a whole number from 4 to 1000, not 3"),
        ([[3, 71]], r"The option knock_table \(a count\) is a whole number from 0 to 70, not 71"),
        ([[3, -1]], r"The option knock_table \(a count\) is a whole number from 0 to 70, not -1"),
        ([[3]], r"The option knock_table is a list of pairs, not \(3,\) in it"),
    ],
)
def test_a_knock_table_that_there_is_not_101_6_2(table: list[list[int]], reason: str) -> None:
    with pytest.raises(BadOptions, match=reason):
        find_game("one_oh_one", {"knock_table": table})
