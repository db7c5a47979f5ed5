"""A match: deals between the same seats, to the end that the game states. Sans-I/O, one machine for every driver.

A driver asks the seat of `decision`, gives its answer to `apply`, and goes on until `decision` is None; then `result`
is there. What is read at every action is a plain attribute, and the game is called through bound methods kept for the
purpose: this is the hot path of every benchmark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from rummy.errors import BadInput, BadOptions, IllegalAction
from rummy.rules import shuffle
from rummy.rules.actions import Action, Seat
from rummy.rules.game import DealResult, Decision, Event, EventKind, Game, MatchResult, View, seats_of

MAX_SEED_BYTES = 64
MOST_ACTIONS = 90_000  # COM-10: whatever options allow, a replay holds the longest match, its last deal as well.
VOID = "void"  # The reason of a deal that a forfeit has ended: nobody scores it.


class Match:
    """One match of *game* from *seed*; *max_deals* ends a short one early. Deals at once; raises `BadOptions`."""

    def __init__(self, game: Game, seats: int, seed: bytes, max_deals: int | None = None) -> None:
        _check(game, seats, seed, max_deals)
        self.game = game
        self.seats = seats
        self.seed = seed
        self.max_deals = max_deals
        self.deal = 0  # Number of the current deal, from 0.
        self.ply = 0  # Actions so far in this deal.
        self.actions = 0  # Actions so far in the match.
        self.events: list[Event] = []  # Everything since the match began; a driver keeps an index a seat.
        self.deals: list[DealResult] = []  # How each finished deal ended.
        self.forfeits: list[str | None] = [None] * seats
        self.active: tuple[Seat, ...] = ()  # Seats still in the match.
        self.decision: Decision | None = None
        self.result: MatchResult | None = None
        self._tally = game.tally(seats, shuffle.first_seat(seed, seats))
        self._apply, self._decide, self._legal = game.apply, game.decision, game.legal_actions
        self._scored = 0
        self._deal()

    def legal_actions(self) -> Sequence[Action]:
        """What the seat of the open decision may do; empty once the match is over."""
        return self._legal(self._state)

    def default_action(self) -> Action:
        """What is played for a seat that does not answer (COM-14). Raises `IllegalAction` once the match is over."""
        if self.result is not None:
            _refuse(self._state, None)
        return self.game.default_action(self._state)

    def apply(self, action: Action) -> None:
        """Plays *action* for the seat of the open decision. Raises `IllegalAction`: then nothing has changed."""
        state = self._state
        self._apply(state, action)
        self.ply += 1
        self.actions += 1
        self.decision = decision = self._decide(state)
        if decision is None:
            self._finish_deal()

    def forfeit(self, seat: Seat, cause: str) -> None:
        """Takes *seat* out, behind everybody else; the deal is void. Raises `BadInput` where it is not in the match."""
        if self.result is not None or seat not in self.active:
            raise BadInput(f"Seat {seat} cannot forfeit: it is not in play in this match.")
        self.forfeits[seat] = cause
        self.game.retire(self._tally, seat)
        self._end_deal(DealResult((0,) * self.seats, VOID))
        self.events.append(Event(EventKind.OUT, seat, reason=cause))
        self._go_on("forfeit")

    def view(self, seat: Seat | None) -> View:
        """What *seat* may see at this moment; None is a spectator. Raises `BadInput` for a seat that there is not."""
        if seat is not None and not 0 <= seat < self.seats:
            raise BadInput(f"There is no seat {seat}; this match has the seats 0 to {self.seats - 1}.")
        view = self.game.view(self._state, seat)
        if self.result is not None:
            view.phase = None
        return view

    def _deal(self) -> None:
        terms = self.game.terms(self._tally)
        self.active = terms.active
        self.ply = 0
        seed = shuffle.deal_seed(self.seed, self.deal)
        deck = shuffle.shuffled(seed, self.game.deck(len(terms.active)))
        self._state = state = self.game.deal(deck, replace(terms, chance=seed))
        self.events.extend(state.events)
        state.events = self.events  # The deal writes on into the match's own list.
        self.decision = self._decide(state)

    def _finish_deal(self) -> None:
        result = self.game.result(self._state)
        assert result is not None, "a deal without a decision has a result"
        self.game.score(self._tally, result)
        self._scored += 1
        self._end_deal(result)
        self._go_on(None)

    def _end_deal(self, result: DealResult) -> None:
        self.deals.append(result)
        winner = 0 if result.winner is None else result.winner
        self.events.append(Event(EventKind.DEAL_END, winner, points=result.points, reason=result.reason))

    def _go_on(self, reason: str | None) -> None:
        """Ends the match where the game says so, else deals again and tells who has left."""
        short = self.max_deals is not None and self._scored >= self.max_deals  # A void deal does not count.
        outcome = self.game.outcome(self._tally, ended=short)
        if outcome is None and self.actions >= MOST_ACTIONS:
            outcome, reason = self.game.outcome(self._tally, ended=True), "action cap"
        if outcome is not None:
            self.decision = None
            self._apply, self._legal = _refuse, _nothing
            self.result = replace(
                outcome, reason=reason or outcome.reason, deals=len(self.deals), forfeits=tuple(self.forfeits)
            )
            return
        before = self.active
        staying = self.game.terms(self._tally).active
        for seat in before:
            if seat not in staying and self.forfeits[seat] is None:
                self.events.append(Event(EventKind.OUT, seat, reason="points"))
        self.deal += 1
        self._deal()


def _refuse(state: object, action: object) -> NoReturn:
    """Stands for the game's `apply` once the match is over."""
    raise IllegalAction("The match is over; nobody is asked any more.", -1)


def _nothing(state: object) -> Sequence[Action]:
    """Stands for the game's `legal_actions` once the match is over."""
    return ()


def _check(game: Game, seats: int, seed: bytes, max_deals: int | None) -> None:
    spec = game.spec
    least, most = seats_of(game)
    if type(seats) is not int or not least <= seats <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        raise BadOptions(f"{spec.title} is played by {wanted} seats, not {seats!r}.")
    if not isinstance(seed, bytes) or not 1 <= len(seed) <= MAX_SEED_BYTES:
        raise BadOptions(f"A match's seed is 1 to {MAX_SEED_BYTES} bytes.")
    if max_deals is not None and (type(max_deals) is not int or max_deals < 1):
        raise BadOptions(f"A match has at least 1 deal, not {max_deals!r}.")
