"""Tries each sensible action in many deals that may be the one in play, plays them out, and takes what pays.

The deals are `rummy.rules.sample`: what the seat knows, and chance for the rest. All actions meet the same deals, and
another than the first, which looks best at sight, is taken only where it pays more than chance explains. The work is
counted in deals, not in seconds, and chance is that of the decision: so an answer can be repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import mean, stdev
from typing import Any

from rummy.rules.actions import Action, Card, Cards, Discard
from rummy.rules.cards import mask
from rummy.rules.deadwood import best_discards, deadwood
from rummy.rules.game import DealResult, Game, Phase, View
from rummy.rules.sample import sample
from sample_bots import knocking, sdk

ROUNDS, DEALS = 3, 16  # After each round of deals the actions that do not pay are dropped.
SURE = 1.5  # Standard errors by which an action must pay more.
DISCARDS = 6  # Cards that are looked at as discards.
TRIED = {"gin": 1, "one_oh_one": 2}  # So many of them are tried; in gin playing them out tells less than the look.
BOX = 25  # What a deal of gin that is won counts beside its points.


def choose(decision: sdk.Decision) -> sdk.Answer:
    """The action that pays; where one alone makes sense, that."""
    tried = candidates(decision.view, decision.legal)
    return tried[0] if len(tried) == 1 else best(decision.game, decision.view, tried, decision.random)


# What is tried.


def candidates(view: View, legal: sdk.Actions) -> list[Action]:
    """The actions worth trying, the one that looks best at sight first."""
    sight = knocking.choose(view, legal, waits=is_patient(view))
    if view.phase is not Phase.DISCARD:  # Between stock and pile trials have found nothing better than what is seen.
        return [sight, *[action for action in legal if action != sight]] if knocking.KNOCK in legal else [sight]
    discards: list[Action] = [Discard(card) for card in throws(view, legal)]
    return discards if isinstance(sight, Discard) else [sight, *discards[:1]]


def is_patient(view: View) -> bool:
    """Whether the seat waits before it knocks: in 101, where a knock that is beaten costs most."""
    return view.game == "one_oh_one"


def throws(view: View, legal: sdk.Actions) -> list[Card]:
    """The cards to throw that leave most hope of a low count with one more card, the best first."""
    held, unseen = mask(view.hand), hidden(view)
    cards = [action.card for action in legal if isinstance(action, Discard)]
    cards.sort(key=lambda card: (deadwood(held ^ 1 << card), -(card % 13)))
    hope = {card: sum([best_discards(held ^ 1 << card | 1 << more)[0] for more in unseen]) for card in cards[:DISCARDS]}
    return sorted(hope, key=lambda card: (hope[card], -(card % 13)))[: TRIED[view.game]]


def hidden(view: View) -> Cards:
    """The cards that the seat has not seen."""
    seen = {*view.hand, *view.pile}.union(*view.known, *[meld.cards for meld in view.melds])
    return tuple([card for card in range(52) if card not in seen])


# How it is tried.


def best(game: Game, view: View, tried: Sequence[Action], random: Random) -> Action:
    """The first of *tried*, or another that pays more in the same deals."""
    first = tried[0]
    gains: dict[Action, list[float]] = {action: [] for action in tried[1:]}
    for _ in range(ROUNDS):
        for _ in range(DEALS):
            world = likely(game, view, random)
            plain = played_out(game, world.copy(), first, view)
            for action, gained in gains.items():
                gained.append(played_out(game, world.copy(), action, view) - plain)
        gains = {action: gained for action, gained in gains.items() if sum(gained) > 0}
        if not gains:
            return first
    sure = {action: mean(gained) for action, gained in gains.items() if is_sure(gained)}
    return max(sure, key=lambda action: sure[action], default=first)


def is_sure(gained: Sequence[float]) -> bool:
    """Whether the mean gain is more than chance explains."""
    return mean(gained) > SURE * stdev(gained) / sqrt(len(gained))


def likely(game: Game, view: View, random: Random) -> Any:
    """A deal; late in it, that of a few in which the other hands are best, since their seats have been choosing."""
    tries = 1 + min(view.turns // (3 * view.seats), 3)
    others = [seat for seat in range(view.seats) if seat != view.seat]
    worlds = [sample(game, view, random) for _ in range(tries)]
    return min(worlds, key=lambda world: sum([deadwood(world.hands[seat]) for seat in others]))


def played_out(game: Game, state: Any, action: Action, view: View) -> float:
    """What the deal comes to for the seat of *view* if all play on as the greedy bot does; it may wait itself."""
    game.apply(state, action)
    while (decision := game.decision(state)) is not None:
        waits = decision.seat == view.seat and is_patient(view)
        seen = game.view(state, decision.seat)
        game.apply(state, knocking.choose(seen, game.legal_actions(state), waits=waits))
    result = game.result(state)
    assert result is not None
    return value(game, result, view)


def value(game: Game, result: DealResult, view: View) -> float:
    """The seat's points against the mean of the others', as the game counts: in 101 they are bad."""
    seat = view.seat
    assert seat is not None
    others = [points for at, points in enumerate(result.points) if at != seat and view.status[at]]
    lead = result.points[seat] - sum(others) / len(others)
    if game.spec.key == "one_oh_one":
        return -lead
    won = 0 if result.winner is None else 1 if result.winner == seat else -1
    return lead + BOX * won


if __name__ == "__main__":
    sdk.run(choose)
