"""The slow second opinion on whole hands of several packs with jokers, from the rulebook alone: no code is shared.

A hand is a number with three bits for each different card of it: how many copies are left, and above them a bit that
stays free, so that taking cards away shows where there are too few. A *piece* is a set or run that the hand could lay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from oracle import JOKERS, LINES, PLACE, RANKS, SUITS, Hand, indian_value

Worth = Callable[[str], int]


@dataclass(frozen=True)
class Melding:
    """What a game calls a meld: where the ace stands, what a set may hold, and how long a run is."""

    ace: str
    distinct: bool  # Whether the suits of a set differ.
    most_set: int
    least_run: int = 3
    naturals: int = 2  # The fewest beside a joker.
    half: bool = False  # Whether half of a meld's cards are natural at least.

    def allows(self, naturals: int, jokers: int) -> bool:
        """Whether so many jokers may be among so many natural cards."""
        return not jokers or (naturals >= self.naturals and (not self.half or naturals >= jokers))


@dataclass(frozen=True)
class Piece:
    """Cards of a hand as a number, the jokers beside them, what they are worth, and their kind."""

    cards: int
    jokers: int
    worth: int
    run: bool
    pure: bool = False


class Held:
    """The natural cards of a hand as a number."""

    def __init__(self, hand: Hand, worth: Worth) -> None:
        self.different = sorted(set(hand), key=PLACE.__getitem__)
        self.one = {card: 1 << 3 * at for at, card in enumerate(self.different)}
        self.copies = {card: hand.count(card) for card in self.different}
        self.guard = sum(self.one.values()) << 2
        self.all = sum([self.one[card] for card in hand])
        self.points = {card: worth(card) for card in self.different}

    def holds(self, left: int, cards: int) -> bool:
        """Whether *cards* are among those *left*."""
        return ((left | self.guard) - cards) & self.guard == self.guard

    def number(self, cards: tuple[str, ...]) -> int:
        """*cards* as a number."""
        return sum([self.one[card] for card in cards])

    def piece(self, cards: tuple[str, ...], jokers: int, *, run: bool, pure: bool = False) -> Piece:
        """A piece of these cards and so many jokers."""
        return Piece(self.number(cards), jokers, sum([self.points[card] for card in cards]), run, pure)


def sets_of(held: Held, how: Melding, jokers: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Every set: its natural cards, and its jokers."""
    for rank in RANKS:
        suits = [rank + suit for suit in SUITS if rank + suit in held.one]
        most = [min(held.copies[card], 1 if how.distinct else 9) for card in suits]
        if sum(most) + jokers < 3:
            continue
        for counts in product(*[range(count + 1) for count in most]):
            cards = tuple([card for card, count in zip(suits, counts, strict=True) for _ in range(count)])
            for wild in range(jokers + 1 if cards else 0):
                if 3 <= len(cards) + wild <= how.most_set and how.allows(len(cards), wild):
                    yield cards, wild


def runs_of(held: Held, how: Melding, jokers: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Every run from a natural card to another: the natural cards, and the jokers between, before and behind them.

    Before and behind there is room for as many as a run of thirteen holds: every row of ranks is so long.
    """
    line = LINES[how.ace]
    for suit in SUITS:
        for start in range(len(line) if how.ace != "corner" else 13):
            if line[start] + suit in held.one:
                yield from _runs_on(held, how, jokers, line[start : start + 13], suit)


def _runs_on(held: Held, how: Melding, jokers: int, row: str, suit: str) -> Iterator[tuple[tuple[str, ...], int]]:
    todo: list[tuple[tuple[str, ...], int, int]] = [((row[0] + suit,), 1, 0)]
    while todo:
        cards, length, between = todo.pop()
        if cards[-1] == row[length - 1] + suit:  # It ends with a natural card.
            for around in range(max(0, how.least_run - length), min(13 - length, jokers - between) + 1):
                if how.allows(len(cards), between + around):
                    yield cards, between + around
        if length == len(row):
            continue
        card = row[length] + suit
        if card in held.one and card not in cards:
            todo.append(((*cards, card), length + 1, between))
        if between < jokers:
            todo.append((cards, length + 1, between + 1))


class Arranged:
    """What the melds of a hand can be at their best."""

    def __init__(self, hand: Hand, how: Melding, worth: Worth) -> None:
        natural = tuple([card for card in hand if card not in JOKERS])
        self.jokers = len(hand) - len(natural)
        self.held = Held(natural, worth)
        self.total = sum(map(worth, natural))
        pieces = {self.held.piece(cards, wild, run=False) for cards, wild in sets_of(self.held, how, self.jokers)}
        pieces |= {self.held.piece(cards, wild, run=True) for cards, wild in runs_of(self.held, how, self.jokers)}
        self.pieces = by_first(pieces)
        self.known: dict[tuple[int, int], int] = {}

    def least(self, without: str | None = None) -> int:
        """The fewest points of natural cards that no meld holds, one of them thrown away first if it is named."""
        if without is None:
            return self.total - self._most(self.held.all, self.jokers)
        left = self.held.all - self.held.one[without]
        return self.total - self.held.points[without] - self._most(left, self.jokers)

    def _most(self, left: int, jokers: int) -> int:
        """The most points in melds: the lowest card is loose, or in one of them."""
        if not left or not self.pieces:
            return 0
        found = self.known.get((left, jokers))
        if found is None:
            first = (left & -left).bit_length() - 1
            low = 1 << first // 3 * 3
            found = self._most(left - low, jokers)
            for piece in self.pieces.get(low, ()):
                if piece.jokers <= jokers and self.held.holds(left, piece.cards):
                    found = max(found, piece.worth + self._most(left - piece.cards, jokers - piece.jokers))
            self.known[left, jokers] = found
        return found

    def splits(self, sets: int, runs: int, *, whole: bool) -> bool:
        """Whether so many sets and runs share no card of the hand, and are all of it if asked."""

        @cache
        def can(left: int, jokers: int, sets: int, runs: int) -> bool:
            if sets == runs == 0:
                return not whole or (not left and not jokers)
            if not left:
                return False
            low = 1 << ((left & -left).bit_length() - 1) // 3 * 3
            if not whole and can(left - low, jokers, sets, runs):
                return True
            return any(
                can(left - piece.cards, jokers - piece.jokers, sets - (not piece.run), runs - piece.run)
                for piece in self.pieces.get(low, ())
                if (runs if piece.run else sets) and piece.jokers <= jokers and self.held.holds(left, piece.cards)
            )

        return can(self.held.all, self.jokers, sets, runs)


def by_first(pieces: set[Piece]) -> Mapping[int, list[Piece]]:
    """The pieces by their lowest card."""
    found: dict[int, list[Piece]] = {}
    for piece in pieces:
        first = (piece.cards & -piece.cards).bit_length() - 1
        found.setdefault(1 << first // 3 * 3, []).append(piece)
    return found


# ---- Indian 13-card rummy


class IndianHand:
    """What a hand of Indian rummy can be laid out as. Jokers are the printed ones and the cards of the wild rank.

    A wild card in a pure sequence, or in a set of its own rank, stands as itself: one joker fewer for the rest.
    """

    def __init__(self, hand: Hand, wild: str) -> None:
        self.hand = hand
        self.wild = wild
        cards = tuple([card for card in hand if card not in JOKERS])
        self.jokers = len(hand) - len(cards) + sum([card[0] == wild for card in cards])
        self.held = Held(cards, lambda card: indian_value(card, wild))
        self.total = sum([self.held.points[card] for card in cards])
        self.pieces = by_first(set(self._pieces()))

    def _pieces(self) -> Iterator[Piece]:
        own = Held(tuple([card for card in self.held.copies if card[0] != self.wild]), self.held.points.__getitem__)
        sets = Melding("either", distinct=True, most_set=4, naturals=1)
        for cards, wild in sets_of(own, sets, self.jokers):
            yield self.held.piece(cards, wild, run=False)  # IND-3.4
        for cards, wild in runs_of(own, sets, self.jokers):
            if wild:
                yield self.held.piece(cards, wild, run=True)  # IND-3.2
        for cards, _ in runs_of(self.held, sets, 0):
            yield self.held.piece(cards, self._wild_in(cards), run=True, pure=True)  # IND-3.1
        for cards, _ in sets_of(self.held, sets, 0):
            if cards[0][0] == self.wild:
                yield self.held.piece(cards, len(cards), run=False)  # IND-9

    def _wild_in(self, cards: tuple[str, ...]) -> int:
        return sum([card[0] == self.wild for card in cards])

    def least(self, *, whole: bool) -> int:
        """IND-7.2 to 7.5: the fewest points of the hand; *whole* is reading B of 7.3."""
        counts = [80, self.total, self.total - self._most()]
        if not whole:
            pure = [piece.worth for pieces in self.pieces.values() for piece in pieces if piece.pure]
            counts += [self.total - worth for worth in pure]
        return min(counts)

    def _most(self) -> int:
        """The most points in groups, a pure sequence and a second one among them; below 0 if there are none."""
        held, pieces = self.held, self._with_fewest_jokers()

        @cache
        def most(left: int, jokers: int, pure: int, others: int) -> int:
            if not left:
                return _NONE if pure or others else 0
            low = 1 << ((left & -left).bit_length() - 1) // 3 * 3
            found = most(left - low, jokers, pure, others)  # The lowest card is loose.
            for piece in pieces.get(low, ()):
                if piece.jokers <= jokers and held.holds(left, piece.cards):
                    rest = most(left - piece.cards, jokers - piece.jokers, *_needed(piece, pure, others))
                    found = max(found, piece.worth + rest)
            return found

        return most(held.all, self.jokers, 1, 1)

    def _with_fewest_jokers(self) -> Mapping[int, list[Piece]]:
        """Of pieces that differ by their jokers alone, the one with the fewest: a loose joker counts nothing."""
        fewest: dict[tuple[int, bool, bool], Piece] = {}
        for piece in sorted([each for pieces in self.pieces.values() for each in pieces], key=lambda each: each.jokers):
            fewest.setdefault((piece.cards, piece.run, piece.pure), piece)
        return by_first(set(fewest.values()))

    def shows(self) -> list[str]:
        """IND-6: the cards without which all go into valid groups, one a pure sequence, and two of them sequences."""
        held, pieces, wild = (
            self.held,
            self.pieces,
            {self.held.one[card] for card in self.held.one if self.is_wild(card)},
        )

        @cache
        def can(left: int, jokers: int, pure: int, others: int) -> bool:
            if not left:
                return not (pure or others or jokers)
            low = 1 << ((left & -left).bit_length() - 1) // 3 * 3
            if low in wild and can(left - low, jokers, pure, others):
                return True  # It is one of the jokers.
            return any(
                can(left - piece.cards, jokers - piece.jokers, *_needed(piece, pure, others))
                for piece in pieces.get(low, ())
                if piece.jokers <= jokers and held.holds(left, piece.cards)
            )

        return [
            card
            for card in dict.fromkeys(self.hand)
            if can(held.all - held.one.get(card, 0), self.jokers - (card in JOKERS or self.is_wild(card)), 1, 1)
        ]

    def is_wild(self, card: str) -> bool:
        """Whether a card that is not printed as one is a joker."""
        return card[0] == self.wild


_NONE = -1000  # Less than any hand can make up for.


def _needed(piece: Piece, pure: int, others: int) -> tuple[int, int]:
    """The pure and other sequences that are wanting still; a pure one is counted as the first of them."""
    if piece.pure and pure:
        return 0, others
    return pure, 0 if piece.run else others
