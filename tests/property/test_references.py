"""Reference bots over the registry: what the proof of their controls asks of rules and bots, and what they play."""

from __future__ import annotations

import hashlib

import pytest

from rummy.league.luck import controls
from rummy.rules import shuffle
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match
from workers import references
from workers.references import NAME, REFERENCES, control, tables

OPTIONS = {"contract": {"two_seats": True}}
# By game: what they score on one seed in the first seat, under the NAME of today. Whoever changes how they play has to
# change the name with it, so that controls of before and after can be told apart.
TODAY: dict[str, float] = {
    "gin": 0.25,
    "one_oh_one": 0.75,
    "basic": 0.5,
    "club": 1.0,
    "rummy500": 0.25,
    "indian13": 1.0,
    "contract": 1.0,
}


def seed(number: int) -> bytes:
    return hashlib.sha256(b"reference %d" % number).digest()


def play(game: str, seats: int, number: int, turned: int) -> tuple[int, ...]:
    """The scores of a mixed table, each seat having moved on by *turned*."""
    match = Match(find_game(game, OPTIONS.get(game)), seats, seed(number))
    for _ in references._turns(match, [REFERENCES[(seat - turned) % seats % 2] for seat in range(seats)]):
        pass
    assert match.result is not None
    return match.result.scores


@pytest.mark.parametrize(
    ("game", "seats"), [(game, seats) for game in GAMES for seats in (2, 3) if seats <= GAMES[game].spec.max_seats]
)
def test_turned_by_a_seat_a_match_is_the_same(game: str, seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a control has the same mean in each seat: the first seat, which is drawn, decides who has which cards."""
    before = play(game, seats, 0, 0)
    drawn = shuffle.first_seat
    monkeypatch.setattr(shuffle, "first_seat", lambda match, count: (drawn(match, count) + 1) % count)
    after = play(game, seats, 0, 1)
    assert before == after[1:] + after[:1]


@pytest.mark.parametrize("seats", range(2, 7))
def test_turned_by_a_seat_the_tables_are_the_same(seats: int) -> None:
    made = tables(seats)
    assert {table[1:] + table[:1] for table in made} == set(made)
    assert len(made) == len(set(made)) <= 2 + seats


def test_every_seat_is_drawn_to_begin_as_often() -> None:
    first = [shuffle.first_seat(seed(number), 3) for number in range(3_000)]
    assert all(abs(first.count(seat) - 1_000) < 120 for seat in range(3))


@pytest.mark.parametrize("game", GAMES)
def test_they_play_what_their_version_has_always_played(game: str) -> None:
    assert NAME == "greedy 1 and patient 1"
    rules = find_game(game, OPTIONS.get(game))
    found = control(rules, 2, seed(1), lambda: None)
    assert found == (TODAY[game], 1 - TODAY[game])


def test_a_run_without_a_reasonable_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MOST_ACTIONS", 100)
    with pytest.raises(references.Endless, match="not come to an end after 100 actions"):
        control(find_game("gin"), 2, seed(1), lambda: None)


def test_all_tables_count_alike() -> None:
    placed = [(1, 2), (2, 1), (1, 2), (1, 1)]
    assert controls(placed) == (0.625, 0.375)
