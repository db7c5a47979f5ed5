"""Deals that a seat cannot tell from the one in play: what a bot searches in, without a look at any hidden card.

    state = sample(game, view, random)
    game.apply(state, action)            # and so on, until game.decision(state) is None
    game.result(state)

All that goes in is a view, so all that comes out is what the seat knows and chance.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rummy.errors import BadInput
from rummy.rules.actions import Card, Cards
from rummy.rules.game import Game, View
from rummy.rules.unseen import STOCK, Chance, Lots, lots_of

MAX_TRIES = 10_000


def sample(game: Game, view: View, random: Chance) -> Any:
    """A state of *game* with the cards that *view* does not show dealt anew, every deal that agrees with it alike.

    The game does it with `resume(view, hands, stock)`: a state with these cards where *view* shows none, or None where
    such a deal cannot have come to the view. What will be shuffled while the deal is played on is chance, too. Raises
    `BadInput` where the deal is over, the game cannot do it, or the view contradicts itself; and where no deal is found
    in so many tries, as may be while another seat lays a contract (CON-4.2) that its hand has to complete.
    """
    resume = getattr(game, "resume", None)
    if resume is None:
        raise BadInput(f"A deal of {game.spec.title} cannot be taken up from a view.")
    if view.phase is None:
        raise BadInput("The deal is over: there is nothing to play on.")
    lots = lots_of(view, _unseen(game, view))
    weights = lots.weights() if lots.either_places else ()
    for _ in range(MAX_TRIES):
        hands, stock = _dealt(view, lots.split(weights, random), random)
        state = resume(view, hands, stock)
        if state is not None:
            return _with_chance(state, random)
    raise BadInput("The view contradicts itself, or shows so rare a thing that by chance no deal leads to it.")


def _unseen(game: Game, view: View) -> list[Card]:
    """The cards that lie in hands or in the stock, nobody tells where."""
    if view.game != game.spec.key:
        raise BadInput(f"The view is of {view.game}, not of {game.spec.key}.")
    cards = list(game.deck(sum([status != 0 for status in view.status])))
    shown = [view.hand, view.pile, *[meld.cards for meld in view.melds]]
    shown += [known for seat, known in enumerate(view.known) if seat != view.seat]
    shown += [() if view.wild is None else (view.wild,), () if view.renewal is None else view.renewal.order]
    try:
        for zone in shown:
            for card in zone:
                cards.remove(card)
    except ValueError:
        raise BadInput("The view contradicts itself: it shows a card more often than the pack has it.") from None
    return cards


def _dealt(view: View, lots: Lots, random: Chance) -> tuple[list[Cards], list[Card]]:
    """Every hand, ascending, and the stock."""
    held = [list(known) for known in view.known]
    stock = [] if view.renewal is None else list(view.renewal.order)
    for place, cards in lots.dealt(random):
        if place == STOCK:
            stock += cards
        elif place >= 0:
            held[place] += cards
    hands = [tuple(sorted(cards)) for cards in held]
    if view.seat is not None:
        hands[view.seat] = view.hand
    return hands, stock


def _with_chance(state: Any, random: Chance) -> Any:
    """*state* with a seed of its own for what is shuffled in mid-deal, where the game keeps one."""
    terms = getattr(state, "terms", None)
    if terms is not None:
        state.terms = replace(terms, chance=random.randrange(1 << 64).to_bytes(8, "big"))
    return state
