"""The terms of a tournament: what an organiser may ask for, and what holds by default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, LiteralString

from rummy.errors import BadInput, BadOptions
from rummy.league.pairing import find_format
from rummy.league.pairing.format import Option, check_options, check_table
from rummy.names import check_name
from rummy.rules.game import Game, seats_of
from rummy.rules.games import options_digest, options_of

FAULTS: dict[str, float] = {"strikes": 3, "grace_seconds": 15.0, "deaths": 3}
"""The default fault policy: the strike that forfeits, how long a bot may be gone, the death of a lane that forfeits."""
LONGEST = {"match": 604_800, "fixture": 2_592_000, "round": 31_536_000}
"""Seconds: a week, thirty days, a year."""
WAIT_SECONDS = 300
LONG_MATCH = 3_600
"""By default a match may last for so many decisions that each use the whole limit, and for all banks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an organiser asks for. *seed* makes it a practice tournament, which moves no rating."""

    name: str
    game: str
    options: Mapping[str, object] = field(default_factory=dict)
    format: str = "round_robin"
    table_size: int = 2
    cycles: int = 1
    format_options: Mapping[str, object] = field(default_factory=dict)
    limit_ms: int = 1000
    bank_ms: int = 10000
    increment_ms: int = 0
    faults: Mapping[str, object] = field(default_factory=dict)
    deadlines: Mapping[str, object] = field(default_factory=dict)
    seed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnRecord:
    """The terms of a tournament as they are on record, and how far it has come."""

    tournament_id: int
    name: str
    game: str
    options: dict[str, Any]
    ladder: str
    format: str
    table_size: int
    cycles: int
    format_options: dict[str, Option]
    limit_ms: int
    bank_ms: int
    increment_ms: int
    faults: dict[str, Any]
    deadlines: dict[str, int | None]
    commitment: bytes
    rated: bool
    state: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    league_id: int | None  # Of the league of which it is a division in a season.


COLUMNS: LiteralString = """
    t.tournament_id, t.name, t.game, t.options, t.ladder, t.format, t.table_size, t.cycles, t.format_options,
    t.limit_ms, t.bank_ms, t.increment_ms, t.faults, t.deadlines, t.commitment, t.rated, t.state, t.created_at,
    t.started_at, t.finished_at, t.league_id"""
"""Those of `OnRecord`, of a tournament *t*."""


def ladder_of(game: Game) -> str:
    """The ladder in which a game with its options is rated: its key and 12 hex digits of the options' digest."""
    return f"{game.spec.key}:{options_digest(game)[:12]}"


def checked(plan: Plan, game: Game) -> dict[str, object]:
    """The terms of a tournament of *plan*, with all defaults.

    Raises `BadOptions`, `LeagueError` or `BadInput`, which name what cannot be had.
    """
    spec = game.spec
    least, most = seats_of(game)
    if not least <= plan.table_size <= most:
        seats = str(least) if least == most else f"{least} to {most}"
        raise BadOptions(f"{spec.title} is played at tables of {seats}, not of {plan.table_size}")
    check_table(find_format(plan.format), plan.table_size)
    return {
        "name": check_name(plan.name, "name of the tournament"),
        "game": spec.key,
        "options": options_of(game),
        "ladder": ladder_of(game),
        "format": plan.format,
        "table_size": plan.table_size,
        "cycles": whole("number of cycles", plan.cycles, 1, 100_000),
        "format_options": check_options(find_format(plan.format), plan.format_options),
        "limit_ms": whole("time limit in milliseconds", plan.limit_ms, 1, 600_000),
        "bank_ms": whole("time bank in milliseconds", plan.bank_ms, 0, 3_600_000),
        "increment_ms": whole("increment of the bank in milliseconds", plan.increment_ms, 0, 60_000),
        "faults": faults(plan.faults),
        "deadlines": deadlines(plan.deadlines, limit_ms=plan.limit_ms, bank_ms=plan.bank_ms, seats=plan.table_size),
    }


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
