"""The rules beside RLCard and OpenSpiel, or beside our own of gin: the same work, in turn, in one run on one machine.
What a search needs, copies and deals taken up from a view, stands beside whole deals of our own.

A figure is measured in pairs, ours and the peer's one right after the other, and its ratio is the median over the
pairs, so that whatever else the machine does meets both; the clock is the processor's, since both sides are one thread
that never waits. A goal counts as held at 0.9 of its figure. The peers come with the extra `bench`. Big hands stand
beside a limit in time (`arranging`), and lists of legal actions beside the bound of the code (`legal`).
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Iterator
from statistics import median
from time import process_time
from typing import Any

from bench import arranging, legal
from rummy.errors import SettingsError
from rummy.rules.cards import mask
from rummy.rules.deadwood import best_discards, deadwood
from rummy.rules.games import GAMES, find_game
from rummy.rules.games.indian13_groups import DECK, is_joker
from rummy.rules.games.indian13_search import arrange
from rummy.rules.match import Match
from rummy.rules.sample import sample

PAIRS = 9
HELD_AT = 0.9
HANDS = 4000
SEARCHES = {  # By game: so many copies, and deals taken up from a view, in the time of a random deal.
    "gin": (100, 4),
    "one_oh_one": (100, 8),
    "basic": (600, 60),
    "club": (250, 20),
    "rummy500": (1000, 70),
    "indian13": (30, 2),
    "contract": (1000, 60),
}

Work = Callable[[], int]  # Does a share of work, and says how many units it was.


def rows(pairs: int = PAIRS) -> list[dict[str, Any]]:
    """One row a figure: figure, value and against (units a second), ratio, goal, holds. Raises `SettingsError`."""
    rlcard, spiel = _peers()
    ours = _our_deals()
    figures: list[tuple[str, str, Work, Work, float]] = [
        ("random gin deals a second", "RLCard env.step", ours, _rlcard_deals(rlcard), 34),
        ("random gin deals a second", "OpenSpiel from Python", ours, _spiel_deals(spiel), 12),
        *_searches(),
    ]
    solve = spiel.gin_rummy.GinRummyUtils(13, 4, 10).min_deadwood
    for kind, gather, deadwood_goal, discard_goal in (
        ("uniform", uniform_hand, 2.5, 1.75),
        ("meld-rich", rich_hand, 2.5, 2.0),
    ):
        for what, size, solver, goal in (
            ("least deadwood of 10 cards", 10, deadwood, deadwood_goal),
            ("best discards of 11 cards", 11, best_discards, discard_goal),
        ):
            choose = random.Random(size)
            hands = [gather(size, choose) for _ in range(HANDS)]
            figures.append(
                (
                    f"{what}, {kind}",
                    "OpenSpiel min_deadwood",
                    _solving(solver, hands),
                    _spiel_solving(solve, hands),
                    goal,
                )
            )
    figures.append(_near_shows())
    return [*[row(*figure, pairs) for figure in figures], *arranging.rows(), *legal.rows()]


def row(figure: str, peer: str, ours: Work, theirs: Work, goal: float, pairs: int) -> dict[str, Any]:
    """One figure against its peer: the median ratio over *pairs*."""
    measured = [(_rate(ours), _rate(theirs)) for _ in range(pairs)]
    ratio = median(mine / other for mine, other in measured)
    return {
        "figure": figure,
        "value": round(median(mine for mine, _ in measured)),
        "against": f"{peer}: {median(other for _, other in measured):.0f}",
        "ratio": float(f"{ratio:.3g}"),
        "goal": goal,
        "holds": ratio >= HELD_AT * goal,
    }


def _rate(work: Work) -> float:
    began = process_time()
    units = work()
    return units / (process_time() - began)


def _peers() -> tuple[Any, Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pyspiel
            import rlcard
    except ImportError as error:
        raise SettingsError(
            f"Benchmarks compare with RLCard and OpenSpiel, and {error.name} is not installed: run "
            f"'{sys.executable} -m pip install open_spiel rlcard', or "
            f"'uv pip install --python {sys.executable} open_spiel rlcard'."
        ) from None
    return rlcard, pyspiel


# Random deals: each side chooses among its own list of legal actions, with the same generator


def _our_deals(key: str = "gin", matches: int = 20, deals: int = 12) -> Work:
    game, seeds, draw = find_game(key), _numbers(), random.Random(1).random

    def work() -> int:
        played = 0
        for _ in range(matches):
            match = Match(game, _seats(key), next(seeds).to_bytes(8, "big"), max_deals=deals)
            legal_actions, apply = match.legal_actions, match.apply
            while match.decision is not None:
                actions = legal_actions()
                apply(actions[int(draw() * len(actions))])
            played += len(match.deals)
        return played

    return work


def _seats(key: str) -> int:
    return GAMES[key].spec.min_seats


def _searches() -> Iterator[tuple[str, str, Work, Work, float]]:
    """What a search is made of: a copy of a state, and a deal taken up from a view, beside random deals of the game."""
    for key, (copies, samples) in SEARCHES.items():
        matches, deals = (20, 12) if key == "gin" else (2, 2)
        ours = _our_deals(key, matches, deals)
        yield f"copies of a deal a second, {key}", "deals of it here", _copies(key), ours, copies
        yield f"deals taken up from a view a second, {key}", "deals of it here", _samples(key), ours, samples


def _midway(key: str) -> Match:
    """A match in the middle of its first deal."""
    match = Match(find_game(key), _seats(key), b"midway")
    for _ in range(12):
        match.apply(match.default_action())
    return match


def _copies(key: str, count: int = 20_000) -> Work:
    copy = _midway(key)._state.copy

    def work() -> int:
        for _ in range(count):
            copy()
        return count

    return work


def _samples(key: str, count: int = 1_000) -> Work:
    match, chance = _midway(key), random.Random(1)
    assert match.decision is not None, "no deal ends so soon"
    view = match.view(match.decision.seat)

    def work() -> int:
        for _ in range(count):
            sample(match.game, view, chance)
        return count

    return work


def _rlcard_deals(rlcard: Any, deals: int = 8) -> Work:
    env, draw = rlcard.make("gin-rummy", {"seed": 1}), random.Random(1).random

    def work() -> int:
        for _ in range(deals):
            state, _ = env.reset()
            while not env.is_over():
                actions = list(state["legal_actions"])
                state, _ = env.step(actions[int(draw() * len(actions))])
        return deals

    return work


def _spiel_deals(spiel: Any, deals: int = 25) -> Work:
    game, draw = spiel.load_game("gin_rummy"), random.Random(1).random

    def work() -> int:
        for _ in range(deals):
            state = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(draw() * len(actions))])
        return deals

    return work


def _numbers() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


# Hands


def uniform_hand(size: int, choose: random.Random) -> list[int]:
    """Cards of the pack, all hands alike."""
    return choose.sample(range(52), size)


def rich_hand(size: int, choose: random.Random) -> list[int]:
    """Cards gathered from runs and sets that overlap, with a few loose ones."""
    hand: dict[int, None] = {}
    while len(hand) < size:
        suit, rank, kind = choose.randrange(4), choose.randrange(13), choose.random()
        if kind < 0.45:
            cards = [suit * 13 + each for each in range(rank, min(13, rank + choose.randint(2, 4)))]
        elif kind < 0.8:
            cards = [each * 13 + rank for each in choose.sample(range(4), choose.randint(2, 4))]
        else:
            cards = [suit * 13 + rank]
        hand.update(dict.fromkeys(cards[: size - len(hand)]))
    return list(hand)


def near_show(choose: random.Random) -> tuple[tuple[int, ...], int]:
    """Thirteen cards of Indian rummy, one or two cards from a show, with one to three jokers; and the wild rank."""
    while True:
        wild = choose.randrange(13)
        hand: list[int] = []
        for length, run in ((4, True), (3, True), (3, choose.random() < 0.3), (3, False)):
            suit, rank = choose.randrange(4), choose.randrange(14 - length)
            suits = choose.sample(range(4), length)
            hand += [suit * 13 + rank + at if run else suits[at] * 13 + rank for at in range(length)]
        changed = choose.sample(range(4, 13), choose.randint(2, 5))
        jokers = [card for card in DECK if is_joker(card, wild)]
        for number, at in enumerate(changed):
            hand[at] = choose.choice(jokers if number < min(3, len(changed) - 1) else DECK[:104])
        if all(hand.count(card) <= DECK.count(card) for card in hand):
            return tuple(sorted(hand)), wild


def _near_shows() -> tuple[str, str, Work, Work, float]:
    """The best arrangement of such a hand, beside the deadwood of ten cards."""
    choose = random.Random(13)
    hands = [near_show(choose) for _ in range(HANDS // 10)]
    ten = [uniform_hand(10, choose) for _ in range(HANDS * 5)]

    def work() -> int:
        for hand, wild in hands:
            arrange(hand, wild)
        return len(hands)

    figure = "best arrangement of 13 cards of Indian rummy, near a show, with jokers"
    return figure, "our least deadwood of 10 cards, uniform", work, _solving(deadwood, ten), 1 / 200


def _solving(solve: Callable[[int], object], hands: list[list[int]]) -> Work:
    masks = [mask(hand) for hand in hands]

    def work() -> int:
        for held in masks:
            solve(held)
        return len(masks)

    return work


def _spiel_solving(solve: Callable[[list[int]], object], hands: list[list[int]]) -> Work:
    def work() -> int:
        for hand in hands:
            solve(hand)
        return len(hands)

    return work
