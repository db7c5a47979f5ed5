"""Time, as it is charged to bots. Pure: whoever calls says what time it is, in seconds of a monotonic clock.

The clock belongs to the lane, not to the match: a bot with 64 open decisions has one processor. The time in which a
lane is busy is shared by the decisions that it answers in it. A decision is late when its share passes its limit and
bank, or when the wall time passes the limit times what was outstanding, and the bank.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Now = Callable[[], float]

BEAT = 0.005
"""Seconds between two beats of the loop."""
STILL = 0.008
"""So long after a beat the clock stands still; timers are late by a millisecond or two on a machine at rest."""
BEATS_A_SWEEP = 4
TICK = BEAT * BEATS_A_SWEEP
"""Seconds between two sweeps, which find what is late."""


class SteadyTime:
    """A monotonic clock that goes on only while the loop does.

    An answer is there before the loop comes to it. Where the loop is behind, because the process does not run or has
    much to do, its next beat is behind as well, and until that the clock stands still: so what waits in the arbiter
    does not age by more than STILL.
    """

    def __init__(self, monotonic: Now = time.monotonic) -> None:
        self._monotonic = monotonic
        self._still = monotonic() + STILL  # From then on, unless there is a beat before.
        self.lost = 0.0  # Seconds that have been left out so far.

    def __call__(self) -> float:
        return min(self._monotonic(), self._still) - self.lost

    def beat(self) -> None:
        """The loop is here; called every BEAT."""
        now = self._monotonic()
        self.lost += max(0.0, now - self._still)
        self._still = now + STILL


@dataclass(frozen=True, slots=True)
class Terms:
    """What a decision may take, what a seat may overdraw, and what each answer in time adds to that; milliseconds."""

    limit_ms: int
    bank_ms: int
    increment_ms: int = 0


class Purse:
    """What one seat has left of its bank in one match."""

    __slots__ = ("bank", "increment", "limit")

    def __init__(self, terms: Terms) -> None:
        self.limit = terms.limit_ms / 1000
        self.bank = terms.bank_ms / 1000
        self.increment = terms.increment_ms / 1000

    def charge(self, seconds: float) -> bool:
        """Takes what passes the limit from the bank, then adds the increment.

        False where the bank does not cover it: then it is empty, and nothing is added.
        """
        over = seconds - self.limit
        if over > self.bank:
            self.bank = 0.0
            return False
        if over > 0:
            self.bank -= over
        self.bank += self.increment
        return True


class LaneClock:
    """How long one lane has been busy, and how many decisions it had open at most since it was last idle."""

    __slots__ = ("_since", "outstanding", "peak")

    def __init__(self) -> None:
        self.outstanding = 0
        self.peak = 0
        self._since = 0.0

    def sent(self, now: float, count: int = 1) -> None:
        """*count* decisions are on their way to the bot."""
        if not self.outstanding:
            self._since = now
            self.peak = 0
        self.outstanding += count
        self.peak = max(self.peak, self.outstanding)

    def answered(self, now: float, walls: Sequence[float]) -> list[float]:
        """The seconds that each decision of one message is charged; *walls* says how long each has been open.

        None is charged more than that. What is left over then is charged to those that are answered later.
        """
        left, count = max(0.0, now - self._since), len(walls)
        self.outstanding -= count
        share = left / count
        if min(walls) >= share:
            self._since = now
            return [share] * count
        charges = [0.0] * count
        for rank, index in enumerate(sorted(range(count), key=walls.__getitem__)):
            charges[index] = charge = min(walls[index], left / (count - rank))
            left -= charge
        self._since = now - left
        return charges

    def dropped(self, count: int = 1) -> None:
        """*count* decisions are no longer asked."""
        self.outstanding -= count

    def wall(self, purse: Purse) -> float:
        """The seconds after which a decision is late whatever else the lane was doing."""
        return purse.limit * max(1, self.peak) + purse.bank
