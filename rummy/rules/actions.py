"""What a seat can do: one small frozen value an action, in one notation, with one number for each simple action.

A *simple* action has a code of one byte, stated here and in docs/reference/protocol.md:

    0..53     discard the card of that number          128  draw from the stock     132  end the melds
    64..117   knock with card (code - 64)              129  take the offered card   133  big gin
    192..255  take (code - 191) cards from the pile    130  pass the offer          134  default arrangement
    138       turn the pile over as the new stock      131  knock without a card    139  go out
    144..191  take (code - 79) cards, 65 or more                                       140  continue
                                                                                       141  drop out of the deal

A *composite* action (a meld, a lay-off, an own arrangement) has no code: it carries cards.
"""

from __future__ import annotations

from dataclasses import dataclass

Card = int
Cards = tuple[int, ...]
Seat = int


@dataclass(frozen=True, slots=True)
class DrawStock:
    """Draw the top card of the stock."""


@dataclass(frozen=True, slots=True)
class DrawPile:
    """Take *count* cards from the top of the discard pile."""

    count: int = 1


@dataclass(frozen=True, slots=True)
class Take:
    """Accept the card that is offered out of turn."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Decline the card that is offered."""


@dataclass(frozen=True, slots=True)
class TurnOver:
    """Turn the whole discard pile over as the new stock."""


@dataclass(frozen=True, slots=True)
class Discard:
    """End the turn by throwing *card* face up."""

    card: Card


@dataclass(frozen=True, slots=True)
class Knock:
    """End the deal. *card* is thrown face down where the game wants one; *melds* None asks for the best arrangement."""

    card: Card | None = None
    melds: tuple[Cards, ...] | None = None


@dataclass(frozen=True, slots=True)
class BigGin:
    """End the deal with every card melded and no discard."""

    melds: tuple[Cards, ...] | None = None


@dataclass(frozen=True, slots=True)
class Meld:
    """Table *cards* as one meld."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class LayOff:
    """Add *cards*, in this order, to the table meld number *meld*; with *low*, jokers that fit both ends to the low."""

    cards: Cards
    meld: int
    low: bool = False


@dataclass(frozen=True, slots=True)
class EndMelds:
    """Stop melding and laying off in this turn."""


@dataclass(frozen=True, slots=True)
class Arrange:
    """Show the hand: own melds, then lay-offs in order. *melds* None asks for the best arrangement (COM-8)."""

    melds: tuple[Cards, ...] | None = None
    lay_offs: tuple[LayOff, ...] = ()


@dataclass(frozen=True, slots=True)
class GoOut:
    """End the deal after one's own discard."""


@dataclass(frozen=True, slots=True)
class Continue:
    """Do not go out: the next seat has its turn."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Leave the deal before drawing, for a price."""


Action = (
    DrawStock
    | DrawPile
    | Take
    | Pass
    | TurnOver
    | Discard
    | Knock
    | BigGin
    | Meld
    | LayOff
    | EndMelds
    | Arrange
    | GoOut
    | Continue
    | Drop
)
