"""What an organiser does to a tournament that goes its way, each with a reason, and the log that keeps it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from rummy.cli import tables
from rummy.cli.store import opened
from rummy.cli.tables import NamedStanding
from rummy.errors import BadInput, NotFound
from rummy.league.model import TournamentState
from rummy.rules import canonical
from rummy.store import bots, conduct, db, deadlines, log, logtext, recorded, tournaments
from rummy.store.db import Connection
from rummy.store.log import OPERATOR, By
from rummy.store.rebuild import Rebuilt

MOST_HOURS = 8760

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


Bot = Annotated[str, typer.Argument(help="The bot's number, name, 'NAME VERSION' or OWNER/NAME.")]


def withdraw(number: Number, bot: Bot, why: Why, as_json: Json = False) -> None:
    """Take a bot out of a tournament: what it has not played is forfeited, and nothing of it is played any more.

    Before the start its entry goes. Later what it has played stands, unless rounds are known beforehand and it has
    played less than half: then all its fixtures count in the table as won by the others. Ratings keep what was played.
    """
    _leave(number, bot, conduct.withdraw, "withdrawn from", why, as_json)


def disqualify(number: Number, bot: Bot, why: Why, as_json: Json = False) -> None:
    """Take a bot out for what it has done: it comes last, and nothing that it has played here counts for ratings.

    Where rounds are known beforehand, all its fixtures count in the table as won by the others; in Swiss tournaments
    and knockouts what was played stands there, since later rounds were drawn from it.
    """
    _leave(number, bot, conduct.disqualify, "disqualified from", why, as_json)


def _leave(number: int, bot: str, act: Callable[..., None], said: str, why: str, as_json: bool) -> None:
    with opened() as database, database.transaction() as tx:
        version = _entrant(tx, number, bot)
        act(tx, number, version.version_id, by=_operator(why), now=db.now(tx))
    answer = {"tournament": number, "version_id": version.version_id}
    _tell(as_json, answer, f"{version.title} is {said} tournament {number}.")


def _entrant(tx: Connection, number: int, bot: str) -> bots.Version:
    """The one entrant that *bot* names. Raises `NotFound`, `BadInput` where it names several."""
    name = tournaments.get(tx, number).name
    versions = [bots.get(tx, version_id) for version_id in tournaments.entrants(tx, number)]
    found = [
        version
        for version in versions
        if bot in (str(version.version_id), version.name, version.title, f"{version.owner}/{version.name}")
    ]
    if not found:
        raise NotFound(f"there is no {bot!r} in {name!r}; 'arena tournament table {number}' shows who is")
    if len(found) > 1:
        which = ", ".join(f"{version.version_id} ({version.owner}/{version.title})" for version in found)
        raise BadInput(f"{bot!r} names several bots in {name!r}; give the number of one: {which}")
    return found[0]


def void(
    number: Number,
    fixture: Annotated[int, typer.Argument(help="The fixture's number, as the dashboard shows it.")],
    why: Why,
    as_json: Json = False,
) -> None:
    """Have a fixture played again on new deals, whether it is final or in play.

    Ratings that were made since are taken back, each with a line of its own, and made anew. In a knockout it is too
    late once the next round has been drawn; in a Swiss tournament rounds that were drawn stand as they are.
    """
    with opened() as database, database.transaction() as tx:
        conduct.void(tx, number, fixture, by=_operator(why), now=db.now(tx))
    answer = {"tournament": number, "fixture": fixture}
    _tell(as_json, answer, f"Fixture {fixture} of tournament {number} is void, and is played again on new deals.")


def extend(
    number: Number,
    why: Why,
    until: Annotated[
        datetime | None,
        typer.Option(help="The new deadline of the round in play, in UTC: 2026-01-31 12:30:00."),
    ] = None,
    by: Annotated[float | None, typer.Option(help="In place of --until: by so many hours.")] = None,
    as_json: Json = False,
) -> None:
    """Give the round in play more time, and fixtures that wait for a bot as much."""
    if (until is None) == (by is None):
        raise BadInput("give either --until or --by")
    if by is not None and not 0 < by <= MOST_HOURS:
        raise BadInput(f"--by is a number of hours, more than 0 and at most {MOST_HOURS}, not {by:g}")
    moment = None if until is None else until.replace(tzinfo=until.tzinfo or UTC)
    seconds = None if by is None else by * 3600
    with opened() as database, database.transaction() as tx:
        new = deadlines.extend(tx, number, until=moment, seconds=seconds, by=_operator(why), now=db.now(tx))
    new = new.astimezone(UTC)
    answer = {"tournament": number, "deadline": new.isoformat()}
    _tell(as_json, answer, f"The round in play of tournament {number} has until {new:%Y-%m-%d %H:%M:%S} UTC.")


def rebuild(
    source: Annotated[str, typer.Argument(help="The tournament's number, or a file that 'log --json' has written.")],
    as_json: Json = False,
) -> None:
    """Make a tournament anew from nothing but its log, every entry checked: fixtures, results, table and ratings.

    With a number, what comes of it is compared with what is on record, bit for bit; where anything differs the first
    such thing is named, and the status is 1. With a file its table is shown, and no arena is needed.
    """
    anew, difference = _compared(int(source)) if source.isdecimal() else (_from_file(Path(source)), None)
    answer = {"entries": anew.count, "fixtures": len(anew.fixtures), "rating_changes": len(anew.steps)}
    counted = f"{anew.count} entries: {len(anew.fixtures)} fixtures, {len(anew.steps)} rating changes"
    if not source.isdecimal():
        names = [entrant.name for entrant in anew.entrants]
        lines = [NamedStanding(names[line.entrant], line) for line in anew.table({})]
        if as_json:
            typer.echo(json.dumps({**answer, "table": [line.as_json() for line in lines]}))
        else:
            typer.echo(f"Made anew from {counted}.")
            Console().print(tables.shown(escape(f"{anew.terms['name']} ({anew.state.value})"), lines))
        return
    said = "the same to the last bit" if difference is None else f"not what is on record: {difference}"
    same = {"tournament": int(source), **answer, "same": difference is None}
    more = {} if difference is None else {"first_difference": difference}
    _tell(as_json, same | more, f"Tournament {source} was made anew from {counted}. It is {said}.")
    if difference is not None:
        raise typer.Exit(1)


def _compared(number: int) -> tuple[Rebuilt, str | None]:
    with opened() as database, database.transaction() as tx:
        tx.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")  # One moment for both sides.
        tournaments.get(tx, number)
        anew = Rebuilt(list(log.entries(tx, number)))
        return anew, recorded.first_difference(tx, number, anew)


def _from_file(file: Path) -> Rebuilt:
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror or error}") from None
    try:
        entries = [canonical.loads(line) for line in lines]
    except ValueError as error:
        raise BadInput(f"{file} is no log as 'arena tournament log --json' writes it: {error}") from None
    return Rebuilt(log.read_json(entries))


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


COMMANDS: dict[str, Callable[..., None]] = {
    "pause": pause,
    "resume": resume,
    "cancel": cancel,
    "withdraw": withdraw,
    "disqualify": disqualify,
    "void": void,
    "extend": extend,
    "log": show_log,
    "rebuild": rebuild,
}
