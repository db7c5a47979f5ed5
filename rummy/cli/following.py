"""A tournament followed until it has ended, while the servers may be killed and started again."""

import time
from collections.abc import Callable

from rummy.errors import StoreUnavailable
from rummy.store import tournaments
from rummy.store.db import Database

LOOK_SECONDS = 0.2
PATIENCE_SECONDS = 60.0

Look = Callable[[tournaments.Progress], bool]


def follow(
    database: Database,
    number: int,
    look: Look,
    *,
    check: Callable[[], object] = lambda: None,
    patience: float = PATIENCE_SECONDS,
) -> tournaments.Progress:
    """The first progress of which *look* says that it is the last; *check* may raise whatever ends it earlier.

    Raises `StoreUnavailable` once the database has not answered for *patience* seconds, `NotFound`.
    """
    answered = time.monotonic()
    while True:
        check()
        try:
            with database.transaction() as tx:
                now = tournaments.progress(tx, number)
        except StoreUnavailable:
            if time.monotonic() - answered > patience:
                raise
        else:
            answered = time.monotonic()
            if look(now):
                return now
        time.sleep(LOOK_SECONDS)
