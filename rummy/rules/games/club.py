"""Club, for two to six seats. Rulebook: docs/rulebook/club.md; its clauses are cited here.

A turn goes START, PLAY until ended, DISCARD, GO_OUT. It begins with PLAY where there is nothing to draw; a seat without
cards is asked for no meld and no discard; and going out is asked for where what everybody sees does not rule it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rummy.errors import IllegalAction
from rummy.rules import options
from rummy.rules.actions import (
    Action,
    Card,
    Cards,
    Continue,
    Discard,
    DrawPile,
    DrawStock,
    EndMelds,
    GoOut,
    LayOff,
    Meld,
    Seat,
)
from rummy.rules.cards import PACK
from rummy.rules.game import DealResult, DealTerms, Decision, Event, EventKind, GameSpec, MatchResult, Phase, View
from rummy.rules.games.club_deal import (
    MELDS,
    ClubState,
    arranger_of,
    begin_turn,
    draw_pile,
    draw_stock,
    is_asked,
    lay_off,
    meld,
    out_limit,
    plays,
    takes,
)
from rummy.rules.games.club_score import hand_points, out_bonus, table_points
from rummy.rules.games.gathered import default_discard, discards
from rummy.rules.games.totals import Totals
from rummy.rules.games.zones import clockwise, dealt, show_hands, taken_up, terms_of, throw, view_of
from rummy.rules.tabling import ACES, MeldRules

HAND = 10
_DRAW_STOCK = DrawStock()
_GO_OUT = GoOut()
_CONTINUE = Continue()
_END = EndMelds()
_DRAWS = tuple([DrawPile(count) for count in range(105)])
_DECISIONS = {phase: tuple([Decision(seat, phase) for seat in range(6)]) for phase in Phase}


@dataclass(frozen=True, slots=True)
class Club:
    """Club. Rulebook: docs/rulebook/club.md. Raises `BadOptions` for an option it cannot take."""

    spec: ClassVar[GameSpec] = GameSpec("club", "Club", 2, 6, rules_version=1)

    packs_for_four: int = 1  # CLB-1.1
    ace: str = "either"  # CLB-1.2: "low", "high", "either" or "corner".
    partial_discharges: bool = False  # CLB-4.3
    double_clubs: bool = True  # CLB-9.1
    shared_partials: bool = True  # CLB-9.3
    rounds: int = 2  # CLB-10.1: deals a seat.
    turn_cap: int = 40  # COM-10: turns a seat in one deal.

    def __post_init__(self) -> None:
        options.whole("packs_for_four", self.packs_for_four, 1, 2)
        options.one_of("ace", self.ace, ACES)
        options.flag("partial_discharges", self.partial_discharges)
        options.flag("double_clubs", self.double_clubs)
        options.flag("shared_partials", self.shared_partials)
        options.whole("rounds", self.rounds, 1, 10)
        options.whole("turn_cap", self.turn_cap, 1, 100)

    def meld_rules(self) -> MeldRules:
        """What is a meld: bots and pages ask with `rummy.rules.tabling`."""
        return MELDS[self.ace]

    # The match.

    def tally(self, seats: int, first: Seat) -> Totals:
        """A match that begins, with *first* as its first dealer."""
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
        """How the match ended, or None while it goes on."""
        deals = self.rounds * tally.seats  # CLB-10.1
        return tally.outcome(target=None, deals=deals, cap=deals, ended=ended)

    # The deal.

    def deck(self, seats: int) -> Sequence[Card]:
        """One pack for two or three seats, two for five or six, either for four (CLB-1.1)."""
        packs = self.packs_for_four if seats == 4 else 1 if seats < 4 else 2
        return PACK * packs

    def deal(self, deck: Sequence[Card], terms: DealTerms) -> ClubState:
        """Ten cards to each seat in play, one at a time from the starter, and the upcard (CLB-3.1)."""
        return ClubState(terms, *dealt(deck, terms, HAND))

    def decision(self, state: ClubState) -> Decision | None:
        """The open question, or None once the deal is over."""
        if state.result is not None:
            return None
        return _DECISIONS[state.phase][state.turn]

    def result(self, state: ClubState) -> DealResult | None:
        """How the deal ended, or None."""
        return state.result

    def legal_actions(self, state: ClubState) -> Sequence[Action]:
        """Everything but lay-offs of several cards, and melds from which a card could be missing."""
        if state.result is not None:
            return ()
        if state.phase is Phase.START:
            counts = takes(state, self.ace, partial=self.partial_discharges, shared=self.shared_partials)
            return [_DRAW_STOCK, *[_DRAWS[count] for count in counts]]
        if state.phase is Phase.PLAY:
            return plays(state, self.ace, partial=self.partial_discharges, shared=self.shared_partials)
        if state.phase is Phase.DISCARD:
            return discards(state)
        return [_GO_OUT, _CONTINUE] if self._count(state, state.turn) <= out_limit(state) else [_CONTINUE]

    def default_action(self, state: ClubState) -> Action:
        """What is played for a seat that does not answer (COM-14)."""
        if state.phase is Phase.START:
            return _DRAW_STOCK
        if state.phase is Phase.PLAY:
            return _END if state.owed is None else self.legal_actions(state)[0]
        if state.phase is Phase.DISCARD:
            return default_discard(state, arranger_of(self.ace, double=self.double_clubs))
        return _CONTINUE

    def apply(self, state: ClubState, action: Action) -> None:
        """Plays *action*. Raises `IllegalAction` before anything has changed."""
        if state.result is not None:
            raise IllegalAction("The deal is over.", state.turn)
        match state.phase, action:
            case Phase.START, DrawStock():
                draw_stock(state)
            case Phase.START, DrawPile(count):
                self._draw_pile(state, count)
            case Phase.PLAY, Meld(cards):
                meld(state, cards, self.ace)
            case Phase.PLAY, LayOff():
                lay_off(state, action, self.ace, partial=self.partial_discharges, shared=self.shared_partials)
            case Phase.PLAY, EndMelds():
                _end_melds(state)
            case Phase.DISCARD, Discard(card):
                throw(state, card)
                state.phase = Phase.GO_OUT
            case Phase.GO_OUT, GoOut():
                self._go_out(state)
            case Phase.GO_OUT, Continue():
                self._end_turn(state)
            case _:
                raise IllegalAction(_WANTED[state.phase], state.turn)
        while state.phase is Phase.GO_OUT and state.result is None and not is_asked(state):
            self._end_turn(state)

    def view(self, state: ClubState, seat: Seat | None) -> View:
        """What *seat* may see: the public record, and its own hand (COM-12)."""
        view = view_of(state, self.spec.key, self.decision(state), seat)
        view.status = tuple([min(each, 1) for each in view.status])  # In play without a card as well (CLB-7.4).
        view.knock_limit = max(0, out_limit(state))
        view.had_laid, view.idle = state.had_laid, state.idle
        return view

    def resume(self, view: View, hands: Sequence[Cards], stock: list[Card]) -> ClubState | None:
        """The deal of *view*, with *hands* and *stock* for what it does not show; None where they cannot have come."""
        state = taken_up(ClubState(terms_of(view), list(hands), stock, []), view)
        state.had_laid, state.idle = view.had_laid, view.idle
        fits = view.seat == view.turn or self.legal_actions(state)
        return state if fits else None  # A card taken is melded (CLB-4.2).

    # The parts of a turn.

    def _draw_pile(self, state: ClubState, count: int) -> None:
        if type(count) is not int or not 1 <= count <= len(state.pile):
            raise IllegalAction(f"The pile has {len(state.pile)} cards to take (CLB-4.1).", state.turn)
        if count not in takes(state, self.ace, partial=self.partial_discharges, shared=self.shared_partials):
            raise IllegalAction("The deepest card taken could not be melded, as it must be (CLB-4.4).", state.turn)
        draw_pile(state, count)

    def _count(self, state: ClubState, seat: Seat) -> int:
        return hand_points(state.hands[seat], double=self.double_clubs)

    def _go_out(self, state: ClubState) -> None:
        seat, limit = state.turn, out_limit(state)
        if self._count(state, seat) > limit:
            raise IllegalAction(f"The hand counts more than {limit}, so it cannot go out (CLB-7.2, 7.3).", seat)
        state.closer = seat
        state.events.append(Event(EventKind.GO_OUT, seat))
        at_once = not state.hands[seat] and not state.had_laid and any(seat in each.placers for each in state.melds)
        self._finish(state, "out at once" if at_once else "out")

    def _end_turn(self, state: ClubState) -> None:
        players = len(state.terms.active)
        state.turns += 1
        if state.idle >= players:
            self._finish(state, "nothing to draw")  # CLB-4.7
        elif state.turns >= self.turn_cap * players:
            self._finish(state, "turn cap")
        else:
            begin_turn(state, clockwise(state.terms, state.turn)[1])

    def _finish(self, state: ClubState, reason: str) -> None:
        """Lays all hands open and counts (CLB-8)."""
        show_hands(state)
        active, closer = state.terms.active, state.closer
        counts = [self._count(state, seat) for seat in range(state.terms.seats)]
        points = table_points(state.melds, state.terms.seats, double=self.double_clubs)
        points = [earned - count for earned, count in zip(points, counts, strict=True)]
        if closer is not None:
            at_once = reason == "out at once"
            points[closer] += out_bonus(counts, closer, active, empty=not state.hands[closer], at_once=at_once)
        best = [seat for seat in active if points[seat] == max([points[at] for at in active])]
        state.result = DealResult(tuple(points), reason, best[0] if len(best) == 1 else None)


def _end_melds(state: ClubState) -> None:
    if state.owed is not None:
        raise IllegalAction("The card taken from the pile has to be melded first (CLB-4.2).", state.turn)
    state.phase = Phase.DISCARD


_WANTED = {
    Phase.START: "A turn begins with a draw from the stock or the pile.",
    Phase.PLAY: "Now melds are tabled or cards added to melds, until the melds are ended.",
    Phase.DISCARD: "A turn ends with a discard.",
    Phase.GO_OUT: "The discard is made: go out or continue.",
}
