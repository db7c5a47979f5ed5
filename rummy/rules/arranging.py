"""The best arrangement of a hand under `MeldRules`: fewest points left, exact, for several packs, jokers and any ace.

A suit of a hand is an integer with two bits a place, the number of copies (three at most). What runs alone leave of a
suit is kept in a dictionary by that integer and the jokers at hand: real hands meet few of them. Sets are branched on,
rank by rank, from the few ranks that can make one. A run without jokers is only ever taken in pieces of less than twice
the least length, since a longer one falls into such pieces; round the corner that leaves the pieces which hold king and
ace together, and those are taken off before the rest is laid on a line.

Jokers that find no place count nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from operator import add
from typing import NamedTuple

from rummy.rules.actions import Card, Cards
from rummy.rules.tabling import JOKER, LONGEST_RUN, MeldRules

Suits = tuple[int, int, int, int]
_PRESENT = 0x5555555  # The lower bit of each of fourteen places.
_ACE_HIGH = 26  # The shift of the place above the king.
_KEPT = 1 << 17  # Entries of a dictionary before it begins anew.


class _Piece(NamedTuple):
    """A run: its lowest natural place, a mask of places from there that natural cards fill, jokers, what is left."""

    start: int
    naturals: int
    jokers: int
    left: int


class _Set(NamedTuple):
    """A set: how many copies of each suit, jokers, and the suits that are left."""

    counts: tuple[int, ...]
    jokers: int
    left: Suits


class Arranger:
    """Arranges hands under *rules*; a loose card of suit s and rank r counts *weights*[s] times *values*[r]."""

    def __init__(self, rules: MeldRules, values: tuple[int, ...], weights: Suits = (1, 1, 1, 1)) -> None:
        self.rules = rules
        self.values = values
        self.weights = weights
        self._lines: dict[int, int] = {0: 0}
        self._rings: dict[int, int] = {0: 0}
        self._shares_of: dict[int, tuple[int, ...]] = {}
        self._hands: dict[tuple[Suits, int, int], int] = {}

    def count(self, cards: Sequence[Card]) -> int:
        """The values of *cards* together."""
        return sum([self.weights[card // 13] * self.values[card % 13] for card in cards if card < JOKER])

    def least(self, hand: Cards) -> int:
        """The fewest points that *hand* can leave."""
        suits, jokers = _suits(hand)
        return self._least(suits, jokers, self._ranks(suits, jokers))

    def best(self, hand: Cards) -> tuple[int, list[Cards]]:
        """The fewest points that *hand* can leave, and melds that leave so many."""
        suits, jokers = _suits(hand)
        ranks = self._ranks(suits, jokers)
        least = self._least(suits, jokers, ranks)
        wild = [card for card in hand if card >= JOKER]
        melds = [self._cards(at, piece, wild) for at, piece in self._found(suits, jokers, ranks)]
        return least, sorted(melds)

    def best_discards(self, hand: Cards, forbidden: Card | None = None) -> tuple[int, list[Card]]:
        """The fewest points after a discard other than *forbidden*, and every card that reaches it."""
        after: dict[Card, int] = {}
        for at, card in enumerate(hand):
            if card != forbidden and card not in after:
                after[card] = self.least(hand[:at] + hand[at + 1 :])
        least = min(after.values(), default=0)
        return least, [card for card, points in after.items() if points == least]

    # Sets.

    def _ranks(self, suits: Suits, jokers: int) -> int:
        """The ranks that could make a set, two bits each."""
        ranks = 0
        for place in range(0, 26, 2):
            copies = [suit >> place & 3 for suit in suits]
            size = 4 - copies.count(0) if self.rules.distinct_suits else sum(copies)
            if size >= 2 and size + jokers >= self.rules.least_set:
                ranks |= 1 << place
        return ranks

    def _least(self, suits: Suits, jokers: int, ranks: int) -> int:
        if not ranks:
            return self._runs(suits, jokers)
        key = (suits, jokers, ranks)
        least = self._hands.get(key)
        if least is None:
            least = self._search(suits, jokers, ranks)
            if len(self._hands) > _KEPT:
                self._hands.clear()
            self._hands[key] = least
        return least

    def _search(self, suits: Suits, jokers: int, ranks: int) -> int:
        """The least over all sets of the lowest of *ranks*. A way that cannot reach it any more is left out: the cards
        of the ranks still open can take off no more than their points from what runs alone would leave."""
        least = self._runs(suits, jokers)
        ways = [
            (self._runs(way.left, jokers - way.jokers), way, later) for way, later in self._ways(suits, jokers, ranks)
        ]
        ways.sort(key=_first)
        for left, way, later in ways:
            if least and left - self._hope(way.left, jokers - way.jokers, later) < least:
                least = min(least, self._least(way.left, jokers - way.jokers, later))
        return least

    def _hope(self, suits: Suits, jokers: int, ranks: int) -> int:
        """The most points that sets of *ranks* can take off; one of two cards takes a joker as well."""
        points, pairs, (a, b, c, d) = 0, [], suits
        one, two, three, four = self.weights
        while ranks:
            place = (ranks & -ranks).bit_length() - 1
            size = (a >> place & 3) + (b >> place & 3) + (c >> place & 3) + (d >> place & 3)
            if size > 2:
                points += self.values[place >> 1] * (
                    one * (a >> place & 3) + two * (b >> place & 3) + three * (c >> place & 3) + four * (d >> place & 3)
                )
            elif size == 2 and jokers:
                pairs.append(self.values[place >> 1])
            ranks &= ranks - 1
        return points + 2 * max(self.weights) * sum(sorted(pairs)[-jokers:]) if pairs else points

    def _ways(self, suits: Suits, jokers: int, ranks: int) -> Iterator[tuple[_Set, int]]:
        """What may become of the lowest of *ranks*: no set, or one; and the ranks that are then still open."""
        place = (ranks & -ranks).bit_length() - 1
        later = ranks & ranks - 1
        copies = [suit >> place & 3 for suit in suits]
        free = [_may_run(suit, place, jokers) for suit in suits]
        again = self.rules.distinct_suits and max(copies) > 1
        choices = [
            range(0 if mobile or again else count, (min(count, 1) if self.rules.distinct_suits else count) + 1)
            for count, mobile in zip(copies, free, strict=True)
        ]
        forced = False
        for counts in product(*choices):
            size = sum(counts)
            wild = max(0, self.rules.least_set - size)
            if size >= 2 and wild <= jokers and size <= self.rules.most_set and self.rules.allows(size, wild):
                a, b, c, d = (suit - (count << place) for suit, count in zip(suits, counts, strict=True))
                forced = not wild and not again and not any(free)  # Its cards are of no other use.
                yield _Set(counts, wild, (a, b, c, d)), ranks if again else later
        if not forced:
            yield _Set((0, 0, 0, 0), 0, suits), later

    # Runs.

    def _runs(self, suits: Suits, jokers: int) -> int:
        ring = self._ring
        c, d, h, s = self.weights
        if not jokers:
            return c * ring(suits[0], 0) + d * ring(suits[1], 0) + h * ring(suits[2], 0) + s * ring(suits[3], 0)
        least: list[int] = [0] * (jokers + 1)  # By jokers at hand.
        for suit, weight in zip(suits, self.weights, strict=True):
            alone = self._shared(suit, jokers)
            if weight > 1:
                alone = tuple([weight * points for points in alone])
            if alone[jokers] == alone[0]:
                least = [so_far + alone[0] for so_far in least]
            else:
                least = [min(map(add, least[most::-1], alone)) for most in range(jokers + 1)]
        return least[jokers]

    def _shared(self, suit: int, jokers: int) -> tuple[int, ...]:
        """What runs leave of a suit, by the jokers that it gets."""
        key = suit << 4 | jokers
        shared = self._shares_of.get(key)
        if shared is None:
            if len(self._shares_of) > _KEPT:
                self._shares_of.clear()
            shared = self._shares_of[key] = tuple([self._ring(suit, wild) for wild in range(jokers + 1)])
        return shared

    def _ring(self, suit: int, jokers: int) -> int:
        """The least that runs leave of a suit, the ace standing wherever the rules allow."""
        key = suit << 4 | jokers
        least = self._rings.get(key)
        if least is None:
            lines = [self._line(line, jokers) for line in self._lines_of(suit)]
            least = min(
                lines + [self._ring(piece.left, jokers - piece.jokers) for piece in self._corners(suit, jokers)]
            )
            if len(self._rings) > _KEPT:
                self._rings.clear()
            self._rings[key] = least
        return least

    def _lines_of(self, suit: int) -> list[int]:
        """The suit on fourteen places, with each number of its aces at either end that the rules allow."""
        aces, rest = suit & 3, suit & ~3
        if self.rules.ace == "high":
            return [rest | aces << _ACE_HIGH]
        if self.rules.ace == "either":
            return [rest | low | aces - low << _ACE_HIGH for low in range(aces + 1)]
        return [suit]

    def _line(self, line: int, jokers: int) -> int:
        if not line:
            return 0
        key = line << 4 | jokers
        least = self._lines.get(key)
        if least is None:
            place = (line & -line).bit_length() - 1 >> 1
            least = self.values[place % 13] + self._line(line - (1 << 2 * place), jokers)
            for piece in self._pieces(line, place, jokers):
                least = min(least, self._line(piece.left, jokers - piece.jokers))
            if len(self._lines) > _KEPT:
                self._lines.clear()
            self._lines[key] = least
        return least

    def _pieces(self, line: int, start: int, jokers: int) -> Iterator[_Piece]:
        """The runs whose lowest natural card is at *start*."""
        if jokers:
            yield from self._wild_pieces(line, start, jokers, 13 if self.rules.ace == "corner" else 14)
            return
        present = (line | line >> 1) & _PRESENT
        shortest = self.rules.least_run
        for length in range(shortest, 2 * shortest):
            ones = (_PRESENT & (1 << 2 * length) - 1) << 2 * start
            if present & ones != ones:
                return
            yield _Piece(start, (1 << length) - 1, 0, line - ones)

    def _corners(self, suit: int, jokers: int) -> Iterator[_Piece]:
        """The runs that go from king to ace, where the rules let them; on a line they could not be seen."""
        if self.rules.ace != "corner" or (not jokers and not (suit & 3 and suit >> 24 & 3)):
            return
        for start in range(1, 13):
            if suit >> 2 * start & 3:
                yield from (
                    piece
                    for piece in self._wild_pieces(suit, start, jokers, start + LONGEST_RUN)
                    if start + piece.naturals.bit_length() > 13
                )

    def _wild_pieces(self, suit: int, start: int, jokers: int, end: int) -> Iterator[_Piece]:
        """Every run from *start* up to before *end* with its jokers, those included that only make it long enough."""
        rules, ring = self.rules, 13 if self.rules.ace == "corner" else 14
        twice = suit & _PRESENT << 1
        todo = [(1, 1, 0, suit - (1 << 2 * start))]
        while todo:
            length, naturals, wild, left = todo.pop()
            held = naturals.bit_count()
            if naturals >> length - 1 and held >= 2:
                total = wild + max(0, rules.least_run - length)
                if total <= jokers and rules.allows(held, total):
                    yield _Piece(start, naturals, total, left)
            place = start + length
            if place >= end or length >= (LONGEST_RUN if jokers else 2 * rules.least_run - 1):
                continue
            bit = 1 << 2 * (place % ring)
            if left & 3 * bit:
                todo.append((length + 1, naturals | 1 << length, wild, left - bit))
            if wild < jokers and (twice or not left & 3 * bit):  # Beside a card held once a joker never does better.
                todo.append((length + 1, naturals, wild + 1, left))

    # The melds themselves: the same choices once more, for one that reaches the least.

    def _found(self, suits: Suits, jokers: int, ranks: int) -> Iterator[tuple[int, _Piece | _Set]]:
        while ranks:
            least, place = self._least(suits, jokers, ranks), (ranks & -ranks).bit_length() - 1
            for choice, later in self._ways(suits, jokers, ranks):
                if self._least(choice.left, jokers - choice.jokers, later) == least:
                    break
            if any(choice.counts):
                yield place >> 1, choice
            suits, jokers, ranks = choice.left, jokers - choice.jokers, later
        for at, (suit, wild) in enumerate(zip(suits, self._shares(suits, jokers), strict=True)):
            yield from ((at, piece) for piece in self._found_runs(suit, wild))

    def _shares(self, suits: Suits, jokers: int) -> tuple[int, ...]:
        """Jokers by suit that reach the least together."""
        least = self._runs(suits, jokers)
        for shares in product(range(jokers + 1), repeat=4):
            parts = zip(self.weights, suits, shares, strict=True)
            if sum(shares) <= jokers and least == sum([each * self._ring(suit, wild) for each, suit, wild in parts]):
                return shares
        raise AssertionError("some share of the jokers reaches the least")

    def _found_runs(self, suit: int, jokers: int) -> Iterator[_Piece]:
        least = self._ring(suit, jokers)
        line = next((line for line in self._lines_of(suit) if self._line(line, jokers) == least), None)
        if line is None:
            piece = next(p for p in self._corners(suit, jokers) if self._ring(p.left, jokers - p.jokers) == least)
            yield piece
            yield from self._found_runs(piece.left, jokers - piece.jokers)
            return
        while line:
            least, place = self._line(line, jokers), (line & -line).bit_length() - 1 >> 1
            found = (p for p in self._pieces(line, place, jokers) if self._line(p.left, jokers - p.jokers) == least)
            piece_or_none = next(found, None)
            if piece_or_none is None:
                line -= 1 << 2 * place
            else:
                yield piece_or_none
                line, jokers = piece_or_none.left, jokers - piece_or_none.jokers

    def _cards(self, at: int, found: _Piece | _Set, wild: list[Card]) -> Cards:
        """The cards of a meld; takes its jokers out of *wild*. *at* is the suit of a run, the rank of a set."""
        if isinstance(found, _Set):
            cards = [at + 13 * suit for suit, count in enumerate(found.counts) for _ in range(count)]
            return (*cards, *[wild.pop(0) for _ in range(found.jokers)])
        length = found.naturals.bit_length()
        run = [
            at * 13 + (found.start + step) % 13 if found.naturals >> step & 1 else wild.pop(0) for step in range(length)
        ]
        end = {"low": 13, "corner": 26}.get(self.rules.ace, 14)
        for step in range(found.jokers - (length - found.naturals.bit_count())):
            run.insert(len(run) if found.start + length + step < end else 0, wild.pop(0))
        return tuple(run)


def _suits(hand: Cards) -> tuple[Suits, int]:
    """A hand as four suits and the number of its jokers."""
    suits = [0, 0, 0, 0, 0]
    for card in hand:
        suits[card // 13] += 1 << 2 * (card % 13)
    return (suits[0], suits[1], suits[2], suits[3]), (suits[4] & 3) + (suits[4] >> 2 & 3)


def _may_run(suit: int, place: int, jokers: int) -> bool:
    """Whether the card at *place* (two bits each) could lie in a run; never no where it could."""
    ring = suit | suit << 26 | suit << 52
    held = (ring | ring >> 1) >> place + 26 - 4 - 2 * jokers
    if not jokers:
        return held & 0x15 == 0x15 or held & 0x54 == 0x54 or held & 0x150 == 0x150
    return (held & (1 << 10 + 4 * jokers) - 1 & 0x5555555555555555).bit_count() >= 2


def _first(way: tuple[int, _Set, int]) -> int:
    return way[0]


@lru_cache(maxsize=64)
def arranger(rules: MeldRules, values: tuple[int, ...], weights: Suits = (1, 1, 1, 1)) -> Arranger:
    """The arranger of these rules and values; its dictionaries are shared by everybody who asks."""
    return Arranger(rules, values, weights)
