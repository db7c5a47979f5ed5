"""The match: what a driver may rely on."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

import pytest

from rummy.errors import BadInput, BadOptions, IllegalAction
from rummy.rules import shuffle
from rummy.rules.actions import Discard, DrawStock
from rummy.rules.game import EventKind
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import MOST_ACTIONS, Match
from rummy.rules.replay import MAX_BYTES, MAX_LINES

GAME = find_game("one_oh_one")


def played(match: Match, seed: int = 0, plies: int | None = None) -> Match:
    """*match* after so many random actions, or to its end."""
    rng = random.Random(seed)
    while match.decision is not None and (plies is None or match.actions < plies):
        match.apply(rng.choice(match.legal_actions()))
    return match


def test_it_deals_at_once_from_its_seed() -> None:
    one, two = Match(GAME, 3, b"seed"), Match(GAME, 3, b"seed")
    assert one.view(0) == two.view(0)
    assert one.view(0) != Match(GAME, 3, b"other").view(0)
    assert (one.deal, one.ply, one.actions) == (0, 0, 0)
    assert [event.kind for event in one.events] == [EventKind.DEAL]


def test_the_first_dealer_is_drawn_from_the_seed() -> None:
    for seed in (b"a", b"b", b"c", b"d"):
        assert Match(GAME, 5, seed).view(None).dealer == shuffle.first_seat(seed, 5)


@pytest.mark.parametrize("seed", [b"", b"x" * 65, "text", None])
def test_a_seed_is_bytes_of_a_bounded_length(seed: object) -> None:
    with pytest.raises(BadOptions, match="seed"):
        Match(GAME, 2, seed)  # type: ignore[arg-type]


def test_a_seed_has_up_to_64_bytes() -> None:
    assert Match(GAME, 2, b"x" * 64).seed == b"x" * 64
    assert Match(GAME, 2, b"x").seed == b"x"


@pytest.mark.parametrize(("key", "wanted"), [("gin", "2 seats, not 3"), ("indian13", "2 to 6 seats, not 7")])
def test_a_wrong_number_of_seats_is_told_the_right_one(key: str, wanted: str) -> None:
    with pytest.raises(BadOptions, match=f"is played by {wanted}"):
        Match(find_game(key), int(wanted[-1]), b"seed")


@pytest.mark.parametrize("most", [0, -1, True, 1.5])
def test_a_short_match_has_a_deal(most: object) -> None:
    with pytest.raises(BadOptions, match="at least 1 deal"):
        Match(GAME, 2, b"seed", most)  # type: ignore[arg-type]


def test_it_counts_plies_deals_and_actions() -> None:
    match = played(Match(GAME, 4, b"seed"))
    assert match.result is not None
    assert match.result.deals == len(match.deals) == match.deal + 1
    assert sum(event.kind is EventKind.DEAL for event in match.events) == len(match.deals)
    assert sum(event.kind is EventKind.DEAL_END for event in match.events) == len(match.deals)


def test_scores_are_the_sum_of_the_deals() -> None:
    match = played(Match(GAME, 6, b"seed"))
    assert match.result is not None
    totals = [sum(deal.points[seat] for deal in match.deals) for seat in range(6)]
    assert list(match.result.scores) == totals


def test_after_the_end_nobody_is_asked() -> None:
    match = played(Match(GAME, 2, b"seed"))
    assert match.decision is None
    assert match.legal_actions() == ()
    assert match.view(0).phase is None
    for refused in (lambda: match.apply(DrawStock()), match.default_action):
        with pytest.raises(IllegalAction, match="over"):
            refused()
    with pytest.raises(BadInput, match="cannot forfeit"):
        match.forfeit(0, "timeout")


def test_a_short_match_ends_after_its_deals() -> None:
    match = played(Match(GAME, 3, b"seed", max_deals=1))
    assert match.result is not None
    assert match.result.deals == 1
    assert match.result.reason == "short match"


@pytest.mark.parametrize("deals", [2, 3])
def test_a_short_match_has_as_many_deals_as_it_was_given(deals: int) -> None:
    match = played(Match(GAME, 3, b"seed", max_deals=deals))
    assert match.result is not None
    assert match.result.deals == deals


@pytest.mark.parametrize("key", sorted(GAMES))
def test_the_end_of_a_deal_is_told_as_it_was_scored(key: str) -> None:
    match = Match(find_game(key), max(2, GAMES[key].spec.min_seats), b"seed", max_deals=4)
    match.forfeit(1, "timeout") if match.seats > 2 else None
    played(match)
    ends = [event for event in match.events if event.kind is EventKind.DEAL_END]
    told = [(end.seat, end.points, end.reason) for end in ends]
    assert told == [(deal.winner or 0, deal.points, deal.reason) for deal in match.deals]


def test_who_leaves_the_match_is_told_once_and_why_101_8_1() -> None:
    out: list[int] = []
    rng, match = random.Random(1), Match(find_game("one_oh_one", {"target": 400}), 6, b"seed")
    match.forfeit(2, "crashed")
    while match.decision is not None:
        active, seen = match.active, len(match.events)
        match.apply(rng.choice(match.legal_actions()))
        told = [event for event in match.events[seen:] if event.kind is EventKind.OUT]
        assert {event.seat for event in told} == (set(active) - set(match.active) if match.result is None else set())
        assert all(event.reason == "points" for event in told)
        out += [event.seat for event in told]
    assert len(set(out)) == len(out) > 0
    assert [event.reason for event in match.events if event.kind is EventKind.OUT and event.seat == 2] == ["crashed"]


@pytest.mark.parametrize(("key", "seats"), [("indian13", 2), ("contract", 3)])
def test_a_pile_that_becomes_the_stock_is_shuffled_from_the_seed_of_its_deal(key: str, seats: int) -> None:
    match: Any = Match(find_game(key), seats, b"seed")
    while match.decision is not None:
        pile, stock = match.view(None).pile, match.view(None).stock
        seen = len(match.events)
        draw = next((action for action in match.legal_actions() if isinstance(action, DrawStock)), None)
        match.apply(draw or match.default_action())
        if any(event.reason == "shuffled" for event in match.events[seen:]):
            break
    assert match.decision is not None
    assert stock == 0
    again = shuffle.again_seed(shuffle.deal_seed(b"seed", match.deal), 0)
    order = shuffle.shuffled(again, list(pile[:-1]))
    assert match._state.stock[::-1] == order[len(order) - match.view(None).stock :]


def test_an_illegal_action_counts_for_nothing() -> None:
    match = Match(GAME, 2, b"seed")
    before = match.view(0)
    with pytest.raises(IllegalAction):
        match.apply(Discard(0))
    assert (match.actions, match.ply, match.view(0)) == (0, 0, before)


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_there_is_no_view_of_a_seat_that_there_is_not(seat: int) -> None:
    with pytest.raises(BadInput, match="no seat"):
        Match(GAME, 3, b"seed").view(seat)


@pytest.mark.parametrize("key", sorted(key for key, kind in GAMES.items() if kind.spec.min_seats == 2))
@pytest.mark.parametrize("seat", [0, 1])
def test_a_forfeit_of_two_ends_the_match(key: str, seat: int) -> None:
    match = played(Match(find_game(key), 2, b"seed"), plies=5)
    match.forfeit(seat, "timeout")
    assert match.decision is None
    assert match.result is not None
    assert match.result.placements[seat] == 2
    assert match.result.placements[1 - seat] == 1
    assert match.result.reason == "forfeit"
    assert match.result.forfeits[seat] == "timeout"
    assert match.result.deals == match.deal + 1


def test_a_forfeit_of_three_voids_the_deal_and_the_match_goes_on() -> None:
    match = played(Match(GAME, 3, b"seed"), plies=5)
    match.forfeit(1, "crashed")
    assert match.deals[-1].reason == "void"
    assert match.deals[-1].points == (0, 0, 0)
    assert (match.deal, match.ply) == (1, 0)
    assert match.active == (0, 2)
    assert match.view(1).hand == ()
    assert match.view(0).status == (1, 0, 1)
    out = next(event for event in match.events if event.kind is EventKind.OUT)
    assert (out.seat, out.reason) == (1, "crashed")
    with pytest.raises(BadInput):
        match.forfeit(1, "crashed")
    played(match)
    assert match.result is not None
    assert match.result.placements[1] == 3
    assert match.result.forfeits == (None, "crashed", None)


def test_a_void_deal_is_none_of_a_short_matchs_deals() -> None:
    match = Match(GAME, 3, b"seed", max_deals=1)
    match.forfeit(0, "timeout")
    assert match.decision is not None
    played(match)
    assert match.result is not None
    assert [deal.reason == "void" for deal in match.deals] == [True, False]


def test_all_but_one_may_forfeit() -> None:
    match = Match(GAME, 6, b"seed")
    for seat in range(5):
        match.forfeit(seat, "timeout")
    assert match.result is not None
    assert match.result.placements == (6, 5, 4, 3, 2, 1)
    assert match.result.reason == "forfeit"


@pytest.mark.parametrize("more", [0, 1])
def test_a_deal_that_uses_up_the_actions_of_a_match_is_the_last_com_10(more: int) -> None:
    first = Match(GAME, 2, b"long", max_deals=1)
    while first.decision is not None:
        first.apply(first.default_action())
    match = Match(GAME, 2, b"long", max_deals=2)
    with patch("rummy.rules.match.MOST_ACTIONS", first.actions + more):
        while match.decision is not None:
            match.apply(match.default_action())
    assert match.result is not None
    assert match.result.deals == 1 + more


@pytest.mark.parametrize("key", sorted(GAMES))
@patch("rummy.rules.match.MOST_ACTIONS", 5)
def test_a_match_ends_before_its_replay_could_be_too_long_com_10(key: str) -> None:
    seats = GAMES[key].spec.min_seats
    game = find_game(key, {"turn_cap": 4} if allowed(key, {"turn_cap": 4}) else {})
    match, whole = Match(game, seats, b"long"), Match(game, seats, b"long", max_deals=1)
    while whole.decision is not None:
        whole.apply(whole.default_action())
    while match.decision is not None:
        match.apply(match.default_action())
    assert match.result is not None and whole.result is not None
    assert (match.result.reason, match.result.deals) == ("action cap", 1)
    assert match.result.placements == whole.result.placements


@pytest.mark.parametrize("key", sorted(GAMES))
def test_the_last_deal_of_the_longest_match_fits_its_replay_com_10(key: str) -> None:
    spec: Any = GAMES[key].spec
    most = next(cap for cap in (200, 100, 60, 0) if not cap or allowed(key, {"turn_cap": cap}))
    turns = most * (1 if key == "gin" else spec.max_seats)
    once_a_turn = 5 + spec.max_seats - 1  # Turn the pile over, draw, end the melds, discard, go out; others are asked.
    tabled = 3 * 52 + 2  # Each card of the largest pack is tabled once at most.
    assert MOST_ACTIONS + turns * once_a_turn + tabled + 2 * spec.max_seats < MAX_LINES
    assert MAX_BYTES // MAX_LINES > 150  # A line of an ordinary action has about 100 bytes.


def allowed(key: str, options: dict[str, Any]) -> bool:
    try:
        find_game(key, options)
    except BadOptions:
        return False
    return True
