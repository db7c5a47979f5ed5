"""What an organiser does to a tournament that goes its way, each with a reason, and the log that keeps it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

import typer

from rummy.cli.store import opened
from rummy.league.model import TournamentState
from rummy.store import db, log, logtext, tournaments
from rummy.store.log import OPERATOR, By

Number = Annotated[int, typer.Argument(help="The tournament's number.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]
Why = Annotated[str, typer.Option(help="Why, in a line: it is kept in the tournament's log, for everybody to read.")]


def pause(number: Number, why: Why, as_json: Json = False) -> None:
    """Begin no fixture any more until it is resumed; those that are being played are played to their end.

    Rounds are rated in the order in which tournaments began. So later rounds of its ladder, of this tournament and of
    those that began after it, wait for their rating until it is resumed or cancelled: do not leave a rated tournament
    paused for good.
    """
    said = "is paused; 'arena tournament resume' goes on with it"
    _change(number, TournamentState.PAUSED, said, why, as_json)


def resume(number: Number, why: Why, as_json: Json = False) -> None:
    """Go on with a tournament that is paused. What could not be played is tried again at once."""
    _change(number, TournamentState.RUNNING, "is running again", why, as_json)


def cancel(number: Number, why: Why, as_json: Json = False) -> None:
    """End it for good. What is being played is dropped; results and ratings of rounds that are complete stay."""
    _change(number, TournamentState.CANCELLED, "is cancelled", why, as_json)


def _change(number: int, then: TournamentState, said: str, why: str, as_json: bool) -> None:
    with opened() as database, database.transaction() as tx:
        tournaments.change_state(tx, number, then, by=_operator(why), now=db.now(tx))
    _tell(as_json, {"tournament": number, "state": then.value}, f"Tournament {number} {said}.")


def show_log(
    number: Number,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what workers enter as it is played: results, rounds, ratings.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="All entries, an object a line, for programs.")] = False,
) -> None:
    """Show who did what to a tournament, when and why. Nothing of it can be changed, and what is missing shows."""
    with opened() as database, database.transaction() as tx:
        tournaments.get(tx, number)
        for entry in log.entries(tx, number):
            if as_json:
                typer.echo(json.dumps(entry.as_json()))
            elif everything or entry.move not in log.ROUTINE:
                typer.echo(_line(entry))


def _line(entry: log.Entry) -> str:
    why = f" Why: {entry.why}" if entry.why else ""
    return f"{entry.entry_no:>6}  {entry.at:%Y-%m-%d %H:%M:%S}  {entry.who:<10}  {logtext.sentence(entry)}{why}"


def _operator(why: str) -> By:
    return By(OPERATOR.who, why)


def _tell(as_json: bool, answer: Any, text: str) -> None:
    typer.echo(json.dumps(answer) if as_json else text)


COMMANDS: dict[str, Callable[..., None]] = {"pause": pause, "resume": resume, "cancel": cancel, "log": show_log}
