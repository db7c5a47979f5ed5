"""What holds for every game in the registry, at every legal number of seats."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from sentences import is_sentence
from tables import (
    SIMPLE,
    TABLES,
    accepts,
    cards_in,
    eager,
    finished,
    odd_actions,
    options_for,
    rngs,
    seeds,
    states,
)

from rummy.errors import IllegalAction
from rummy.rules.actions import Action, Continue, Discard, DrawPile, DrawStock, EndMelds, Knock, Take
from rummy.rules.game import EventKind, Phase
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match
from rummy.rules.notation import action_text, parse_action
from rummy.rules.replay import Recorder, verify

every = pytest.mark.parametrize("table", TABLES, ids=str)
few = settings(max_examples=3, deadline=None, derandomize=True)  # At every table: a new game is tried like the others.


def zones(match: Match) -> Counter[int]:
    """Every card of the deal, wherever it lies."""
    state = match._state
    cards = Counter(state.stock)
    cards.update(state.pile)
    for held in state.hands:
        cards.update(cards_in(held))
    wild = match.view(None).wild
    cards.update([] if wild is None else [wild])  # Out of play (IND-9).
    for meld in state.melds:
        cards.update(meld.cards)
        assert len(meld.placers) == len(meld.cards)
    for event in reversed(match.events):
        if event.kind is EventKind.DEAL:
            break
        if event.kind is EventKind.KNOCK:
            cards.update(event.cards)  # Face down.
    return cards


@every
@few
@given(seeds, rngs)
def test_cards_are_conserved_after_each_action_com_1(
    table: tuple[str, int], seed: bytes, rng: random.Random
) -> None:  # R23, R24
    for match in states(*table, seed, rng):
        assert zones(match) == Counter(match.game.deck(len(match.active)))
        view = match.view(None)
        assert list(view.hand_sizes) == [len(match.view(seat).hand) for seat in range(match.seats)]
        assert view.stock == len(match._state.stock)
        for seat in range(match.seats):
            assert not Counter(view.known[seat]) - Counter(match.view(seat).hand)


@every
@few
@given(seeds, rngs)
def test_legal_actions_are_sound_never_empty_and_lead_into_no_dead_end_com_9(
    table: tuple[str, int], seed: bytes, rng: random.Random
) -> None:
    for match in states(*table, seed, rng):
        legal = match.legal_actions()
        assert legal
        assert len(set(legal)) == len(legal)
        if rng.random() < 0.7:
            continue
        for action in (*legal, match.default_action()):
            reached = accepts(match.game, match._state, action)
            assert not isinstance(reached, str), f"{action_text(action)}: {reached}"
            after = reached[0]
            assert (match.game.decision(after) is None) == (match.game.result(after) is not None)
            if match.game.decision(after) is not None:
                assert match.game.legal_actions(after)
                assert not isinstance(accepts(match.game, after, match.game.default_action(after)), str)


@every
@few
@given(seeds, rngs)
def test_simple_legal_actions_are_complete(table: tuple[str, int], seed: bytes, rng: random.Random) -> None:
    for match in states(*table, seed, rng):
        if rng.random() < 0.94:
            continue
        legal = match.legal_actions()
        for action in SIMPLE:
            reached = accepts(match.game, match._state, action)
            if action in legal or isinstance(reached, str):
                continue
            # Only a legal blunder is left out: it throws its seat out of the match (101-6.5).
            assert isinstance(action, Knock)
            assert match.game.result(reached[0]).out  # type: ignore[union-attr]


@every
@few
@given(seeds, rngs)
def test_an_illegal_action_leaves_the_state_as_it_was(table: tuple[str, int], seed: bytes, rng: random.Random) -> None:
    for match in states(*table, seed, rng):
        if rng.random() < 0.94:
            continue
        state = match._state
        assert match.decision is not None
        held = list(match.view(match.decision.seat).hand)
        copy = state.copy()
        before = pickle.dumps(copy)
        for action in (*SIMPLE, *odd_actions(held, len(state.melds), rng)):
            try:
                match.game.apply(copy, action)
            except IllegalAction as refusal:
                assert pickle.dumps(copy) == before
                assert refusal.seat == match.decision.seat
                assert is_sentence(refusal.reason)
            else:
                copy = state.copy()
                assert pickle.dumps(copy) == before


@every
@few
@given(seeds, rngs)
def test_actions_come_back_from_their_text(table: tuple[str, int], seed: bytes, rng: random.Random) -> None:
    for match in states(*table, seed, rng):
        for action in match.legal_actions():
            assert parse_action(action_text(action)) == action


@every
@few
@given(seeds, rngs)
def test_replays_verify_with_strikes_and_forfeits_com_13(
    table: tuple[str, int], seed: bytes, rng: random.Random
) -> None:
    game = find_game(table[0], options_for(table[0], seed))
    match = Match(game, table[1], seed, max_deals=rng.choice([None, 1, 3]))
    recorder = Recorder({"leg": 0}, match)
    while match.decision is not None:
        seat = match.decision.seat
        if rng.random() < 0.002:
            leaving = rng.choice(match.active)
            match.forfeit(leaving, "timeout")
            recorder.forfeit(leaving, "timeout", "It was gone.")
            continue
        late = rng.random() < 0.02
        action = match.default_action() if late else eager(match, rng)
        match.apply(action)
        recorder.action(seat, action, took_us=rng.randrange(1000), fault="timeout" if late else None)
    assert verify(recorder.finish()).result == match.result


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_placements_are_those_of_a_competition_com_11(table: tuple[str, int]) -> None:
    for number in range(6):
        rng = random.Random(number)
        last = finished(*table, number.to_bytes(2, "big"), rng)
        assert last.result is not None
        places = last.result.placements
        assert all(place == 1 + sum(other < place for other in places) for place in places)


def upcard(match: Match, rng: random.Random) -> Action:
    """Only ever takes the upcard, knocks never, and throws what the next seat will take up again."""
    legal = match.legal_actions()
    wanted = [action for action in legal if isinstance(action, DrawPile | Take)]
    thrown = [action for action in legal if isinstance(action, Discard)]
    idle = [action for action in legal if isinstance(action, DrawStock | EndMelds | Continue)]
    return (wanted or thrown[-1:] or idle or legal)[0]


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_matches_end_between_bots_that_only_take_the_upcard_com_10(table: tuple[str, int]) -> None:  # P29, R25
    reasons: Counter[str] = Counter()
    for number in range(2):
        last = finished(*table, number.to_bytes(2, "big"), random.Random(0), upcard)
        assert last.result is not None
        reasons.update(deal.reason for deal in last.deals)
        assert last.actions <= 60 * 100 * 6 * 3
    if hasattr(GAMES[table[0]], "turn_cap"):  # Other games cannot go on for ever.
        assert "turn cap" in reasons


def test_101_ends_even_where_the_card_taken_may_be_thrown_back() -> None:
    match = Match(find_game("one_oh_one", {"rediscard_ban": False}), 3, b"seed", max_deals=2)
    while match.decision is not None:
        match.apply(upcard(match, random.Random(0)))
    assert match.result is not None
    assert {deal.reason for deal in match.deals} == {"turn cap"}


# The ends that random play has to reach, as "How a deal ends" on the page of the game names them.
ENDINGS = {
    "basic": {"out", "rummy", "stock", "block", "turn cap"},
    "contract": {"out", "stock", "turn cap"},
    "club": {"out", "turn cap"},
    "gin": {"knock", "undercut", "gin", "wall"},
    "indian13": {"show", "last seat", "turn cap"},
    "one_oh_one": {"knock", "go rummy", "stock", "foul knock"},
    "rummy500": {"out", "stock", "turn cap"},
}


def blundering(match: Match, rng: random.Random) -> Action:
    """Eager play that now and then knocks over the limit."""
    if match.game.spec.key == "one_oh_one" and rng.random() < 0.002:
        view = match.view(None)
        if view.phase is Phase.START and view.closer is None:
            return Knock()
    return eager(match, rng)


@pytest.mark.parametrize("key", sorted(GAMES))
def test_random_play_reaches_every_ordinary_end_of_a_deal_and_scores_it(key: str) -> None:  # R7
    assert key in ENDINGS, f"add to ENDINGS how deals of {key} end"
    reasons: Counter[str] = Counter()
    for number in range(60):
        spec = GAMES[key].spec
        seats = spec.min_seats + number % (spec.max_seats - spec.min_seats + 1)
        match = finished(key, seats, bytes([number]), random.Random(number), blundering)
        reasons.update(deal.reason for deal in match.deals)
        assert all(len(deal.points) == match.seats for deal in match.deals)
    assert ENDINGS[key] <= set(reasons), reasons
