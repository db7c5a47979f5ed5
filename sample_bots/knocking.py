"""Gin and One Hundred and One for the sample bots: upcards that make melds, the best card away, out when it is time.

A bot may differ in two things: whether it *takes* from the pile, and whether it *waits* for a low count
before it ends the deal, while the stock is high.
"""

from __future__ import annotations

from rummy.rules.actions import (
    Action,
    Arrange,
    BigGin,
    Card,
    Discard,
    DrawPile,
    DrawStock,
    Knock,
    LayOff,
    Meld,
    Pass,
    Take,
)
from rummy.rules.cards import mask
from rummy.rules.deadwood import best_discards, deadwood, in_meld
from rummy.rules.game import Phase, View
from sample_bots import sdk

KNOCK = Knock()
LOW = 3  # With so little a bot that waits knocks at once.
LATE = 12  # With so few cards in the stock it knocks with anything.


def choose(view: View, legal: sdk.Actions, *, takes: bool = True, waits: bool = False) -> Action:
    """The action of the phase that costs least now."""
    match view.phase:
        case Phase.OFFER:
            return Take() if takes and is_useful(view) else Pass()
        case Phase.START:
            return start(view, legal, takes=takes, waits=waits)
        case Phase.PLAY:
            return next((action for kind in (Meld, LayOff) for action in legal if isinstance(action, kind)), legal[-1])
        case Phase.DISCARD:
            return finish(view, legal, waits=waits)
        case _:
            return Arrange()


def start(view: View, legal: sdk.Actions, *, takes: bool, waits: bool) -> Action:
    """Knock where the game asks for it here and it is time; else the upcard if it is useful; else the stock."""
    if KNOCK in legal and (not waits or is_time(view, deadwood(mask(view.hand)))):
        return KNOCK
    return DrawPile() if takes and DrawPile() in legal and is_useful(view) else DrawStock()


def finish(view: View, legal: sdk.Actions, *, waits: bool) -> Action:
    """The end of the turn: out if that is possible and it is time, else the best card to throw."""
    if BigGin() in legal:
        return BigGin()
    count, cards = best_discards(mask(view.hand), view.forbidden)
    card = max(cards, key=worth)
    return Knock(card) if Knock(card) in legal and (not waits or is_time(view, count)) else Discard(card)


def is_time(view: View, count: int) -> bool:
    """Whether waiting for less than *count* is no longer worth it."""
    return count <= LOW or view.stock <= LATE


def is_useful(view: View) -> bool:
    """Whether the upcard would lie in a meld and leave less than is held now."""
    upcard = view.pile[-1]
    held = mask(view.hand)
    more = held | 1 << upcard
    return in_meld(more, upcard) and best_discards(more, upcard)[0] < deadwood(held)


def worth(card: Card) -> tuple[int, int]:
    """Among cards that are equally good to throw, the high ones first."""
    return card % 13, -card
