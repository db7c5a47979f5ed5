"""What cards and ends of a deal are worth in Club (rulebook sections 8 and 9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rummy.rules.actions import Seat
from rummy.rules.game import TableMeld

CHEAPEST: Final = 5  # No card in a hand counts less.
BASE: Final = 3  # Cards of a meld beyond so many earn EXTRA each (CLB-8.8).
EXTRA: Final = 5
OUT_CLEAN: Final = 40  # CLB-8.6
OUT_AT_ONCE: Final = 100  # CLB-8.7
OUT_BEATEN: Final = 35  # CLB-8.5


def _values(ace: int, *, double: bool) -> tuple[int, ...]:
    ranks = [ace, *[5] * 8, *[10] * 4]
    return tuple([value * (2 if double and suit == 0 else 1) for suit in range(4) for value in ranks])


IN_HAND: Final = {double: _values(5, double=double) for double in (False, True)}  # CLB-8.1, 9.1: by card.
ON_TABLE: Final = {double: _values(15, double=double) for double in (False, True)}


def hand_points(cards: Iterable[int], *, double: bool) -> int:
    """What *cards* count in a hand, whether they would form melds or not (CLB-8.3); *double*: clubs do (CLB-9.1)."""
    values = IN_HAND[double]
    return sum([values[card] for card in cards])


def table_points(melds: Iterable[TableMeld], seats: int, *, double: bool) -> list[int]:
    """By seat: the worth of the cards that it has placed, and its credit for large melds (CLB-8.2, 8.8, 9.4, 9.5)."""
    values = ON_TABLE[double]
    earned = [0] * seats
    for meld in melds:
        for card, placer in zip(meld.cards, meld.placers, strict=True):
            earned[placer] += values[card] + EXTRA
        earned[meld.seat] -= BASE * EXTRA  # The first three cards of a meld are its owner's.
    return earned


def out_bonus(counts: Sequence[int], seat: Seat, others: Iterable[Seat], *, empty: bool, at_once: bool) -> int:
    """What *seat* adds for having gone out; *counts* are the hands by seat (CLB-8.5 to 8.7)."""
    if empty:
        return OUT_AT_ONCE if at_once else OUT_CLEAN
    return -OUT_BEATEN if any(counts[other] < counts[seat] for other in others) else 0
