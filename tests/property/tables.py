"""Every registered game at every legal number of seats, and ways to play on them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

from rummy.errors import IllegalAction
from rummy.rules.actions import (
    Action,
    Arrange,
    BigGin,
    Continue,
    Discard,
    DrawPile,
    DrawStock,
    Drop,
    EndMelds,
    GoOut,
    Knock,
    LayOff,
    Meld,
    Pass,
    Take,
    TurnOver,
)
from rummy.rules.cards import cards_of
from rummy.rules.game import Event
from rummy.rules.games import GAMES, find_game
from rummy.rules.match import Match

PLAIN_TABLES = [  # Those that default options allow.
    (key, seats) for key, kind in GAMES.items() for seats in range(kind.spec.min_seats, kind.spec.max_seats + 1)
]
TABLES = [*PLAIN_TABLES, ("contract", 2)]  # Two play with any of the option sets below (CON-1).
OPTION_SETS: dict[str, list[dict[str, Any]]] = {
    "basic": [
        {},
        {"packs": 2, "deals": 6},
        {"packs": 2, "distinct_suits": True, "jokers": 4, "ace": "either", "deals": 4},
        {"pile": "spread", "jokers": 2, "ace_value": 15, "deals": 4},
        {"pile": "spread", "packs": 2, "own_meld_first": True, "ace": "high", "deals": 4},
        {"block": True, "must_discard_out": True, "ace": "low"},
        {"call_rummy": True, "jokers": 1, "rummy_layoff_ok": True, "deals": 6},
        {"call_rummy": True, "packs": 2, "pile": "spread", "min_turns_to_go_out": 6, "jokers": 4, "cards": [3] * 5},
        {"preset": "ten_card", "max_turnovers": 0, "ace_value": 11},
        {"cards": [3] * 5, "min_turns_to_go_out": 10, "max_turnovers": 10, "call_rummy": True, "turn_cap": 20},
    ],
    "club": [
        {},
        {"packs_for_four": 2},
        {"ace": "corner", "partial_discharges": True},
        {"ace": "low", "double_clubs": False, "shared_partials": False, "partial_discharges": True, "rounds": 1},
        {"ace": "high", "packs_for_four": 2, "turn_cap": 3},
    ],
    "indian13": [
        {},
        {"turn_cap": 30, "rounds": 1},
        {"preset": "pool_101", "turn_cap": 8, "deal_cap": 6},
        {"preset": "pool_201", "without_second": "all", "turn_cap": 12, "deal_cap": 4, "rediscard_ban": False},
        {"first_drop": 25, "middle_drop": 50, "wrong_show": 100, "cap": 60, "turn_cap": 4, "rounds": 1},
    ],
    "contract": [
        {"two_seats": True, "turn_cap": 6},
        {
            "two_seats": True,
            "contracts": [[1, 0], [0, 1]],
            "cards": [6, 7],
            "buying": True,
            "packs": "two",
            "turn_cap": 12,
        },
        {
            "two_seats": True,
            "contracts": [[1, 1], [1, 0]],
            "cards": [9, 5],
            "buying": True,
            "max_buys": 1,
            "turn_cap": 15,
        },
        {
            "two_seats": True,
            "contracts": [[1, 0], [0, 1], [2, 0]],
            "cards": [3, 4, 6],
            "packs": "two",
            "last_at_once": False,
        },
        {"two_seats": True, "contracts": [[1, 0], [0, 1], [1, 0]], "cards": [3, 3, 3], "packs": "two"},
        {"two_seats": True, "contracts": [[1, 1]], "cards": [7], "packs": "two"},
    ],
    "rummy500": [
        {},
        {"jokers": 4, "deal_cap": 4},
        {"cards_for_two": 13, "target": 100},
        {"jokers": 1, "turn_cap": 6, "target": 150},
    ],
}
# Played as well, but not counted on to reach every phase and end of its game.
FURTHER_SETS: dict[str, list[dict[str, Any]]] = {
    "gin": [
        {"oklahoma": True, "after_two_passes": "stock_only", "next_starter": "winner"},
        {"knock_limit": 0, "wall": 12, "next_starter": "alternate_after_win", "target": 60},
        {"knock_limit": 40, "turn_cap": 6, "big_gin_bonus": 50, "deal_cap": 6},
    ],
    "one_oh_one": [
        {"over_limit": "void", "tie_penalty": True, "rediscard_ban": False},
        {"knock_table": [[100, 0]], "target": 60},
        {"knock_table": [[30, 60], [40, 0]], "penalty": 0, "turn_cap": 6, "deal_cap": 5},
    ],
}
SIMPLE: tuple[Action, ...] = (
    DrawStock(),
    *[DrawPile(count) for count in range(1, 65)],
    Take(),
    Pass(),
    EndMelds(),
    TurnOver(),
    GoOut(),
    Continue(),
    Drop(),
    Knock(),
    BigGin(),
    Arrange(),
    *[Discard(card) for card in range(54)],
    *[Knock(card) for card in range(54)],
)

tables = st.sampled_from(TABLES)
seeds = st.binary(min_size=1, max_size=32)
rngs = st.integers(0, 1 << 32).map(random.Random)  # A whole match takes more chance than hypothesis has to give.

Policy = Callable[[Match, random.Random], Action]


def eager(match: Match, rng: random.Random) -> Action:
    """Knocks, melds and lays off where it may, plays the default half the time, and anything else otherwise."""
    legal = match.legal_actions()
    if match.game.spec.key == "indian13" and isinstance(legal[0], Discard) and rng.random() < 0.005:
        return wrong_show(match)
    strong = [action for action in legal if isinstance(action, Knock | BigGin | Meld | LayOff | GoOut)]
    if strong and rng.random() < 0.7:
        return rng.choice(strong)
    if rng.random() < 0.6:
        return match.default_action()
    action = rng.choice(legal)
    return match.default_action() if isinstance(action, Drop) and rng.random() < 0.9 else action


def wrong_show(match: Match) -> Action:
    """A show that is none: every card a group of its own (IND-6)."""
    assert match.decision is not None
    thrown = next(action.card for action in match.legal_actions() if isinstance(action, Discard))
    left = list(match.view(match.decision.seat).hand)
    left.remove(thrown)
    return Knock(thrown, tuple([(card,) for card in left]))


def options_for(key: str, seed: bytes) -> dict[str, Any]:
    """One of the option sets of a game, chosen by the seed of the match."""
    sets = [*OPTION_SETS.get(key, [{}]), *FURTHER_SETS.get(key, [])]
    return sets[sum(seed) % len(sets)]


def states(key: str, seats: int, seed: bytes, rng: random.Random, policy: Policy = eager) -> Iterator[Match]:
    """A match at each of its decisions, played on between two of them."""
    match = Match(find_game(key, options_for(key, seed)), seats, seed)
    while match.decision is not None:
        yield match
        match.apply(policy(match, rng))


def finished(key: str, seats: int, seed: bytes, rng: random.Random, policy: Policy = eager) -> Match:
    """A match that has been played to its end."""
    return list(states(key, seats, seed, rng, policy))[-1]


def odd_actions(held: list[int], melds: int, rng: random.Random) -> list[Any]:
    """Composite actions of every kind, most of them illegal, and things that are no action."""
    some = rng.sample(held, min(3, len(held)))
    run = rng.randrange(52)
    groups = (tuple(some), (run, run + 1, run + 2))
    meld = rng.randrange(-1, melds + 1)
    return [
        DrawPile(rng.choice([-1, 0, 2, 63])),
        Meld(tuple(some)),
        Meld(groups[1]),
        Meld(()),
        Meld((some[0], some[0], some[0]) if some else (99,)),
        LayOff(tuple(some[:1]), meld),
        LayOff(tuple(some), 0),
        LayOff((), 0),
        Knock(None, groups),
        Knock(some[0] if some else None, groups[:1]),
        Knock(some[0] if some else 3, ()),
        BigGin(groups),
        Arrange(groups[:1], ()),
        Arrange((), (LayOff(tuple(some[:1]), meld),)),
        Arrange(None, (LayOff(tuple(some[:1]), 0),)),
        Discard(-1),
        Discard(99),
        None,
        "S",
        7,
    ]


def cards_in(hand: Any) -> list[int]:
    """The cards of a hand, which is a mask in games of one pack, and ascending cards in others."""
    return list(cards_of(hand) if isinstance(hand, int) else hand)


def hand_like(hand: Any, cards: list[int]) -> Any:
    """*cards* as a hand of the kind of *hand*."""
    return sum(1 << card for card in cards) if isinstance(hand, int) else tuple(sorted(cards))


def accepts(game: Any, state: Any, action: Any) -> tuple[Any, list[Event]] | str:
    """The state after *action* and what was told of it, or the reason of its refusal. *state* stays as it was."""
    after = state.copy()
    after.events = []
    try:
        game.apply(after, action)
    except IllegalAction as refusal:
        return refusal.reason
    return after, after.events
