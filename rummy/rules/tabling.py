"""Melds of the games that table them: several packs, jokers, and an ace that may stand at either end.

A hand is a multiset: its cards in ascending order, copies side by side (COM-1). A *place* in a run is a number from 0,
the ace below the two, to 12, the king, and 13, the ace above it; round the corner the places go on (a two above an ace
is 14). The cards of a run stand in its order, lowest place first, so that a joker's place can be read from the table:
it is fixed when laid. In a set of different suits jokers stand for the first suits that are missing, in the order
clubs, diamonds, hearts, spades; that too stays so whatever is laid off, since nothing may be laid in their place.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from rummy.rules.actions import Card, Cards, LayOff, Seat
from rummy.rules.game import TableMeld

ACES: Final = ("low", "high", "either", "corner")
JOKER: Final = 52  # This number and the next are jokers.
LONGEST_RUN: Final = 13  # A run never repeats a rank, nor meets itself.
_SPAN: Final = {"low": (0, 13), "high": (1, 14), "either": (0, 14)}  # First place, and the one behind the last.


@dataclass(frozen=True, slots=True)
class MeldRules:
    """What is a meld in one game. *ace* is one of `ACES`; *naturals* is the least of them beside a joker."""

    ace: str = "low"
    distinct_suits: bool = True
    least_set: int = 3
    most_set: int = 4
    least_run: int = 3
    naturals: int = 2
    half_natural: bool = False

    def __post_init__(self) -> None:
        if self.ace not in ACES or self.naturals < 2 or self.least_set < 3 or self.least_run < 3:
            raise ValueError("A meld has at least three cards, two of them natural, and a known place for the ace.")
        if self.distinct_suits and self.most_set != 4:
            raise ValueError("A set of different suits has up to four cards.")

    def allows(self, naturals: int, jokers: int) -> bool:
        """Whether so many jokers may stand among so many natural cards."""
        return not jokers or (naturals >= self.naturals and (not self.half_natural or naturals >= jokers))


# ---- hands


def hand_of(cards: Sequence[Card]) -> Cards:
    """*cards* as a hand."""
    return tuple(sorted(cards))


def with_cards(hand: Cards, cards: Sequence[Card]) -> Cards:
    """*hand* with *cards* added."""
    more = list(hand)
    for card in cards:
        insort(more, card)
    return tuple(more)


def without(hand: Cards, cards: Sequence[Card]) -> Cards | None:
    """*hand* with one copy of each of *cards* taken out; None where one is not held so often."""
    left = list(hand)
    for card in cards:
        if card not in left:
            return None
        left.remove(card)
    return tuple(left)


# ---- what is a meld


def classified(cards: Sequence[Card], rules: MeldRules) -> tuple[Cards, bool] | None:
    """The cards of a meld in its order, and whether it is a run; None where they are no meld.

    Natural cards may come in any order. A run with a joker is named in its own order, which gives the joker its place.
    """
    naturals = [card for card in cards if card < JOKER]
    if not naturals or not rules.allows(len(naturals), len(cards) - len(naturals)):
        return None
    if all(card % 13 == naturals[0] % 13 for card in naturals):
        return (tuple(sorted(cards)), False) if _is_set(naturals, len(cards), rules) else None
    ordered = _run(cards, naturals, rules)
    return None if ordered is None else (ordered, True)


def _is_set(naturals: list[Card], size: int, rules: MeldRules) -> bool:
    if rules.distinct_suits and len(set(naturals)) < len(naturals):
        return False
    return rules.least_set <= size <= rules.most_set


def _run(cards: Sequence[Card], naturals: list[Card], rules: MeldRules) -> Cards | None:
    suit = naturals[0] // 13
    ranks = {card % 13 for card in naturals}
    if len(cards) < rules.least_run or len(ranks) < len(naturals) or any(card // 13 != suit for card in naturals):
        return None
    if len(naturals) < len(cards):
        ordered = tuple(cards)
        start = _start(ordered)
    else:
        starts = [rank for rank in ranks if (rank - 1) % 13 not in ranks] or [int(rules.ace == "high")]
        start = starts[0]
        ordered = tuple([suit * 13 + (start + at) % 13 for at in range(len(cards))])
        if len(starts) > 1:
            return None
    in_place = all(card >= JOKER or card % 13 == (start + at) % 13 for at, card in enumerate(ordered))
    return ordered if in_place and _has_room(start, len(cards), rules.ace) else None


def _start(run: Cards) -> int:
    """The place of the first card, from the first that is neither joker nor ace; a run has one. May be negative."""
    at, card = next((at, card) for at, card in enumerate(run) if card < JOKER and card % 13)
    return card % 13 - at


def _has_room(start: int, length: int, ace: str) -> bool:
    if length > LONGEST_RUN:
        return False
    if ace == "corner":
        return True
    first, end = _SPAN[ace]
    return first <= start and start + length <= end


def places(meld: TableMeld) -> tuple[int, ...]:
    """By card of a run: its place, from which a game may value it (an ace at 0 or 13)."""
    start = _start(meld.cards) % 13
    return tuple(range(start, start + len(meld.cards)))


def stands_for(meld: TableMeld) -> Cards:
    """By card of a meld: the card that it counts as, a joker's being that whose place it has."""
    naturals = [card for card in meld.cards if card < JOKER]
    if meld.run:
        return tuple([naturals[0] // 13 * 13 + place % 13 for place in places(meld)])
    missing = iter(_missing(naturals) * len(meld.cards))
    return tuple([card if card < JOKER else next(missing) for card in meld.cards])


def _missing(naturals: Sequence[Card]) -> list[Card]:
    """The cards of the rank of a set that are not in it, by suit; any suit where none is missing."""
    rank = naturals[0] % 13
    return [card for card in range(rank, JOKER, 13) if card not in naturals] or [rank]


# ---- the table


def tabled(cards: Sequence[Card], seat: Seat, rules: MeldRules) -> TableMeld | None:
    """The meld that *cards* become when *seat* lays them down; None where they are none."""
    meld = classified(cards, rules)
    return None if meld is None else TableMeld(meld[0], (seat,) * len(cards), seat, meld[1])


def ends_for(meld: TableMeld, card: Card, rules: MeldRules) -> tuple[bool, bool]:
    """Whether *meld* takes *card* at its low and at its high end (COM-5, COM-6); a set has a high end only."""
    jokers = sum(each >= JOKER for each in meld.cards) + (card >= JOKER)
    if not rules.allows(len(meld.cards) + 1 - jokers, jokers):
        return False, False
    if not meld.run:
        return False, _set_takes(meld, card, rules)
    length, start = len(meld.cards), _start(meld.cards)
    suit = next(each for each in meld.cards if each < JOKER) // 13
    low, high = (
        (card >= JOKER or card == suit * 13 + place % 13) and _has_room(min(start, place), length + 1, rules.ace)
        for place in (start - 1, start + length)
    )
    return low, high


def _set_takes(meld: TableMeld, card: Card, rules: MeldRules) -> bool:
    if len(meld.cards) >= rules.most_set:
        return False
    naturals = [each for each in meld.cards if each < JOKER]
    if card < JOKER and card % 13 != naturals[0] % 13:
        return False
    return not rules.distinct_suits or card >= JOKER or card not in stands_for(meld)


def extended(meld: TableMeld, card: Card, placer: Seat, *, low: bool) -> TableMeld:
    """*meld* after *placer* has added *card* at the end that takes it. A set stays ascending."""
    cards, placers = meld.cards, meld.placers
    at = 0 if low else len(cards) if meld.run else sum(each <= card for each in cards)
    return TableMeld(
        (*cards[:at], card, *cards[at:]), (*placers[:at], placer, *placers[at:]), seat=meld.seat, run=meld.run
    )


def after_lay_off(meld: TableMeld, lay_off: LayOff, placer: Seat, rules: MeldRules) -> TableMeld | None:
    """*meld* with the cards of *lay_off* added one after the other; None where it refuses one.

    A joker that both ends take goes to the high end, or to the low one where the lay-off says so; and a lay-off says so
    only where that makes a difference.
    """
    mattered = False
    for card in lay_off.cards:
        low, high = ends_for(meld, card, rules)
        if not (low or high):
            return None
        both = low and high and card >= JOKER
        mattered = mattered or both
        meld = extended(meld, card, placer, low=lay_off.low if both else low and not high)
    return meld if mattered or not lay_off.low else None


def single_lay_offs(hand: Cards, table: Sequence[TableMeld], rules: MeldRules) -> list[LayOff]:
    """Every way to lay off one card of *hand*, by meld and card."""
    found = []
    cards = sorted(set(hand))
    for number, meld in enumerate(table):
        for card in cards:
            low, high = ends_for(meld, card, rules)
            if low or high:
                found.append(LayOff((card,), number))
            if low and high and card >= JOKER:
                found.append(LayOff((card,), number, low=True))
    return found


# ---- the melds of a hand


def melds_in(hand: Cards, rules: MeldRules, longest: int = 108) -> list[Cards]:
    """Every meld of at most *longest* cards in *hand*, in their order; jokers stand for cards that are not held only.

    A run with a joker is in its own order. Which of two jokers is laid makes no difference: the first is.
    """
    jokers = [card for card in hand if card >= JOKER]
    return sorted([*_runs_in(hand, jokers, rules, longest), *_sets_in(hand, jokers, rules, longest)])


def minimal_melds(hand: Cards, rules: MeldRules) -> list[Cards]:
    """Every meld in *hand* from which no card could be missing."""
    return [
        cards for cards in melds_in(hand, rules, max(rules.least_set, rules.least_run)) if _is_minimal(cards, rules)
    ]


def _is_minimal(cards: Cards, rules: MeldRules) -> bool:
    ranks = {card % 13 for card in cards if card < JOKER}
    return len(cards) == (rules.least_set if len(ranks) == 1 else rules.least_run)


def _runs_in(hand: Cards, jokers: list[Card], rules: MeldRules, longest: int) -> Iterator[Cards]:
    first, end = _SPAN.get(rules.ace, (0, 13))
    for suit in range(4):
        held = {card % 13 for card in hand if card // 13 == suit}
        if len(held) < 2 or len(held) + len(jokers) < rules.least_run:
            continue
        for start in range(first, end):
            if jokers or start % 13 in held:
                yield from _runs_from(suit, start, held, jokers, rules, longest)


def _runs_from(
    suit: int, start: int, held: set[int], jokers: list[Card], rules: MeldRules, longest: int
) -> Iterator[Cards]:
    run: list[Card] = []
    wild = 0
    while len(run) < longest and _has_room(start, len(run) + 1, rules.ace):
        rank = (start + len(run)) % 13
        if rank in held:
            run.append(suit * 13 + rank)
        elif wild < len(jokers):
            run.append(jokers[wild])
            wild += 1
        else:
            return
        naturals = len(run) - wild
        again = naturals == LONGEST_RUN and start != int(
            rules.ace == "high"
        )  # The whole suit is one run, not thirteen.
        if len(run) >= rules.least_run and naturals >= 2 and rules.allows(naturals, wild) and not again:
            yield tuple(run)


def _sets_in(hand: Cards, jokers: list[Card], rules: MeldRules, longest: int) -> Iterator[Cards]:
    most = min(longest, rules.most_set)
    for rank in range(13):
        copies = [
            min(hand.count(card), 1) if rules.distinct_suits else hand.count(card) for card in range(rank, 52, 13)
        ]
        if sum(copies) < 2 or sum(copies) + len(jokers) < rules.least_set:
            continue
        for counts in product(*[range(count + 1) for count in copies]):
            naturals = sum(counts)
            cards = [rank + 13 * suit for suit, count in enumerate(counts) for _ in range(count)]
            for wild in range(max(0, rules.least_set - naturals), min(len(jokers), most - naturals) + 1):
                if naturals >= 2 and rules.allows(naturals, wild):
                    yield (*cards, *jokers[:wild])
