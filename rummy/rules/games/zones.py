"""Where the cards of a deal lie in the games that table melds: hands, stock, pile and table, and how cards move.

Every move keeps the public record: what is known of a hand (COM-12), and the events.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

from rummy.errors import IllegalAction
from rummy.rules import shuffle
from rummy.rules.actions import Card, Cards, LayOff, Meld, Seat
from rummy.rules.cards import TEXTS, cards_text
from rummy.rules.game import DealResult, DealTerms, Decision, Event, EventKind, Phase, Renewal, TableMeld, View
from rummy.rules.tabling import MeldRules, after_lay_off, ends_for, hand_of, tabled, with_cards, without

Z = TypeVar("Z", bound="Zones")


class Zones:
    """One deal. A hand, and what is known of it, is ascending cards; the next stock card is the last of its list."""

    __slots__ = (
        "closer",
        "events",
        "forbidden",
        "hands",
        "known",
        "melds",
        "owed",
        "phase",
        "pile",
        "renewal",
        "result",
        "stock",
        "terms",
        "turn",
        "turns",
    )

    def __init__(self, terms: DealTerms, hands: list[Cards], stock: list[Card], pile: list[Card]) -> None:
        self.terms = terms
        self.hands = hands
        self.stock = stock
        self.pile = pile
        self.known: list[Cards] = [()] * terms.seats  # Taken from the pile and not seen since (COM-12).
        self.melds: list[TableMeld] = []
        self.phase = Phase.START
        self.turn = terms.starter
        self.turns = 0
        self.forbidden: Card | None = None  # Taken in this turn, and not to be thrown.
        self.owed: Card | None = None  # Taken in this turn, and to be tabled at once.
        self.closer: Seat | None = None
        self.renewal: Renewal | None = None  # What everybody knows of a stock that was the pile.
        self.result: DealResult | None = None
        self.events = [Event(EventKind.DEAL, terms.starter, tuple(pile))]

    def copy(self: Z) -> Z:
        """An independent copy. Its events begin anew, so that copying is as cheap late in a match as early."""
        kind: Any = type(self)
        new: Z = object.__new__(kind)
        for name in slots_of(self):
            value = [] if name == "events" else getattr(self, name)
            setattr(new, name, value.copy() if isinstance(value, list) else value)
        return new


def slots_of(state: Zones) -> tuple[str, ...]:
    """The names of everything that *state* consists of."""
    kind: Any = type(state)
    return _slots(kind)


@cache
def _slots(kind: Any) -> tuple[str, ...]:
    return tuple([name for each in kind.__mro__ for name in getattr(each, "__slots__", ())])


def dealt(deck: Sequence[Card], terms: DealTerms, count: int) -> tuple[list[Cards], list[Card], list[Card]]:
    """Hands of *count* cards dealt one at a time from the starter on, the stock, and a pile of one upcard (COM-2)."""
    order = clockwise(terms, terms.starter)
    end = len(order) * count
    hands: list[Cards] = [()] * terms.seats
    for number, seat in enumerate(order):
        hands[seat] = hand_of(deck[number : end : len(order)])
    return hands, list(deck[:end:-1]), [deck[end]]


def clockwise(terms: DealTerms, seat: Seat) -> tuple[Seat, ...]:
    """The seats of the deal from *seat* on."""
    at = terms.active.index(seat)
    return terms.active[at:] + terms.active[:at]


def view_of(state: Zones, game: str, decision: Decision | None, seat: Seat | None) -> View:
    """What *seat* may see: the public record, and its own hand."""
    terms, hands = state.terms, state.hands
    return View(
        game=game,
        phase=None if decision is None else decision.phase,
        seat=seat,
        seats=terms.seats,
        hand=() if seat is None else hands[seat],
        hand_sizes=tuple([len(hand) for hand in hands]),
        stock=len(state.stock),
        pile=tuple(state.pile),
        melds=tuple(state.melds),
        known=tuple(state.known),
        scores=terms.scores,
        status=tuple([(1 if hands[at] else 2) if at in terms.active else 0 for at in range(terms.seats)]),
        turn=state.turn,
        dealer=terms.dealer,
        knock_limit=0,
        forbidden=state.forbidden,
        owed=state.owed,
        closer=state.closer,
        turns=state.turns,
        renewal=state.renewal,
    )


def terms_of(view: View) -> DealTerms:
    """The terms of the deal of *view*, the next seat after the dealer being its starter."""
    active = tuple([seat for seat in range(view.seats) if view.status[seat]])
    left = sorted(active, key=lambda seat: (seat - view.dealer - 1) % view.seats)
    return DealTerms(view.seats, active, view.dealer, left[0], view.scores)


def taken_up(state: Z, view: View) -> Z:
    """*state*, which has hands and stock, with all that *view* shows of it beside them."""
    assert view.phase is not None, "nobody plays on in a deal that is over"
    state.pile, state.melds, state.known = list(view.pile), list(view.melds), list(view.known)
    state.phase, state.turn, state.turns = view.phase, view.turn, view.turns
    state.forbidden, state.owed, state.closer = view.forbidden, view.owed, view.closer
    state.renewal = view.renewal
    state.events = []
    return state


# ---- the stock made of the pile


def turn_pile(state: Zones) -> None:
    """Turns the pile over in its order, which all have seen: its lowest card is the new pile."""
    state.stock, state.pile = state.pile[:0:-1], state.pile[:1]
    state.renewal = Renewal(_renewals(state) + 1, order=tuple(state.stock))
    state.events.append(Event(EventKind.TURN_OVER, state.turn, tuple(state.pile)))


def shuffle_pile(state: Zones, keep: int) -> None:
    """Makes a new stock of the pile but for its top *keep* cards."""
    number, at = _renewals(state), len(state.pile) - keep
    cards = state.pile[:at]
    state.stock = shuffle.shuffled(shuffle.again_seed(state.terms.chance, number), cards)[::-1]
    state.pile = state.pile[at:]
    seats = state.terms.seats
    state.renewal = Renewal(number + 1, (), tuple(sorted(cards)), (0,) * seats, ((),) * seats)
    state.events.append(Event(EventKind.TURN_OVER, state.turn, tuple(state.pile), reason="shuffled"))


def _renewals(state: Zones) -> int:
    return 0 if state.renewal is None else state.renewal.number


def _draws_renewed(state: Zones, seat: Seat, card: Card, renewal: Renewal) -> None:
    """Notes that *card* was drawn from the stock of *renewal*: an order that all know tells all what was drawn."""
    if renewal.cards:
        drawn = renewal.drawn
        state.renewal = renewal._replace(drawn=(*drawn[:seat], drawn[seat] + 1, *drawn[seat + 1 :]))
    else:
        state.renewal = renewal._replace(order=renewal.order[:-1])
        state.known[seat] = with_cards(state.known[seat], (card,))


def reveal(state: Zones, seat: Seat, cards: Sequence[Card]) -> None:
    """Notes that *cards*, of which nobody else knew that they were in the hand of *seat*, have come to light."""
    renewal = state.renewal
    if renewal is not None and renewal.cards:
        revealed = renewal.revealed
        more = with_cards(revealed[seat], cards)
        state.renewal = renewal._replace(revealed=(*revealed[:seat], more, *revealed[seat + 1 :]))


# ---- moves


def draw_stock(state: Zones, seat: Seat) -> None:
    """Moves the next stock card into a hand."""
    card = state.stock.pop()
    state.hands[seat] = with_cards(state.hands[seat], (card,))
    if state.renewal is not None:
        _draws_renewed(state, seat, card, state.renewal)
    state.events.append(Event(EventKind.DRAW_STOCK, seat, (card,), private=True))


def take(state: Zones, seat: Seat, count: int) -> Cards:
    """Moves the top *count* cards of the pile into a hand, where they are known to be; the deepest comes first."""
    cards = tuple(state.pile[-count:])
    del state.pile[-count:]
    state.hands[seat] = with_cards(state.hands[seat], cards)
    state.known[seat] = with_cards(state.known[seat], cards)
    state.events.append(Event(EventKind.DRAW_PILE, seat, cards))
    return cards


def leave(state: Zones, cards: Sequence[Card], left: Cards) -> None:
    """Leaves the seat on turn with *left* after *cards* have gone to the table or the pile."""
    known, new = list(state.known[state.turn]), []
    for card in cards:
        if card in known:
            known.remove(card)
        else:
            new.append(card)
    state.hands[state.turn] = left
    state.known[state.turn] = tuple(known)
    if new:
        reveal(state, state.turn, new)


def throw(state: Zones, card: Any) -> None:
    """Discards *card* for the seat on turn. Raises `IllegalAction` where it is not held or may not be thrown."""
    hand = state.hands[state.turn]
    if type(card) is not int or card not in hand:
        raise IllegalAction("The card to discard is not in the hand.", state.turn)
    if not may_discard(hand, card, state.forbidden):
        raise IllegalAction("The card taken from the pile may not be thrown in the same turn.", state.turn)
    at = hand.index(card)
    leave(state, (card,), hand[:at] + hand[at + 1 :])
    state.pile.append(card)
    state.events.append(Event(EventKind.DISCARD, state.turn, (card,)))


def lay_down(state: Zones, meld: TableMeld, cards: Cards, left: Cards) -> None:
    """Tables *meld*, made of *cards* of the seat on turn."""
    state.melds.append(meld)
    _tabled(state, cards, left, Event(EventKind.MELD, state.turn, meld.cards))


def add_on(state: Zones, grown: TableMeld, lay_off: LayOff, left: Cards) -> None:
    """Makes the table meld that *lay_off* names *grown*."""
    state.melds[lay_off.meld] = grown
    _tabled(state, lay_off.cards, left, Event(EventKind.LAY_OFF, state.turn, lay_offs=(lay_off,)))


def _tabled(state: Zones, cards: Cards, left: Cards, told: Event) -> None:
    leave(state, cards, left)
    state.owed = None
    state.forbidden = still_forbidden(state, cards)
    state.events.append(told)


def show_hands(state: Zones) -> None:
    """Lays all hands open, as the end of a deal does."""
    for seat in state.terms.active:
        state.events.append(Event(EventKind.SHOW, seat, state.hands[seat]))
        state.known[seat] = state.hands[seat]


# ---- what may be done


def may_discard(hand: Cards, card: Card, forbidden: Card | None) -> bool:
    """Whether *card* of *hand* may be thrown: of two copies one was not taken in this turn (COM-1)."""
    return card != forbidden or hand.count(card) > 1


def may_throw(hand: Cards, forbidden: Card | None) -> bool:
    """Whether there is a card in *hand* that may be thrown."""
    return len(hand) > 1 or (len(hand) == 1 and hand[0] != forbidden)


def still_forbidden(state: Zones, cards: Cards) -> Card | None:
    """The card that may not be thrown once *cards* are tabled: one that was tabled itself is kept no longer."""
    return None if state.forbidden in cards else state.forbidden


def can_end(left: Cards, table: Sequence[TableMeld], forbidden: Card | None, rules: MeldRules) -> bool:
    """Whether a turn can be ended with *left*: with nothing, by a discard, or by laying the one card off."""
    return not left or may_throw(left, forbidden) or any(True in ends_for(meld, left[0], rules) for meld in table)


def leads_on(state: Zones, action: Meld | LayOff, rules: MeldRules) -> bool:
    """Whether the turn can still be ended after *action*, which is a meld of the hand, or a lay-off that fits."""
    hand = state.hands[state.turn]
    if len(hand) > len(action.cards) + 1:
        return True  # Of two cards, alike or not, one may be thrown.
    table = table_after(state, action, rules)
    return can_end(held(state, action.cards), table, still_forbidden(state, action.cards), rules)


def table_after(state: Zones, action: Meld | LayOff, rules: MeldRules) -> list[TableMeld]:
    """The melds on the table once *action* is done. Raises `IllegalAction`."""
    if isinstance(action, Meld):
        return [*state.melds, meld_of(state, action.cards, rules)]
    return replaced(state.melds, action.meld, grown_by(state, action, rules))


def replaced(table: Sequence[TableMeld], number: int, meld: TableMeld) -> list[TableMeld]:
    """The melds of *table* with *meld* in the place of one of them."""
    after = list(table)
    after[number] = meld
    return after


def held(state: Zones, cards: Any) -> Cards:
    """The hand of the seat on turn without *cards*. Raises `IllegalAction`."""
    seat = state.turn
    if not isinstance(cards, tuple) or not cards:
        raise IllegalAction("A meld or lay-off names at least one card.", seat)
    if any(type(card) is not int or not 0 <= card < len(TEXTS) for card in cards):
        raise IllegalAction("A meld or lay-off names a card that there is not.", seat)
    left = without(state.hands[seat], cards)
    if left is None:
        hand = state.hands[seat]
        card = next(card for card in cards if cards.count(card) > hand.count(card))
        reason = "is named more often than it is held" if card in hand else "is not in the hand"
        raise IllegalAction(f"{TEXTS[card]} {reason}.", seat)
    return left


def meld_of(state: Zones, cards: Cards, rules: MeldRules) -> TableMeld:
    """What *cards* are when the seat on turn lays them down. Raises `IllegalAction`."""
    meld = tabled(cards, state.turn, rules)
    if meld is None:
        raise IllegalAction(f"{cards_text(cards)} is neither a set nor a run in this game.", state.turn)
    return meld


def grown_by(state: Zones, lay_off: LayOff, rules: MeldRules) -> TableMeld:
    """The meld that *lay_off* names with its cards added by the seat on turn. Raises `IllegalAction` (COM-6, COM-7)."""
    number = lay_off.meld
    if type(number) is not int or not 0 <= number < len(state.melds):
        raise IllegalAction(
            f"A lay-off names one of the {len(state.melds)} melds on the table by its number, from 0.", state.turn
        )
    meld = after_lay_off(state.melds[number], lay_off, state.turn, rules)
    if meld is None:
        text, target = cards_text(lay_off.cards), cards_text(state.melds[number].cards)
        raise IllegalAction(f"{text} does not go on {target} like that (COM-6).", state.turn)
    return meld
