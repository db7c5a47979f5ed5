"""What a tournament comes to, before anything of it is played: its size, how even it is, and how long it may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from rummy.league.pairing import find_format
from rummy.league.pairing.balance import Balance, balance
from rummy.league.pairing.design import is_complete
from rummy.league.pairing.format import Field, Format, Size, check, ranks
from rummy.rules.games import find_game
from rummy.store import bots, tournaments
from rummy.store.db import Connection
from rummy.store.terms import Plan, ladder_of

ASSUMED_SECONDS = 0.5
"""Taken for a fixture where none like it has been played here."""
RECENT = 200
"""The newest fixtures of a ladder, so many, say how long one takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What is planned. *balance* is None where a ranking or results decide who meets whom."""

    title: str
    cycles: int
    entrants: int
    table_size: int
    size: Size
    matches: int  # Without ties that are played off; at most, unless all entrants are hosted.
    all_hosted: bool
    balance: Balance | None
    fixture_seconds: float
    measured: int  # The fixtures from which that is known; 0 where it is assumed.
    seconds: float


_PACE: LiteralString = """
    WITH recent AS (
        SELECT a.claimed_at, a.ended_at
          FROM tournament t
          JOIN fixture f USING (tournament_id)
          JOIN fixture_attempt a USING (fixture_id)
         WHERE t.ladder = %(ladder)s AND t.table_size = %(table_size)s AND f.state = 'done' AND a.outcome = 'done'
         ORDER BY f.done_at DESC LIMIT %(recent)s)
    SELECT count(*),
           coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM ended_at - claimed_at)), 0),
           coalesce((SELECT sum(extract(epoch FROM upper(busy) - lower(busy)))
                       FROM unnest((SELECT range_agg(tstzrange(claimed_at, ended_at)) FROM recent)) AS busy), 0)
      FROM recent"""


def of_plan(tx: Connection, plan: Plan, versions: Sequence[bots.Version]) -> Forecast:
    """What a tournament of *versions* would come to; nothing is made. Raises what making it would raise."""
    field = tournaments.check_plan(plan, versions)
    ladder = ladder_of(find_game(plan.game, plan.options))
    return _forecast(tx, find_format(plan.format), field, ladder, versions)


def of_tournament(tx: Connection, tournament_id: int) -> Forecast:
    """What a tournament comes to with those who have entered. Raises `NotFound`, `NotEnoughEntrants`, `LeagueError`."""
    tournament = tournaments.get(tx, tournament_id)
    versions = [bots.get(tx, version_id) for version_id in tournaments.entrants(tx, tournament_id)]
    field = tournaments.field_of(tx, tournament)
    return _forecast(tx, find_format(tournament.format), field, tournament.ladder, versions)


def _forecast(tx: Connection, form: Format, field: Field, ladder: str, versions: Sequence[bots.Version]) -> Forecast:
    """The time is that of the newest fixtures of *ladder*, side by side as they were played; pauses do not count."""
    size = check(form, field)
    values = {"ladder": ladder, "table_size": field.table_size, "recent": RECENT}
    row = tx.execute(_PACE, values).fetchone()
    assert row is not None
    measured, longest, busy = int(row[0]), float(row[1]), float(row[2])
    pace = busy / measured if measured else ASSUMED_SECONDS
    hosted = sum(version.hosted for version in versions)
    legs = field.table_size if hosted >= field.table_size else 1  # A table of hosted bots alone plays a leg a seat.
    return Forecast(
        title=form.title,
        cycles=field.cycles,
        entrants=field.entrants,
        table_size=field.table_size,
        size=size,
        matches=size.fixtures * legs,
        all_hosted=hosted == len(versions),
        balance=None if ranks(form) else balance(field.entrants, form.draw(field, ())),
        fixture_seconds=pace,
        measured=measured,
        seconds=max(size.fixtures * pace, (size.rounds if form.waits else 1) * longest),
    )


def matches_a_cycle(form: Format, field: Field, versions: Sequence[bots.Version]) -> int:
    """The matches of a cycle, at least: a fixture of hosted bots has one a seat, one with a live bot a single one.

    *field* is for one cycle, and its lots are not known yet.
    """
    hosted = [version.hosted for version in versions]
    if field.table_size > 2 and not all(hosted) and not is_complete(field.entrants, field.table_size):
        return check(form, field).fixtures
    tables = [table for drawn in form.draw(field, ()) for table in drawn.tables]
    return sum(len(table) if all(hosted[entrant] for entrant in table) else 1 for table in tables)
