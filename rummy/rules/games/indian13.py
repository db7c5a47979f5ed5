"""Indian 13-card rummy, for two to six seats. Rulebook: docs/rulebook/indian13.md; its clauses are cited here.

A turn goes START, DISCARD. A show is the action `Knock`, with the card for the finish slot and the groups; a valid one
is followed by a SHOW for each seat that is still in play.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

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
    Drop,
    Knock,
    LayOff,
    Seat,
)
from rummy.rules.cards import cards_text
from rummy.rules.game import DealResult, DealTerms, Decision, Event, EventKind, GameSpec, MatchResult, Phase, View
from rummy.rules.games.indian13_deal import (
    Indian13State,
    checked_groups,
    dealt,
    draw_pile,
    draw_stock,
    expose,
    finish,
    in_play,
    lay_open,
    leave,
    left_after,
    next_turn,
    taken_up,
    throw,
    why_not_take,
)
from rummy.rules.games.indian13_groups import DECK, kind_of, points, why_not_valid
from rummy.rules.games.indian13_search import arrange, best_discard, shows, small_groups, throwable
from rummy.rules.games.one_oh_one_tally import OneOhOneTally
from rummy.rules.games.totals import Totals
from rummy.rules.games.zones import view_of
from rummy.rules.tabling import without

SCORINGS: Final = ("points", "pool")
READINGS: Final = ("rest", "all")
_DRAW_STOCK, _DRAW_PILE, _DROP, _SHOW = DrawStock(), DrawPile(), Drop(), Arrange()
_DISCARDS: Final = tuple([Discard(card) for card in range(54)])
_KNOCKS: Final = tuple([Knock(card) for card in range(54)])
_DECISIONS: Final = {phase: tuple([Decision(seat, phase) for seat in range(6)]) for phase in Phase}


@dataclass(frozen=True, slots=True)
class Indian13:
    """Indian 13-card rummy. Rulebook: docs/rulebook/indian13.md. Raises `BadOptions` for an option it cannot take."""

    spec: ClassVar[GameSpec] = GameSpec("indian13", "Indian 13-card rummy", 2, 6, rules_version=1)
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "pool_101": {"scoring": "pool"},  # IND-8
        "pool_201": {"scoring": "pool", "target": 201},
    }

    scoring: str = "points"  # IND-8
    target: int = 101  # IND-8: in a pool, a seat with so much is out.
    rounds: int = 2  # IND-9: for points, deals a seat.
    first_drop: int = 20  # IND-5
    middle_drop: int = 40  # IND-5
    wrong_show: int = 80  # IND-6
    cap: int = 80  # IND-7.5
    without_second: str = "rest"  # IND-7.3: "rest" is reading A, "all" reading B.
    rediscard_ban: bool = True  # IND-4.3
    turn_cap: int = 40  # COM-10: turns a seat in one deal.
    deal_cap: int = 60  # COM-10

    def __post_init__(self) -> None:
        options.one_of("scoring", self.scoring, SCORINGS)
        options.whole("target", self.target, 1, 1000)
        options.whole("rounds", self.rounds, 1, 10)
        for name in ("first_drop", "middle_drop", "wrong_show", "cap"):
            options.whole(name, getattr(self, name), 1, 1000)
        options.one_of("without_second", self.without_second, READINGS)
        options.flag("rediscard_ban", self.rediscard_ban)
        options.whole("turn_cap", self.turn_cap, 1, 100)
        options.whole("deal_cap", self.deal_cap, 1, 100)
        if not self._pool and self.target != _DEFAULT_TARGET:
            raise BadOptions("A session of points has no target: leave target out, or play a pool.")
        if self._pool and self.rounds != _DEFAULT_ROUNDS:
            raise BadOptions("A pool is played until one seat is left, not for rounds: leave them out.")

    # The match.

    def tally(self, seats: int, first: Seat) -> Any:
        """A match that begins, with *first* as its first dealer: a pool, or a session of so many deals (IND-8, 9)."""
        return OneOhOneTally(seats, first, self.target) if self._pool else Totals(seats, first)

    def terms(self, tally: OneOhOneTally | Totals) -> DealTerms:
        """What the next deal needs to know."""
        return tally.terms()

    def score(self, tally: OneOhOneTally | Totals, result: DealResult) -> None:
        """Counts a finished deal."""
        tally.score(result)

    def retire(self, tally: OneOhOneTally | Totals, seat: Seat) -> None:
        """Takes *seat* out of the match by forfeit."""
        tally.retire(seat)

    def outcome(self, tally: OneOhOneTally | Totals, *, ended: bool = False) -> MatchResult | None:
        """How the match ended, or None while it goes on."""
        if isinstance(tally, OneOhOneTally):
            return tally.outcome(self.deal_cap, ended=ended)
        return tally.outcome(target=None, deals=self.rounds * tally.seats, cap=self.deal_cap, ended=ended)

    @property
    def _pool(self) -> bool:
        return self.scoring == "pool"

    # The deal.

    def deck(self, seats: int) -> Sequence[Card]:
        """Two packs and two printed jokers (IND-1)."""
        return DECK

    def deal(self, deck: Sequence[Card], terms: DealTerms) -> Indian13State:
        """Thirteen cards each, the cut card, the upcard (IND-2.1)."""
        return dealt(deck, terms)

    def decision(self, state: Indian13State) -> Decision | None:
        """The open question, or None once the deal is over."""
        if state.result is not None:
            return None
        return _DECISIONS[state.phase][state.turn]

    def result(self, state: Indian13State) -> DealResult | None:
        """How the deal ended, or None."""
        return state.result

    def legal_actions(self, state: Indian13State) -> Sequence[Action]:
        """Everything but shows with groups of one's own, wrong ones among them, and most own arrangements."""
        if state.result is not None:
            return ()
        hand = state.hands[state.turn]
        if state.phase is Phase.START:
            return [_DRAW_STOCK, _DROP] if why_not_take(state) else [_DRAW_STOCK, _DRAW_PILE, _DROP]
        if state.phase is Phase.DISCARD:
            shown = shows(hand, state.wild, state.forbidden)
            return [_DISCARDS[card] for card in throwable(hand, state.forbidden)] + [_KNOCKS[card] for card in shown]
        return [_SHOW, *[Arrange((group,)) for group in small_groups(hand, state.wild)]]

    def default_action(self, state: Indian13State) -> Action:
        """What is played for a seat that does not answer (COM-14)."""
        if state.phase is Phase.START:
            return _DRAW_STOCK
        if state.phase is Phase.SHOW:
            return _SHOW
        hand = state.hands[state.turn]
        return _DISCARDS[best_discard(hand, state.wild, state.forbidden, whole_hand=self._whole_hand)]

    def apply(self, state: Indian13State, action: Action) -> None:
        """Plays *action*. Raises `IllegalAction` before anything has changed."""
        if state.result is not None:
            raise IllegalAction("The deal is over.", state.turn)
        match state.phase, action:
            case Phase.START, DrawStock():
                draw_stock(state)
            case Phase.START, DrawPile(count):
                self._draw_pile(state, count)
            case Phase.START, Drop():
                self._drop(state)
            case Phase.DISCARD, Discard(card):
                throw(state, card, left_after(state, card))
                self._end_turn(state)
            case Phase.DISCARD, Knock(card, groups):
                self._declare(state, card, groups)
            case Phase.SHOW, Arrange(groups, lay_offs):
                self._show(state, groups, lay_offs)
            case _:
                raise IllegalAction(_WANTED[state.phase], state.turn)

    def view(self, state: Indian13State, seat: Seat | None) -> View:
        """What *seat* may see: the public record, and its own hand."""
        view = view_of(state, self.spec.key, self.decision(state), seat)
        active, playing = state.terms.active, state.playing
        view.status = tuple([(1 if at in playing else 2) if at in active else 0 for at in range(view.seats)])
        view.wild = state.cut
        if any(state.losses):
            view.losses = tuple(state.losses)
        return view

    def resume(self, view: View, hands: Sequence[Cards], stock: list[Card]) -> Indian13State:
        """The deal of *view*, with *hands* and *stock* for what it does not show."""
        return taken_up(view, hands, stock)

    # The start of a turn.

    def _draw_pile(self, state: Indian13State, count: int) -> None:
        reason = why_not_take(state) if count == 1 else "Only the top card of the pile may be taken (IND-4.1)."
        if reason is not None:
            raise IllegalAction(reason, state.turn)
        draw_pile(state, rediscard_ban=self.rediscard_ban)

    def _drop(self, state: Indian13State) -> None:
        seat = state.turn
        if state.drawn[seat]:
            leave(state, seat, self.middle_drop, "middle drop")
        else:
            leave(state, seat, self.first_drop, "first drop")
        self._end_turn(state)

    # The end of a turn.

    def _end_turn(self, state: Indian13State) -> None:
        state.turns += 1
        if len(state.playing) == 1:
            finish(state, "last seat", state.playing[0], pool=self._pool)  # IND-5, 6
        elif state.turns >= self.turn_cap * len(state.terms.active):
            self._stop(state)
        else:
            next_turn(state)

    def _stop(self, state: Indian13State) -> None:
        """The cap on turns: every seat still in play counts its hand, and nobody wins (IND-8)."""
        for seat in in_play(state):
            laid_out = arrange(state.hands[seat], state.wild, whole_hand=self._whole_hand)
            state.losses[seat] = min(self.cap, laid_out.points)
            lay_open(state, seat, laid_out.melds, laid_out.rest)
        finish(state, "turn cap", None, pool=self._pool)

    # The show.

    @property
    def _whole_hand(self) -> bool:
        return self.without_second == "all"

    def _declare(self, state: Indian13State, card: Card | None, groups: tuple[Cards, ...] | None) -> None:
        seat = state.turn
        if card is None:
            raise IllegalAction("A show puts one card to the finish slot: name it (IND-6).", seat)
        left = left_after(state, card)
        if groups is None:
            if card not in shows(state.hands[seat], state.wild, state.forbidden):
                raise IllegalAction(
                    f"Without {cards_text([card])} the hand makes no valid show; groups that one names oneself are "
                    "judged as they stand, and a wrong show costs points (IND-6).",
                    seat,
                )
            groups = arrange(left, state.wild).melds
        if checked_groups(left, groups, seat):
            raise IllegalAction("The groups of a show hold all of the other thirteen cards (IND-6).", seat)
        if why_not_valid(groups, state.wild):
            self._wrong_show(state, card, groups, left)
        else:
            _valid_show(state, card, groups, left)

    def _wrong_show(self, state: Indian13State, card: Card, groups: tuple[Cards, ...], left: Cards) -> None:
        """The seat leaves the deal, its hand open; its card goes on top of the pile (IND-6, 9)."""
        seat = state.turn
        state.events.append(Event(EventKind.SHOW, seat, (), groups))
        throw(state, card, left)
        expose(state, seat)
        leave(state, seat, self.wrong_show, "wrong show")
        self._end_turn(state)

    def _show(self, state: Indian13State, groups: tuple[Cards, ...] | None, lay_offs: tuple[LayOff, ...]) -> None:
        seat = state.turn
        hand = state.hands[seat]
        if lay_offs:
            raise IllegalAction("Nothing is laid off in this game (IND-7.1).", seat)
        if groups is None:
            laid_out = arrange(hand, state.wild, whole_hand=self._whole_hand)
            groups, rest = laid_out.melds, laid_out.rest
        else:
            rest = checked_groups(hand, groups, seat)
        for group in groups:
            if kind_of(group, state.wild) is None:
                raise IllegalAction(f"{cards_text(group)} is neither a sequence nor a set (IND-3).", seat)
        counted = points(groups, rest, state.wild, whole_hand=self._whole_hand)
        state.losses[seat] = min(self.cap, counted)  # IND-7.5
        lay_open(state, seat, groups, rest)
        state.to_show.pop(0)
        if state.to_show:
            state.turn = state.to_show[0]
        else:
            finish(state, "show", state.closer, pool=self._pool)


def _valid_show(state: Indian13State, card: Card, groups: tuple[Cards, ...], left: Cards) -> None:
    """The deal is won; the others show one after the other, clockwise (IND-7.1)."""
    seat = state.turn
    state.closer = seat
    state.forbidden = None
    state.turns += 1
    state.events.append(Event(EventKind.KNOCK, seat, (card,), reason="declares", private=True))
    state.hands[seat] = left
    if state.known[seat].count(card) > left.count(card):
        state.known[seat] = without(state.known[seat], (card,)) or ()
    lay_open(state, seat, groups, ())
    state.to_show = [other for other in in_play(state) if other != seat]
    state.phase, state.turn = Phase.SHOW, state.to_show[0]


_DEFAULT_TARGET: Final = 101
_DEFAULT_ROUNDS: Final = 2
_WANTED = {
    Phase.START: "A turn begins with a draw from the stock or the pile, or with a drop.",
    Phase.DISCARD: "A turn ends with a discard or a show.",
    Phase.SHOW: "The deal has been won: the hand is to be shown.",
}
