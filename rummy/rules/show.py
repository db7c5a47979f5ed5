"""Showing a hand: the best arrangement of own melds and lay-offs together, and the judge of one handed in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rummy.errors import IllegalAction
from rummy.rules.actions import Arrange, Card, Cards, LayOff, Seat
from rummy.rules.cards import BIT, cards_of, cards_text
from rummy.rules.deadwood import deadwood, first_melds, points
from rummy.rules.game import TableMeld
from rummy.rules.melds import extended, is_meld, minimal_melds, single_lay_offs, takes


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A hand laid out: own melds, lay-offs in the order in which they are made, what is left over, and its count."""

    melds: tuple[Cards, ...]
    lay_offs: tuple[LayOff, ...]
    rest: Cards
    points: int


Placement = tuple[Card, int]  # A card and the number of the table meld that it goes to.


def best_show(held: int, table: Sequence[TableMeld] = ()) -> Arrangement:
    """The arrangement that COM-8 chooses: least points after lay-offs, then fewest lay-offs, then the first in order.

    Own melds and lay-offs are searched together (GIN-6.4): for each way to lay off, the rest is melded at its best.
    """
    ways = [(deadwood(held & ~laid), len(placed), laid, placed) for laid, placed in _ways(held, table)]
    least, fewest = min([way[:2] for way in ways])
    melds, _, laid, placed = min(
        [
            (first_melds(held & ~laid, least), sorted(placed), laid, placed)
            for left, count, laid, placed in ways
            if (left, count) == (least, fewest)
        ]
    )
    lay_offs = tuple([LayOff((card,), number) for card, number in placed])
    return Arrangement(melds, lay_offs, _rest(held & ~laid, melds), least)


def _ways(held: int, table: Sequence[TableMeld]) -> list[tuple[int, tuple[Placement, ...]]]:
    """Every way to lay off: the mask of the cards laid off, and their places in a playable order."""
    ways: list[tuple[int, tuple[Placement, ...]]] = [(0, ())]
    for chain in _chains(held, table):
        prefixes = [(sum([BIT[card] for card, _ in chain[:n]]), chain[:n]) for n in range(1, len(chain) + 1)]
        ways += [(laid | more, placed + added) for laid, placed in ways for more, added in prefixes if not laid & more]
    return ways


def _chains(held: int, table: Sequence[TableMeld]) -> Iterator[tuple[Placement, ...]]:
    """By table meld: the cards of the hand that it takes one after the other, upwards and downwards, or as a fourth."""
    for number, meld in enumerate(table):
        if meld.run:
            for first, step in ((meld.cards[-1] + 1, 1), (meld.cards[0] - 1, -1)):
                chain = _chain(held, meld.cards[0] // 13, first, step)
                if chain:
                    yield tuple([(card, number) for card in chain])
        else:
            for card in cards_of(held):
                if takes(meld, card):
                    yield ((card, number),)


def _chain(held: int, suit: int, card: Card, step: int) -> list[Card]:
    chain = []
    while card // 13 == suit and held >> card & 1:
        chain.append(card)
        card += step
    return chain


def _rest(held: int, melds: tuple[Cards, ...]) -> Cards:
    return cards_of(held & ~sum([BIT[card] for meld in melds for card in meld]))


def check_arrangement(
    held: int,
    melds: Sequence[Cards],
    lay_offs: Sequence[LayOff],
    table: Sequence[TableMeld],
    seat: Seat,
) -> Arrangement:
    """The arrangement that *seat* hands in, counted. Raises `IllegalAction` with the reason where it is none."""
    _check_form(melds, lay_offs, seat)
    left = held
    for meld in melds:
        left = _without(left, held, meld, seat)
        if not is_meld(meld):
            raise IllegalAction(f"{cards_text(meld)} is neither a set nor a run.", seat)
    grown = list(table)
    for lay_off in lay_offs:
        left = _without(left, held, lay_off.cards, seat)
        check_lay_off(lay_off, grown, seat)
        for card in lay_off.cards:
            grown[lay_off.meld] = extended(grown[lay_off.meld], card, seat)
    return Arrangement(tuple(melds), tuple(lay_offs), cards_of(left), points(left))


def _check_form(melds: object, lay_offs: object, seat: Seat) -> None:
    """Raises `IllegalAction` where these are no melds and lay-offs at all, or a meld is empty."""
    if not isinstance(melds, list | tuple) or not all(isinstance(meld, tuple) and meld for meld in melds):
        raise IllegalAction("An arrangement is melds, each of them the cards that it has.", seat)
    laid = lay_offs if isinstance(lay_offs, list | tuple) else (None,)
    if not all(isinstance(each, LayOff) and isinstance(each.cards, tuple) for each in laid):
        raise IllegalAction("A lay-off is cards, and the number of the table meld that they go on.", seat)


def check_lay_off(lay_off: LayOff, table: Sequence[TableMeld], seat: Seat) -> None:
    """Raises `IllegalAction` with the reason unless the named meld takes the cards, one after the other (COM-6)."""
    if not lay_off.cards:
        raise IllegalAction("A lay-off names at least one card.", seat)
    if type(lay_off.meld) is not int or not 0 <= lay_off.meld < len(table):
        raise IllegalAction(f"A lay-off names one of the {len(table)} melds on the table, from 0.", seat)
    meld = table[lay_off.meld]
    for card in lay_off.cards:
        if not takes(meld, card):
            raise IllegalAction(f"{cards_text([card])} does not fit {cards_text(meld.cards)}.", seat)
        meld = extended(meld, card, seat)


def _without(left: int, held: int, cards: Cards, seat: Seat) -> int:
    """*left* after *cards* have been used. Raises `IllegalAction` for a card not held, or used twice (COM-4)."""
    for card in cards:
        if type(card) is not int or not 0 <= card < 52:
            raise IllegalAction("An arrangement names a card that this pack does not have.", seat)
        if not held >> card & 1:
            raise IllegalAction(f"{cards_text([card])} is not in the hand.", seat)
        if not left >> card & 1:
            raise IllegalAction(f"{cards_text([card])} is used twice.", seat)
        left ^= BIT[card]
    return left


def show_actions(held: int, table: Sequence[TableMeld]) -> tuple[Arrange, ...]:
    """What is listed for a show: the best arrangement first, then each minimal meld and each single lay-off alone."""
    return (
        Arrange(),
        *[Arrange((meld,)) for meld in minimal_melds(held)],
        *[Arrange((), (lay_off,)) for lay_off in single_lay_offs(held, table)],
    )
