"""The one shape that every game has, and the values that pass between a game and its drivers.

A game is stateless: its fields are its options. A *state* belongs to one deal and is changed in place by `apply`; a
*tally* belongs to one match and is changed by `score`. Exactly one decision is open at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple, Protocol

from rummy.rules.actions import Action, Card, Cards, LayOff, Seat


class Phase(IntEnum):
    """What kind of question is open. The numbers are those of the wire."""

    OFFER = 1
    START = 2
    PLAY = 3
    DISCARD = 4
    SHOW = 5
    GO_OUT = 6


class EventKind(IntEnum):
    """What has happened. The numbers are those of the wire."""

    DEAL = 1
    DRAW_STOCK = 2
    DRAW_PILE = 3
    PASS = 4
    DISCARD = 5
    KNOCK = 6
    BIG_GIN = 7
    MELD = 8
    LAY_OFF = 9
    SHOW = 10
    DEAL_END = 11
    OUT = 12
    TURN_OVER = 13
    GO_OUT = 14
    DROP = 15


class Decision(NamedTuple):
    """The open question: who is asked, and what kind of answer is wanted."""

    seat: Seat
    phase: Phase


@dataclass(frozen=True, slots=True)
class GameSpec:
    """What is fixed about a game, whatever its options."""

    key: str
    title: str
    min_seats: int
    max_seats: int
    rules_version: int


@dataclass(frozen=True, slots=True)
class TableMeld:
    """A meld on the table; *placers* names who laid each card, *seat* whose meld it is."""

    cards: Cards
    placers: tuple[Seat, ...]
    seat: Seat
    run: bool


class Renewal(NamedTuple):
    """The stock that the discard pile has last become, and what everybody knows of it (COM-15).

    A pile that was turned over in its order leaves `order`. One that was shuffled leaves `cards`: every one of them was
    drawn by somebody or is in the stock still, and no other card is. Copies being alike, a card that has come to light
    may be one of `cards` or a copy of it that was in the hand before.
    """

    number: int  # So many times has the pile become the stock in this deal.
    order: Cards = ()  # What is left in the stock, the next card last.
    cards: Cards = ()  # What was shuffled into the stock, ascending.
    drawn: tuple[int, ...] = ()  # By seat: cards that it has drawn from that stock.
    revealed: tuple[Cards, ...] = ()  # By seat: cards of its hand that have come to light since, known of none before.


@dataclass(slots=True)
class View:
    """Everything that one seat may know (COM-12), and nothing else. Lists by seat have one element a seat."""

    game: str
    phase: Phase | None  # Of the open decision, whoever is asked; None once the deal is over.
    seat: Seat | None  # None for a spectator, whose hand is empty.
    seats: int
    hand: Cards  # Ascending.
    hand_sizes: tuple[int, ...]
    stock: int  # Cards left in it.
    pile: Cards  # From the bottom to the top.
    melds: tuple[TableMeld, ...]
    known: tuple[Cards, ...]  # By seat: cards that everybody knows to be in that hand.
    scores: tuple[int, ...]  # Of the match, before this deal.
    status: tuple[int, ...]  # 1 in play, 2 has finished or left this deal, 0 out of the match.
    turn: Seat
    dealer: Seat
    knock_limit: int  # The highest count with which `seat` may knock.
    forbidden: Card | None  # May not be discarded in this turn.
    owed: Card | None  # Must be melded in this turn.
    closer: Seat | None  # Has ended the deal, or broken the stock.
    turns: int  # Completed in this deal.
    broken_at: int | None = None  # Turns that were completed when the stock was broken (101-9.3).
    wild: Card | None = None  # The card that was cut for the wild rank.
    contract: tuple[int, ...] = ()  # Sets and runs that the deal asks for (CON-2.1).
    whole: bool = False  # All the cards go down at once as the contract (CON-6).
    renewal: Renewal | None = None  # The stock is the discard pile; None while it is the one that was dealt.
    renewing: bool = False  # The pile was turned over in this turn, which has not drawn yet.
    to_ask: tuple[Seat, ...] = ()  # Seats that are asked whether they take a card out of turn, the one asked now first.
    bought: tuple[int, ...] = ()  # By seat: upcards bought in this deal (CON-8); empty where nobody has.
    losses: tuple[int, ...] = ()  # By seat: what the end of the deal will cost those who have left it or shown.
    had_laid: bool = False  # The seat on turn had cards on the table when its turn began.
    laid_off: bool = False  # The seat on turn has laid off in this turn.
    idle: int = 0  # Turns in a row that have found nothing to draw (CLB-4.7).


@dataclass(frozen=True, slots=True)
class Event:
    """Something that has happened. *private*: `cards` are for `seat` alone."""

    kind: EventKind
    seat: Seat
    cards: Cards = ()
    groups: tuple[Cards, ...] = ()
    lay_offs: tuple[LayOff, ...] = ()
    points: tuple[int, ...] = ()
    reason: str = ""
    private: bool = False

    def seen_by(self, seat: Seat | None) -> Event:
        """The event as *seat* may know it."""
        return self if not self.private or seat == self.seat else replace(self, cards=(), private=False)


@dataclass(frozen=True, slots=True)
class DealResult:
    """How a deal ended: points by seat as the game counts them, and the word for how."""

    points: tuple[int, ...]
    reason: str
    winner: Seat | None = None
    out: tuple[Seat, ...] = ()  # Seats that the end of this deal throws out of the match, whatever their score.


@dataclass(frozen=True, slots=True)
class DealTerms:
    """What a deal needs to know of its match."""

    seats: int
    active: tuple[Seat, ...]
    dealer: Seat
    starter: Seat
    scores: tuple[int, ...]
    chance: bytes = b""  # Secret: what shuffles a pile during the deal is drawn from it.
    number: int = 0  # Deals that have been scored before this one.


@dataclass(frozen=True, slots=True)
class MatchResult:
    """How a match ended: finishing places from 1, shared by ties, and final scores, by seat."""

    placements: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    deals: int
    forfeits: tuple[str | None, ...]


class Game(Protocol):
    """A set of rules. Stateless and shared: what changes is in the state and the tally, typed `Any` for outsiders."""

    spec: ClassVar[GameSpec]

    def deck(self, seats: int) -> Sequence[Card]:
        """The cards of a deal to *seats* seats, in a fixed order, before the shuffle."""

    def deal(self, deck: Sequence[Card], terms: DealTerms) -> Any:
        """A new state from the shuffled *deck*, dealt from its head (COM-2).

        It has `events`, the list to which it writes, and `copy()`, an independent copy cheap enough for search.
        """

    def decision(self, state: Any) -> Decision | None:
        """The open question, or None once the deal is over."""

    def legal_actions(self, state: Any) -> Sequence[Action]:
        """At least one answer that `apply` accepts; never one that it rejects."""

    def default_action(self, state: Any) -> Action:
        """What is played for a seat that does not answer (COM-14)."""

    def apply(self, state: Any, action: Action) -> None:
        """Plays *action* on *state*. Raises `IllegalAction` before anything has changed."""

    def view(self, state: Any, seat: Seat | None) -> View:
        """What *seat* may see; None is a spectator."""

    def result(self, state: Any) -> DealResult | None:
        """How the deal ended, or None while it is in play."""

    def tally(self, seats: int, first: Seat) -> Any:
        """The score of a match that begins; *first* is the seat drawn at random for the first deal (COM-3)."""

    def terms(self, tally: Any) -> DealTerms:
        """What the next deal needs to know."""

    def score(self, tally: Any, result: DealResult) -> None:
        """Counts a finished deal."""

    def retire(self, tally: Any, seat: Seat) -> None:
        """Takes *seat* out of the match by forfeit; it ends behind every seat that is still in play."""

    def outcome(self, tally: Any, *, ended: bool = False) -> MatchResult | None:
        """How the match ended, or None while it goes on; *ended* asks for the standing as the final one."""


def seats_of(game: Game) -> tuple[int, int]:
    """The fewest and the most seats that *game* is played by with its options."""
    return getattr(game, "min_seats", game.spec.min_seats), game.spec.max_seats
