"""The terms of a tournament that are numbers: what they may be, and what they are by default."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rummy.errors import BadInput

FAULTS: dict[str, float] = {"strikes": 3, "grace_seconds": 15.0, "deaths": 3}
"""The default fault policy: the strike that forfeits, how long a bot may be gone, the death of a lane that forfeits."""
LONGEST = {"match": 604_800, "fixture": 2_592_000, "round": 31_536_000}
"""Seconds: a week, thirty days, a year."""
WAIT_SECONDS = 300
LONG_MATCH = 3_600
"""By default a match may last for so many decisions that each use the whole limit, and for all banks."""


def whole(what: str, value: object, least: int, most: int) -> int:
    """*value*, if it is a whole number from *least* to *most*. Raises `BadInput`, which calls it *what*."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise BadInput(f"the {what} must be a whole number from {least} to {most}, not {value!r}")
    return value


def faults(given: Mapping[str, object]) -> dict[str, object]:
    """The whole fault policy, as given or by default. Raises `BadInput`."""
    if unknown := set(given) - set(FAULTS):
        raise BadInput(f"the fault policy has no {min(unknown)!r}; there are: {', '.join(FAULTS)}")
    policy: dict[str, object] = {**FAULTS, **given}
    whole("number of strikes", policy["strikes"], 1, 1000)
    whole("number of deaths", policy["deaths"], 1, 100)
    grace = policy["grace_seconds"]
    if (
        isinstance(grace, bool)
        or not isinstance(grace, int | float)
        or not math.isfinite(grace)
        or not 0 <= grace <= 600
    ):
        raise BadInput(f"the grace must be a number of seconds from 0 to 600, not {grace!r}")
    return policy


def deadlines(given: Mapping[str, object], *, limit_ms: int, bank_ms: int, seats: int) -> dict[str, int | None]:
    """All deadlines in seconds, as given or by default. Raises `BadInput`.

    The deadline of a match follows from limit and bank by default, that of a round from its fixtures (None): those that
    it has one after the other, and the wait for a bot.
    """
    if unknown := set(given) - set(LONGEST):
        raise BadInput(f"there is no deadline for a {min(unknown)!r}; there are: {', '.join(LONGEST)}")
    chosen = {
        name: whole(f"deadline of a {name} in seconds", seconds, 1, LONGEST[name])
        for name, seconds in given.items()
        if seconds is not None
    }
    played = math.ceil((limit_ms * LONG_MATCH + bank_ms * seats) / 1000)
    return {"match": min(max(played, 600), LONGEST["match"]), "fixture": WAIT_SECONDS, "round": None, **chosen}
