"""A slow second opinion on melds, written from the rulebook alone: cards are texts, no code is shared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
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


def _places(cards: Iterable[str]) -> int:
    """*cards*, each once, as bits by their place in the pack."""
    return sum([1 << PLACE[card] for card in cards])


# By lowest card of the pack: every meld that begins with it, as bits, and what it counts.
MELDS = [[(_places(meld), count(meld)) for meld in melds_with_first(tuple(ORDER[at:]))] for at in range(52)]
Melds = list[tuple[int, int]]


def melds_of(cards: Iterable[str]) -> Melds:
    """Every meld that *cards*, which are in order, hold; by its lowest card."""
    places = [PLACE[card] for card in cards]
    held = sum([1 << place for place in places])
    return [meld for place in places for meld in MELDS[place] if meld[0] & held == meld[0]]


class Melded:
    """The most points in melds of *melds* that share no card, of whichever cards are left."""

    def __init__(self, melds: Melds) -> None:
        self.some = 0  # The cards that lie on a meld.
        self.by_first: dict[int, Melds] = {}
        for meld in melds:
            self.some |= meld[0]
            self.by_first.setdefault(meld[0] & -meld[0], []).append(meld)
        self.known: dict[int, int] = {0: 0}

    def most(self, left: int) -> int:
        """Of the cards *left*: the lowest is loose, or in one of the melds that begin with it."""
        left &= self.some
        found = self.known.get(left)
        if found is None:
            low = left & -left
            found = self.most(left ^ low)
            for places, worth in self.by_first.get(low, ()):
                if places & left == places:
                    found = max(found, worth + self.most(left ^ places))
            self.known[left] = found
        return found


def least(cards: Hand) -> int:
    """The least deadwood of *cards*, which are in order."""
    melds = melds_of(cards)
    return count(cards) - (Melded(melds).most(-1) if melds else 0)


def least_without(cards: Hand) -> dict[str, int]:
    """By card of *cards*, which are in order: the least deadwood of the others."""
    melded, points = Melded(melds_of(cards)), count(cards)
    return {card: points - value(card) - melded.most(~(1 << PLACE[card])) for card in cards}


def discards(cards: Hand, forbidden: str | None = None) -> tuple[int, list[str]]:
    """The least deadwood after one discard, and every card that reaches it."""
    after = {card: left for card, left in least_without(cards).items() if card != forbidden}
    best = min(after.values())
    return best, [card for card in cards if after.get(card) == best]


def knocks(cards: Hand, limit: int, taken: str | None = None) -> list[str]:
    """The cards that may be knocked with: the other ten count no more than *limit*."""
    return [card for card, left in least_without(cards).items() if card != taken and left <= limit]


def arrangements(cards: Hand) -> Iterator[tuple[Hand, ...]]:
    """Every way to meld some of *cards*, which are in order."""
    for chosen in _choices([places for places, _ in melds_of(cards)]):
        yield tuple([tuple([card for card in cards if places >> PLACE[card] & 1]) for places in chosen])


def _choices(melds: list[int]) -> Iterator[tuple[int, ...]]:
    """Every choice of *melds* that share no card."""
    yield ()
    for number, meld in enumerate(melds):
        for others in _choices([other for other in melds[number + 1 :] if not other & meld]):
            yield (meld, *others)


@cache
def takers(meld: Hand) -> frozenset[str]:
    """The cards that a meld on the table, given in order, takes: the result is a meld of the same kind."""
    kind = is_run if is_run(meld) else is_set
    return frozenset([card for card in ORDER if kind((*meld, card))])


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
            for card in left:
                if card in takers(in_order(meld)):
                    grown = (*melds[:number], (*meld, card), *melds[number + 1 :])
                    todo.append((placed | {(card, number)}, tuple([c for c in left if c != card]), grown))
    return ways


Show = tuple[int, tuple[Hand, ...], tuple[Placement, ...]]


def best_show(hand: Hand, table: tuple[Hand, ...]) -> Show:
    """COM-8: fewest points after lay-offs, then fewest lay-offs, then the first melds, then the first lay-offs."""
    ways = [(least(left), len(placed), placed, left) for placed, left in lay_off_ways(hand, table).items()]
    first = min([way[:2] for way in ways])
    best = min(
        ((_key(melds), _placement_key(placed)), melds, placed)
        for points, number, placed, left in ways
        if (points, number) == first
        for melds in arrangements(left)
        if count(left) - sum(count(meld) for meld in melds) == points
    )
    _, melds, placed = best
    return first[0], melds_in_order(melds), tuple(sorted(placed, key=lambda each: (PLACE[each[0]], each[1])))


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


# ---- One Hundred and One.


def limit_101(score: int) -> int:
    """101-6.2: the most that a knock may count at a running score."""
    return next(limit for highest, limit in ((25, 20), (50, 15), (75, 10), (100, 5)) if score <= highest)


def show_101(hands: dict[int, Hand], knocker: int) -> dict[int, int]:
    """101-6.7, 6.8: what each seat has left after a knock; the hands come clockwise from the knocker's.

    Each melds, and lays off on the knocker's melds with what has been laid off on them already.
    """
    left = {knocker: least(hands[knocker])}
    _, own, _ = best_show(hands[knocker], ())
    table = own if left[knocker] else ()
    for seat, hand in hands.items():
        if seat != knocker:
            left[seat], _, placed = best_show(hand, table)
            table = tuple([(*meld, *[card for card, at in placed if at == n]) for n, meld in enumerate(table)])
    return left


def score_101(left: dict[int, int], knocker: int, *, tie_counts: bool) -> dict[int, int]:
    """101-7.1, 7.3, 7.4: what each seat adds; 15 more for a knocker whom another one beats, or equals if so agreed."""
    others = [points for seat, points in left.items() if seat != knocker]
    beaten = min(others) < left[knocker] or (tie_counts and min(others) == left[knocker])
    return {seat: points + (15 if beaten and seat == knocker else 0) for seat, points in left.items()}


# ---- Basic rummy: several packs, jokers, an ace that may stand at either end.

JOKERS = ("Xr", "Xb")
LINES = {"low": RANKS, "high": RANKS[1:] + "A", "either": RANKS + "A", "corner": RANKS * 2}


def is_basic_set(cards: Sequence[str], *, packs: int, distinct: bool) -> bool:
    """BAS-4.1, 4.4, 10.1: three or more of a rank, at most four a pack with the jokers, two of them natural."""
    natural = [card for card in cards if card not in JOKERS]
    most = 4 if distinct else 4 * packs
    return (
        3 <= len(cards) <= most
        and len({card[0] for card in natural}) == 1
        and (len(natural) == len(cards) or len(natural) >= 2)
        and (not distinct or len(set(natural)) == len(natural))
    )


def is_basic_run(cards: Sequence[str], *, ace: str) -> bool:
    """BAS-4.2, 4.3, 10.1, 10.5: three to thirteen in order; cards with a joker among them are judged as they stand."""
    natural = [card for card in cards if card not in JOKERS]
    if not 3 <= len(cards) <= 13 or len({card[1] for card in natural}) != 1 or len(natural) < 2:
        return False
    line = LINES[ace]
    for start in range(len(line) - len(cards) + 1):
        window = line[start : start + len(cards)]
        if len(natural) == len(cards):
            fits = sorted(window) == sorted(card[0] for card in cards)
        else:
            fits = all(card in JOKERS or card[0] == rank for card, rank in zip(cards, window, strict=True))
        if fits:
            return True
    return False


def is_basic_meld(cards: Sequence[str], *, ace: str, packs: int, distinct: bool) -> bool:
    """BAS-4: a set or a run."""
    return is_basic_set(cards, packs=packs, distinct=distinct) or is_basic_run(cards, ace=ace)


def basic_value(cards: Iterable[str], ace: int) -> int:
    """BAS-9.2, 10.1: face cards and tens 10, the ace as chosen, others their number, jokers nothing."""
    return sum(ace if card[0] == "A" else value(card) for card in cards if card not in JOKERS)


def basic_hand_score(losers: Iterable[Sequence[str]], *, ace: int, bonus: int, rummy: bool) -> int:
    """BAS-9.1, 8.3, 9.3: all that the others hold, doubled by rummy, and the bonus once."""
    held = sum(basic_value(hand, ace) for hand in losers)
    return (2 * held if rummy else held) + bonus


def minus(cards: Hand, some: Iterable[str]) -> Hand | None:
    """*cards* without *some*, None where they are not all there."""
    left = list(cards)
    for card in some:
        if card not in left:
            return None
        left.remove(card)
    return tuple(left)


def _fillings(window: str, suit: str, hand: Hand, jokers: int) -> Iterator[tuple[Hand, int]]:
    """Every way to fill the places of a run: the natural cards, and the jokers."""
    if not window:
        yield (), 0
        return
    for cards, wild in _fillings(window[1:], suit, hand, jokers):
        card = window[0] + suit
        if minus(hand, (*cards, card)) is not None:
            yield (card, *cards), wild
        if wild < jokers:
            yield cards, wild + 1


@lru_cache(maxsize=400_000)
def basic_least(hand: Hand, jokers: int, ace: str, packs: int, distinct: bool, ace_value: int) -> int:
    """The fewest points that natural cards *hand*, in order, and *jokers* leave: the first is loose or in a meld."""
    if not hand:
        return 0
    first, rules = hand[0], (ace, packs, distinct, ace_value)
    best = basic_value(first and [first], ace_value) + basic_least(hand[1:], jokers, *rules)
    for cards, wild in _basic_melds_with(first, hand, jokers, ace, packs, distinct):
        left = minus(hand, cards)
        assert left is not None
        best = min(best, basic_least(left, jokers - wild, *rules))
    return best


def _basic_melds_with(
    first: str, hand: Hand, jokers: int, ace: str, packs: int, distinct: bool
) -> set[tuple[Hand, int]]:
    found = set()
    alike = [card for card in hand[1:] if card[0] == first[0]]
    for size in range(len(alike) + 1):
        for others in combinations(alike, size):
            for wild in range(jokers + 1):
                if is_basic_set((first, *others, *JOKERS[:1] * wild), packs=packs, distinct=distinct):
                    found.add(((first, *others), wild))
    line = LINES[ace]
    for size in range(3, 14):
        for start in range(len(line) - size + 1):
            window = line[start : start + size]
            if first[0] in window:
                for cards, wild in _fillings(window, first[1], hand, jokers):
                    if first in cards and len(cards) >= 2:
                        found.add((cards, wild))
    return found


# ---- Indian 13-card rummy: jokers printed and wild, a pure sequence and a second one.


def is_indian_joker(card: str, wild: str) -> bool:
    """IND-2: a printed joker, or any card of the wild rank."""
    return card in JOKERS or card[0] == wild


def is_indian_pure(cards: Sequence[str]) -> bool:
    """IND-3.1, 3.3: three or more of a suit in order, every card as itself, the ace at either end."""
    windows = {LINES["either"][at : at + len(cards)] for at in range(15 - len(cards))}
    return (
        len(cards) >= 3
        and len({card[1] for card in cards}) == 1
        and not set(cards) & set(JOKERS)
        and any(sorted(window) == sorted(card[0] for card in cards) for window in windows)
    )


def is_indian_sequence(cards: Sequence[str], wild: str) -> bool:
    """IND-3.2, 3.3, 3.5: a pure one, or natural cards at different places in a row of so many, jokers elsewhere."""
    natural = [card for card in cards if not is_indian_joker(card, wild)]
    if is_indian_pure(cards):
        return True
    if len(cards) < 3 or len({card[1] for card in natural}) != 1 or len(set(natural)) < len(natural):
        return False
    windows = [LINES["either"][at : at + len(cards)] for at in range(15 - len(cards))]
    return any(all(card[0] in window for card in natural) for window in windows)


def is_indian_set(cards: Sequence[str], wild: str) -> bool:
    """IND-3.4, 3.5: three or four of a rank in different suits, jokers filling; of the wild rank only as themselves."""
    natural = [card for card in cards if not is_indian_joker(card, wild)] or list(cards)
    whole = len(natural) == len(cards)
    return (
        len(cards) in (3, 4)
        and len({card[0] for card in natural}) == 1
        and len(set(natural)) == len(natural)
        and not (whole and set(cards) & set(JOKERS))
    )


def indian_value(card: str, wild: str) -> int:
    """IND-7.1: jokers nothing, aces and court cards 10, others their number."""
    if is_indian_joker(card, wild):
        return 0
    return 10 if card[0] == "A" else value(card)


def indian_count(groups: Sequence[Sequence[str]], loose: Sequence[str], wild: str, *, whole: bool) -> int:
    """IND-7.2 to 7.5: what a hand counts in these groups; *whole* is reading B of 7.3."""
    pure = [group for group in groups if is_indian_pure(group)]
    second = sum(is_indian_sequence(group, wild) for group in groups) >= 2
    counted = list(loose)
    for group in groups:
        if not pure or not (second or (group is pure[0] and not whole)):
            counted += group
    return min(80, sum(indian_value(card, wild) for card in counted))


def indian_least(hand: Hand, wild: str, *, whole: bool = False) -> int:
    """The fewest points of a hand, over every choice of groups among all sets of its cards."""
    size = len(hand)
    worth = [indian_value(card, wild) for card in hand]
    groups: list[list[tuple[int, int]]] = [[] for _ in range(size)]  # By lowest card: the cards, and how it counts.
    for places in range(1, 1 << size):
        cards = [hand[at] for at in range(size) if places >> at & 1]
        kind = _indian_kind(cards, wild)
        if kind is not None:
            groups[(places & -places).bit_length() - 1].append((places, kind))

    @cache
    def melded(left: int, pure: int, sequences: int) -> float:
        """The most points in groups that complete so many pure and so many other sequences; minus infinity if none."""
        if not left:
            return 0 if pure == sequences == 0 else float("-inf")
        low = (left & -left).bit_length() - 1
        best = melded(left & left - 1, pure, sequences)
        for places, kind in groups[low]:
            if places & left == places:
                inside = sum(worth[at] for at in range(size) if places >> at & 1)
                rest = left & ~places
                best = max(best, inside + melded(rest, pure, sequences))
                if kind == 2 and pure:
                    best = max(best, inside + melded(rest, 0, sequences))
                if kind and sequences:
                    best = max(best, inside + melded(rest, pure, 0))
        return best

    everything = (1 << size) - 1
    total = sum(worth)
    counts = [total, total - melded(everything, 1, 1)]
    for each in groups:
        counts += [total - sum(worth[at] for at in range(size) if g >> at & 1) for g, k in each if k == 2 and not whole]
    return int(min(80, *counts))


def _indian_kind(cards: Sequence[str], wild: str) -> int | None:
    """2 for a pure sequence, 1 for another one, 0 for a set, None for no group."""
    if len(cards) < 3:
        return None
    if is_indian_pure(cards):
        return 2
    if is_indian_sequence(cards, wild):
        return 1
    return 0 if is_indian_set(cards, wild) else None
