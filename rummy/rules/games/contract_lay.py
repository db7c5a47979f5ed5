"""Whether a hand holds a contract: so many sets and runs at once, with no card in two of them (CON-4).

Two questions, both answered by melds that do it, or None: `some` asks for any such melds, and the shortest do;
`exactly` asks for melds that take up the whole hand. A joker may stand where its card is held as well: a natural card
may be needed elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product
from typing import Final

from rummy.rules.actions import Card, Cards
from rummy.rules.tabling import JOKER, LONGEST_RUN, MeldRules, without

RULES: Final = MeldRules(ace="either", distinct_suits=False, most_set=158, least_run=4, half_natural=True)
SET, RUN = RULES.least_set, RULES.least_run
Melds = tuple[Cards, ...]


def least_cards(sets: int, runs: int) -> int:
    """The fewest cards of a contract (CON-2.1)."""
    return SET * sets + RUN * runs


# ---- any melds


@lru_cache(maxsize=1 << 14)
def some(hand: Cards, sets: int, runs: int) -> Melds | None:
    """The shortest melds in *hand* that make so many sets and runs."""
    if len(hand) < least_cards(sets, runs):
        return None
    jokers = sum([card >= JOKER for card in hand])
    naturals, wild = hand[: len(hand) - jokers], hand[len(hand) - jokers :]
    if _with_sets(naturals, wild, sets) is None:  # Nor with fewer cards, then.
        return None
    return _with_runs(naturals, wild, sets, runs, 0)


@lru_cache(maxsize=1 << 14)
def _with_runs(naturals: Cards, wild: Cards, sets: int, runs: int, first: int) -> Melds | None:
    """The melds, the runs among them from window number *first* on."""
    if runs == 0:
        return _with_sets(naturals, wild, sets)
    held = set(naturals)
    places_held = _places_of(held)
    least = RUN - min(len(wild), RUN // 2)
    for window in range(first, 44):
        suit, start = window // 11 * 13, window % 11
        if (places_held[window // 11] >> start & 15).bit_count() < least:
            continue
        places = [suit + (start + at) % 13 for at in range(RUN)]
        for cards, used in _filled(places, held, len(wild)):
            left = without(naturals, [card for card in cards if card is not None])
            assert left is not None, "only cards of the hand fill a place"
            others = _with_runs(left, wild[used:], sets, runs - 1, window)
            if others is not None:
                return (_jokers_in(cards, wild), *others)
    return None


def _places_of(cards: set[Card]) -> list[int]:
    """By suit: the places of *cards*, as bits; an ace has two."""
    found = [0] * 4
    for card in cards:
        found[card // 13] |= 1 << card % 13 if card % 13 else 1 | 1 << 13
    return found


def _filled(places: list[Card], held: set[Card], jokers: int) -> Iterator[tuple[list[Card | None], int]]:
    """The ways to fill the places of a shortest run, None for a joker; those with the fewest jokers first."""
    missing = [at for at, card in enumerate(places) if card not in held]
    for used in range(len(missing), min(jokers, RUN // 2) + 1):
        others = [at for at in range(RUN) if at not in missing]
        for more in combinations(others, used - len(missing)):
            yield [None if at in missing or at in more else card for at, card in enumerate(places)], used


def _jokers_in(cards: list[Card | None], wild: Cards) -> Cards:
    """*cards* with jokers of *wild* where they have none."""
    jokers = iter(wild)
    return tuple([next(jokers) if card is None else card for card in cards])


def _with_sets(naturals: Cards, wild: Cards, sets: int) -> Melds | None:
    """So many shortest sets, with the fewest jokers: what each one more of a rank needs never falls."""
    costs = []
    for rank in range(13):
        count = sum([card % 13 == rank for card in naturals])
        for number in range(1, count // 2 + 1):
            costs.append((max(0, SET * number - count) - max(0, SET * (number - 1) - count), rank))
    chosen = sorted(costs)[:sets]
    if len(chosen) < sets or sum([cost for cost, _ in chosen]) > len(wild):
        return None
    melds: list[Cards] = []
    for rank in dict.fromkeys([rank for _, rank in chosen]):
        # Two cards at least are natural in each: so no set takes more than one of the jokers that its rank needs.
        jokers = wild[: sum([cost for cost, each in chosen if each == rank])]
        wild = wild[len(jokers) :]
        cards = [card for card in naturals if card % 13 == rank]
        for number in range(sum([each == rank for _, each in chosen])):
            joker = jokers[number : number + 1]
            melds.append((*cards[: SET - len(joker)], *joker))
            del cards[: SET - len(joker)]
    return tuple(melds)


# ---- melds that take up all


@lru_cache(maxsize=1 << 14)
def exactly(hand: Cards, sets: int, runs: int) -> Melds | None:
    """Melds that take up all of *hand*, so many sets and runs."""
    if not hand:
        return () if sets == runs == 0 else None
    if len(hand) < least_cards(sets, runs) or hand[0] >= JOKER or not _may_fit(hand, sets, runs):
        return None
    for run, cards in _melds_with_first(hand, sets, runs):
        left = without(hand, cards)
        assert left is not None, "only cards of the hand are in the meld"
        others = exactly(left, sets - (not run), runs - run)
        if others is not None:
            return (cards, *others)
    return None


def _may_fit(hand: Cards, sets: int, runs: int) -> bool:
    """False where so many melds cannot take the natural cards of *hand*, as a look at their copies tells.

    However the runs are shared out among the suits, cards of which there are more copies than their suit has runs lie
    in sets, of no more ranks than there are sets.
    """
    beyond = [[0] * (runs + 1) for _ in range(4)]  # By suit and its runs: the ranks that have more copies.
    for card, copies in Counter([card for card in hand if card < JOKER]).items():
        for number in range(min(copies, runs + 1)):
            beyond[card // 13][number] |= 1 << card % 13
    clubs, diamonds, hearts, spades = beyond
    return any((clubs[a] | diamonds[b] | hearts[c] | spades[d]).bit_count() <= sets for a, b, c, d in _shared_out(runs))


@lru_cache(maxsize=8)
def _shared_out(runs: int) -> tuple[tuple[int, ...], ...]:
    """The ways to share so many runs out among four suits."""
    return tuple([shares for shares in product(range(runs + 1), repeat=4) if sum(shares) == runs])


def _melds_with_first(hand: Cards, sets: int, runs: int) -> Iterator[tuple[bool, Cards]]:
    wild = tuple([card for card in hand if card >= JOKER])
    if runs:
        held = _skipped(hand, sets, runs)
        suit, rank = hand[0] // 13 * 13, hand[0] % 13
        for below in range(min(rank, len(wild)) + 1):  # Nothing lower is held in this suit.
            yield from _longer(suit, rank, 1, [None] * below + [hand[0]], held, wild)
        if rank == 0:
            yield from _longer(suit, 13, -1, [hand[0]], held, wild)
    if sets:
        alike = [[card for card in hand if card % 13 == hand[0] % 13 and card // 13 == suit] for suit in range(4)]
        for counts in product(*[range(len(cards), -1, -1) for cards in alike]):
            naturals = [card for cards, count in zip(alike, counts, strict=True) for card in cards[:count]]
            if hand[0] in naturals and len(naturals) >= 2:
                for used in range(max(0, SET - len(naturals)), min(len(wild), len(naturals)) + 1):
                    yield False, (*naturals, *wild[:used])


def _skipped(hand: Cards, sets: int, runs: int) -> dict[Card, bool]:
    """By natural card: whether a joker may stand in its place in a run of the first suit, as other melds may take it.

    Where there are runs alone, as many lie in each other suit as it has copies of a card, and the rest in this one.
    """
    copies = Counter([card for card in hand if card < JOKER])
    if sets:
        return dict.fromkeys(copies, True)
    others = [max([n for card, n in copies.items() if card // 13 == suit], default=0) for suit in range(4)]
    most = runs - sum(others) + others[hand[0] // 13]
    return {card: n < most for card, n in copies.items()}


def _longer(
    suit: int, place: int, step: int, run: list[Card | None], held: dict[Card, bool], wild: Cards
) -> Iterator[tuple[bool, Cards]]:
    """The runs that go on from the last of *run*, which stands at *place*, upwards or downwards."""
    used = run.count(None)
    if len(run) >= RUN and RULES.allows(len(run) - used, used):
        yield True, _jokers_in(run if step > 0 else run[::-1], wild)
    place += step
    if len(run) == LONGEST_RUN or not 0 <= place <= 13:
        return
    card = suit + place % 13
    if card in held and card not in run:
        yield from _longer(suit, place, step, [*run, card], held, wild)
    if used < len(wild) and (held.get(card, True) or card in run):
        yield from _longer(suit, place, step, [*run, None], held, wild)
