"""A deal of Indian 13-card rummy: its state, what may be drawn, how a seat leaves it, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence

from rummy.errors import IllegalAction
from rummy.rules import shuffle
from rummy.rules.actions import Card, Cards, Seat
from rummy.rules.cards import cards_text
from rummy.rules.game import DealResult, DealTerms, Event, EventKind, Phase, TableMeld
from rummy.rules.games.indian13_groups import HAND, Kind, is_joker, kind_of, wild_rank
from rummy.rules.games.one_oh_one_tally import next_seat
from rummy.rules.tabling import with_cards, without


class Indian13State:
    """One deal. Hands and what is known of them are ascending; the next stock card is the last of its list."""

    __slots__ = (
        "closer",
        "cut",
        "drawn",
        "events",
        "first",
        "forbidden",
        "hands",
        "known",
        "losses",
        "melds",
        "phase",
        "pile",
        "playing",
        "result",
        "shuffles",
        "stock",
        "terms",
        "to_show",
        "turn",
        "turns",
        "wild",
    )

    def __init__(self, terms: DealTerms, hands: list[Cards], cut: Card, pile: list[Card], stock: list[Card]) -> None:
        self.terms = terms
        self.hands = hands
        self.cut = cut  # Out of play (IND-9).
        self.wild = wild_rank(cut)
        self.pile = pile
        self.stock = stock
        self.known: list[Cards] = [()] * terms.seats  # Taken from the pile, or shown (COM-12).
        self.melds: list[TableMeld] = []  # The groups of those who have shown.
        self.playing: list[Seat] = list(terms.active)  # Neither dropped nor shown wrongly.
        self.losses = [0] * terms.seats
        self.drawn = [False] * terms.seats  # Whether the seat has drawn in this deal (IND-5).
        self.first = True  # Whether the first upcard lies open (IND-4.2).
        self.phase = Phase.START
        self.turn = terms.starter
        self.turns = 0
        self.forbidden: Card | None = None
        self.shuffles = 0
        self.closer: Seat | None = None
        self.to_show: list[Seat] = []
        self.result: DealResult | None = None
        self.events = [Event(EventKind.DEAL, terms.starter, tuple(pile), groups=((cut,),))]

    def copy(self) -> Indian13State:
        """An independent copy. Its events begin anew, so that copying is as cheap late in a match as early."""
        new = Indian13State.__new__(Indian13State)
        for name in Indian13State.__slots__:
            value = [] if name == "events" else getattr(self, name)
            setattr(new, name, value.copy() if isinstance(value, list) else value)
        return new


def dealt(deck: Sequence[Card], terms: DealTerms) -> Indian13State:
    """Thirteen cards to each seat in play, one at a time from the starter, the cut card, the upcard (IND-2.1)."""
    at = terms.active.index(terms.starter)
    order = terms.active[at:] + terms.active[:at]
    last = HAND * len(order)
    hands: list[Cards] = [()] * terms.seats
    for number, seat in enumerate(order):
        hands[seat] = tuple(sorted(deck[number : last : len(order)]))
    return Indian13State(terms, hands, deck[last], [deck[last + 1]], list(deck[: last + 1 : -1]))


# ---- the draw


def why_not_take(state: Indian13State) -> str | None:
    """Why the upcard may not be taken; None where it may (IND-4.2)."""
    if is_joker(state.pile[-1], state.wild) and not state.first:
        return "A joker lying open may not be taken, unless it is the very first upcard (IND-4.2)."
    return None


def draw_stock(state: Indian13State) -> None:
    """Draws the next stock card; an empty stock is first made of the pile without its top (IND-4.4)."""
    seat = state.turn
    if not state.stock:
        seed = shuffle.again_seed(state.terms.chance, state.shuffles)
        state.stock = shuffle.shuffled(seed, state.pile[:-1])[::-1]
        state.pile = state.pile[-1:]
        state.shuffles += 1
        state.events.append(Event(EventKind.TURN_OVER, seat, tuple(state.pile), reason="shuffled"))
    card = state.stock.pop()
    state.events.append(Event(EventKind.DRAW_STOCK, seat, (card,), private=True))
    _drawn(state, card)


def draw_pile(state: Indian13State, *, rediscard_ban: bool) -> None:
    """Takes the upcard, which may be taken."""
    seat, card = state.turn, state.pile.pop()
    state.events.append(Event(EventKind.DRAW_PILE, seat, (card,)))
    state.known[seat] = with_cards(state.known[seat], (card,))
    state.forbidden = card if rediscard_ban else None
    state.first = False
    _drawn(state, card)


def _drawn(state: Indian13State, card: Card) -> None:
    state.hands[state.turn] = with_cards(state.hands[state.turn], (card,))
    state.drawn[state.turn] = True
    state.phase = Phase.DISCARD


# ---- the end of a turn


def left_after(state: Indian13State, card: object) -> Cards:
    """The hand without *card*, which leaves it. Raises `IllegalAction` where it may not."""
    seat = state.turn
    left = without(state.hands[seat], (card,)) if type(card) is int else None
    if left is None:
        raise IllegalAction("The card to discard is not in the hand.", seat)
    if card == state.forbidden and card not in left:  # Of two copies one was not taken.
        raise IllegalAction("The card just taken from the pile may not leave the hand in this turn (IND-4.3).", seat)
    return left


def throw(state: Indian13State, card: Card, left: Cards) -> None:
    """Puts *card* on the pile; the hand is then *left*."""
    seat = state.turn
    state.hands[seat] = left
    state.known[seat] = known_without(state.known[seat], card)
    state.pile.append(card)
    state.first = False
    state.events.append(Event(EventKind.DISCARD, seat, (card,)))


def known_without(known: Cards, card: Card) -> Cards:
    """What is known of a hand after it has lost *card* openly."""
    left = without(known, (card,))
    return known if left is None else left


def next_turn(state: Indian13State) -> None:
    """The next seat in play begins."""
    state.forbidden = None
    state.phase = Phase.START
    state.turn = next_seat(state.terms.seats, state.turn, state.playing)


def leave(state: Indian13State, seat: Seat, loss: int, reason: str) -> None:
    """Takes *seat* out of the deal, which costs it *loss*."""
    state.losses[seat] = loss
    state.playing.remove(seat)
    state.events.append(Event(EventKind.DROP, seat, reason=reason))


# ---- the show


def checked_groups(hand: Cards, groups: Sequence[Cards], seat: Seat) -> Cards:
    """What *groups* leave of *hand*. Raises `IllegalAction` for an empty group and for a card that is not there."""
    left = list(hand)
    for group in groups:
        if not isinstance(group, tuple) or not group:
            raise IllegalAction("A group holds at least one card.", seat)
        for card in group:
            if type(card) is not int or card not in hand:
                raise IllegalAction("A group names a card that is not in the hand.", seat)
            if card not in left:
                raise IllegalAction(f"{cards_text([card])} is used more often than it is held.", seat)
            left.remove(card)
    return tuple(left)


def lay_open(state: Indian13State, seat: Seat, groups: Sequence[Cards], rest: Cards) -> None:
    """Tables the groups of *seat*, and shows what is left over."""
    state.events.append(Event(EventKind.SHOW, seat, rest, tuple(groups)))
    for group in groups:
        run = kind_of(group, state.wild) is not Kind.SET
        state.melds.append(TableMeld(tuple(group), (seat,) * len(group), seat, run))
    state.hands[seat] = state.known[seat] = rest


def clockwise(state: Indian13State) -> list[Seat]:
    """The seats in play from the left of the seat on turn, which comes last."""
    seats = state.terms.seats
    return sorted(state.playing, key=lambda seat: (seat - state.turn - 1) % seats)


def finish(state: Indian13State, reason: str, winner: Seat | None, *, pool: bool) -> None:
    """Ends the deal: in a pool every seat gets its loss, else the winner gets what the others lose (IND-8)."""
    losses = state.losses
    points = losses[:] if pool else [-loss for loss in losses]
    if winner is not None and not pool:
        points[winner] = sum(losses)
    state.result = DealResult(tuple(points), reason, winner)
