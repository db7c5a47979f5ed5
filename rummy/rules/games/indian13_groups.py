"""Indian 13-card rummy: what a group of cards is, and what a hand counts with the groups that it is laid out in.

Two packs and two printed jokers. A *joker* is a printed one or any card of the wild rank; such a card may also stand as
itself. Cards of a group may come in any order: a group is what its cards can be at their best.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from rummy.rules.actions import Card, Cards
from rummy.rules.cards import PACK, cards_text

PRINTED: Final = 52  # This number and the next are the printed jokers.
DECK: Final[Cards] = (*PACK, *PACK, PRINTED, PRINTED + 1)  # IND-1
HAND: Final = 13  # IND-2.1
VALUES: Final = (10, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)  # IND-7.1: by rank.


class Kind(IntEnum):
    """What a group is."""

    PURE = 1
    SEQUENCE = 2  # With a substitute.
    SET = 3


def wild_rank(cut: Card) -> int:
    """The rank that the card cut makes wild; a printed joker makes the aces wild (IND-2.1, 2.2)."""
    return 0 if cut >= PRINTED else cut % 13


def is_joker(card: Card, wild: int) -> bool:
    """Whether *card* may stand for others."""
    return card >= PRINTED or card % 13 == wild


def value(card: Card, wild: int) -> int:
    """What *card* counts in the hand of a seat that has not won (IND-7.1)."""
    return 0 if is_joker(card, wild) else VALUES[card % 13]


def count(cards: Sequence[Card], wild: int) -> int:
    """The values of *cards* together."""
    return sum([value(card, wild) for card in cards])


def kind_of(cards: Sequence[Card], wild: int) -> Kind | None:
    """What *cards* are as a group; None where they are none (IND-3)."""
    if not 3 <= len(cards) <= HAND:
        return None
    if max(cards) < PRINTED and _in_order(cards, len(cards)):
        return Kind.PURE
    natural = [card for card in cards if not is_joker(card, wild)]
    if natural and _in_order(natural, len(cards)):
        return Kind.SEQUENCE
    if _is_set(natural or cards, len(cards), whole=not natural):
        return Kind.SET
    return None


def _in_order(cards: Sequence[Card], length: int) -> bool:
    """Whether *cards* are of one suit and fit into *length* places in a row, the ace at either end (IND-3.3)."""
    ranks = {card % 13 for card in cards}
    if len(ranks) < len(cards) or len({card // 13 for card in cards}) > 1:
        return False
    high = {rank or 13 for rank in ranks}
    return max(ranks) - min(ranks) < length or max(high) - min(high) < length


def _is_set(cards: Sequence[Card], size: int, *, whole: bool) -> bool:
    """Whether *cards* are the natural ones of a set of *size*; *whole*: there are no others (IND-3.4, 3.5, 9)."""
    alike = max(cards) < PRINTED and len({card % 13 for card in cards}) == 1
    return alike and size <= 4 and len(set(cards)) == len(cards) and (not whole or len(cards) == size)


def why_not_valid(groups: Sequence[Cards], wild: int) -> str | None:
    """What is wrong with a show of *groups*; None where it is valid (IND-6)."""
    kinds = []
    for group in groups:
        kind = kind_of(group, wild)
        if kind is None:
            return f"invalid group {cards_text(group)}"
        kinds.append(kind)
    if Kind.PURE not in kinds:
        return "no pure sequence"
    if sum(kind is not Kind.SET for kind in kinds) < 2:
        return "fewer than two sequences"
    return None


def points(groups: Sequence[Cards], loose: Sequence[Card], wild: int, *, whole_hand: bool) -> int:
    """What a hand counts, laid out in valid *groups* with *loose* left over (IND-7.2 to 7.4), before the cap.

    *whole_hand*: without a second sequence all cards count, also those of the pure one (IND-7.3, reading B).
    """
    kinds = [kind_of(group, wild) for group in groups]
    sequences = [group for group, kind in zip(groups, kinds, strict=True) if kind in (Kind.PURE, Kind.SEQUENCE)]
    if Kind.PURE in kinds and len(sequences) > 1:
        return count(loose, wild)
    pure = [group for group, kind in zip(groups, kinds, strict=True) if kind is Kind.PURE and not whole_hand]
    cards = [*loose, *[card for group in groups if group not in pure for card in group]]
    return count(cards, wild)
