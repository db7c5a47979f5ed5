"""Contract rummy, for three to six seats, or two. Rulebook: docs/rulebook/contract.md; its clauses are cited here.

A turn goes START, PLAY until the melds are ended, DISCARD. Where the upcard may be bought, the others are asked with
OFFER after a draw from the stock. The contract is laid meld by meld: once one lies, only melds that complete it follow.
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
    Take,
)
from rummy.rules.arranging import Arranger, arranger
from rummy.rules.cards import PACK
from rummy.rules.game import DealResult, DealTerms, Decision, GameSpec, MatchResult, Phase, View
from rummy.rules.games.contract_deal import (
    END,
    VALUES,
    ContractState,
    buy,
    decline,
    draw,
    hand_points,
    is_laying,
    lay_off,
    may_shuffle,
    meld,
    plays,
)
from rummy.rules.games.contract_lay import RULES, least_cards
from rummy.rules.games.gathered import default_discard, discards
from rummy.rules.games.totals import Totals
from rummy.rules.games.zones import (
    clockwise,
    dealt,
    may_throw,
    show_hands,
    take,
    taken_up,
    terms_of,
    throw,
    view_of,
)
from rummy.rules.tabling import JOKER, MeldRules

PACKS: Final = ("by_seats", "two")
_MOST_CONTRACTS: Final = 14
_MOST_MELDS: Final = 4  # Of a kind.
_MOST_CARDS: Final = 16
_DRAW_STOCK, _DRAW_PILE, _TAKE, _PASS = DrawStock(), DrawPile(), Take(), Pass()
_DECISIONS: Final = {phase: tuple([Decision(seat, phase) for seat in range(6)]) for phase in Phase}
_TEN_TWELVE: Final = (10, 10, 10, 10, 12, 12, 12)


@dataclass(frozen=True, slots=True)
class Contract:
    """Contract rummy. Rulebook: docs/rulebook/contract.md; the options are in its table. Raises `BadOptions`."""

    spec: ClassVar[GameSpec] = GameSpec("contract", "Contract rummy", 3, 6, rules_version=1)
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "continental": {},
        "dummy": {"packs": "two", "cards": (10, 10, 10, 12, 12, 12, 12)},
        "liverpool": {"buying": True},
        "rising": {"cards": (7, 10, 10, 10, 12, 12, 14)},
    }

    contracts: tuple[tuple[int, int], ...] = ((2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))  # CON-2.1
    cards: tuple[int, ...] = _TEN_TWELVE  # CON-2.2
    packs: str = "by_seats"  # CON-1
    two_seats: bool = False  # CON-1
    last_at_once: bool = True  # CON-6
    buying: bool = False  # CON-3
    max_buys: int = 3  # CON-8: a seat in one deal.
    turn_cap: int = 60  # COM-10: turns a seat in one deal.

    def __post_init__(self) -> None:
        self._check_contracts()
        options.one_of("packs", self.packs, PACKS)
        for name in ("two_seats", "last_at_once", "buying"):
            options.flag(name, getattr(self, name))
        options.whole("max_buys", self.max_buys, 1, 10)
        options.whole("turn_cap", self.turn_cap, 1, 100)
        if not self.buying and self.max_buys != _DEFAULT_BUYS:
            raise BadOptions("Where nothing is bought there is no max_buys: leave it out, or turn buying on.")

    def _check_contracts(self) -> None:
        contracts, cards = self.contracts, self.cards
        if type(contracts) is not tuple or not 1 <= len(contracts) <= _MOST_CONTRACTS:
            raise BadOptions(f"The option contracts is a list of 1 to {_MOST_CONTRACTS} pairs: sets and runs.")
        if type(cards) is not tuple or len(cards) != len(contracts):
            raise BadOptions("The option cards is a list of as many numbers as there are contracts.")
        for pair, count in zip(contracts, cards, strict=True):
            if type(pair) is not tuple or len(pair) != 2 or pair == (0, 0):
                raise BadOptions(f"A contract of the option contracts is a pair, sets and runs, not {pair!r:.40}.")
            for number in pair:
                options.whole("contracts (sets or runs of one)", number, 0, _MOST_MELDS)
            options.whole("cards (for that contract)", count, max(3, least_cards(*pair) - 1), _MOST_CARDS)

    @property
    def min_seats(self) -> int:
        """The fewest seats that may play."""
        return 2 if self.two_seats else self.spec.min_seats

    def meld_rules(self) -> MeldRules:
        """What is a meld: bots and pages ask with `rummy.rules.tabling`."""
        return RULES

    def values(self) -> tuple[int, ...]:
        """What a card counts against a hand, by rank."""
        return VALUES

    def arranger(self) -> Arranger:
        """What finds the best arrangement of a hand."""
        return arranger(RULES, VALUES)

    # The match.

    def tally(self, seats: int, first: Seat) -> Totals:
        """A match that begins, with *first* as its first dealer (COM-3)."""
        return Totals(seats, first, lowest=True)

    def terms(self, tally: Totals) -> DealTerms:
        """What the next deal needs to know: a void deal is dealt again with the same contract."""
        return tally.terms()

    def score(self, tally: Totals, result: DealResult) -> None:
        """Counts a finished deal."""
        tally.score(result)

    def retire(self, tally: Totals, seat: Seat) -> None:
        """Takes *seat* out of the match by forfeit."""
        tally.retire(seat)

    def outcome(self, tally: Totals, *, ended: bool = False) -> MatchResult | None:
        """How the match ended, or None while it goes on: the lowest sum after all contracts wins (CON-7)."""
        return tally.outcome(target=None, deals=len(self.contracts), cap=len(self.contracts), ended=ended)

    # The deal.

    def deck(self, seats: int) -> Sequence[Card]:
        """Packs and jokers by the seats in play (CON-1)."""
        large = seats > 4 and self.packs == "by_seats"
        jokers = seats - 1 if self.packs == "two" else 2 if large else 1
        return PACK * (3 if large else 2) + tuple([JOKER + number % 2 for number in range(jokers)])

    def deal(self, deck: Sequence[Card], terms: DealTerms) -> ContractState:
        """As many cards as the contract of the deal asks for, the upcard, and the stock (CON-2.2)."""
        number = min(terms.number, len(self.contracts) - 1)
        whole = self.last_at_once and number == len(self.contracts) - 1
        return ContractState(terms, dealt(deck, terms, self.cards[number]), self.contracts[number], whole=whole)

    def decision(self, state: ContractState) -> Decision | None:
        """The open question, or None once the deal is over."""
        return None if state.result is not None else _DECISIONS[state.phase][_asked(state)]

    def result(self, state: ContractState) -> DealResult | None:
        """How the deal ended, or None."""
        return state.result

    def legal_actions(self, state: ContractState) -> Sequence[Action]:
        """Everything but lay-offs of several cards and melds in which a joker stands for a card that is held."""
        if state.result is not None:
            return ()
        if state.phase is Phase.START:
            return [_DRAW_STOCK, _DRAW_PILE]
        if state.phase is Phase.OFFER:
            return [_TAKE, _PASS]
        if state.phase is Phase.PLAY:
            return plays(state)
        return discards(state)

    def default_action(self, state: ContractState) -> Action:
        """What is played for a seat that does not answer (COM-14)."""
        if state.phase is Phase.START:
            return _DRAW_STOCK
        if state.phase is Phase.OFFER:
            return _PASS
        if state.phase is Phase.DISCARD:
            return default_discard(state, self.arranger())
        if not is_laying(state) and may_throw(state.hands[state.turn], state.forbidden):
            return END
        return plays(state)[0]

    def apply(self, state: ContractState, action: Action) -> None:
        """Plays *action*. Raises `IllegalAction` before anything has changed."""
        if state.result is not None:
            raise IllegalAction("The deal is over.", state.turn)
        match state.phase, action:
            case Phase.START, DrawStock():
                draw(state, most_buys=self.max_buys if self.buying else 0)
            case Phase.START, DrawPile(count):
                _draw_pile(state, count)
            case Phase.OFFER, Take():
                buy(state)
            case Phase.OFFER, Pass():
                decline(state)
            case Phase.PLAY, Meld(cards):
                meld(state, cards)
                _tabled(state)
            case Phase.PLAY, LayOff():
                lay_off(state, action)
                _tabled(state)
            case Phase.PLAY, EndMelds():
                _end_melds(state)
            case Phase.DISCARD, Discard(card):
                throw(state, card)
                self._end_turn(state)
            case _:
                raise IllegalAction(_WANTED[state.phase], _asked(state))

    def view(self, state: ContractState, seat: Seat | None) -> View:
        """What *seat* may see: the public record, and its own hand (COM-12)."""
        view = view_of(state, self.spec.key, self.decision(state), seat)
        view.contract, view.whole = (state.sets, state.runs), state.whole
        view.to_ask = state.to_ask
        if any(state.bought):
            view.bought = tuple(state.bought)
        return view

    def resume(self, view: View, hands: Sequence[Cards], stock: list[Card]) -> ContractState | None:
        """The deal of *view*, with *hands* and *stock* for what it does not show; None where they cannot have come."""
        sets, runs = view.contract
        state = ContractState(terms_of(view), (list(hands), stock, []), (sets, runs), whole=view.whole)
        state.to_ask = view.to_ask
        state.bought = list(view.bought) or state.bought
        taken_up(state, view)
        return None if is_laying(state) and not plays(state) else state  # CON-4.2

    def _end_turn(self, state: ContractState) -> None:
        state.turns += 1
        state.forbidden = None
        if not state.hands[state.turn]:
            _go_out(state)
        elif state.turns >= self.turn_cap * len(state.terms.active):
            _finish(state, "turn cap")
        elif not state.stock and not may_shuffle(state):
            _finish(state, "stock")
        else:
            state.turn = clockwise(state.terms, state.turn)[1]
            state.phase = Phase.START


def _asked(state: ContractState) -> Seat:
    return state.to_ask[0] if state.phase is Phase.OFFER else state.turn


def _draw_pile(state: ContractState, count: int) -> None:
    if count != 1:
        raise IllegalAction("Only the top card of the pile may be taken (CON-3).", state.turn)
    (state.forbidden,) = take(state, state.turn, 1)  # CON-8
    state.phase = Phase.PLAY


def _tabled(state: ContractState) -> None:
    if not state.hands[state.turn]:
        _go_out(state)


def _end_melds(state: ContractState) -> None:
    if is_laying(state):
        raise IllegalAction("The contract has been begun, and is completed in the same go (CON-4.2).", state.turn)
    if not may_throw(state.hands[state.turn], state.forbidden):
        raise IllegalAction("The card taken may not be thrown in this turn: lay it off (CON-8).", state.turn)
    state.phase = Phase.DISCARD


def _go_out(state: ContractState) -> None:
    state.closer = state.turn
    _finish(state, "out")


def _finish(state: ContractState, reason: str) -> None:
    """Lays all hands open and counts them (CON-7)."""
    show_hands(state)
    points = [hand_points(hand) for hand in state.hands]
    least = min([points[seat] for seat in state.terms.active])
    best = [seat for seat in state.terms.active if points[seat] == least]
    state.result = DealResult(tuple(points), reason, best[0] if len(best) == 1 else None)


_DEFAULT_BUYS: Final = 3
_WANTED: Final = {
    Phase.OFFER: "The upcard is offered: take it with a card of the stock, or pass.",
    Phase.START: "A turn begins with a draw from the stock or the pile.",
    Phase.PLAY: "Now the contract is laid, or cards laid off, until the melds are ended.",
    Phase.DISCARD: "A turn ends with a discard.",
}
