"""One Hundred and One, for two to six seats. Rulebook: docs/rulebook/one_oh_one.md; its clauses are cited here.

Hands are masks (rummy.rules.cards). A deal goes START, DISCARD from seat to seat until somebody knocks, which is
followed by one SHOW a seat; or until the stock is broken (101-9), when a turn becomes START, PLAY until ended, DISCARD.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rummy.errors import BadOptions, IllegalAction
from rummy.rules import options
from rummy.rules.actions import (
    Action,
    Arrange,
    Card,
    Cards,
    Discard,
    DrawPile,
    DrawStock,
    EndMelds,
    Knock,
    LayOff,
    Meld,
    Seat,
)
from rummy.rules.cards import BIT, PACK, cards_of, mask
from rummy.rules.deadwood import best_discards, deadwood, points
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
from rummy.rules.games.one_oh_one_deal import (
    OneOhOneState,
    clockwise,
    count_hands,
    default_play,
    end_melds,
    finish,
    is_possible,
    keeps_duty,
    lay_down,
    may_lay_off,
    open_melds,
    plays,
    show_hand,
    why_not_take,
)
from rummy.rules.games.one_oh_one_tally import KnockTable, OneOhOneTally, knock_limit, knock_penalty, next_seat
from rummy.rules.show import best_show, check_arrangement, show_actions

HAND = 7
_KNOCK = Knock()
_DRAW_STOCK = DrawStock()
_DRAW_PILE = DrawPile()
_SHOW = Arrange()
_DISCARDS = tuple([Discard(card) for card in PACK])
_DECISIONS = {phase: tuple([Decision(seat, phase) for seat in range(6)]) for phase in Phase}


@dataclass(frozen=True, slots=True)
class OneOhOne:
    """One Hundred and One. Rulebook: docs/rulebook/one_oh_one.md. Raises `BadOptions` for an option it cannot take."""

    spec: ClassVar[GameSpec] = GameSpec("one_oh_one", "One Hundred and One", 2, 6, rules_version=1)

    target: int = 101  # 101-8.1: a seat with so much is out.
    knock_table: KnockTable = ((25, 20), (50, 15), (75, 10), (100, 5))  # 101-6.2: up to this score, this count.
    over_limit: str = "score"  # 101-6.4: "score" or "void".
    penalty: int = 15  # 101-7.3
    tie_penalty: bool = False  # 101-7.4
    rediscard_ban: bool = True  # 101-4.3
    turn_cap: int = 40  # COM-10: turns a seat in one deal.
    deal_cap: int = 60  # 101-8.6

    def __post_init__(self) -> None:
        options.whole("target", self.target, 1, 1000)
        _check_table(self.knock_table)
        options.one_of("over_limit", self.over_limit, ("score", "void"))
        options.whole("penalty", self.penalty, 0, 1000)
        options.flag("tie_penalty", self.tie_penalty)
        options.flag("rediscard_ban", self.rediscard_ban)
        options.whole("turn_cap", self.turn_cap, 1, 60)  # Both caps together: a replay holds the longest match.
        options.whole("deal_cap", self.deal_cap, 1, 100)

    # The match.

    def tally(self, seats: int, first: Seat) -> OneOhOneTally:
        """A match that begins, with *first* as its first dealer."""
        return OneOhOneTally(seats, first, self.target)

    def terms(self, tally: OneOhOneTally) -> DealTerms:
        """What the next deal needs to know."""
        return tally.terms()

    def score(self, tally: OneOhOneTally, result: DealResult) -> None:
        """Counts a finished deal."""
        tally.score(result)

    def retire(self, tally: OneOhOneTally, seat: Seat) -> None:
        """Takes *seat* out of the match by forfeit."""
        tally.retire(seat)

    def outcome(self, tally: OneOhOneTally, *, ended: bool = False) -> MatchResult | None:
        """How the match ended, or None while it goes on."""
        return tally.outcome(self.deal_cap, ended=ended)

    # The deal.

    def deck(self, seats: int) -> Sequence[Card]:
        """One pack (101-1.1)."""
        return PACK

    def deal(self, deck: Sequence[Card], terms: DealTerms) -> OneOhOneState:
        """Seven cards to each seat in play, one at a time from the starter; no upcard (101-2.1)."""
        at = terms.active.index(terms.starter)
        order = terms.active[at:] + terms.active[:at]
        hands = [0] * terms.seats
        for number in range(HAND * len(order)):
            hands[order[number % len(order)]] |= BIT[deck[number]]
        return OneOhOneState(terms, hands, list(deck[: HAND * len(order) - 1 : -1]))

    def decision(self, state: OneOhOneState) -> Decision | None:
        """The open question, or None once the deal is over."""
        if state.result is not None:
            return None
        return _DECISIONS[state.phase][state.turn]

    def result(self, state: OneOhOneState) -> DealResult | None:
        """How the deal ended, or None."""
        return state.result

    def legal_actions(self, state: OneOhOneState) -> Sequence[Action]:
        """Everything but own arrangements, lay-offs of several cards, and knocks over the limit (101-6.5)."""
        if state.result is not None:
            return ()
        if state.phase is Phase.START:
            return self._starts(state)
        if state.phase is Phase.DISCARD:
            held = state.hands[state.turn]
            return [_DISCARDS[card] for card in cards_of(held) if card != state.forbidden]
        if state.phase is Phase.PLAY:
            return plays(state)
        return show_actions(state.hands[state.turn], open_melds(state))

    def default_action(self, state: OneOhOneState) -> Action:
        """What is played for a seat that does not answer (COM-14)."""
        if state.phase is Phase.START:
            return _DRAW_STOCK
        if state.phase is Phase.PLAY:
            return default_play(state)
        if state.phase is Phase.SHOW:
            return _SHOW
        _, cards = best_discards(state.hands[state.turn], state.forbidden)
        return _DISCARDS[max(cards, key=lambda card: (card % 13, -card))]

    def apply(self, state: OneOhOneState, action: Action) -> None:
        """Plays *action*. Raises `IllegalAction` before anything has changed."""
        if state.result is not None:
            raise IllegalAction("The deal is over.", state.turn)
        match state.phase, action:
            case Phase.START, DrawStock():
                self._draw_stock(state)
            case Phase.START, DrawPile(count):
                self._draw_pile(state, count)
            case Phase.START, Knock(card, groups):
                self._knock(state, card, groups)
            case Phase.PLAY, Meld() | LayOff():
                self._table(state, action)
            case Phase.PLAY, EndMelds():
                end_melds(state)
            case Phase.DISCARD, Discard(card):
                self._discard(state, card)
            case Phase.SHOW, Arrange(groups, lay_offs):
                self._show(state, groups, lay_offs)
            case _:
                raise IllegalAction(_WANTED[state.phase], state.turn)

    def view(self, state: OneOhOneState, seat: Seat | None) -> View:
        """What *seat* may see: the public record, and its own hand."""
        terms, hands = state.terms, state.hands
        decision = self.decision(state)
        return View(  # In the order of its fields, as in gin.
            self.spec.key,
            None if decision is None else decision.phase,
            seat,
            terms.seats,
            () if seat is None else cards_of(hands[seat]),
            tuple([held.bit_count() for held in hands]),
            len(state.stock),
            tuple(state.pile),
            tuple(state.melds),
            tuple([cards_of(cards) for cards in state.known]),
            terms.scores,
            tuple([(1 if hands[at] else 2) if at in terms.active else 0 for at in range(terms.seats)]),
            state.turn,
            terms.dealer,
            knock_limit(self.knock_table, terms.scores[state.turn if seat is None else seat]),
            state.forbidden,
            state.owed,
            state.breaker if state.knocker is None else state.knocker,
            state.turns,
            broken_at=None if state.breaker is None else state.break_turn,
        )

    def resume(self, view: View, hands: Sequence[Cards], stock: list[Card]) -> OneOhOneState | None:
        """The deal of *view*, with *hands* and *stock* for what it does not show; None where they cannot have come."""
        assert view.phase is not None, "nobody plays on in a deal that is over"
        active = tuple([seat for seat in range(view.seats) if view.status[seat]])
        starter = next_seat(view.seats, view.dealer, active)
        terms = DealTerms(view.seats, active, view.dealer, starter, view.scores)
        state = OneOhOneState(terms, [mask(hand) for hand in hands], stock)
        state.events = []
        state.pile, state.melds = list(view.pile), list(view.melds)
        state.known = [mask(cards) for cards in view.known]
        state.phase, state.turn, state.turns = view.phase, view.turn, view.turns
        state.forbidden, state.owed = view.forbidden, view.owed
        if view.broken_at is not None:
            state.breaker, state.break_turn = view.closer, view.broken_at
        elif view.closer is not None:
            order = clockwise(state)
            state.knocker, state.to_show = view.closer, order[: order.index(view.closer)]
        return state if is_possible(state) else None

    # The start of a turn.

    def _starts(self, state: OneOhOneState) -> list[Action]:
        actions: list[Action] = [_DRAW_STOCK]
        if why_not_take(state) is None:
            actions.append(_DRAW_PILE)
        held = state.hands[state.turn]
        if state.breaker is None and deadwood(held) <= self._limit(state):
            actions.append(_KNOCK)
        return actions

    def _limit(self, state: OneOhOneState) -> int:
        return knock_limit(self.knock_table, state.terms.scores[state.turn])

    def _draw_stock(self, state: OneOhOneState) -> None:
        seat, card = state.turn, state.stock.pop()
        state.hands[seat] |= BIT[card]
        state.events.append(Event(EventKind.DRAW_STOCK, seat, (card,), private=True))
        if state.breaker is None and len(state.stock) < len(state.terms.active):
            state.breaker, state.break_turn = seat, state.turns  # 101-9.3
        state.phase = Phase.DISCARD if state.breaker is None else Phase.PLAY

    def _draw_pile(self, state: OneOhOneState, count: int) -> None:
        seat = state.turn
        reason = why_not_take(state) if count == 1 else "Only the top card of the pile may be taken (101-4.2)."
        if reason is not None:
            raise IllegalAction(reason, seat)
        card = state.pile.pop()
        state.hands[seat] |= BIT[card]
        state.known[seat] |= BIT[card]
        state.events.append(Event(EventKind.DRAW_PILE, seat, (card,)))
        if self.rediscard_ban:
            state.forbidden = card
        if state.breaker is None:
            state.phase = Phase.DISCARD  # 101-9.4
        else:
            state.owed = card
            state.phase = Phase.PLAY

    # The end of a turn.

    def _discard(self, state: OneOhOneState, card: Card) -> None:
        seat = state.turn
        if type(card) is not int or not 0 <= card < 52 or not state.hands[seat] >> card & 1:
            raise IllegalAction("The card to discard is not in the hand.", seat)
        if card == state.forbidden:
            raise IllegalAction("The card just taken from the pile may not be discarded in the same turn.", seat)
        state.hands[seat] ^= BIT[card]
        state.known[seat] &= ~BIT[card]
        state.pile.append(card)
        state.events.append(Event(EventKind.DISCARD, seat, (card,)))
        self._end_turn(state)

    def _end_turn(self, state: OneOhOneState) -> None:
        state.turns += 1
        state.forbidden = state.owed = None
        state.phase = Phase.START
        staying = [seat for seat in state.terms.active if state.hands[seat]]
        if not staying:
            count_hands(state, "all finished")  # 101-9.7
        elif not state.stock:
            count_hands(state, "stock")  # 101-9.8
        elif state.turns >= self.turn_cap * len(state.terms.active):
            count_hands(state, "turn cap")  # 101-9.10
        else:
            state.turn = next_seat(state.terms.seats, state.turn, staying)

    # The break.

    def _table(self, state: OneOhOneState, action: Meld | LayOff) -> None:
        seat, held = state.turn, state.hands[state.turn]
        own = (action.cards,) if isinstance(action, Meld) else ()
        lay_offs = (action,) if isinstance(action, LayOff) else ()
        if lay_offs:
            may_lay_off(state, action.cards)
        laid_out = check_arrangement(held, own, lay_offs, state.melds, seat)
        if not keeps_duty(state, mask(laid_out.rest)):
            raise IllegalAction("The card taken from the pile could not be melded any more (101-9.3).", seat)
        if lay_offs:
            state.events.append(Event(EventKind.LAY_OFF, seat, lay_offs=lay_offs))
        else:
            state.events.append(Event(EventKind.MELD, seat, tuple(sorted(action.cards))))
        lay_down(state, seat, laid_out)
        if state.owed in action.cards:
            state.owed = None
        if not laid_out.rest:
            self._end_turn(state)  # 101-9.6, 9.7

    # The knock and the show.

    def _knock(self, state: OneOhOneState, card: Card | None, groups: tuple[Cards, ...] | None) -> None:
        seat, held = state.turn, state.hands[state.turn]
        if card is not None:
            raise IllegalAction("A knock in 101 is made before drawing, without a card (101-6.1).", seat)
        if state.breaker is not None:
            raise IllegalAction("Nobody may knock once the stock is broken (101-9.9).", seat)
        laid_out = best_show(held) if groups is None else check_arrangement(held, groups, (), (), seat)
        state.knocker = seat
        state.events.append(Event(EventKind.KNOCK, seat))
        show_hand(state, seat, laid_out)
        if laid_out.points > self._limit(state):
            self._foul(state)
        else:
            state.to_show = [at for at in clockwise(state) if at != seat]
            state.phase, state.turn = Phase.SHOW, state.to_show[0]

    def _foul(self, state: OneOhOneState) -> None:
        """The knock was over the limit: the knocker leaves the match, and the deal ends here (101-6.4)."""
        seat = state.turn
        counted = [seat]
        if self.over_limit == "score":
            counted = list(state.terms.active)
            for other in clockwise(state):
                if other != seat:
                    show_hand(state, other, best_show(state.hands[other]))
        counts = {at: points(state.hands[at]) for at in counted}
        finish(state, counts, "foul knock", out=(seat,))

    def _show(self, state: OneOhOneState, groups: tuple[Cards, ...] | None, lay_offs: tuple[LayOff, ...]) -> None:
        seat, held = state.turn, state.hands[state.turn]
        table = open_melds(state)
        if groups is None and lay_offs:
            raise IllegalAction("An arrangement of one's own names its melds as well as its lay-offs.", seat)
        if lay_offs and not table:
            raise IllegalAction("There is no meld to lay off on: nobody may, against Go Rummy (101-6.7).", seat)
        laid_out = best_show(held, table) if groups is None else check_arrangement(held, groups, lay_offs, table, seat)
        show_hand(state, seat, laid_out)
        state.to_show.pop(0)
        if state.to_show:
            state.turn = state.to_show[0]
        else:
            self._score_knock(state)

    def _score_knock(self, state: OneOhOneState) -> None:
        knocker = state.knocker
        assert knocker is not None, "a show follows a knock"
        counts = {seat: points(state.hands[seat]) for seat in state.terms.active}
        reason = "knock" if counts[knocker] else "go rummy"
        counts[knocker] += knock_penalty(counts, knocker, penalty=self.penalty, on_tie=self.tie_penalty)
        finish(state, counts, reason)


_WANTED = {
    Phase.START: "A turn begins with a draw from the stock or the pile, or with a knock.",
    Phase.PLAY: "Now melds are tabled or cards laid off, until the melds are ended.",
    Phase.DISCARD: "A turn ends with a discard.",
    Phase.SHOW: "After a knock each seat shows its hand: its arrangement, or the best one.",
}


def _check_table(table: object) -> None:
    name = "knock_table"
    if not isinstance(table, tuple) or not 1 <= len(table) <= 20:
        raise BadOptions(f"The option {name} is a list of 1 to 20 pairs: highest score, highest count.")
    last = -1
    for band in table:
        if not isinstance(band, tuple) or len(band) != 2:
            raise BadOptions(f"The option {name} is a list of pairs, not {options.shown(band)} in it.")
        options.whole(f"{name} (a score, above the one before)", band[0], last + 1, 1000)
        options.whole(f"{name} (a count)", band[1], 0, 70)
        last = band[0]
