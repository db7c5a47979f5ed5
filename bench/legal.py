"""How long a list of legal actions gets: what is met in play at random, and what the code cannot exceed.

The bound follows from what is listed at all: each run of a suit by its first place and its length, each set of a rank
by its copies and jokers, each lay-off of one card; or as many draws as the pile has cards; or a discard, or a discard
with a knock, of each card. It holds for a hand of the whole deck.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from rummy.rules.actions import Action, DrawPile, EndMelds, Take
from rummy.rules.game import Game
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.rules.tabling import JOKER, LONGEST_RUN, MeldRules

TABLES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("gin", 2, {}),
    ("one_oh_one", 4, {}),
    ("basic", 4, {}),
    ("basic", 6, {"packs": 2, "jokers": 4, "pile": "spread"}),
    ("club", 6, {}),
    ("rummy500", 6, {"jokers": 4}),
    ("indian13", 6, {}),
    ("contract", 6, {"buying": True}),
)
_SMALLEST = ("club", "indian13")  # Games that list no meld from which a card could be missing.
_MORE = (
    9  # The end of melds; and a contract's melds, eight at most, in which a joker may have the place of a card held.
)
_RULES = {  # Of games that have no options for their melds, or many.
    "club": MeldRules(ace="corner", distinct_suits=False, most_set=108),
    "gin": MeldRules(),
    "indian13": MeldRules(ace="either"),
    "one_oh_one": MeldRules(),
}


def bound(game: Any, seats: int) -> int:
    """The most actions that *game* can list."""
    deck = game.deck(seats)
    packs, jokers = deck.count(0), sum(card >= JOKER for card in deck)
    rules = _RULES.get(game.spec.key) or game.meld_rules()
    longest = rules.least_run if game.spec.key in _SMALLEST else LONGEST_RUN
    melds = _runs(rules, longest) + 13 * _sets(rules, packs, jokers, longest)
    lay_offs = (
        len(deck) // 3 * (6 if jokers else 4)
    )  # A set takes 4 cards at most, a run 2; and either joker at 2 ends.
    return max(melds + lay_offs + _MORE, len(deck) + 2, 2 * 54)


def _runs(rules: MeldRules, longest: int) -> int:
    starts = {"low": 0, "high": 0, "either": 1, "corner": None}[rules.ace]
    lengths = range(rules.least_run, min(longest, LONGEST_RUN) + 1)
    return 4 * sum([13 if starts is None else 13 + starts - length + 1 for length in lengths])


def _sets(rules: MeldRules, packs: int, jokers: int, longest: int) -> int:
    """The sets of one rank."""
    copies = 1 if rules.distinct_suits else packs
    most = min(rules.most_set, 4 if rules.distinct_suits else rules.most_set)
    if longest < LONGEST_RUN:
        most = min(most, rules.least_set)
    found = 0
    for counts in product(range(copies + 1), repeat=4):
        natural = sum(counts)
        wild = range(max(0, rules.least_set - natural), min(jokers, most - natural) + 1)
        found += sum([natural >= 2 and rules.allows(natural, number) for number in wild])
    return found


def met(game: Game, seats: int, choose: random.Random, decisions: int) -> Iterator[int]:
    """How many actions were legal, in so many decisions at random: one seat in two takes all that it may."""
    number = 0
    while True:
        match = Match(game, seats, number.to_bytes(8, "big"), max_deals=2)
        number += 1
        while (decision := match.decision) is not None:
            legal = match.legal_actions()
            yield len(legal)
            decisions -= 1
            if decisions == 0:
                return
            match.apply(_greedy(legal) if decision.seat % 2 else choose.choice(legal))


def _greedy(legal: Sequence[Action]) -> Action:
    """All of the pile that may be taken, and nothing tabled that need not be."""
    draws = [action for action in legal if isinstance(action, DrawPile | Take)]
    keeps = [action for action in legal if isinstance(action, EndMelds)]
    return (draws[-1:] + keeps + list(legal))[0]


def rows(decisions: int = 20_000) -> list[dict[str, Any]]:
    """One row a game: the most legal actions met, and beside it the 99th in a hundred and the bound."""
    found = []
    for key, seats, options in TABLES:
        game = find_game(key, options)
        lengths = sorted(met(game, seats, random.Random(7), decisions))
        most = bound(game, seats)
        text = "".join([f", {name} {value}" for name, value in options.items()])
        found.append({
            "figure": f"most legal actions met, {key}, {seats} seats{text}",
            "value": lengths[-1],
            "against": f"the bound of the code: {most}; 99 of 100 lists at most {lengths[len(lengths) * 99 // 100]}",
            "ratio": float(f"{most / lengths[-1]:.3g}"),
            "goal": 1,
            "holds": lengths[-1] <= most,
        })  # fmt: skip
    return found
