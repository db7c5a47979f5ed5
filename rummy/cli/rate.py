"""`arena rate`: ratings as a function of the results on record."""

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import Annotated, Any

import typer

from rummy.cli.store import opened
from rummy.league.ratings import elo
from rummy.store import db, ratings
from rummy.store.db import Database

Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]


def rate(
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Compute all ratings anew and compare the bits.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Rate the closed rounds that wait; --recompute compares all ratings, and ends with status 1 where they differ."""
    with opened() as database:
        answer, text = _compare(database) if recompute else _rate(database)
    typer.echo(json.dumps(answer) if as_json else text)
    if answer.get("same") is False:
        raise typer.Exit(1)


def _rate(database: Database) -> tuple[dict[str, Any], str]:
    with database.transaction() as tx:
        waiting = ratings.waiting(tx)
    rounds = sum(_rate_ladder(database, ladder) for ladder in waiting)
    return {"rounds": rounds}, f"{rounds} round{'s' * (rounds != 1)} rated."


def _rate_ladder(database: Database, ladder: str) -> int:
    """How many rounds were rated, each in a transaction of its own."""
    rounds = 0
    while True:
        with database.transaction() as tx:
            if not ratings.rate_next(tx, ladder, elo.rate_round, now=db.now(tx)):
                return rounds
        rounds += 1


def _compare(database: Database) -> tuple[dict[str, Any], str]:
    with database.transaction() as tx:
        tx.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")  # One moment for both sides.
        stored, computed = ratings.log(tx), list(ratings.recompute(tx, elo.rate_round))
    answer: dict[str, Any] = {"changes": len(stored), "recomputed": len(computed), "same": stored == computed}
    if stored == computed:
        return answer, f"{len(stored)} rating changes recomputed from the results: the same to the last bit."
    answer["first_difference"] = text = _first_difference(stored, computed)
    return answer, f"The ratings on record are not those of the results: {text}."


def _first_difference(stored: Sequence[ratings.Change], computed: Sequence[ratings.Change]) -> str:
    pairs = zip_longest(stored, computed)
    on_record, anew = next((one, other) for one, other in pairs if one != other)
    return f"on record {_told(on_record)}, computed {_told(anew)}"


def _told(change: ratings.Change | None) -> str:
    if change is None:
        return "nothing"
    place = f"tournament {change.tournament_id}, round {change.round_no + 1}, bot version {change.version_id}"
    return f"{place}: {change.before!r} to {change.after!r}"
