"""Rounds that are drawn while a tournament is played: from results, or in batches of a long schedule.

Any number of workers may draw at once. The row of the tournament is locked, what is there already is not drawn again,
and the natural key of a round would refuse it twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from itertools import islice
from typing import LiteralString

from rummy.league import standings
from rummy.league.model import Round, TournamentState
from rummy.league.pairing import find_format
from rummy.league.standings import Standing
from rummy.store import matches, ratings, rounds, tournaments, unplayed
from rummy.store.db import Connection

AHEAD = 2_500
"""A long schedule goes on once fewer fixtures than that are still to be played."""

_UNDRAWN: LiteralString = """
    SELECT tournament_id FROM tournament WHERE NOT drawn AND state = 'running' ORDER BY tournament_id"""


def undrawn(tx: Connection) -> list[int]:
    """The tournaments in play of which rounds may be yet to be drawn."""
    return [row[0] for row in tx.execute(_UNDRAWN)]


_SAVED: LiteralString = "SELECT count(*) FROM round WHERE tournament_id = %(tournament_id)s"
_LEFT: LiteralString = """
    SELECT count(*) FROM (SELECT FROM fixture WHERE tournament_id = %(tournament_id)s AND state <> 'done'
                           LIMIT %(ahead)s) AS first"""
_OPEN: LiteralString = "SELECT EXISTS (SELECT FROM round WHERE tournament_id = %(tournament_id)s AND closed_at IS NULL)"
_MORE: LiteralString = "UPDATE tournament SET planned = planned + %(extra)s WHERE tournament_id = %(tournament_id)s"
_DRAWN: LiteralString = "UPDATE tournament SET drawn = true WHERE tournament_id = %(tournament_id)s"


def draw(tx: Connection, tournament_id: int, *, now: datetime) -> int:
    """Draws what it is time for, and returns the number of rounds; where nothing is left to be drawn, that is noted."""
    tournament = tournaments.get(tx, tournament_id, lock=True)
    if tournament.drawn or tournament.state != TournamentState.RUNNING or not _is_time(tx, tournament):
        return 0
    saved = rounds.save(tx, tournament_id, _following(tx, tournament), now=now)
    if not saved:
        tx.execute(_DRAWN, {"tournament_id": tournament_id})
    if extra := sum(len(each.tables) for each in saved if each.extra):
        tx.execute(_MORE, {"tournament_id": tournament_id, "extra": extra})
    if saved:
        tournaments.log_drawn(tx, tournament_id, saved, now=now)
        unplayed.of_those_who_left(tx, tournament_id, now=now)
    return len(saved)


def _is_time(tx: Connection, tournament: tournaments.Tournament) -> bool:
    values = {"tournament_id": tournament.tournament_id, "ahead": AHEAD}
    if find_format(tournament.format).waits:
        return tx.execute(_OPEN, values).fetchone() == (False,)
    return tx.execute(_LEFT, values).fetchone() != (AHEAD,)


def _following(tx: Connection, tournament: tournaments.Tournament) -> Iterator[Round]:
    form, field = find_format(tournament.format), tournaments.field_of(tx, tournament)
    if form.waits:
        return form.draw(field, matches.results(tx, tournament.tournament_id))
    row = tx.execute(_SAVED, {"tournament_id": tournament.tournament_id}).fetchone()
    assert row is not None
    return islice(form.draw(field, ()), int(row[0]), None)


def table(tx: Connection, tournament_id: int) -> Callable[[], list[Standing]]:
    """What makes the table of a tournament, when called: long after the transaction, if need be. Raises `NotFound`."""
    tournament = tournaments.get(tx, tournament_id)
    form = find_format(tournament.format)
    played = matches.results(tx, tournament_id)
    left = matches.left(tx, tournament_id)
    return partial(
        standings.table,
        range(len(tournaments.entrants(tx, tournament_id))),
        played,
        ratings.opening(tx, tournament_id),
        form.merits(tournaments.field_of(tx, tournament), played) if form.waits else None,
        by_rating=form.by_rating,
        rated=matches.rated(tx, tournament_id),
        last=[each.entrant_no for each in left if each.annulled or each.left_as == "disqualified"],
    )
