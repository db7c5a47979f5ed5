"""What changes in gin: one deal in play, and the running score of a match."""

from __future__ import annotations

from dataclasses import dataclass, field

from rummy.rules.actions import Card, Seat
from rummy.rules.game import DealResult, Decision, Event, TableMeld


class GinState:
    """One deal of gin. `hands` and `stock` are hidden; everything else is known to both seats."""

    __slots__ = (
        "big",
        "closer",
        "count",
        "dealer",
        "decision",
        "events",
        "hands",
        "known",
        "limit",
        "melds",
        "passes",
        "pile",
        "result",
        "scores",
        "stock",
        "stock_only",
        "taken",
        "turn",
        "turns",
    )

    def __init__(self) -> None:
        self.hands = [0, 0]
        self.stock: list[Card] = []  # The next card is the last one.
        self.pile: list[Card] = []
        self.known = [0, 0]  # By seat: cards taken from the pile and still held, later all that was shown.
        self.melds: list[TableMeld] = []
        self.decision: Decision | None = None
        self.turn = 0  # The seat of the decision, or of the last one.
        self.taken = -1  # The card taken from the pile in this turn, or -1 (GIN-4.5).
        self.stock_only = False  # Whether this turn must draw from the stock (GIN-4.2).
        self.passes = 0
        self.turns = 0
        self.limit = 0
        self.closer: Seat | None = None
        self.count = 0  # What the seat that ended the deal has left.
        self.big = False
        self.dealer = 0
        self.scores: tuple[int, ...] = (0, 0)
        self.events: list[Event] = []
        self.result: DealResult | None = None

    def copy(self) -> GinState:
        """An independent copy. Its events begin anew, so that copying is as cheap late in a match as early."""
        twin = GinState.__new__(GinState)
        twin.hands = self.hands[:]
        twin.stock = self.stock[:]
        twin.pile = self.pile[:]
        twin.known = self.known[:]
        twin.melds = self.melds[:]
        twin.decision = self.decision
        twin.turn = self.turn
        twin.taken = self.taken
        twin.stock_only = self.stock_only
        twin.passes = self.passes
        twin.turns = self.turns
        twin.limit = self.limit
        twin.closer = self.closer
        twin.count = self.count
        twin.big = self.big
        twin.dealer = self.dealer
        twin.scores = self.scores
        twin.events = []
        twin.result = self.result
        return twin


@dataclass(slots=True)
class GinTally:
    """The running score of a match of gin."""

    starter: Seat
    scores: list[int] = field(default_factory=lambda: [0, 0])
    won: list[int] = field(default_factory=lambda: [0, 0])
    deals: int = 0
    retired: list[Seat] = field(default_factory=list)

    @property
    def ties(self) -> int:
        """Deals that nobody has won."""
        return self.deals - sum(self.won)
