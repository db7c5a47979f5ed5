"""A view as one array of a fixed size, the same for every game. `PARTS` says what stands where, and how it is shaped.

Seats count from one's own: 0 is the seat that looks, 1 the one to its left, and so on. Cards are counted in rows of 54,
one element a card; where cards stand in an order, an element is the number of the card plus one, 0 for none.

    cards    rows of counts: hand, pile, cards on the table, upcard, forbidden, owed, wild, what was shuffled into the
             stock of late; then a row a seat, the cards that are known to be in that hand; then a row a seat, those
             that have come to light from it since the shuffle
    pile     its cards from the top down
    order    the cards of the stock, the next one first, where all know them
    seats    a row a seat: at the table, cards held, score, status, cards drawn since the shuffle, place among those
             that are asked out of turn, upcards bought, lost so far
    turn, dealer, closer    a one for the seat
    phase    a one for the phase
    numbers  cards in the stock, knock limit, turns completed, whether the stock is broken and in which turn, sets and
             runs that the deal asks for, whether the whole hand goes down at once; how often the pile has become the
             stock, and whether in this turn; whether the seat on turn had cards on the table when its turn began, and
             has laid off in it; turns in a row that found nothing to draw
    melds    a row a meld on the table: 1 for a set and 2 for a run, whose it is plus one, its cards in order
    moves    a row a composite action: 1 meld, 2 lay-off, 3 arrangement, 4 another; the meld on the table that it names,
             plus one; 1 for the low end; its cards in order
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from rummy.rules.actions import Action, Arrange, Cards, LayOff, Meld, Seat
from rummy.rules.game import Phase, Renewal, View

SEATS: Final = 6
CARDS: Final = 54
MOVES: Final = 256  # Composite actions that are offered at a time.
_PILE, _MELDS, _LONGEST, _MANY = 112, 36, 14, 1e6
_BEFORE_CARDS = 8  # Rows of counts before those of the seats.

_SHAPES: Final[dict[str, tuple[tuple[int, ...], float, float]]] = {  # By part: its shape, least and greatest value.
    "cards": ((_BEFORE_CARDS + 2 * SEATS, CARDS), 0, 8),
    "pile": ((_PILE,), 0, CARDS),
    "order": ((_PILE,), 0, CARDS),
    "seats": ((SEATS, 8), -_MANY, _MANY),
    "turn": ((SEATS,), 0, 1),
    "dealer": ((SEATS,), 0, 1),
    "closer": ((SEATS,), 0, 1),
    "phase": ((max(Phase) + 1,), 0, 1),
    "numbers": ((13,), 0, _MANY),
    "melds": ((_MELDS, 2 + _LONGEST), 0, CARDS),
    "moves": ((MOVES, 3 + _LONGEST), 0, CARDS),
}

Floats = np.ndarray[Any, np.dtype[np.float32]]


def _parts() -> dict[str, tuple[slice, tuple[int, ...]]]:
    parts, at = {}, 0
    for name, (shape, _, _) in _SHAPES.items():
        parts[name] = (slice(at, at + prod(shape)), shape)
        at += prod(shape)
    return parts


PARTS: Final = _parts()
"""By name: where the part stands, and its shape: `array[where].reshape(shape)`."""
LOW: Final = np.concatenate([np.full(prod(shape), low, np.float32) for shape, low, _ in _SHAPES.values()])
HIGH: Final = np.concatenate([np.full(prod(shape), high, np.float32) for shape, _, high in _SHAPES.values()])


def observed(view: View, moves: Sequence[Action]) -> Floats:
    """The array of *view*, with the composite actions that its seat may choose from."""
    assert view.seat is not None, "an agent has a seat"
    array = np.zeros(len(LOW), np.float32)
    part = {name: array[where].reshape(shape) for name, (where, shape) in PARTS.items()}
    renewal = view.renewal or _NONE
    own = [(seat + view.seat) % view.seats for seat in range(view.seats)]  # By distance: the seat.
    _count_cards(part["cards"], view, renewal, own)
    _line_up(part["pile"], view.pile[::-1])
    _line_up(part["order"], renewal.order[::-1])
    part["seats"][: view.seats] = [_row(view, renewal, seat) for seat in own]
    for name, at in (("turn", view.turn), ("dealer", view.dealer), ("closer", view.closer)):
        if at is not None:
            part[name][own.index(at)] = 1
    part["phase"][0 if view.phase is None else view.phase] = 1
    broken = view.broken_at is not None
    part["numbers"][:5] = (view.stock, view.knock_limit, view.turns, broken, view.broken_at or 0)
    part["numbers"][5 : 5 + len(view.contract)] = view.contract
    part["numbers"][7:] = (view.whole, renewal.number, view.renewing, view.had_laid, view.laid_off, view.idle)
    for row, meld in zip(part["melds"], view.melds, strict=False):
        row[:2] = 1 + meld.run, 1 + own.index(meld.seat)
        _line_up(row[2:], meld.cards)
    for row, move in zip(part["moves"], moves, strict=False):
        _describe(row, move)
    return np.clip(array, LOW, HIGH)


_NONE: Final = Renewal(0)


def _count_cards(rows: Floats, view: View, renewal: Renewal, own: Sequence[Seat]) -> None:
    table = tuple([card for meld in view.melds for card in meld.cards])
    single = [(card,) if card is not None else () for card in (view.forbidden, view.owed, view.wild)]
    shared = [view.hand, view.pile, table, view.pile[-1:], *single, renewal.cards]
    _count(rows, shared)
    _count(rows[_BEFORE_CARDS:], [view.known[seat] for seat in own])
    if renewal.revealed:
        _count(rows[_BEFORE_CARDS + SEATS :], [renewal.revealed[seat] for seat in own])


def _count(rows: Floats, zones: Sequence[Cards]) -> None:
    for row, cards in zip(rows, zones, strict=False):
        np.add.at(row, list(cards), 1)


def _row(view: View, renewal: Renewal, seat: Seat) -> tuple[int, ...]:
    asked = view.to_ask.index(seat) + 1 if seat in view.to_ask else 0
    drawn, bought, lost = (by[seat] if by else 0 for by in (renewal.drawn, view.bought, view.losses))
    return 1, view.hand_sizes[seat], view.scores[seat], view.status[seat], drawn, asked, bought, lost


def _describe(row: Floats, move: Action) -> None:
    match move:
        case Meld(cards):
            row[0] = 1
            _line_up(row[3:], cards)
        case LayOff(cards, meld, low):
            row[:3] = 2, meld + 1, low
            _line_up(row[3:], cards)
        case Arrange(melds, lay_offs):
            row[:2] = 3, lay_offs[0].meld + 1 if lay_offs else 0
            _line_up(row[3:], tuple([card for cards in melds or () for card in cards]))
            _line_up(row[3:], tuple([card for lay_off in lay_offs for card in lay_off.cards]))
        case _:
            row[0] = 4


def _line_up(row: Floats, cards: Cards) -> None:
    shown = cards[: len(row)]
    row[: len(shown)] = [card + 1 for card in shown]
