"""Deals that a seat cannot tell from the one in play: what a bot searches in, without a look at any hidden card.

    state = sample(game, view, random)
    game.apply(state, action)            # and so on, until game.decision(state) is None
    game.result(state)

All that goes in is a view, so all that comes out is what the seat knows and chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rummy.errors import BadInput
from rummy.rules.actions import Card, Cards, Seat
from rummy.rules.game import Game, Phase, View

MAX_TRIES = 10_000


class Chance(Protocol):
    """Where the unseen cards come from; a `random.Random` is one."""

    def shuffle(self, x: list[Any]) -> None:
        """Brings *x* into an order, each as likely as any other."""


def sample(game: Game, view: View, random: Chance) -> Any:
    """A state of *game* with the cards that *view* does not show dealt anew, every deal that agrees with it alike.

    The game does it with `resume(view, hands, stock)`: a state with these cards where *view* shows none, or None where
    such a deal cannot have come to the view. Raises `BadInput` where the deal is over, the game cannot do it, or the
    view contradicts itself.
    """
    resume = getattr(game, "resume", None)
    if resume is None:
        raise BadInput(f"A deal of {game.spec.title} cannot be taken up from a view.")
    if view.phase is None:
        raise BadInput("The deal is over: there is nothing to play on.")
    cards = _unseen(game, view)
    wanted = _wanted(view, len(cards))
    for _ in range(MAX_TRIES):
        random.shuffle(cards)
        hands, dealt = _deal(view, wanted, cards)
        state = resume(view, hands, cards[dealt : dealt + view.stock])
        if state is not None:
            return state
    raise BadInput("The view contradicts itself: no deal leads to it.")


def _unseen(game: Game, view: View) -> list[Card]:
    """The cards that lie in hands or in the stock, nobody tells where."""
    if view.game != game.spec.key:
        raise BadInput(f"The view is of {view.game}, not of {game.spec.key}.")
    cards = list(game.deck(sum([status != 0 for status in view.status])))
    shown = [view.hand, view.pile, *[meld.cards for meld in view.melds]]
    shown += [known for seat, known in enumerate(view.known) if seat != view.seat]
    try:
        for zone in shown:
            for card in zone:
                cards.remove(card)
    except ValueError:
        raise BadInput("The view contradicts itself: it shows a card more often than the pack has it.") from None
    return cards


def _wanted(view: View, cards: int) -> list[tuple[Seat, int]]:
    """How many unseen cards each other seat holds."""
    sizes = enumerate(view.hand_sizes)
    wanted = [(seat, size - len(view.known[seat])) for seat, size in sizes if seat != view.seat]
    spare = cards - view.stock - sum([count for _, count in wanted])
    own = view.seat is None or len(view.hand) == view.hand_sizes[view.seat]
    face_down = int(view.phase is Phase.SHOW)  # The card that a knock has thrown (GIN-5.1).
    if not own or not 0 <= spare <= face_down or any(count < 0 for _, count in wanted) or not view.turn < view.seats:
        raise BadInput("The view contradicts itself: its numbers of cards do not make the pack.")
    return wanted


def _deal(view: View, wanted: Sequence[tuple[Seat, int]], cards: Sequence[Card]) -> tuple[list[Cards], int]:
    """Every hand, ascending, and how many of *cards* went into them."""
    hands: list[Cards] = [view.hand] * view.seats
    at = 0
    for seat, count in wanted:
        hands[seat] = tuple(sorted([*view.known[seat], *cards[at : at + count]]))
        at += count
    return hands, at
