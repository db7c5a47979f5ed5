"""Never takes a card from the pile: its hand stays a secret. Throws well, and ends the deal as soon as it may."""

from rummy.rules.actions import Action, BigGin, Card, Discard, DrawStock, Knock, LayOff, Meld, Pass
from rummy.rules.cards import mask
from rummy.rules.deadwood import best_discards
from rummy.rules.game import Phase, View
from sample_bots import basic, club, indian13, sdk


def choose(decision: sdk.Decision) -> sdk.Answer:
    """The action of the phase that costs least now."""
    if decision.view.game == "basic":
        return basic.choose(decision, takes=False)
    if decision.view.game == "club":
        return club.choose(decision, takes_pile=False)
    if decision.view.game == "indian13":
        return indian13.choose(decision, takes=False)
    legal = decision.legal
    match decision.phase:
        case Phase.OFFER:
            return Pass()
        case Phase.START:
            return start(legal)
        case Phase.PLAY:
            return next((action for kind in (Meld, LayOff) for action in legal if isinstance(action, kind)), legal[-1])
        case Phase.DISCARD:
            return finish(decision.view, legal)
        case _:
            return decision.fallback


def start(legal: sdk.Actions) -> Action:
    """Knock where the game asks for it here; else the stock."""
    return next((action for action in (Knock(), DrawStock()) if action in legal), legal[0])


def finish(view: View, legal: sdk.Actions) -> Action:
    """The end of the turn: out if that is possible, else the best card to throw."""
    if BigGin() in legal:
        return BigGin()
    _, cards = best_discards(mask(view.hand), view.forbidden)
    card = max(cards, key=worth)
    return Knock(card) if Knock(card) in legal else Discard(card)


def worth(card: Card) -> tuple[int, int]:
    """Among cards that are equally good to throw, the high ones first."""
    return card % 13, -card


if __name__ == "__main__":
    sdk.run(choose)
