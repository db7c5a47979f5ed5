"""Basic rummy with its variations, for two to six seats. Rulebook: docs/rulebook/basic.md; its clauses are cited here.

A turn goes START, PLAY until the melds are ended, DISCARD; PLAY is asked in every turn, so that nobody learns from the
phase whether a hand holds a meld. Turning the pile over leaves the turn at START. Where discards may be claimed, the
seats that may are asked with OFFER before the next turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rummy.errors import BadOptions, IllegalAction
from rummy.rules import options
from rummy.rules.actions import (
    Action,
    Card,
    Cards,
    Discard,
    DrawPile,
    DrawStock,
    EndMelds,
    LayOff,
    Meld,
    Pass,
    Seat,
    TurnOver,
)
from rummy.rules.arranging import Arranger, arranger
from rummy.rules.cards import PACK
from rummy.rules.game import (
    DealResult,
    DealTerms,
    Decision,
    Event,
    EventKind,
    GameSpec,
    MatchResult,
    Phase,
    View,
)
from rummy.rules.games.basic_deal import (
    END,
    BasicState,
    Terms,
    claimants,
    claims,
    discarder,
    grown,
    is_exhausted,
    lay_off,
    may_throw,
    meld,
    plays,
    points,
    settle,
    takes,
    turn_over,
    why_not_take,
)
from rummy.rules.games.gathered import default_discard, discards
from rummy.rules.games.totals import Totals
from rummy.rules.games.zones import (
    add_on,
    clockwise,
    dealt,
    draw_stock,
    take,
    taken_up,
    terms_of,
    throw,
    view_of,
)
from rummy.rules.tabling import ACES, JOKER, MeldRules

PILES: Final = ("squared", "spread")
_DRAW_STOCK, _TURN_OVER, _PASS = DrawStock(), TurnOver(), Pass()
_DRAW_PILE: Final = tuple(
    [DrawPile(count) for count in range(1, 108)]
)  # As many as two packs and jokers can bring into a pile.
_DECISIONS: Final = {phase: tuple([Decision(seat, phase) for seat in range(6)]) for phase in Phase}
_MOST_JOKERS: Final = 4


@dataclass(frozen=True, slots=True)
class Basic:
    """Basic rummy. Rulebook: docs/rulebook/basic.md; the options are in its table. Raises `BadOptions`."""

    spec: ClassVar[GameSpec] = GameSpec("basic", "Basic rummy", 2, 6, rules_version=1)
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "block": {"block": True},  # BAS-10.4
        "round_the_corner": {"ace": "corner", "ace_value": 15},  # BAS-10.5
        "spread_pile": {"pile": "spread"},  # BAS-10.2
        "ten_card": {"cards": (10, 10, 10, 6, 6)},  # BAS-2.2
    }

    cards: tuple[int, ...] = (10, 7, 7, 6, 6)  # BAS-2.2: for two seats, three and so on.
    packs: int = 1  # BAS-4.4
    jokers: int = 0  # BAS-10.1
    ace: str = "corner"  # BAS-4.3
    distinct_suits: bool = False  # BAS-4.4: in a set of two packs.
    pile: str = "squared"  # BAS-10.2
    own_meld_first: bool = False  # BAS-5.2
    must_discard_out: bool = False  # BAS-7.2
    min_turns_to_go_out: int = 2  # BAS-7.3
    max_turnovers: int = 2  # BAS-6.5
    block: bool = False  # BAS-10.4
    call_rummy: bool = False  # BAS-10.6
    rummy_layoff_ok: bool = False  # BAS-8.2
    ace_value: int = 1  # BAS-9.2
    going_out_bonus: int = 10  # BAS-9.3
    target: int = 100  # BAS-9.4
    deals: int = 0  # BAS-9.4: so many, whatever the score; 0 plays to the target.
    turn_cap: int = 60  # COM-10: turns a seat in one deal.
    deal_cap: int = 60  # BAS-9.4

    def __post_init__(self) -> None:
        options.whole("packs", self.packs, 1, 2)
        options.whole("jokers", self.jokers, 0, _MOST_JOKERS)
        options.one_of("ace", self.ace, ACES)
        options.one_of("pile", self.pile, PILES)
        for name in ("distinct_suits", "own_meld_first", "must_discard_out", "block", "call_rummy", "rummy_layoff_ok"):
            options.flag(name, getattr(self, name))
        options.whole("min_turns_to_go_out", self.min_turns_to_go_out, 1, 10)
        options.whole("max_turnovers", self.max_turnovers, 0, 10)
        if type(self.ace_value) is not int or self.ace_value not in (1, 11, 15):
            raise BadOptions(f"The option ace_value is 1, 11 or 15, not {options.shown(self.ace_value)}.")
        options.whole("going_out_bonus", self.going_out_bonus, 0, 1000)
        options.whole("target", self.target, 1, 10000)
        options.whole("deals", self.deals, 0, 1000)
        options.whole("turn_cap", self.turn_cap, 1, 100)
        options.whole("deal_cap", self.deal_cap, 1, 1000)
        self._check_together()

    def _check_together(self) -> None:
        """Raises `BadOptions` where options that are fine alone do not go together."""
        if type(self.cards) is not tuple or len(self.cards) != 5:
            raise BadOptions("The option cards is a list of 5 numbers: the cards a seat for 2, 3, 4, 5 and 6 seats.")
        pack = 52 * self.packs + self.jokers
        for seats, count in enumerate(self.cards, 2):
            options.whole(f"cards (for {seats} seats, with so large a pack)", count, 3, min(26, (pack - 2) // seats))
        if self.block and self.max_turnovers != _DEFAULT_TURNOVERS:
            raise BadOptions("With the option block the pile is never turned over: leave max_turnovers out.")
        if self.distinct_suits and self.packs == 1:
            raise BadOptions("In one pack no suit repeats in a set: distinct_suits is for packs 2.")
        if self.deals > self.deal_cap:
            raise BadOptions(f"The option deals asks for more than the {self.deal_cap} that deal_cap allows.")
        if self.deals and self.target != _DEFAULT_TARGET:
            raise BadOptions("A match goes to a target or for a number of deals: give target or deals, not both.")

    # What the options come to.

    def meld_rules(self) -> MeldRules:
        """What is a meld: bots and pages ask with `rummy.rules.tabling`."""
        return _MELDS[self.ace, self.packs == 1 or self.distinct_suits]

    def values(self) -> tuple[int, ...]:
        """What a card counts, by rank (BAS-9.2)."""
        return (self.ace_value, *range(2, 11), 10, 10, 10)

    def arranger(self) -> Arranger:
        """What finds the best arrangement of a hand."""
        return arranger(self.meld_rules(), self.values())

    def _terms(self, state: BasicState) -> Terms:
        most = self.turn_cap * len(state.terms.active)
        turnovers = 0 if self.block else self.max_turnovers
        return Terms(
            self.meld_rules(), self.own_meld_first, self.must_discard_out, self.min_turns_to_go_out, turnovers, most
        )

    # The match.

    def tally(self, seats: int, first: Seat) -> Totals:
        """A match that begins, with *first* as its first dealer (BAS-2.1)."""
        return Totals(seats, first)

    def terms(self, tally: Totals) -> DealTerms:
        """What the next deal needs to know."""
        return tally.terms()

    def score(self, tally: Totals, result: DealResult) -> None:
        """Counts a finished deal."""
        tally.score(result)

    def retire(self, tally: Totals, seat: Seat) -> None:
        """Takes *seat* out of the match by forfeit."""
        tally.retire(seat)

    def outcome(self, tally: Totals, *, ended: bool = False) -> MatchResult | None:
        """How the match ended, or None while it goes on (BAS-9.4)."""
        target, deals = (None, self.deals) if self.deals else (self.target, None)
        return tally.outcome(target=target, deals=deals, cap=self.deal_cap, ended=ended)

    # The deal.

    def deck(self, seats: int) -> Sequence[Card]:
        """The packs, and jokers of both colours in turn (BAS-1.1, 10.1)."""
        return PACK * self.packs + tuple([JOKER + number % 2 for number in range(self.jokers)])

    def deal(self, deck: Sequence[Card], terms: DealTerms) -> BasicState:
        """Cards one at a time from the starter, then the upcard, then the stock (BAS-2.2, 2.3)."""
        count = self.cards[max(len(terms.active), 2) - 2]
        return BasicState(terms, *dealt(deck, terms, count))

    def decision(self, state: BasicState) -> Decision | None:
        """The open question, or None once the deal is over."""
        return None if state.result is not None else _DECISIONS[state.phase][state.turn]

    def result(self, state: BasicState) -> DealResult | None:
        """How the deal ended, or None."""
        return state.result

    def legal_actions(self, state: BasicState) -> Sequence[Action]:
        """Everything but lay-offs of several cards and melds in which a joker stands for a card that is held."""
        if state.result is not None:
            return ()
        terms = self._terms(state)
        if state.phase is Phase.START:
            return self._starts(state, terms)
        if state.phase is Phase.PLAY:
            return plays(state, terms)
        if state.phase is Phase.DISCARD:
            return discards(state)
        return [*claims(state, terms), _PASS]

    def _starts(self, state: BasicState, terms: Terms) -> list[Action]:
        actions: list[Action] = [_DRAW_STOCK] if state.stock else []
        if _may_turn_over(state):
            actions.append(_TURN_OVER)
        return actions + [_DRAW_PILE[count - 1] for count in takes(state, terms, spread=self.pile == "spread")]

    def default_action(self, state: BasicState) -> Action:
        """What is played for a seat that does not answer (COM-14)."""
        if state.phase is Phase.OFFER:
            return _PASS
        if state.phase is Phase.DISCARD:
            return default_discard(state, self.arranger())
        if state.phase is Phase.START:
            return _DRAW_STOCK if state.stock else _TURN_OVER if _may_turn_over(state) else _DRAW_PILE[0]
        terms = self._terms(state)
        if state.owed is None and may_throw(state, state.hands[state.turn], terms):
            return END
        return plays(state, terms)[0]

    def apply(self, state: BasicState, action: Action) -> None:
        """Plays *action*. Raises `IllegalAction` before anything has changed."""
        if state.result is not None:
            raise IllegalAction("The deal is over.", state.turn)
        match state.phase, action:
            case Phase.START, DrawStock():
                self._draw_stock(state)
            case Phase.START, DrawPile(count):
                self._draw_pile(state, count)
            case Phase.START, TurnOver():
                self._turn_over(state)
            case Phase.PLAY, Meld(cards):
                meld(state, cards, self._terms(state))
                self._tabled(state)
            case Phase.PLAY, LayOff():
                lay_off(state, action, self._terms(state))
                self._tabled(state)
            case Phase.PLAY, EndMelds():
                self._end_melds(state)
            case Phase.DISCARD, Discard(card):
                throw(state, card)
                self._end_turn(state, state.turn)
            case Phase.OFFER, LayOff():
                self._claim(state, action)
            case Phase.OFFER, Pass():
                self._pass(state)
            case _:
                raise IllegalAction(_WANTED[state.phase], state.turn)

    def view(self, state: BasicState, seat: Seat | None) -> View:
        """What *seat* may see: the public record, and its own hand (COM-12)."""
        view = view_of(state, self.spec.key, self.decision(state), seat)
        view.had_laid, view.laid_off = state.had_laid, state.laid_off
        view.renewing, view.to_ask = state.renewing, state.to_ask
        return view

    def resume(self, view: View, hands: Sequence[Cards], stock: list[Card]) -> BasicState | None:
        """The deal of *view*, with *hands* and *stock* for what it does not show; None where they cannot have come."""
        state = taken_up(BasicState(terms_of(view), list(hands), stock, []), view)
        state.had_laid, state.laid_off = view.had_laid, view.laid_off
        state.renewing, state.to_ask = view.renewing, view.to_ask
        fits = view.seat == view.turn or self.legal_actions(state)
        return state if fits else None  # A card taken is played, and may not be thrown.

    # The draw.

    def _draw_stock(self, state: BasicState) -> None:
        if not state.stock:
            raise IllegalAction("The stock is empty: turn the pile over, or take its top card (BAS-6.2).", state.turn)
        draw_stock(state, state.turn)
        state.renewing = False
        state.phase = Phase.PLAY

    def _draw_pile(self, state: BasicState, count: int) -> None:
        seat = state.turn
        reason = why_not_take(state, count, self._terms(state), spread=self.pile == "spread")
        if reason is not None:
            raise IllegalAction(reason, seat)
        cards = take(state, seat, count)
        if count == 1:
            state.forbidden = cards[0]  # BAS-6.1
        else:
            state.owed = cards[0]  # BAS-10.2
        state.renewing = False
        state.phase = Phase.PLAY

    def _turn_over(self, state: BasicState) -> None:
        if state.stock:
            raise IllegalAction("The pile is turned over once the stock is empty, not before (BAS-6.2).", state.turn)
        if not _may_turn_over(state):
            raise IllegalAction("The pile may not be turned over again: take its top card (BAS-6.4).", state.turn)
        turn_over(state)

    # The melds.

    def _tabled(self, state: BasicState) -> None:
        if not state.hands[state.turn]:
            self._go_out(state, state.turn)  # BAS-7.1

    def _end_melds(self, state: BasicState) -> None:
        seat, hand = state.turn, state.hands[state.turn]
        if state.owed is not None:
            raise IllegalAction("The deepest card taken from the pile is to be played first (BAS-10.2).", seat)
        if not may_throw(state, hand, self._terms(state)):
            raise IllegalAction("No card that is left may be thrown: lay it off (BAS-6.1).", seat)
        state.phase = Phase.DISCARD

    # The end of a turn.

    def _end_turn(self, state: BasicState, seat: Seat) -> None:
        state.turns += 1
        terms = self._terms(state)
        if not state.hands[seat]:
            self._go_out(state, seat)
            return
        if self._is_over(state, terms):
            return
        state.had_laid = state.laid_off = False
        state.forbidden = None
        state.to_ask = claimants(state, terms) if self.call_rummy else ()
        self._go_on(state)

    def _is_over(self, state: BasicState, terms: Terms) -> bool:
        """Ends the deal where nobody is out and the stock, or the cap, is (BAS-6.5, 10.4)."""
        if is_exhausted(state, terms):
            settle(state, self.values(), "block" if self.block else "stock")
        elif state.turns >= terms.most_turns:
            settle(state, self.values(), "turn cap")
        return state.result is not None

    def _go_on(self, state: BasicState) -> None:
        """Asks the next seat that may claim the discard; once there is none, the next turn begins."""
        if state.to_ask:
            state.turn = state.to_ask[0]
            state.phase = Phase.OFFER
            return
        seat = state.turn = clockwise(state.terms, discarder(state))[1]
        state.had_laid = any(seat in meld.placers for meld in state.melds)
        state.phase = Phase.START if state.stock or state.pile else Phase.PLAY  # BAS-6.4
        if state.phase is Phase.PLAY and not may_throw(state, state.hands[seat], self._terms(state)):
            self._end_turn(state, seat)  # Nothing to draw, and a last card that may not go yet: the turn is over.

    def _pass(self, state: BasicState) -> None:
        state.events.append(Event(EventKind.PASS, state.turn))
        state.to_ask = state.to_ask[1:]
        self._go_on(state)

    def _claim(self, state: BasicState, claim: LayOff) -> None:
        """Lays the discard off for the seat that calls rummy; its discarder draws for it (BAS-10.6)."""
        seat = state.turn
        if claim.cards != (state.pile[-1],):
            raise IllegalAction("Only the card just thrown is offered here (BAS-10.6).", seat)
        terms = self._terms(state)
        new = grown(state, claim, terms)
        hand = state.hands[seat]
        take(state, seat, 1)
        add_on(state, new, claim, hand)
        state.to_ask = ()
        _punish(state)
        if not self._is_over(state, terms):
            self._go_on(state)

    def _go_out(self, state: BasicState, seat: Seat) -> None:
        """Ends the deal with *seat* as its winner (BAS-7.1, 8.1 to 8.3, 9.1, 9.3)."""
        rummy = not state.had_laid and (not state.laid_off or self.rummy_layoff_ok)
        held = sum([points(hand, self.values()) for hand in state.hands])
        won = (2 * held if rummy else held) + self.going_out_bonus
        state.closer = seat
        scored = tuple([won if at == seat else 0 for at in range(state.terms.seats)])
        state.result = DealResult(scored, "rummy" if rummy else "out", seat)


def _may_turn_over(state: BasicState) -> bool:
    """Whether the stock has run out and is renewed (BAS-6.2): once it may not be, the deal is over (BAS-6.5).

    One card turned over must be taken (BAS-6.4).
    """
    return not state.stock and bool(state.pile) and not state.renewing


def _punish(state: BasicState) -> None:
    """Two stock cards for the seat that threw what could be laid off, or the pile where the stock has fewer."""
    seat = discarder(state)
    if len(state.stock) >= 2:
        draw_stock(state, seat)
        draw_stock(state, seat)
    elif state.pile:
        take(state, seat, len(state.pile))


_DEFAULT_TURNOVERS: Final = 2
_DEFAULT_TARGET: Final = 100
_MELDS: Final = {
    (ace, distinct): MeldRules(ace=ace, distinct_suits=distinct, most_set=4 if distinct else 8)
    for ace in ACES
    for distinct in (False, True)
}
_WANTED: Final = {
    Phase.OFFER: "The discard is offered: lay it off on a meld that takes it, by its number, or pass.",
    Phase.START: "A turn begins with a draw from the stock or the pile, or by turning the pile over.",
    Phase.PLAY: "Now melds are tabled or cards laid off, until the melds are ended.",
    Phase.DISCARD: "A turn ends with a discard.",
}
