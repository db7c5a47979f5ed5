"""Rummy 500, for two to six seats. Rulebook: docs/rulebook/rummy500.md; its clauses are cited here.

A turn goes START, PLAY until the melds are ended, DISCARD; PLAY is asked in every turn, so that nobody learns from the
phase whether a hand holds a meld. Once the stock is empty START also offers to pass, which ends the deal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rummy.errors import IllegalAction
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
from rummy.rules.games.gathered import default_discard, discards
from rummy.rules.games.rummy500_deal import (
    END,
    RULES,
    VALUES,
    hand_points,
    lay_off,
    meld,
    plays,
    table_points,
    takes,
)
from rummy.rules.games.totals import Totals
from rummy.rules.games.zones import (
    Zones,
    clockwise,
    dealt,
    draw_stock,
    may_throw,
    show_hands,
    take,
    taken_up,
    terms_of,
    throw,
    view_of,
)
from rummy.rules.tabling import JOKER, MeldRules

HAND: Final = 7
MOST_JOKERS: Final = 4
_DRAW_STOCK, _PASS = DrawStock(), Pass()
_DRAWS: Final = tuple([DrawPile(count) for count in range(109)])
_DECISIONS: Final = {phase: tuple([Decision(seat, phase) for seat in range(6)]) for phase in Phase}


@dataclass(frozen=True, slots=True)
class Rummy500:
    """Rummy 500. Rulebook: docs/rulebook/rummy500.md; the options are in its table. Raises `BadOptions`."""

    spec: ClassVar[GameSpec] = GameSpec("rummy500", "Rummy 500", 2, 6, rules_version=1)

    cards_for_two: int = HAND  # R500-2
    jokers: int = 0  # R500-1
    target: int = 500  # R500-7
    turn_cap: int = 60  # COM-10: turns a seat in one deal.
    deal_cap: int = 60  # R500-7

    def __post_init__(self) -> None:
        options.whole("cards_for_two", self.cards_for_two, HAND, 13)
        options.whole("jokers", self.jokers, 0, MOST_JOKERS)
        options.whole("target", self.target, 1, 10000)
        options.whole("turn_cap", self.turn_cap, 1, 100)
        options.whole("deal_cap", self.deal_cap, 1, 1000)

    def meld_rules(self) -> MeldRules:
        """What is a meld: bots and pages ask with `rummy.rules.tabling`."""
        return RULES

    def values(self) -> tuple[int, ...]:
        """What a card counts in a hand, by rank."""
        return VALUES

    def arranger(self) -> Arranger:
        """What finds the best arrangement of a hand."""
        return arranger(RULES, VALUES)

    # The match.

    def tally(self, seats: int, first: Seat) -> Totals:
        """A match that begins, with *first* as its first dealer (COM-3)."""
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
        """How the match ended, or None while it goes on: also where the highest total is shared (R500-7)."""
        totals = [tally.scores[seat] for seat in tally.active]
        shared = totals.count(max(totals, default=0)) > 1
        return tally.outcome(target=None if shared else self.target, deals=None, cap=self.deal_cap, ended=ended)

    # The deal.

    def deck(self, seats: int) -> Sequence[Card]:
        """One pack for two to four seats, two for more, and jokers of both colours in turn (R500-1)."""
        return PACK * (1 if seats <= 4 else 2) + tuple([JOKER + number % 2 for number in range(self.jokers)])

    def deal(self, deck: Sequence[Card], terms: DealTerms) -> Zones:
        """Seven cards each, the upcard, and the stock (R500-2)."""
        return Zones(terms, *dealt(deck, terms, self.cards_for_two if len(terms.active) == 2 else HAND))

    def decision(self, state: Zones) -> Decision | None:
        """The open question, or None once the deal is over."""
        return None if state.result is not None else _DECISIONS[state.phase][state.turn]

    def result(self, state: Zones) -> DealResult | None:
        """How the deal ended, or None."""
        return state.result

    def legal_actions(self, state: Zones) -> Sequence[Action]:
        """Everything but lay-offs of several cards and melds in which a joker stands for a card that is held."""
        if state.result is not None:
            return ()
        if state.phase is Phase.START:
            draws: list[Action] = [_DRAW_STOCK] if state.stock else []
            draws += [_DRAWS[count] for count in takes(state)]
            return draws if state.stock else [*draws, _PASS]
        if state.phase is Phase.PLAY:
            return plays(state)
        return discards(state)

    def default_action(self, state: Zones) -> Action:
        """What is played for a seat that does not answer (COM-14)."""
        if state.phase is Phase.START:
            return _DRAW_STOCK if state.stock else _DRAWS[1]
        if state.phase is Phase.DISCARD:
            return default_discard(state, self.arranger())
        if state.owed is None and may_throw(state.hands[state.turn], state.forbidden):
            return END
        return plays(state)[0]

    def apply(self, state: Zones, action: Action) -> None:
        """Plays *action*. Raises `IllegalAction` before anything has changed."""
        if state.result is not None:
            raise IllegalAction("The deal is over.", state.turn)
        match state.phase, action:
            case Phase.START, DrawStock():
                _draw_stock(state)
            case Phase.START, DrawPile(count):
                _draw_pile(state, count)
            case Phase.START, Pass():
                self._pass(state)
            case Phase.PLAY, Meld(cards):
                meld(state, cards)
                self._tabled(state)
            case Phase.PLAY, LayOff():
                lay_off(state, action)
                self._tabled(state)
            case Phase.PLAY, EndMelds():
                _end_melds(state)
            case Phase.DISCARD, Discard(card):
                throw(state, card)
                self._end_turn(state)
            case _:
                raise IllegalAction(_WANTED[state.phase], state.turn)

    def view(self, state: Zones, seat: Seat | None) -> View:
        """What *seat* may see: the public record, and its own hand (COM-12)."""
        return view_of(state, self.spec.key, self.decision(state), seat)

    def resume(self, view: View, hands: Sequence[Cards], stock: list[Card]) -> Zones | None:
        """The deal of *view*, with *hands* and *stock* for what it does not show; None where they cannot have come."""
        state = taken_up(Zones(terms_of(view), list(hands), stock, []), view)
        return state if state.owed is None or plays(state) else None  # R500-3.2

    # The ends of a turn, and of the deal.

    def _pass(self, state: Zones) -> None:
        if state.stock:
            raise IllegalAction("Passing is for an empty stock: draw a card (R500-5, R500-8).", state.turn)
        state.events.append(Event(EventKind.PASS, state.turn))
        self._finish(state, "stock")

    def _tabled(self, state: Zones) -> None:
        if not state.hands[state.turn]:
            self._go_out(state)

    def _end_turn(self, state: Zones) -> None:
        state.turns += 1
        state.forbidden = None
        if not state.hands[state.turn]:
            self._go_out(state)
        elif state.turns >= self.turn_cap * len(state.terms.active):
            self._finish(state, "turn cap")
        else:
            state.turn = clockwise(state.terms, state.turn)[1]
            state.phase = Phase.START

    def _go_out(self, state: Zones) -> None:
        state.closer = state.turn
        self._finish(state, "out")

    def _finish(self, state: Zones, reason: str) -> None:
        """Lays all hands open and counts: the cards placed less the cards held (R500-6.4)."""
        show_hands(state)
        points = table_points(state.melds, state.terms.seats)
        points = [earned - hand_points(hand) for earned, hand in zip(points, state.hands, strict=True)]
        most = max([points[seat] for seat in state.terms.active])
        best = [seat for seat in state.terms.active if points[seat] == most]
        state.result = DealResult(tuple(points), reason, best[0] if len(best) == 1 else None)


def _draw_stock(state: Zones) -> None:
    if not state.stock:
        raise IllegalAction("The stock is empty: take cards from the pile, or pass (R500-5).", state.turn)
    draw_stock(state, state.turn)
    state.phase = Phase.PLAY


def _draw_pile(state: Zones, count: int) -> None:
    if type(count) is not int or not 1 <= count <= len(state.pile):
        raise IllegalAction(f"The pile has {len(state.pile)} cards to take (R500-3.2).", state.turn)
    if count not in takes(state):
        raise IllegalAction("The deepest card taken could not be played at once, as it must be (R500-3.2).", state.turn)
    deepest = take(state, state.turn, count)[0]
    if count == 1:
        state.forbidden = deepest  # R500-3.3
    else:
        state.owed = deepest
    state.phase = Phase.PLAY


def _end_melds(state: Zones) -> None:
    if state.owed is not None:
        raise IllegalAction("The deepest card taken is melded or laid off first (R500-3.2).", state.turn)
    if not may_throw(state.hands[state.turn], state.forbidden):
        raise IllegalAction("The card taken may not be thrown in this turn: lay it off (R500-3.3).", state.turn)
    state.phase = Phase.DISCARD


_WANTED: Final = {
    Phase.START: "A turn begins with a draw from the stock or the pile.",
    Phase.PLAY: "Now melds are tabled or cards laid off, until the melds are ended.",
    Phase.DISCARD: "A turn ends with a discard.",
}
