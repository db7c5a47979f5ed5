"""A slow second opinion on melds, written from the rulebook alone: cards are texts, no code is shared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise

RANKS = "A23456789TJQK"
SUITS = "cdhs"
ORDER = [rank + suit for suit in SUITS for rank in RANKS]
PLACE = {card: place for place, card in enumerate(ORDER)}

Hand = tuple[str, ...]
Placement = tuple[str, int]


def in_order(cards: Iterable[str]) -> Hand:
    """Cards by suit, then by rank."""
    return tuple(sorted(cards, key=PLACE.__getitem__))


def value(card: str) -> int:
    """Face cards and tens 10, ace 1, others their number."""
    return min(RANKS.index(card[0]) + 1, 10)


def count(cards: Iterable[str]) -> int:
    """The values of *cards* together."""
    return sum(value(card) for card in cards)


def is_set(cards: Sequence[str]) -> bool:
    """Three or four different cards of one rank."""
    return len(cards) in (3, 4) and len(set(cards)) == len(cards) and len({card[0] for card in cards}) == 1


def is_run(cards: Sequence[str]) -> bool:
    """Three or more cards of one suit, next to each other, with the ace below the two."""
    places = sorted(RANKS.index(card[0]) for card in cards)
    return (
        len(cards) >= 3
        and len({card[1] for card in cards}) == 1
        and all(high == low + 1 for low, high in pairwise(places))
    )


def melds_with_first(cards: Hand) -> Iterator[Hand]:
    """Every meld of *cards*, which are in order, that holds the first of them."""
    first = cards[0]
    alike = [card for card in cards[1:] if card[0] == first[0]]
    for size in (2, 3):
        for others in combinations(alike, size):
            yield (first, *others)
    run = [first]
    while True:
        place = RANKS.index(run[-1][0]) + 1
        if place == 13 or RANKS[place] + first[1] not in cards:
            return
        run.append(RANKS[place] + first[1])
        if len(run) >= 3:
            yield tuple(run)


@lru_cache(maxsize=200_000)
def least(cards: Hand) -> int:
    """The least deadwood of *cards*, which are in order: the first card is loose, or in one of its melds."""
    if not cards:
        return 0
    best = value(cards[0]) + least(cards[1:])
    for meld in melds_with_first(cards):
        best = min(best, least(tuple([card for card in cards if card not in meld])))
    return best


def discards(cards: Hand, forbidden: str | None = None) -> tuple[int, list[str]]:
    """The least deadwood after one discard, and every card that reaches it."""
    after = {card: least(tuple([kept for kept in cards if kept != card])) for card in cards if card != forbidden}
    best = min(after.values())
    return best, [card for card in cards if after.get(card) == best]


def knocks(cards: Hand, limit: int, taken: str | None = None) -> list[str]:
    """The cards that may be knocked with: the other ten count no more than *limit*."""
    return [card for card in cards if card != taken and least(tuple([k for k in cards if k != card])) <= limit]


def arrangements(cards: Hand) -> Iterator[tuple[Hand, ...]]:
    """Every way to meld some of *cards*, which are in order."""
    if not cards:
        yield ()
        return
    yield from arrangements(cards[1:])
    for meld in melds_with_first(cards):
        for others in arrangements(tuple([card for card in cards if card not in meld])):
            yield (meld, *others)


def lay_off_ways(hand: Hand, table: tuple[Hand, ...]) -> dict[frozenset[Placement], Hand]:
    """Every way to lay off, card by card, each result a meld of the same kind: placements, and the hand that stays."""
    ways: dict[frozenset[Placement], Hand] = {}
    todo: list[tuple[frozenset[Placement], Hand, tuple[Hand, ...]]] = [(frozenset(), hand, table)]
    while todo:
        placed, left, melds = todo.pop()
        if placed in ways:
            continue
        ways[placed] = left
        for number, meld in enumerate(melds):
            kind = is_run if is_run(meld) else is_set
            for card in left:
                if kind((*meld, card)):
                    grown = (*melds[:number], (*meld, card), *melds[number + 1 :])
                    todo.append((placed | {(card, number)}, tuple([c for c in left if c != card]), grown))
    return ways


Show = tuple[int, tuple[Hand, ...], tuple[Placement, ...]]


def best_show(hand: Hand, table: tuple[Hand, ...]) -> Show:
    """COM-8: fewest points after lay-offs, then fewest lay-offs, then the first melds, then the first lay-offs."""
    best = min(
        (
            (count(left) - sum(count(meld) for meld in melds), len(placed), _key(melds), _placement_key(placed)),
            melds,
            placed,
        )
        for placed, left in lay_off_ways(hand, table).items()
        for melds in arrangements(left)
    )
    (points, _, _, _), melds, placed = best
    return points, melds_in_order(melds), tuple(sorted(placed, key=lambda each: (PLACE[each[0]], each[1])))


def least_show(hand: Hand, table: tuple[Hand, ...]) -> int:
    """The points of the best show alone."""
    return min(least(left) for left in lay_off_ways(hand, table).values())


def melds_in_order(melds: Iterable[Hand]) -> tuple[Hand, ...]:
    """Cards sorted within melds, melds sorted."""
    return tuple(sorted([in_order(meld) for meld in melds], key=lambda meld: [PLACE[card] for card in meld]))


def _key(melds: Iterable[Hand]) -> list[list[int]]:
    return [[PLACE[card] for card in meld] for meld in melds_in_order(melds)]


def _placement_key(placed: Iterable[Placement]) -> list[tuple[int, int]]:
    return sorted((PLACE[card], number) for card, number in placed)


def gin_score(knocker_count: int, defender_count: int, *, big: bool) -> tuple[str, int, int]:
    """How a gin deal ends: the word, the knocker's points and the defender's (GIN-7.1 to 7.4)."""
    if big:
        return "big gin", defender_count + 31, 0
    if knocker_count == 0:
        return "gin", defender_count + 25, 0
    if knocker_count < defender_count:
        return "knock", defender_count - knocker_count, 0
    return "undercut", 0, 25 + knocker_count - defender_count
