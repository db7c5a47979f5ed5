"""Which of gRPC's two engines moves the bytes between arbiter and bots.

gRPC's newer engine hands every message through threads of a pool, the older one polls where the message is wanted.
Measured with bare grpc.aio, a small message there and back took 155 microseconds of processor time with the newer one,
105 with the older; with one match a bot the arena needs a quarter less in all.

gRPC reads this setting once, when it is imported; so the packages whose processes carry messages say so first of all:
`arbiter`, `sample_bots` and `bench`. Where a future gRPC has no such engine any more it says so in one line, and goes
on with its own.
"""

from __future__ import annotations

import os

VARIABLE = "GRPC_EXPERIMENTS"
POLLING = "-event_engine_listener,-event_engine_client"


def use_polling() -> None:
    """Has gRPC poll in this process, unless its environment says what it should do."""
    os.environ.setdefault(VARIABLE, POLLING)
