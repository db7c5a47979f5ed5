"""Cards that are gathered in a hand, from a spread pile above all: which of them make melds, and what is thrown."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from rummy.rules.actions import Action, Card, Cards, Discard
from rummy.rules.arranging import Arranger
from rummy.rules.games.zones import Zones, may_discard
from rummy.rules.tabling import JOKER, MeldRules, melds_in

SEARCHED: Final = 20  # Natural cards of a hand up to which the default discard is the best one (COM-14).
DISCARDS: Final = tuple([Discard(card) for card in range(54)])
_SPANS: Final = {
    "low": (0, 13),
    "high": (1, 14),
    "either": (0, 14),
}  # First place, and the one behind the last.


class Gathered:
    """Natural cards as they come together: tells of each whether it lies on a meld of them all."""

    __slots__ = ("_cards", "_distinct", "_least_set", "_mates", "_ranks")

    def __init__(self, cards: Iterable[Card], rules: MeldRules) -> None:
        self._cards: set[Card] = set()
        self._ranks = [0] * 13
        self._distinct, self._least_set = rules.distinct_suits, rules.least_set
        self._mates = _mates(rules.ace, rules.least_run)
        for card in cards:
            self.add(card)

    def add(self, card: Card) -> None:
        """Adds *card*; a joker is none of these cards."""
        if card < JOKER and not (self._distinct and card in self._cards):
            self._cards.add(card)
            self._ranks[card % 13] += 1

    def melds(self, card: Card) -> bool:
        """Whether *card*, which is one of them, lies on a meld of them."""
        if self._ranks[card % 13] >= self._least_set:
            return True
        return any(self._cards.issuperset(others) for others in self._mates[card])


@lru_cache(maxsize=16)
def _mates(ace: str, least_run: int) -> tuple[tuple[Cards, ...], ...]:
    """By card: what makes a shortest run with it."""
    return tuple([tuple(sorted(_beside(card, ace, least_run))) for card in range(JOKER)])


def _beside(card: Card, ace: str, least_run: int) -> set[Cards]:
    suit, rank = card // 13 * 13, card % 13
    first, end = _SPANS.get(ace, (-least_run, 13 + least_run))
    found = set()
    for place in (0, 13) if rank == 0 and ace != "corner" else (rank,):
        for low in range(max(place - least_run + 1, first), min(place, end - least_run) + 1):
            found.add(tuple([suit + at % 13 for at in range(low, low + least_run) if at != place]))
    return found


# ---- melds with one card


def melds_with(hand: Cards, card: Card, rules: MeldRules) -> list[Cards]:
    """The melds of *hand* that hold *card*."""
    wild = [each for each in hand if each >= JOKER]
    if card >= JOKER:
        wild.sort(key=card.__ne__)  # `melds_in` lays the first joker first.
    near = [each for each in hand if each < JOKER and _is_near(each, card)]
    return [cards for cards in melds_in((*near, *wild), rules) if card in cards]


def _is_near(card: Card, other: Card) -> bool:
    return other >= JOKER or card % 13 == other % 13 or card // 13 == other // 13


# ---- the discard


def discards(state: Zones) -> list[Action]:
    """Every discard that the seat on turn may make."""
    hand = state.hands[state.turn]
    return [DISCARDS[card] for card in dict.fromkeys(hand) if may_discard(hand, card, state.forbidden)]


def default_discard(state: Zones, solver: Arranger) -> Action:
    """What is thrown for the seat on turn (COM-14), which has a card to throw.

    The natural card whose loss leaves the fewest points unmatched, jokers left out of account; else a joker. Of a hand
    that a pile has swollen, the dearest card that lies on no meld: to search through it takes ever longer.
    """
    hand = state.hands[state.turn]
    kept = next((card for card in hand if not may_discard(hand, card, state.forbidden)), None)
    naturals = tuple([card for card in hand if card < JOKER])
    if len(naturals) > SEARCHED:
        return DISCARDS[_dearest_loose(naturals, kept, solver)]
    _, cards = solver.best_discards(naturals, kept)
    if not cards:
        return DISCARDS[next(card for card in hand if card >= JOKER and card != kept)]
    return DISCARDS[max(cards, key=lambda card: (card % 13, -card))]


def _dearest_loose(cards: Cards, kept: Card | None, solver: Arranger) -> Card:
    """The dearest of *cards*, which are natural, but *kept*: of those that lie on no meld, where there are such."""
    gathered = Gathered(cards, solver.rules)
    thrown = [card for card in cards if card != kept]
    loose = [card for card in thrown if not gathered.melds(card)]
    return max(loose or thrown, key=lambda card: (solver.count((card,)), card % 13, -card))
