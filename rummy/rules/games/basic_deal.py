"""A deal of Basic rummy: its state, what may be tabled without leading into a dead end, and how a deal ends.

A turn can be ended by a discard or by having no card left, and every rule that forbids one of them is looked ahead for
here (COM-9): a first turn goes on to the next seat with a card in hand, a last card may have to be a discard, and the
card taken from the pile stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rummy.errors import IllegalAction
from rummy.rules.actions import Action, Card, Cards, EndMelds, LayOff, Meld, Seat
from rummy.rules.cards import TEXTS
from rummy.rules.game import DealResult, DealTerms, TableMeld
from rummy.rules.games.gathered import Gathered, melds_with
from rummy.rules.games.zones import (
    Zones,
    add_on,
    clockwise,
    grown_by,
    held,
    lay_down,
    may_discard,
    meld_of,
    replaced,
    still_forbidden,
    table_after,
    turn_pile,
)
from rummy.rules.tabling import JOKER, MeldRules, ends_for, melds_in, single_lay_offs, with_cards, without

END: Final = EndMelds()


@dataclass(frozen=True, slots=True)
class Terms:
    """What the options of the game say about the play of a deal."""

    melds: MeldRules
    own_meld_first: bool
    must_discard_out: bool
    min_turns: int
    turnovers: int
    most_turns: int


class BasicState(Zones):
    """One deal. Whose turn it is, or who is asked to claim, is `turn`; who has won is `closer`."""

    __slots__ = ("had_laid", "laid_off", "renewing", "to_ask")

    def __init__(self, terms: DealTerms, hands: list[Cards], stock: list[Card], pile: list[Card]) -> None:
        super().__init__(terms, hands, stock, pile)
        self.had_laid = False  # Whether the seat on turn had cards on the table when its turn began (BAS-8.1).
        self.laid_off = False  # In this turn.
        self.renewing = False  # Whether the pile was turned over in this turn, which has not drawn yet.
        self.to_ask: tuple[Seat, ...] = ()  # Seats that may claim the discard, the one asked now first (BAS-10.6).


def turnovers(state: BasicState) -> int:
    """How many times the pile has been turned over."""
    return 0 if state.renewal is None else state.renewal.number


def discarder(state: BasicState) -> Seat:
    """The seat that has ended the last turn: every seat has its turns, even where it is passed over."""
    order = clockwise(state.terms, state.terms.starter)
    return order[(state.turns - 1) % len(order)]


def has_opened(state: BasicState) -> bool:
    """Whether the seat on turn, or asked, has tabled a meld of its own (BAS-5.2)."""
    return any(meld.seat == state.turn for meld in state.melds)


# ---- the ends of a turn


def may_go_out(state: BasicState, terms: Terms) -> bool:
    """Whether the turn in play may end the deal (BAS-7.3)."""
    return state.turns // len(state.terms.active) + 1 >= terms.min_turns


def may_throw(state: BasicState, hand: Cards, terms: Terms, gone: Cards = ()) -> bool:
    """Whether a turn can end with a discard from *hand*, once *gone* are on the table."""
    least = 1 if may_go_out(state, terms) else 2
    forbidden = still_forbidden(state, gone)
    return len(hand) >= least and any(may_discard(hand, card, forbidden) for card in {hand[0], hand[-1]})


def can_end(state: BasicState, hand: Cards, gone: Cards, table: Sequence[TableMeld], terms: Terms) -> bool:
    """Whether the turn can still be ended with *hand* left, once *gone* are on the *table*, and nothing is owed."""
    if may_throw(state, hand, terms, gone):
        return True
    if terms.must_discard_out or not may_go_out(state, terms):  # BAS-7.2, 7.3
        return False
    # What is left is nothing, or the card that must stay, which a meld can still take: one of the seat's own is there.
    return not hand or any(True in ends(meld, hand[0], terms) for meld in table)


def ends(meld: TableMeld, card: Card, terms: Terms) -> tuple[bool, bool]:
    """Whether *meld* takes *card* at its low and its high end."""
    return ends_for(meld, card, terms.melds)


# ---- what may be tabled


def meld(state: BasicState, cards: Cards, terms: Terms) -> None:
    """Tables *cards* as one meld. Raises `IllegalAction` before anything has changed."""
    left = held(state, cards)
    new = meld_of(state, cards, terms.melds)
    if state.owed is not None and state.owed not in cards:
        raise IllegalAction(_owes(state.owed), state.turn)
    if not can_end(state, left, cards, [*state.melds, new], terms):
        raise IllegalAction(_stuck(state, terms), state.turn)
    lay_down(state, new, cards, left)


def lay_off(state: BasicState, action: LayOff, terms: Terms) -> None:
    """Adds cards to a meld on the table. Raises `IllegalAction` before anything has changed."""
    seat = state.turn
    left = held(state, action.cards)
    new = grown(state, action, terms)
    if state.owed is not None and action.cards[0] != state.owed:
        raise IllegalAction(_owes(state.owed), seat)
    if not can_end(state, left, action.cards, replaced(state.melds, action.meld, new), terms):
        raise IllegalAction(_stuck(state, terms), seat)
    add_on(state, new, action, left)
    state.laid_off = True


def grown(state: BasicState, lay_off: LayOff, terms: Terms) -> TableMeld:
    """The meld that *lay_off* names with its cards added by the seat that is asked. Raises `IllegalAction`."""
    if terms.own_meld_first and not has_opened(state):
        raise IllegalAction("A seat lays off only once it has a meld of its own on the table (BAS-5.2).", state.turn)
    return grown_by(state, lay_off, terms.melds)


def _owes(card: Card) -> str:
    return f"{TEXTS[card]} was taken from the pile and is to be played first (BAS-10.2)."


def _stuck(state: BasicState, terms: Terms) -> str:
    if not may_go_out(state, terms):
        return "Nobody goes out in this turn yet: keep a card to throw and one more (BAS-7.3)."
    if terms.must_discard_out:
        return "The last card must be a discard: keep one that may be thrown (BAS-7.2)."
    return "The card taken from the pile may not be thrown, and nothing would be left to do with it (BAS-6.1)."


def plays(state: BasicState, terms: Terms) -> list[Action]:
    """Every meld of the hand, every lay-off of one card, and the end where the turn can go on to its discard."""
    hand, owed = state.hands[state.turn], state.owed
    own = melds_in(hand, terms.melds) if owed is None else melds_with(hand, owed, terms.melds)
    actions: list[Meld | LayOff] = [Meld(cards) for cards in own]
    if not terms.own_meld_first or has_opened(state):
        actions += single_lay_offs(hand if owed is None else (owed,), state.melds, terms.melds)
    actions = [action for action in actions if _leads_on(state, action, terms)]
    return [*actions, END] if owed is None and may_throw(state, hand, terms) else [*actions]


def _leads_on(state: BasicState, action: Meld | LayOff, terms: Terms) -> bool:
    """Whether the turn can still be ended after *action*, which is a meld of the hand, or a lay-off that fits."""
    if len(state.hands[state.turn]) > len(action.cards) + 1:
        return True  # Of two cards, alike or not, one may be thrown.
    table = table_after(state, action, terms.melds)
    return can_end(state, held(state, action.cards), action.cards, table, terms)


# ---- the pile


def takes(state: BasicState, terms: Terms, *, spread: bool) -> list[int]:
    """How many cards may be taken from the pile."""
    size = len(state.hands[state.turn])
    gathered = Gathered(state.hands[state.turn], terms.melds)
    counts = []
    for count, card in enumerate(reversed(state.pile if spread else state.pile[-1:]), 1):
        gathered.add(card)
        # Beside a meld of three, two cards are left: one of them may be thrown.
        at_once = card < JOKER and size + count > terms.melds.least_run + 1 and gathered.melds(card)
        if at_once or why_not_take(state, count, terms, spread=spread) is None:
            counts.append(count)
    return counts


def why_not_take(state: BasicState, count: int, terms: Terms, *, spread: bool) -> str | None:
    """Why *count* cards may not be taken from the pile, or None where they may."""
    if type(count) is not int or not 1 <= count <= len(state.pile):
        return f"The pile has {len(state.pile)} cards; take from 1 to so many." if spread else _TOP
    if count == 1:
        return None  # BAS-10.2: the top card alone brings no duty; and a card to throw is always in the hand.
    if not spread:
        return _TOP
    deepest = state.pile[-count]
    if not _is_playable(state, with_cards(state.hands[state.turn], state.pile[-count:]), deepest, terms):
        return f"{TEXTS[deepest]} would have to be played at once, and cannot be (BAS-10.2)."
    return None


_TOP: Final = "Only the top card of the pile may be taken (BAS-3.1), and only where there is one."


def _is_playable(state: BasicState, hand: Cards, card: Card, terms: Terms) -> bool:
    """Whether *card* of *hand* can be melded, or laid off by itself, in such a way that the turn can be ended."""
    if (not terms.own_meld_first or has_opened(state)) and any(True in ends(meld, card, terms) for meld in state.melds):
        return True  # More than one card is left, and any of them may be thrown.
    for cards in melds_with(hand, card, terms.melds):
        left = without(hand, cards)
        if left is not None and can_end(state, left, cards, (), terms):
            return True
    return False


def turn_over(state: BasicState) -> None:
    """Turns the pile over, unshuffled: its lowest card is the upcard, the next ones are drawn in order (BAS-6.2)."""
    turn_pile(state)
    state.renewing = True


# ---- claims (BAS-10.6)


def claims(state: BasicState, terms: Terms) -> list[LayOff]:
    """The ways in which a seat may lay off the discard, if it may lay off at all."""
    return single_lay_offs(tuple(state.pile[-1:]), state.melds, terms.melds)


def claimants(state: BasicState, terms: Terms) -> tuple[Seat, ...]:
    """The seats that may claim the card just thrown by the seat on turn, in the order in which they are asked."""
    if not claims(state, terms):
        return ()
    opened = {meld.seat for meld in state.melds} if terms.own_meld_first else state.terms.active
    return tuple([seat for seat in clockwise(state.terms, state.turn)[1:] if seat in opened])


# ---- the end of a deal


def is_exhausted(state: BasicState, terms: Terms) -> bool:
    """Whether the stock has run out and may not be renewed (BAS-6.5, 10.4)."""
    return not state.stock and turnovers(state) >= terms.turnovers


def settle(state: BasicState, values: Sequence[int], reason: str) -> None:
    """Ends the deal without a winner: each seat loses the points of its hand (BAS-10.4)."""
    state.result = DealResult(tuple([-points(hand, values) for hand in state.hands]), reason)


def points(hand: Cards, values: Sequence[int]) -> int:
    """What *hand* counts, whether it would form melds or not (BAS-9.1); jokers nothing (BAS-10.1)."""
    return sum([values[card % 13] for card in hand if card < JOKER])
