"""Cards as small integers, hands as one integer, and their text.

A card is suit * 13 + rank: clubs, diamonds, hearts, spades; the ace is rank 0 and the king rank 12. Jokers are 52
(`Xr`) and 53 (`Xb`). A hand of one pack is a *mask*, the integer whose bit *c* says that card *c* is held. Copies in
several packs are alike (COM-1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from rummy.errors import BadNotation
from rummy.rules.actions import Card, Cards

T = TypeVar("T")

RANKS = "A23456789TJQK"
SUITS = "cdhs"
PACK: Cards = tuple(range(52))
SUIT_MASK = 8191
TEXTS: tuple[str, ...] = (*(rank + suit for suit in SUITS for rank in RANKS), "Xr", "Xb")
BIT: Cards = tuple(1 << card for card in range(54))

_CARD = {text: card for card, text in enumerate(TEXTS)}
_LONGEST = 400  # Characters; the fullest hand of any game takes less than a quarter of it.


def suit_tables(values: Sequence[T]) -> tuple[tuple[tuple[T, ...], ...], ...]:
    """By suit and 13-bit mask: the *values* of the cards in it, given one value a card; ascending as the cards are."""
    tables = []
    for first in (0, 13, 26, 39):
        table: list[tuple[T, ...]] = [()]
        for value in values[first : first + 13]:
            table += [(*lower, value) for lower in table]
        tables.append(tuple(table))
    return tuple(tables)


_CLUBS, _DIAMONDS, _HEARTS, _SPADES = suit_tables(PACK)
_JOKERS: tuple[Cards, ...] = ((), (52,), (53,), (52, 53))


def card_text(card: Card) -> str:
    """The two characters of *card*, such as `Th` or `Xr`."""
    return TEXTS[card]


def parse_card(text: str) -> Card:
    """The card that *text* names. Raises `BadNotation`."""
    card = _CARD.get(text) if isinstance(text, str) else None
    if card is None:
        raise BadNotation(f"{_shown(text)} is no card: write a rank of {RANKS} and a suit of {SUITS}, or Xr, Xb.")
    return card


def cards_text(cards: Iterable[Card]) -> str:
    """The cards one after the other, such as `As2s3s`."""
    return "".join([TEXTS[card] for card in cards])


def parse_cards(text: str) -> Cards:
    """The cards of *text* in its order, with or without spaces between them. Raises `BadNotation`."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise BadNotation(f"A list of cards is a text of at most {_LONGEST} characters.")
    packed = "".join(text.split(" "))
    return tuple([parse_card(packed[at : at + 2]) for at in range(0, len(packed), 2)])


def mask(cards: Iterable[Card]) -> int:
    """The cards of one pack as a mask. Raises `ValueError` where one occurs twice."""
    held = 0
    for card in cards:
        if held >> card & 1:
            raise ValueError(f"The card {card_text(card)} occurs twice.")
        held |= 1 << card
    return held


def cards_of(held: int) -> Cards:
    """The cards of a mask, ascending."""
    return (
        _CLUBS[held & 8191]
        + _DIAMONDS[held >> 13 & 8191]
        + _HEARTS[held >> 26 & 8191]
        + _SPADES[held >> 39 & 8191]
        + _JOKERS[held >> 52]
    )


def _shown(value: object) -> str:
    """*value* as it may stand in a sentence, whatever it is."""
    text = ascii(value)
    return text if len(text) <= 24 else text[:20] + "…"
