"""Deals taken up from a view: what the seat knows stays, what it does not know is dealt anew, and play goes on."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import TABLES, cards_in, eager, seeds, states

from rummy.errors import BadInput
from rummy.rules.actions import DrawPile, DrawStock, EndMelds
from rummy.rules.game import Phase, View
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match
from rummy.rules.sample import sample

SAMPLED = [table for table in TABLES if hasattr(GAMES[table[0]], "resume")]
DOCS = Path(__file__).parents[2] / "docs" / "howto" / "write-a-bot.md"

sampled = st.sampled_from(SAMPLED)
chances = st.integers(0, 1 << 32).map(random.Random)  # Shuffles take more than hypothesis has to give.
few = settings(max_examples=16, deadline=None, derandomize=True)


def cards_of_deal(state: Any) -> Counter[int]:
    """Every card that lies somewhere."""
    cards = Counter([*state.stock, *state.pile])
    for zone in [cards_in(hand) for hand in state.hands] + [list(meld.cards) for meld in state.melds]:
        cards.update(zone)
    return cards


def longer(match: Match, rng: random.Random) -> Any:
    """A policy that mostly neither knocks nor throws what it needs: it gets to the end of the stock."""
    if match.decision and match.decision.phase is Phase.START and rng.random() < 0.9:
        return DrawPile() if DrawPile() in match.legal_actions() and rng.random() < 0.4 else DrawStock()
    return eager(match, rng) if rng.random() < 0.5 else match.default_action()


policies = st.sampled_from([eager, longer])


@few
@given(sampled, seeds, chances, policies)
def test_what_the_seat_sees_stays_and_every_card_is_somewhere(
    table: tuple[str, int], seed: bytes, rng: random.Random, policy: Any
) -> None:
    for match in states(*table, seed, rng, policy):
        if rng.random() < 0.5:
            continue
        seat = rng.choice([*range(match.seats), None])
        state = sample(match.game, match.view(seat), rng)
        assert match.game.view(state, seat) == match.view(seat)
        assert match.game.view(state, None) == match.view(None)
        assert match.game.decision(state) == match.decision
        missing = Counter(match.game.deck(len(match.active))) - cards_of_deal(state)
        assert missing.total() == (Counter(match.game.deck(len(match.active))) - cards_of_deal(match._state)).total()
        assert missing.total() <= (match.decision is not None and match.decision.phase is Phase.SHOW)


@few
@given(sampled, seeds, chances, policies)
def test_the_seat_that_is_asked_has_the_same_answers(
    table: tuple[str, int], seed: bytes, rng: random.Random, policy: Any
) -> None:
    for match in states(*table, seed, rng, policy):
        assert match.decision is not None
        state = sample(match.game, match.view(match.decision.seat), rng)
        assert list(match.game.legal_actions(state)) == list(match.legal_actions())
        assert match.game.default_action(state) == match.default_action()


@few
@given(sampled, seeds, chances, policies)
def test_playing_on_ends_and_raises_nothing(
    table: tuple[str, int], seed: bytes, rng: random.Random, policy: Any
) -> None:
    for match in states(*table, seed, rng, policy):
        if rng.random() < 0.8:
            continue
        game = match.game
        state = sample(game, match.view(rng.choice([*range(match.seats), None])), rng)
        while game.decision(state) is not None:
            legal = game.legal_actions(state)
            assert legal
            game.apply(state, game.default_action(state) if rng.random() < 0.3 else rng.choice(legal))
        assert game.result(state) is not None


def test_the_phases_and_the_break_are_all_reached() -> None:
    reached: Counter[tuple[str, Phase, bool]] = Counter()
    for number, table in enumerate(SAMPLED):
        rng = random.Random(number)
        for policy in (eager, longer):
            for match in states(*table, b"reached", rng, policy):
                assert match.decision is not None
                reached[table[0], match.decision.phase, match.view(None).broken_at is not None] += 1
    both = [("gin", phase, False) for phase in (Phase.OFFER, Phase.START, Phase.DISCARD, Phase.SHOW)]
    both += [("one_oh_one", phase, False) for phase in (Phase.START, Phase.DISCARD, Phase.SHOW)]
    both += [("one_oh_one", phase, True) for phase in (Phase.START, Phase.PLAY, Phase.DISCARD)]
    assert [case for case in both if reached[case] < 10] == []


@pytest.mark.parametrize("table", SAMPLED, ids=str)
def test_the_hidden_cards_themselves_play_no_part(table: tuple[str, int]) -> None:
    """Worlds that look alike to a seat give it the same deals from the same chance (faults R18)."""
    match = next(match for match in states(*table, b"hidden", random.Random(0)) if match.ply > 5)
    assert match.decision is not None
    seat = match.decision.seat
    world = sample(match.game, match.view(seat), random.Random(1))
    assert cards_of_deal(world) == cards_of_deal(match._state)
    assert (world.hands, world.stock) != (match._state.hands, match._state.stock)
    one = sample(match.game, match.view(seat), random.Random(2))
    other = sample(match.game, match.game.view(world, seat), random.Random(2))
    assert (one.hands, one.stock) == (other.hands, other.stock)


@pytest.mark.parametrize("table", [("gin", 2), ("one_oh_one", 4)], ids=str)
def test_every_unseen_card_is_as_likely_as_any_other_in_every_place(table: tuple[str, int]) -> None:
    match = next(match for match in states(*table, b"even", random.Random(0)) if match.ply > 9)
    assert match.decision is not None
    seat, rng, rounds = match.decision.seat, random.Random(3), 4000
    other = next(at for at in match.active if at != seat)
    view = match.view(seat)
    held, topmost = Counter[int](), Counter[int]()
    for _ in range(rounds):
        state = sample(match.game, view, rng)
        held.update(set(cards_in(state.hands[other])) - set(view.known[other]))
        topmost[state.stock[-1]] += 1
    unseen = len(match.game.deck(match.seats)) - len(view.hand) - len(view.pile) - sum(
        len(known) for at, known in enumerate(view.known) if at != seat
    )  # fmt: skip
    assert len(held) == len(topmost) == unseen
    for counts, share in ((held, (view.hand_sizes[other] - len(view.known[other])) / unseen), (topmost, 1 / unseen)):
        spread = (rounds * share * (1 - share)) ** 0.5
        assert all(abs(count - rounds * share) < 4.5 * spread for count in counts.values())


def test_who_has_played_since_the_break_is_dealt_no_meld() -> None:
    game = find_game("one_oh_one")
    checked = 0
    for number in range(40):
        rng = random.Random(number)
        for match in states("one_oh_one", 4, bytes([number]), rng, longer):
            view = match.view(match.decision.seat if match.decision else None)
            if view.broken_at is None or view.phase is not Phase.START or view.closer == view.turn:
                continue
            state = sample(game, view, rng)
            state.turn, state.phase = view.closer, Phase.PLAY
            assert EndMelds() in game.legal_actions(state)
            checked += 1
    assert checked > 20


def opened(key: str = "gin") -> tuple[Match, View]:
    match = Match(find_game(key), 2, b"refused")
    return match, match.view(0)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"phase": None}, "over"),
        ({"game": "one_oh_one"}, "of one_oh_one"),
        ({"stock": 30}, "numbers of cards"),
        ({"hand_sizes": (9, 10)}, "numbers of cards"),
        ({"turn": 2}, "numbers of cards"),
        ({"pile": (0, 0)}, "more often"),
        ({"known": ((), (99,))}, "more often"),
    ],
)
def test_a_view_that_cannot_be_is_refused(change: dict[str, Any], says: str) -> None:
    match, view = opened()
    with pytest.raises(BadInput, match=says):
        sample(match.game, replace(view, **change), random.Random(0))


def test_a_view_that_no_deal_leads_to_is_refused() -> None:
    match = next(
        match
        for match in states("one_oh_one", 2, b"break", random.Random(4), longer)
        if match.view(None).broken_at is not None and match.decision and match.decision.phase is Phase.START
    )
    seat = match.decision.seat if match.decision else 0
    view = match.view(seat)
    with pytest.raises(BadInput, match="no deal leads to it"):
        sample(match.game, replace(view, phase=Phase.PLAY, owed=view.hand[0], turn=1 - seat), random.Random(0))


def test_a_game_that_cannot_do_it_says_so_and_the_docs_name_those_that_can() -> None:
    text = DOCS.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if "`rummy.rules.sample`" in line and "can be" in line)
    for key, kind in GAMES.items():
        assert (f"`{key}`" in line) == hasattr(kind, "resume")
    for key in GAMES.keys() - {table[0] for table in SAMPLED}:
        match = Match(find_game(key), GAMES[key].spec.max_seats, b"none")
        with pytest.raises(BadInput, match="cannot be taken up"):
            sample(match.game, match.view(0), random.Random(0))
