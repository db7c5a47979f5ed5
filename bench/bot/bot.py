"""The cheapest bot that plays at random: the benchmarks of the wire measure the arena, not the bot.

It also writes down what came and went, into the file `traffic` beside it, for the peer that bounces the same bytes; and
when each message came, into the file `moments`, as doubles of the monotonic clock.
"""

import json
import os
from array import array
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from sample_bots import sdk

MIX = 0x9E3779B97F4A7C15  # An odd number near 2^64 / golden ratio: its multiples look random enough for play.
EVERY = 0.1  # Seconds.
TRAFFIC = Path(os.environ.get("ARENA_BOT_DIR", ".")) / "traffic"
MOMENTS = TRAFFIC.with_name("moments")


def choose(decision: sdk.Decision) -> sdk.Answer:
    """A listed action, by a hash of seed, deal and ply."""
    legal = decision.legal
    mixed = (decision.seed + (decision.deal << 20) + decision.ply) * MIX & (1 << 64) - 1
    return legal[(mixed >> 32) % len(legal)]


class Counting(sdk.Session):
    """A session that counts messages, and the bytes in both directions."""

    messages = received = sent = 0
    due = 0.0
    moments = array("d")

    def answers(self, data: bytes) -> Iterator[bytes]:
        """The session's answers, counted."""
        now = monotonic()
        self.moments.append(now)
        for message in super().answers(data):
            self.messages += 1
            self.received += len(data)
            self.sent += len(message)
            yield message
        if now > self.due:
            self.due = now + EVERY
            self.note()

    def note(self) -> None:
        """Writes the files."""
        with MOMENTS.open("ab") as out:
            self.moments.tofile(out)
        del self.moments[:]
        new = TRAFFIC.with_suffix(".new")
        new.write_text(json.dumps([self.messages, self.received, self.sent]))
        new.replace(TRAFFIC)


if __name__ == "__main__":
    sdk.Session = Counting  # type: ignore[misc]
    sdk.run(choose)
