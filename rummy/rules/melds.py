"""Melds: what is one, what a hand holds of them, and what may be laid off on the table.

One pack, ace low, no wrap (GIN-2.1, GIN-2.2, 101-3.1, 101-3.2). A set has 3 or 4 cards of one rank, a run 3 or more
of one suit in sequence.
"""

from __future__ import annotations

from collections.abc import Sequence

from rummy.rules.actions import Card, Cards, LayOff
from rummy.rules.cards import cards_of
from rummy.rules.deadwood import FOURS, IN_RUN
from rummy.rules.game import TableMeld


def is_run(cards: Sequence[Card]) -> bool:
    """Whether *cards*, in any order, are a run."""
    if len(cards) < 3:
        return False
    ordered = sorted(cards)
    low, high = ordered[0], ordered[-1]
    if low < 0 or high >= 52 or low // 13 != high // 13:
        return False
    return ordered == list(range(low, high + 1))


def is_set(cards: Sequence[Card]) -> bool:
    """Whether *cards*, in any order, are a set."""
    return (
        3 <= len(cards) == len(set(cards))
        and all(0 <= card < 52 for card in cards)
        and len({card % 13 for card in cards}) == 1
    )


def is_meld(cards: Sequence[Card]) -> bool:
    """Whether *cards*, in any order, are a set or a run."""
    return is_run(cards) or is_set(cards)


def minimal_melds(held: int) -> list[Cards]:
    """Every run of three and every set that the cards of a mask hold, in the order in which melds compare (COM-8)."""
    melds: list[Cards] = []
    for shift in (0, 13, 26, 39):
        suit = held >> shift & 8191
        lowest = suit & suit >> 1 & suit >> 2 if IN_RUN[suit] else 0
        melds += [(low, low + 1, low + 2) for low in cards_of(lowest << shift)]
    for four in FOURS:
        alike = held & four
        if alike.bit_count() >= 3:
            melds.append(cards_of(alike))
        if alike == four:
            melds += [cards_of(alike ^ (1 << card)) for card in cards_of(alike)]
    return sorted(melds)


def takes(meld: TableMeld, card: Card) -> bool:
    """Whether *meld* may grow by *card* and stay what it is (COM-5, COM-6)."""
    if not 0 <= card < 52:
        return False
    if not meld.run:
        return len(meld.cards) < 4 and card % 13 == meld.cards[0] % 13 and card not in meld.cards
    low, high = meld.cards[0], meld.cards[-1]
    return card // 13 == low // 13 and card in (low - 1, high + 1)


def extended(meld: TableMeld, card: Card, placer: int) -> TableMeld:
    """*meld* after *placer* has added *card*, which it takes. The cards stay ascending."""
    at = sum(each < card for each in meld.cards)
    return TableMeld(
        cards=(*meld.cards[:at], card, *meld.cards[at:]),
        placers=(*meld.placers[:at], placer, *meld.placers[at:]),
        seat=meld.seat,
        run=meld.run,
    )


def tabled(cards: Sequence[Card], seat: int) -> TableMeld:
    """The meld that *cards* become when *seat* lays them down."""
    return TableMeld(tuple(sorted(cards)), (seat,) * len(cards), seat, is_run(cards))


def single_lay_offs(held: int, table: Sequence[TableMeld]) -> list[LayOff]:
    """Every way to lay off one card of a mask, by meld and card."""
    cards = cards_of(held)
    return [LayOff((card,), number) for number, meld in enumerate(table) for card in cards if takes(meld, card)]
