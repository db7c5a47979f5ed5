"""A deal of Indian 13-card rummy: its state, what may be drawn, how a seat leaves it, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence

from rummy.errors import IllegalAction
from rummy.rules.actions import Card, Cards, Seat
from rummy.rules.cards import cards_text
from rummy.rules.game import DealResult, DealTerms, Event, EventKind, Phase, TableMeld, View
from rummy.rules.games import zones
from rummy.rules.games.indian13_groups import HAND, Kind, is_joker, kind_of, wild_rank
from rummy.rules.games.one_oh_one_tally import next_seat
from rummy.rules.games.zones import Zones
from rummy.rules.tabling import without


class Indian13State(Zones):
    """One deal, in which the rank of the card *cut* is wild; it is out of play (IND-9). `melds` are groups shown."""

    __slots__ = ("cut", "drawn", "first", "losses", "playing", "to_show", "wild")

    def __init__(self, terms: DealTerms, hands: list[Cards], cut: Card, pile: list[Card], stock: list[Card]) -> None:
        super().__init__(terms, hands, stock, pile)
        self.cut = cut
        self.wild = wild_rank(cut)
        self.playing: list[Seat] = list(terms.active)  # Neither dropped nor shown wrongly.
        self.losses = [0] * terms.seats
        self.drawn = [False] * terms.seats  # Whether the seat has drawn in this deal (IND-5).
        self.first = True  # Whether the first upcard lies open (IND-4.2).
        self.to_show: list[Seat] = []
        self.events = [Event(EventKind.DEAL, terms.starter, tuple(pile), groups=((cut,),))]


def dealt(deck: Sequence[Card], terms: DealTerms) -> Indian13State:
    """Thirteen cards to each seat in play, one at a time from the starter, the cut card, the upcard (IND-2.1)."""
    hands, stock, (cut,) = zones.dealt(deck, terms, HAND)
    return Indian13State(terms, hands, cut, [stock.pop()], stock)


def taken_up(view: View, hands: Sequence[Cards], stock: list[Card]) -> Indian13State:
    """The deal of *view*, with *hands* and *stock* for what it does not show."""
    assert view.wild is not None, "every deal has its wild card"
    state = Indian13State(zones.terms_of(view), list(hands), view.wild, [], stock)
    zones.taken_up(state, view)
    active = state.terms.active
    order = zones.clockwise(state.terms, state.terms.starter)
    begun = order[: view.turns + (view.phase is Phase.DISCARD)]  # In its first round every seat has a turn.
    state.playing = [seat for seat in active if view.status[seat] == 1]
    gone = [seat for seat in active if view.status[seat] == 2]
    state.losses = list(view.losses) or state.losses
    state.drawn = [seat in begun for seat in range(view.seats)]
    shown = any(view.known[seat] for seat in gone)  # A wrong show, with a card that went on the pile (IND-9).
    state.first = view.turns == len(gone) and view.phase is Phase.START and not shown
    if view.phase is Phase.SHOW:
        state.to_show = _to_show(state, view.turn)
    return state


def _to_show(state: Indian13State, asked: Seat) -> list[Seat]:
    """The seats that have not shown, from the one that is *asked* on: the winner of the show would be the last."""
    order = zones.clockwise(state.terms, asked)
    return [seat for seat in order[: order.index(state.closer)] if seat in state.playing]


# ---- the draw


def why_not_take(state: Indian13State) -> str | None:
    """Why the upcard may not be taken; None where it may (IND-4.2)."""
    if is_joker(state.pile[-1], state.wild) and not state.first:
        return "A joker lying open may not be taken, unless it is the very first upcard (IND-4.2)."
    return None


def draw_stock(state: Indian13State) -> None:
    """Draws the next stock card; an empty stock is first made of the pile without its top (IND-4.4)."""
    if not state.stock:
        zones.shuffle_pile(state, keep=1)
    zones.draw_stock(state, state.turn)
    _drawn(state)


def draw_pile(state: Indian13State, *, rediscard_ban: bool) -> None:
    """Takes the upcard, which may be taken."""
    (card,) = zones.take(state, state.turn, 1)
    state.forbidden = card if rediscard_ban else None
    _drawn(state)


def _drawn(state: Indian13State) -> None:
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
    zones.leave(state, (card,), left)
    state.pile.append(card)
    state.first = False
    state.events.append(Event(EventKind.DISCARD, state.turn, (card,)))


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
    expose(state, seat)
    state.hands[seat] = state.known[seat] = rest


def expose(state: Indian13State, seat: Seat) -> None:
    """Makes the whole hand of *seat* known to everybody."""
    hidden = without(state.hands[seat], state.known[seat])
    assert hidden is not None, "what is known of a hand is in it"
    zones.reveal(state, seat, hidden)
    state.known[seat] = state.hands[seat]


def in_play(state: Indian13State) -> list[Seat]:
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
