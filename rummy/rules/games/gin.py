"""Gin rummy for two seats, by the clauses of docs/rulebook/gin.md.

A hand is a 52-bit mask. Actions and events that recur are made once, at import, and tables indexed by a suit's 13 bits
give the discards of a hand: a ply allocates next to nothing. What everybody knows (`pile`, `known`, `melds`, counts) is
kept apart from the hands, and `view` reads that record and the seat's own hand alone (COM-12).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rummy.errors import BadOptions, IllegalAction
from rummy.rules.actions import (
    Action,
    Arrange,
    BigGin,
    Card,
    Cards,
    Discard,
    DrawPile,
    DrawStock,
    Knock,
    Pass,
    Seat,
    Take,
)
from rummy.rules.cards import BIT, PACK, cards_of, cards_text, mask
from rummy.rules.deadwood import VALUES, best_discards, points
from rummy.rules.game import (
    DealResult,
    DealTerms,
    Decision,
    Event,
    EventKind,
    GameSpec,
    MatchResult,
    Phase,
    TableMeld,
    View,
)
from rummy.rules.games.gin_ends import DISCARDS, end, ends_of_turn, lay_open, own_melds, placements, sizes, won
from rummy.rules.games.gin_state import GinState, GinTally
from rummy.rules.options import flag, one_of, whole
from rummy.rules.show import Arrangement, best_show, check_arrangement, show_actions

AFTER_TWO_PASSES = ("normal", "stock_only")
NEXT_STARTER = ("alternate", "alternate_after_win", "loser", "winner")

_DRAW_STOCK, _DRAW_PILE, _TAKE, _PASS, _BIG_GIN = DrawStock(), DrawPile(1), Take(), Pass(), BigGin()
_SHOW_BEST: Final = Arrange()
_OFFERED: Final[tuple[Action, ...]] = (_TAKE, _PASS)
_EITHER_PILE: Final[tuple[Action, ...]] = (_DRAW_STOCK, _DRAW_PILE)
_STOCK_ALONE: Final[tuple[Action, ...]] = (_DRAW_STOCK,)
# Among equals the highest rank, then the lower suit (COM-14).
_HIGHEST: Final = [card % 13 * 4 + 3 - card // 13 for card in PACK].__getitem__

_ASKED: Final = {phase: (Decision(0, phase), Decision(1, phase)) for phase in Phase}
_OFFER, _START, _DISCARD, _SHOW = _ASKED[Phase.OFFER], _ASKED[Phase.START], _ASKED[Phase.DISCARD], _ASKED[Phase.SHOW]


def _events(kind: EventKind, *, private: bool = False) -> tuple[tuple[Event, ...], ...]:
    return tuple(tuple([Event(kind, seat, (card,), private=private) for card in PACK]) for seat in (0, 1))


_DREW_STOCK: Final = _events(EventKind.DRAW_STOCK, private=True)
_DREW_PILE: Final = _events(EventKind.DRAW_PILE)
_DISCARDED: Final = _events(EventKind.DISCARD)
_KNOCKED: Final = _events(EventKind.KNOCK, private=True)  # The card lies face down (GIN-5.1).
_PASSED: Final = (Event(EventKind.PASS, 0), Event(EventKind.PASS, 1))


@dataclass(frozen=True, slots=True)
class Gin:
    """Gin rummy. Rulebook: docs/rulebook/gin.md; the options are in its table. Raises `BadOptions`."""

    spec: ClassVar[GameSpec] = GameSpec("gin", "Gin rummy", 2, 2, rules_version=1)

    knock_limit: int = 10
    oklahoma: bool = False
    after_two_passes: str = "normal"
    next_starter: str = "alternate"
    gin_bonus: int = 25
    big_gin_bonus: int = 31
    undercut_bonus: int = 25
    wall: int = 2
    turn_cap: int = 100
    target: int = 100
    game_bonus: int = 100
    line_bonus: int = 25
    deal_cap: int = 60

    def __post_init__(self) -> None:
        whole("knock_limit", self.knock_limit, 0, 100)
        flag("oklahoma", self.oklahoma)
        one_of("after_two_passes", self.after_two_passes, AFTER_TWO_PASSES)
        one_of("next_starter", self.next_starter, NEXT_STARTER)
        for name in ("gin_bonus", "big_gin_bonus", "undercut_bonus", "game_bonus", "line_bonus"):
            whole(name, getattr(self, name), 0, 1000)
        whole("wall", self.wall, 0, 30)
        whole("turn_cap", self.turn_cap, 1, 200)  # Both caps together: a replay holds the longest match.
        whole("target", self.target, 1, 10_000)
        whole("deal_cap", self.deal_cap, 1, 200)
        if self.oklahoma and self.knock_limit != 10:
            raise BadOptions("With oklahoma the upcard sets the limit, so knock_limit cannot be set as well.")

    # The deal

    def deck(self, seats: int) -> Sequence[Card]:
        """The 52 cards (GIN-1.1)."""
        return PACK

    def deal(self, deck: Sequence[Card], terms: DealTerms) -> GinState:
        """Ten cards each, one at a time from the dealer's left; then the upcard; the rest is the stock (GIN-3.1)."""
        state = GinState()
        left = 1 - terms.dealer
        state.hands[left] = sum([BIT[card] for card in deck[0:20:2]])
        state.hands[terms.dealer] = sum([BIT[card] for card in deck[1:20:2]])
        upcard = deck[20]
        state.pile = [upcard]
        state.stock = list(deck[:20:-1])
        state.limit = VALUES[upcard] if self.oklahoma else self.knock_limit
        state.dealer = terms.dealer
        state.scores = terms.scores
        _ask(state, _OFFER, terms.starter)
        state.events = [Event(EventKind.DEAL, terms.starter, (upcard,))]
        return state

    def decision(self, state: GinState) -> Decision | None:
        """The open question, or None once the deal is over."""
        return state.decision

    def legal_actions(self, state: GinState) -> Sequence[Action]:
        """At least one answer that `apply` accepts; complete, but for arrangements of one's own."""
        decision = state.decision
        seat = state.turn
        if decision is _DISCARD[seat]:
            return ends_of_turn(state.hands[seat], state.taken, state.limit)
        if decision is _START[seat]:
            return _STOCK_ALONE if state.stock_only else _EITHER_PILE
        if decision is _OFFER[seat]:
            return _OFFERED
        return () if decision is None else show_actions(state.hands[seat], self._open_melds(state))

    def default_action(self, state: GinState) -> Action:
        """What is played for a seat that does not answer (COM-14): never a knock."""
        if state.decision is None:
            raise IllegalAction("The deal is over; nobody is asked any more.", -1)
        seat, decision = state.turn, state.decision
        if decision is _START[seat]:
            return _DRAW_STOCK
        if decision is _DISCARD[seat]:
            _, cards = best_discards(state.hands[seat], state.taken if state.taken >= 0 else None)
            return DISCARDS[cards[0] if len(cards) == 1 else max(cards, key=_HIGHEST)]
        return _PASS if decision is _OFFER[seat] else _SHOW_BEST

    def apply(self, state: GinState, action: Action) -> None:
        """Plays *action* for the seat that is asked. Raises `IllegalAction` before anything has changed."""
        if isinstance(action, Discard):
            self._discard(state, action.card)
        elif isinstance(action, DrawStock):
            self._draw_stock(state)
        elif isinstance(action, DrawPile):
            self._draw_pile(state, action.count)
        else:
            self._apply_rare(state, action)

    def _apply_rare(self, state: GinState, action: Action) -> None:
        match action:
            case Take():
                self._take(state)
            case Pass():
                self._pass(state)
            case Knock(card, melds):
                self._knock(state, card, melds)
            case BigGin(melds):
                self._big_gin(state, melds)
            case Arrange():
                self._show(state, action)
            case _:
                raise IllegalAction("Gin has no such action: nothing is melded or laid off before a show.", state.turn)

    # The turn

    def _take(self, state: GinState) -> None:
        seat = _require(state, _OFFER, "The upcard can be taken only while it is offered.")
        self._from_pile(state, seat)  # GIN-4.1, 4.3

    def _pass(self, state: GinState) -> None:
        seat = _require(state, _OFFER, "Only the offer of the upcard can be passed.")
        state.events.append(_PASSED[seat])
        state.passes += 1
        if state.passes == 1:
            _ask(state, _OFFER, 1 - seat)
        else:  # GIN-4.2
            _ask(state, _START, 1 - seat)
            state.stock_only = self.after_two_passes == "stock_only"

    def _draw_stock(self, state: GinState) -> None:
        seat = state.turn
        if state.decision is not _START[seat]:
            raise _out_of_phase(state, "A card is drawn at the beginning of a turn only.")
        card = state.stock.pop()
        state.hands[seat] |= BIT[card]
        state.stock_only = False
        state.decision = _DISCARD[seat]
        state.events.append(_DREW_STOCK[seat][card])

    def _draw_pile(self, state: GinState, count: int) -> None:
        seat = state.turn
        if state.decision is not _START[seat]:
            raise _out_of_phase(state, "A card is drawn at the beginning of a turn only.")
        if type(count) is not int or count != 1:
            raise IllegalAction("One card is taken from the pile, its top card.", seat)
        if state.stock_only:
            raise IllegalAction("Both have passed the upcard, so this turn draws from the stock.", seat)
        self._from_pile(state, seat)

    def _from_pile(self, state: GinState, seat: Seat) -> None:
        card = state.pile.pop()
        bit = BIT[card]
        state.hands[seat] |= bit
        state.known[seat] |= bit
        state.taken = card
        state.decision = _DISCARD[seat]
        state.events.append(_DREW_PILE[seat][card])

    def _discard(self, state: GinState, card: Card) -> None:
        seat = state.turn
        if state.decision is not _DISCARD[seat]:
            raise _out_of_phase(state, "A card is discarded at the end of a turn only.")
        held = state.hands[seat]
        if type(card) is not int or not 0 <= card < 52 or not held >> card & 1 or card == state.taken:
            raise _bad_discard(state, card)
        bit = BIT[card]
        state.hands[seat] = held ^ bit
        state.known[seat] &= ~bit
        state.pile.append(card)
        state.taken = -1
        state.turns = turns = state.turns + 1
        state.events.append(_DISCARDED[seat][card])
        if len(state.stock) <= self.wall:
            end(state, DealResult((0, 0), "wall"))  # GIN-7.5
        elif turns >= self.turn_cap:
            end(state, DealResult((0, 0), "turn cap"))  # GIN-7.6
        else:
            state.turn = seat = 1 - seat
            state.decision = _START[seat]

    # The end

    def _knock(self, state: GinState, card: Card | None, melds: tuple[Cards, ...] | None) -> None:
        seat = _require(state, _DISCARD, "A knock ends a turn, after the draw.")
        if card is None:
            raise IllegalAction("A knock names the card that is discarded face down.", seat)
        held = state.hands[seat]
        if type(card) is not int or not 0 <= card < 52 or not held >> card & 1 or card == state.taken:
            raise _bad_discard(state, card)
        shown = own_melds(held ^ BIT[card], melds, seat)
        if shown.points > state.limit:  # GIN-5.1, 5.2, 5.6
            raise IllegalAction(f"The ten cards kept count {shown.points}; the limit is {state.limit}.", seat)
        state.events.append(_KNOCKED[seat][card])
        self._close(state, seat, shown)

    def _big_gin(self, state: GinState, melds: tuple[Cards, ...] | None) -> None:
        seat = _require(state, _DISCARD, "Big gin ends a turn, after the draw.")
        shown = own_melds(state.hands[seat], melds, seat)
        if shown.points:  # GIN-5.4
            raise IllegalAction(f"Big gin melds all eleven cards; {cards_text(shown.rest)} would be left.", seat)
        state.big = True
        state.events.append(Event(EventKind.BIG_GIN, seat))
        self._close(state, seat, shown)

    def _close(self, state: GinState, seat: Seat, shown: Arrangement) -> None:
        """Tables the hand that ends the deal; the other seat is asked for its show (GIN-6.1)."""
        state.closer = seat
        state.count = shown.points
        state.taken = -1
        state.turns += 1
        lay_open(state, seat, shown)
        _ask(state, _SHOW, 1 - seat)

    def _show(self, state: GinState, action: Arrange) -> None:
        seat = _require(state, _SHOW, "A hand is shown after somebody has ended the deal.")
        table = self._open_melds(state)
        held = state.hands[seat]
        if action.melds is None:
            if action.lay_offs:
                raise IllegalAction("The default arrangement brings its own lay-offs; name the melds as well.", seat)
            shown = best_show(held, table)
        elif action.lay_offs and not table:
            raise IllegalAction("Nobody lays off against gin.", seat)  # GIN-6.2
        else:
            shown = check_arrangement(held, action.melds, action.lay_offs, table, seat)
        lay_open(state, seat, shown)
        end(state, self._settle(state, 1 - seat, shown.points))

    def _open_melds(self, state: GinState) -> Sequence[TableMeld]:
        """The melds that the other seat may lay off on: none against gin (GIN-6.2)."""
        return state.melds if state.count else ()

    def _settle(self, state: GinState, closer: Seat, other: int) -> DealResult:
        if state.big:
            return won(closer, other + self.big_gin_bonus, "big gin")  # GIN-7.3
        if not state.count:
            return won(closer, other + self.gin_bonus, "gin")  # GIN-7.2
        if state.count < other:
            return won(closer, other - state.count, "knock")  # GIN-7.1
        return won(1 - closer, self.undercut_bonus + state.count - other, "undercut")  # GIN-7.4

    def result(self, state: GinState) -> DealResult | None:
        """How the deal ended, or None while it is in play."""
        return state.result

    def view(self, state: GinState, seat: Seat | None) -> View:
        """What *seat* may see, from what everybody knows and its own hand (COM-12)."""
        asked, (first, second) = state.decision, state.known
        # In the order of View's fields: naming nineteen of them would take as long again as all the rest.
        return View(
            "gin",
            None if asked is None else asked.phase,
            seat,
            2,
            () if seat is None else cards_of(state.hands[seat]),
            sizes(state),
            len(state.stock),
            tuple(state.pile),
            tuple(state.melds),
            (cards_of(first) if first else (), cards_of(second) if second else ()),
            state.scores,
            (1, 1),  # Nobody is out before the deal ends.
            state.turn,
            state.dealer,
            state.limit,
            None if state.taken < 0 else state.taken,
            None,  # No card is owed.
            state.closer,
            state.turns,
        )

    def resume(self, view: View, hands: Sequence[Cards], stock: list[Card]) -> GinState:
        """The deal of *view*, with *hands* and *stock* for what it does not show."""
        assert view.phase is not None, "nobody plays on in a deal that is over"
        state = GinState()
        state.hands = [mask(hand) for hand in hands]
        state.stock, state.pile, state.melds = stock, list(view.pile), list(view.melds)
        state.known = [mask(cards) for cards in view.known]
        _ask(state, _ASKED[view.phase], view.turn)
        state.taken = -1 if view.forbidden is None else view.forbidden
        state.passes = int(view.phase is Phase.OFFER and view.turn == view.dealer)  # The other seat is asked first.
        first = view.phase is Phase.START and not view.turns  # Nobody has taken the upcard.
        state.stock_only = first and self.after_two_passes == "stock_only"
        state.turns, state.limit, state.dealer, state.scores = view.turns, view.knock_limit, view.dealer, view.scores
        state.closer = view.closer
        if view.closer is not None:
            state.count = points(state.known[view.closer])
            state.big = sum([len(meld.cards) for meld in view.melds]) == 11
        return state

    # The match

    def tally(self, seats: int, first: Seat) -> GinTally:
        """The score of a match that begins; *first* deals, so the other seat starts (GIN-3.2)."""
        return GinTally(starter=1 - first)

    def terms(self, tally: GinTally) -> DealTerms:
        """What the next deal needs to know."""
        active = tuple([seat for seat in (0, 1) if seat not in tally.retired])
        return DealTerms(2, active, 1 - tally.starter, tally.starter, tuple(tally.scores))

    def score(self, tally: GinTally, result: DealResult) -> None:
        """Counts a finished deal."""
        tally.deals += 1
        tally.scores = [score + points for score, points in zip(tally.scores, result.points, strict=True)]
        winner = result.winner
        if winner is not None:
            tally.won[winner] += 1
        if self.next_starter == "alternate" or (winner is not None and self.next_starter == "alternate_after_win"):
            tally.starter = 1 - tally.starter
        elif winner is not None:  # GIN-3.3: after a tie the same seat starts again
            tally.starter = winner if self.next_starter == "winner" else 1 - winner

    def retire(self, tally: GinTally, seat: Seat) -> None:
        """Takes *seat* out of the match by forfeit; the other seat has won."""
        tally.retired.append(seat)

    def outcome(self, tally: GinTally, *, ended: bool = False) -> MatchResult | None:
        """How the match ended, or None while it goes on; *ended* asks for the standing as the final one."""
        reached = next((seat for seat in (0, 1) if tally.scores[seat] >= self.target), None)
        if reached is not None:
            reason = "target"  # GIN-8.1
        elif tally.retired:
            reason = "forfeit"
        elif tally.deals >= self.deal_cap:
            reason = "deal cap"  # GIN-8.7
        elif ended:
            reason = "standing"
        else:
            return None
        totals = self.grand_totals(tally, reached)
        return MatchResult(placements(totals, tally.retired), totals, reason, tally.deals, (None, None))

    def grand_totals(self, tally: GinTally, reached: Seat | None) -> tuple[int, ...]:
        """Deal points with every bonus, by seat; *reached* is the seat that has come to the target, if one has."""
        totals = [tally.scores[seat] + self.line_bonus * tally.won[seat] for seat in (0, 1)]  # GIN-8.3
        if reached is not None:
            totals[reached] += self.game_bonus  # GIN-8.2
            if tally.won[reached] == tally.deals:
                totals[reached] += tally.scores[reached]  # GIN-8.4
        return tuple(totals)


def _ask(state: GinState, question: tuple[Decision, Decision], seat: Seat) -> None:
    state.turn = seat
    state.decision = question[seat]


def _require(state: GinState, question: tuple[Decision, Decision], reason: str) -> Seat:
    """The seat that is asked. Raises `IllegalAction` unless the open question is *question*."""
    if state.decision is not question[state.turn]:
        raise _out_of_phase(state, reason)
    return state.turn


def _out_of_phase(state: GinState, reason: str) -> IllegalAction:
    decision = state.decision
    if decision is None:
        return IllegalAction("The deal is over; nobody is asked any more.", -1)
    return IllegalAction(f"{reason} Now {_NOW[decision.phase]}.", decision.seat)


_NOW: Final = {
    Phase.OFFER: "the upcard is offered: take or pass",
    Phase.START: "the turn begins: draw a card",
    Phase.DISCARD: "the turn ends: discard, knock or declare big gin",
    Phase.SHOW: "the hand is to be shown",
}


def _bad_discard(state: GinState, card: Card) -> IllegalAction:
    if type(card) is not int or not 0 <= card < 52:
        return IllegalAction("Gin has no such card.", state.turn)
    if card == state.taken:  # GIN-4.5
        return IllegalAction(f"{cards_text([card])} was taken from the pile in this turn and must be kept.", state.turn)
    return IllegalAction(f"{cards_text([card])} is not in the hand.", state.turn)
