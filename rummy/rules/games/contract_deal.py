"""A deal of Contract rummy: laying the contract, laying off, buying, and how a stock that has run out is renewed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rummy.errors import IllegalAction
from rummy.rules.actions import Action, Card, Cards, EndMelds, LayOff, Meld, Seat
from rummy.rules.game import DealTerms, Event, EventKind, Phase, TableMeld
from rummy.rules.games.contract_lay import RULES, exactly, least_cards, some
from rummy.rules.games.zones import (
    Zones,
    add_on,
    can_end,
    clockwise,
    draw_stock,
    held,
    lay_down,
    leads_on,
    may_throw,
    meld_of,
    shuffle_pile,
    still_forbidden,
    table_after,
    take,
)
from rummy.rules.tabling import JOKER, ends_for, melds_in, single_lay_offs, tabled, without

VALUES: Final = (15, *range(2, 11), 10, 10, 10)  # CON-7: by rank.
JOKER_VALUE: Final = 15
END: Final = EndMelds()


class ContractState(Zones):
    """One deal for which *sets* and *runs* are asked; with *whole* the whole hand goes down at once (CON-6)."""

    __slots__ = ("bought", "runs", "sets", "to_ask", "whole")

    def __init__(
        self,
        terms: DealTerms,
        zones: tuple[list[Cards], list[Card], list[Card]],
        contract: tuple[int, int],
        *,
        whole: bool,
    ) -> None:
        super().__init__(terms, *zones)
        self.sets, self.runs = contract
        self.whole = whole
        self.bought = [0] * terms.seats
        self.to_ask: tuple[Seat, ...] = ()  # Seats that may still buy the upcard.


# ---- the contract


def missing(state: ContractState) -> tuple[int, int]:
    """The sets and runs that the seat on turn has not laid: a seat's own melds are those of its contract (CON-5)."""
    own = [meld.run for meld in state.melds if meld.seat == state.turn]
    return state.sets - own.count(False), state.runs - own.count(True)


def is_laying(state: ContractState) -> bool:
    """Whether the seat on turn has begun to lay its contract, and has to go on."""
    return missing(state) != (0, 0) and any(meld.seat == state.turn for meld in state.melds)


def completion(
    state: ContractState, left: Cards, need: tuple[int, int], forbidden: Card | None, table: Sequence[TableMeld]
) -> tuple[Cards, ...] | None:
    """Melds of *left* that complete the contract and let the turn be ended, or None; *need* is what they have to be."""
    if state.whole:
        return exactly(left, *need)
    rest = len(left) - least_cards(*need)
    if rest != 1 or forbidden is None or left.count(forbidden) != 1:
        return some(left, *need)
    # One card will be left: another one than that which may not be thrown, or that one, where it can be laid off. If
    # melds can take all cards, one of them is longer than it need be, and has another one to spare.
    for card in dict.fromkeys(left):
        if card != forbidden and (found := some(without(left, (card,)) or (), *need)) is not None:
            return found
    on_table = any(True in ends_for(meld, forbidden, RULES) for meld in table)
    return some(without(left, (forbidden,)) or (), *need) if on_table else None


def _goes_on(state: ContractState, meld: TableMeld, cards: Cards, left: Cards) -> bool:
    """Whether the contract can be completed, and then the turn be ended, once *meld* is laid."""
    sets, runs = missing(state)
    need = (sets - (not meld.run), runs - meld.run)
    forbidden = still_forbidden(state, cards)
    if need == (0, 0):
        return not left if state.whole else can_end(left, [*state.melds, meld], forbidden, RULES)
    return completion(state, left, need, forbidden, [*state.melds, meld]) is not None


def plays(state: ContractState) -> list[Action]:
    """Before the contract the melds that it may consist of; after it the lay-offs of one card; and the end."""
    hand = state.hands[state.turn]
    if missing(state) == (0, 0):
        laid = [each for each in single_lay_offs(hand, state.melds, RULES) if leads_on(state, each, RULES)]
        return [*laid, END] if may_throw(hand, state.forbidden) else [*laid]
    melds = _contract_melds(state, hand)
    return [*melds] if is_laying(state) else [*melds, END]


def _contract_melds(state: ContractState, hand: Cards) -> list[Meld]:
    found = completion(state, hand, missing(state), state.forbidden, state.melds)
    if found is None:
        return []
    melds = dict.fromkeys(melds_in(hand, RULES))
    melds.update(dict.fromkeys(found))  # Some may have a joker where its card is held.
    return [Meld(cards) for cards in melds if _is_part(state, hand, cards)]


def _is_part(state: ContractState, hand: Cards, cards: Cards) -> bool:
    meld, left, need = tabled(cards, state.turn, RULES), without(hand, cards), missing(state)
    return meld is not None and left is not None and need[meld.run] > 0 and _goes_on(state, meld, cards, left)


def meld(state: ContractState, cards: Cards) -> None:
    """Tables *cards* as a part of the contract. Raises `IllegalAction` before anything has changed."""
    seat = state.turn
    left = held(state, cards)
    new = meld_of(state, cards, RULES)
    need = missing(state)
    if need == (0, 0):
        raise IllegalAction("The contract is laid; now cards are laid off, and no meld is added (CON-5).", seat)
    if not need[new.run]:
        raise IllegalAction(f"The contract has no more {'runs' if new.run else 'sets'} (CON-4.2).", seat)
    if not _goes_on(state, new, cards, left):
        raise IllegalAction(_WHOLE if state.whole else _AT_ONCE, seat)
    lay_down(state, new, cards, left)


def lay_off(state: ContractState, action: LayOff) -> None:
    """Adds cards to a meld on the table. Raises `IllegalAction` before anything has changed."""
    seat = state.turn
    left = held(state, action.cards)
    if missing(state) != (0, 0):
        raise IllegalAction("A seat lays off only once its whole contract is on the table (CON-4.2).", seat)
    table = table_after(state, action, RULES)
    if not can_end(left, table, still_forbidden(state, action.cards), RULES):
        raise IllegalAction("The card taken would be left, and may not be thrown in this turn (CON-8).", seat)
    add_on(state, table[action.meld], action, left)


_AT_ONCE: Final = "The contract is laid in one go, and with that meld the hand could not complete it (CON-4.2)."
_WHOLE: Final = "In this deal all the cards go down at once as the contract, and with that meld they could not (CON-6)."


# ---- stock and pile


def may_shuffle(state: ContractState) -> bool:
    """Whether the pile below its top may become the stock, which happens once (CON-7)."""
    return state.renewal is None and len(state.pile) > 1


def draw(state: ContractState, *, most_buys: int) -> None:
    """Draws for the seat on turn, which refuses the upcard; then the others are asked to buy it (CON-3)."""
    if not state.stock:
        shuffle_pile(state, keep=1)
    draw_stock(state, state.turn)
    others = clockwise(state.terms, state.turn)[1:]
    state.to_ask = tuple([seat for seat in others if state.bought[seat] < most_buys]) if state.stock else ()
    state.phase = Phase.OFFER if state.to_ask else Phase.PLAY


def buy(state: ContractState) -> None:
    """Gives the upcard, and a card of the stock as its price, to the seat that is asked."""
    seat = state.to_ask[0]
    take(state, seat, 1)
    draw_stock(state, seat)
    state.bought[seat] += 1
    state.to_ask = ()
    state.phase = Phase.PLAY


def decline(state: ContractState) -> None:
    """Passes the offer on to the next seat, or back to the turn."""
    state.events.append(Event(EventKind.PASS, state.to_ask[0]))
    state.to_ask = state.to_ask[1:]
    if not state.to_ask:
        state.phase = Phase.PLAY


def hand_points(cards: Iterable[Card]) -> int:
    """What *cards* count against a hand (CON-7)."""
    return sum([VALUES[card % 13] if card < JOKER else JOKER_VALUE for card in cards])
