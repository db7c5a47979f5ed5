"""A deal of Club: its state, which cards of the pile may be taken, what may be tabled, and how a turn goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rummy.errors import IllegalAction
from rummy.rules.actions import Action, Card, Cards, EndMelds, LayOff, Meld, Seat
from rummy.rules.arranging import Arranger, arranger
from rummy.rules.cards import TEXTS
from rummy.rules.game import DealTerms, Phase, TableMeld
from rummy.rules.games import zones
from rummy.rules.games.club_score import CHEAPEST, IN_HAND
from rummy.rules.games.gathered import Gathered
from rummy.rules.games.zones import Zones, add_on, grown_by, held, lay_down, meld_of, shuffle_pile, take
from rummy.rules.tabling import ACES, MeldRules, ends_for, minimal_melds, single_lay_offs

MELDS: Final = {ace: MeldRules(ace=ace, distinct_suits=False, most_set=108) for ace in ACES}  # CLB-1.2, 2.1, 2.2
LIMIT: Final = 25  # CLB-7.2
_END = EndMelds()


class ClubState(Zones):
    """One deal of Club. Nothing is ever `forbidden`: a card taken from the pile is melded (CLB-4.2)."""

    __slots__ = ("had_laid", "idle")

    def __init__(self, terms: DealTerms, hands: list[Cards], stock: list[Card], pile: list[Card]) -> None:
        super().__init__(terms, hands, stock, pile)
        self.had_laid = False  # Whether the seat on turn had cards on the table when its turn began (CLB-8.7).
        self.idle = 0  # Turns in a row that found nothing to draw (CLB-4.7).


# ---- the turn


def begin_turn(state: ClubState, seat: Seat) -> None:
    """Opens the turn of *seat*, which is without a draw where there is nothing to draw (CLB-4.7)."""
    state.turn = seat
    state.owed = None
    state.had_laid = any(seat in meld.placers for meld in state.melds)
    state.phase = Phase.START
    if not state.stock and not state.pile:
        state.idle += 1
        state.phase = after_draw(state)


def after_draw(state: ClubState) -> Phase:
    """What is asked after the draw, and after each meld: nobody without a card melds, or discards (CLB-6.1)."""
    return Phase.PLAY if state.hands[state.turn] else Phase.GO_OUT


def out_limit(state: ClubState) -> int:
    """The most points of cards with which this turn may end by going out; -1 where it may not at all (CLB-7)."""
    players = len(state.terms.active)
    turns = state.turns + 1  # This one counts, once its discard is made (CLB-7.1).
    if turns < players:
        return -1
    return 0 if players >= 5 and turns < 2 * players else LIMIT  # CLB-7.3


def is_asked(state: ClubState) -> bool:
    """Whether going out is asked for: what everybody sees must not rule it out.

    The cards of the hand themselves do not matter here, else the question would tell the others what they count.
    """
    return len(state.hands[state.turn]) * CHEAPEST <= out_limit(state)


# ---- the draw


def draw_stock(state: ClubState) -> None:
    """Draws the next stock card, from the pile shuffled anew where the stock has none (CLB-4.6)."""
    if not state.stock:
        shuffle_pile(state, 0)
    zones.draw_stock(state, state.turn)
    state.idle = 0
    state.phase = Phase.PLAY


def may_lay_off(state: ClubState, target: TableMeld, *, shared: bool) -> bool:
    """Whether the seat may add to *target*: its own melds, or all that lie on the table (CLB-5.2, 9.3)."""
    return shared or target.seat == state.turn


def takes(state: ClubState, ace: str, *, partial: bool, shared: bool) -> Iterator[int]:
    """How many cards may be taken from the pile: the deepest must then be melded at once (CLB-4.1 to 4.4)."""
    gathered = Gathered(state.hands[state.turn], MELDS[ace])
    open_to = [meld for meld in state.melds if partial and may_lay_off(state, meld, shared=shared)]
    for count, card in enumerate(reversed(state.pile), 1):
        gathered.add(card)
        if gathered.melds(card) or any(any(ends_for(meld, card, MELDS[ace])) for meld in open_to):
            yield count


def draw_pile(state: ClubState, count: int) -> None:
    """Takes the top *count* cards of the pile, which may be taken."""
    state.owed = take(state, state.turn, count)[0]
    state.idle = 0
    state.phase = Phase.PLAY


# ---- melds


def plays(state: ClubState, ace: str, *, partial: bool, shared: bool) -> list[Action]:
    """The smallest melds of the hand, the lay-offs of one card, and the end; what is owed comes first (CLB-4.4)."""
    hand, owed = state.hands[state.turn], state.owed
    melds = [Meld(cards) for cards in minimal_melds(hand, MELDS[ace])]
    laid = hand if owed is None else (owed,) if partial else ()
    lay_offs = [
        each
        for each in single_lay_offs(laid, state.melds, MELDS[ace])
        if may_lay_off(state, state.melds[each.meld], shared=shared)
    ]
    if owed is None:
        return [*melds, *lay_offs, _END]
    return [*[meld for meld in melds if owed in meld.cards], *lay_offs]


def meld(state: ClubState, cards: Cards, ace: str) -> None:
    """Tables *cards* as one meld. Raises `IllegalAction` before anything has changed."""
    left = held(state, cards)
    new = meld_of(state, cards, MELDS[ace])
    if state.owed is not None and state.owed not in cards:
        raise IllegalAction(_owes(state.owed), state.turn)
    lay_down(state, new, cards, left)
    state.phase = after_draw(state)


def lay_off(state: ClubState, action: LayOff, ace: str, *, partial: bool, shared: bool) -> None:
    """Adds cards to a meld on the table. Raises `IllegalAction` before anything has changed."""
    left = held(state, action.cards)
    grown = grown_by(state, action, MELDS[ace])
    if not may_lay_off(state, grown, shared=shared):
        raise IllegalAction("Cards may be added to one's own melds only (CLB-5.2).", state.turn)
    if state.owed is not None and not (partial and state.owed in action.cards):
        raise IllegalAction(_owes(state.owed), state.turn)
    add_on(state, grown, action, left)
    state.phase = after_draw(state)


def _owes(card: Card) -> str:
    return f"The {TEXTS[card]} taken from the pile is melded first (CLB-4.2 to 4.4)."


def arranger_of(ace: str, *, double: bool) -> Arranger:
    """What arranges hands at their fewest unmelded points, with the clubs worth double or not."""
    return arranger(MELDS[ace], IN_HAND[False][:13], (2 if double else 1, 1, 1, 1))
