"""Plays towards melds, and does not end the deal at once: it waits for a low count while the stock is high."""

from rummy.rules.actions import Action, BigGin, Card, Discard, DrawPile, DrawStock, Knock, LayOff, Meld, Pass, Take
from rummy.rules.cards import mask
from rummy.rules.deadwood import best_discards, deadwood, in_meld
from rummy.rules.game import Phase, View
from sample_bots import basic, club, indian13, sdk

LOW = 3  # With so little it knocks at once.
LATE = 12  # With so few cards in the stock it knocks with anything.


def choose(decision: sdk.Decision) -> sdk.Answer:
    """The action of the phase that costs least now."""
    if decision.view.game == "basic":
        return basic.choose(decision, waits=True)
    if decision.view.game == "club":
        return club.choose(decision, waits=True)
    if decision.view.game == "indian13":
        return indian13.choose(decision, bold=True)
    legal = decision.legal
    match decision.phase:
        case Phase.OFFER:
            return Take() if is_useful(decision.view) and Take() in legal else Pass()
        case Phase.START:
            return start(decision.view, legal)
        case Phase.PLAY:
            return next((action for kind in (Meld, LayOff) for action in legal if isinstance(action, kind)), legal[-1])
        case Phase.DISCARD:
            return finish(decision.view, legal)
        case _:
            return decision.fallback


def start(view: View, legal: sdk.Actions) -> Action:
    """Knock where the game asks for it here and it is time; else the upcard if it is useful; else the stock."""
    if Knock() in legal and is_time(view, deadwood(mask(view.hand))):
        return Knock()
    if DrawPile() in legal and (is_useful(view) or DrawStock() not in legal):
        return DrawPile()
    return DrawStock()


def finish(view: View, legal: sdk.Actions) -> Action:
    """The end of the turn: out if that is possible, else the best card to throw."""
    if BigGin() in legal:
        return BigGin()
    count, cards = best_discards(mask(view.hand), view.forbidden)
    card = max(cards, key=worth)
    return Knock(card) if Knock(card) in legal and is_time(view, count) else Discard(card)


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


if __name__ == "__main__":
    sdk.run(choose)
