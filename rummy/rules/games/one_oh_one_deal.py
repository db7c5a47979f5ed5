"""A deal of 101: its state, what the break demands of a turn, and how hands are laid open and counted."""

from __future__ import annotations

from collections.abc import Sequence

from rummy.errors import IllegalAction
from rummy.rules.actions import Action, Card, Cards, EndMelds, Meld, Seat
from rummy.rules.cards import BIT, cards_of, mask
from rummy.rules.deadwood import best_melds, deadwood, in_meld, melds_in, points
from rummy.rules.game import DealResult, DealTerms, Event, EventKind, Phase, TableMeld
from rummy.rules.melds import extended, single_lay_offs, tabled
from rummy.rules.show import Arrangement, best_show

_END = EndMelds()


class OneOhOneState:
    """One deal of 101. A hand, and what is known of it, is a mask; the next stock card is the last of its list."""

    __slots__ = (
        "break_turn",
        "breaker",
        "events",
        "forbidden",
        "hands",
        "knocker",
        "known",
        "melds",
        "owed",
        "phase",
        "pile",
        "result",
        "stock",
        "terms",
        "to_show",
        "turn",
        "turns",
    )

    def __init__(self, terms: DealTerms, hands: list[int], stock: list[Card]) -> None:
        self.terms = terms
        self.hands = hands
        self.stock = stock
        self.pile: list[Card] = []
        self.known = [0] * terms.seats  # Taken from the pile and not seen since (COM-12).
        self.melds: list[TableMeld] = []
        self.phase = Phase.START
        self.turn = terms.starter
        self.turns = 0
        self.forbidden: Card | None = None
        self.owed: Card | None = None
        self.breaker: Seat | None = None
        self.break_turn = -1  # The number of the turn in which the breaker drew.
        self.knocker: Seat | None = None
        self.to_show: list[Seat] = []
        self.result: DealResult | None = None
        self.events = [Event(EventKind.DEAL, terms.starter)]

    def copy(self) -> OneOhOneState:
        """An independent copy. Its events begin anew, so that copying is as cheap late in a match as early."""
        new = OneOhOneState.__new__(OneOhOneState)
        for name in OneOhOneState.__slots__:
            value = [] if name == "events" else getattr(self, name)
            setattr(new, name, value.copy() if isinstance(value, list) else value)
        return new


def clockwise(state: OneOhOneState) -> list[Seat]:
    """The seats of the deal from the one whose turn it is."""
    at = state.terms.active.index(state.turn)
    return [*state.terms.active[at:], *state.terms.active[:at]]


def why_not_take(state: OneOhOneState) -> str | None:
    """Why the top of the pile may not be taken, or None where it may."""
    if not state.pile:
        return "The discard pile is empty: draw from the stock (101-4.2)."
    top = state.pile[-1]
    broken = len(state.stock) <= len(state.terms.active)  # 101-9.1
    if broken and not in_meld(state.hands[state.turn] | BIT[top], top):
        return "Since the break a discard may be taken only into a meld with cards of the hand (101-9.2)."
    return None


def plays(state: OneOhOneState) -> list[Action]:
    """Every meld of the hand, every lay-off of one card, and the end where nothing is left to do."""
    held = state.hands[state.turn]
    own = melds_in(held)
    actions: list[Action] = [Meld(cards) for laid, cards in own if keeps_duty(state, held & ~laid)]
    if not _breaking(state):
        for lay_off in single_lay_offs(held, state.melds):
            card = lay_off.cards[0]
            if card != state.owed and keeps_duty(state, held ^ BIT[card]):
                actions.append(lay_off)
    return actions if own else [*actions, _END]


def default_play(state: OneOhOneState) -> Action:
    """What is tabled for a seat that does not answer: an owed meld first, else the best ones, else nothing (COM-14)."""
    if state.owed is not None:
        return next(play for play in plays(state) if isinstance(play, Meld) and state.owed in play.cards)
    _, best = best_melds(state.hands[state.turn])
    return Meld(best[0]) if best else _END


def end_melds(state: OneOhOneState) -> None:
    """Ends the melds of a turn. Raises `IllegalAction` while one is left in the hand."""
    if melds_in(state.hands[state.turn]):  # An owed card always lies on one.
        raise IllegalAction("A meld is left in the hand, and all must be tabled (101-9.3, 9.5).", state.turn)
    state.phase = Phase.DISCARD


def _breaking(state: OneOhOneState) -> bool:
    """Whether this is the turn that broke the stock: its seat tables melds, and lays nothing off (101-9.3)."""
    return state.turns == state.break_turn


def may_lay_off(state: OneOhOneState, cards: Cards) -> None:
    """Raises `IllegalAction` where these cards may not be laid off in this turn."""
    if _breaking(state):
        raise IllegalAction(
            "The breaker only tables melds in this turn; lay-offs begin after it (101-9.3).", state.turn
        )
    if state.owed is not None and state.owed in cards:
        raise IllegalAction("The card taken from the pile goes into a meld, not into a lay-off (101-9.3).", state.turn)


def keeps_duty(state: OneOhOneState, left: int) -> bool:
    """Whether the card taken from the pile is melded, or can still be with what would be left (COM-9)."""
    owed = state.owed
    return owed is None or not left >> owed & 1 or in_meld(left, owed)


def is_possible(state: OneOhOneState) -> bool:
    """Whether the hands can be what the break has left in them: who has played since holds no meld (101-9.3, 9.5)."""
    if state.breaker is None:
        return True
    turn, active = state.turn, state.terms.active
    at = active.index(state.breaker)
    played = [*active[at:], *active[:at]][: state.turns - state.break_turn]
    if state.phase is Phase.DISCARD:
        played.append(turn)
    elif state.phase is Phase.PLAY:
        held, owed = state.hands[turn], state.owed
        if owed is not None and not in_meld(held, owed):
            return False
        if turn in played:
            played.remove(turn)
            drawn = cards_of(held) if owed is None else (owed,)
            if not (_is_loose(held) or any(_is_loose(held ^ BIT[card]) for card in drawn)):
                return False
    return all(_is_loose(state.hands[seat]) for seat in played)


def _is_loose(held: int) -> bool:
    """Whether there is no meld in the mask."""
    return deadwood(held) == points(held)


def open_melds(state: OneOhOneState) -> Sequence[TableMeld]:
    """The melds that a showing seat may lay off on: the knocker's, unless he has gone rummy (101-6.7, 6.8)."""
    knocker = state.knocker
    if knocker is None or not state.hands[knocker]:
        return ()
    return [meld for meld in state.melds if meld.seat == knocker]  # The first on the table, so their numbers hold.


def lay_down(state: OneOhOneState, seat: Seat, laid_out: Arrangement) -> None:
    """Moves cards from the hand of *seat* to the table."""
    for lay_off in laid_out.lay_offs:
        for card in lay_off.cards:
            state.melds[lay_off.meld] = extended(state.melds[lay_off.meld], card, seat)
    state.melds += [tabled(cards, seat) for cards in laid_out.melds]
    state.hands[seat] = mask(laid_out.rest)
    state.known[seat] &= state.hands[seat]


def show_hand(state: OneOhOneState, seat: Seat, laid_out: Arrangement) -> None:
    """Lays a hand open: what is left of it is known to everybody from now on."""
    state.events.append(Event(EventKind.SHOW, seat, laid_out.rest, laid_out.melds, laid_out.lay_offs))
    lay_down(state, seat, laid_out)
    state.known[seat] = state.hands[seat]


def count_hands(state: OneOhOneState, reason: str) -> None:
    """Ends the deal without a knock: all that is unmelded counts, without lay-offs (101-9.8, 9.10)."""
    for seat in clockwise(state):
        show_hand(state, seat, best_show(state.hands[seat]))
    finish(state, {seat: points(state.hands[seat]) for seat in state.terms.active}, reason)


def finish(state: OneOhOneState, counts: dict[Seat, int], reason: str, out: tuple[Seat, ...] = ()) -> None:
    """Ends the deal with these counts."""
    staying = {seat: count for seat, count in counts.items() if seat not in out}
    lowest = [seat for seat, count in staying.items() if count == min(staying.values())]
    points_by_seat = tuple([counts.get(seat, 0) for seat in range(state.terms.seats)])
    state.result = DealResult(points_by_seat, reason, lowest[0] if len(lowest) == 1 else None, out)
