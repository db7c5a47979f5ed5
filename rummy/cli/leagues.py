"""`arena league`: made, entered, left, shown, ended."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from rummy.cli import terms
from rummy.cli.play import options_of_text
from rummy.cli.seasons import as_json as season_json
from rummy.cli.seasons import preview, shown
from rummy.cli.store import opened
from rummy.errors import BadInput, NotFound
from rummy.league.calendar import utc
from rummy.store import bots, db, leagues, seasons
from rummy.store.leagues import League, Wanted
from rummy.store.log import OPERATOR, By
from rummy.store.terms import FAULTS, Plan

app = typer.Typer(
    no_args_is_help=True, help="Leagues: seasons on a calendar, with divisions, promotion and relegation."
)

Number = Annotated[int, typer.Argument(help="The league's number.")]
Bot = Annotated[str, typer.Argument(help="A bot's name or OWNER/NAME; it plays with its newest version.")]
Why = Annotated[str, typer.Option(help="Why, in a line, for the league's log.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]

MOST = timedelta(days=36_500)
UNITS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What it is called; its seasons are called after it.")],
    game: Annotated[str, typer.Option(help="The game's key, such as gin.")],
    begins: Annotated[
        str, typer.Option(help="When the first season begins: 2026-12-01T18:00Z, or from now on, such as 2h or 1d12h.")
    ],
    every: Annotated[str, typer.Option(help="How long it is from one season to the next: 7d, 12h, 30m, 90s.")],
    freeze: Annotated[
        str, typer.Option(help="How long before a season it is settled who plays, and with which version.")
    ] = "1h",
    window: Annotated[
        str | None,
        typer.Option(help="How long before a season one may enter and leave (default: as long as a season)."),
    ] = None,
    number_of_seasons: Annotated[int, typer.Option("--seasons", help="How many seasons; 0 for no end.")] = 0,
    sizes: Annotated[
        str, typer.Option(help="Bots in each division from the top, such as 8,8; one more takes everybody else.")
    ] = "",
    moves: Annotated[int, typer.Option(help="How many go up, and as many down, between two divisions.")] = 0,
    options: terms.Options = "{}",
    format_key: terms.Format = "round_robin",
    table_size: terms.TableSize = 2,
    cycles: Annotated[int, typer.Option(help="How often those meet who are to meet, in a season.")] = 1,
    rounds: terms.Rounds = None,
    seeding: terms.Seeding = None,
    ties: terms.Ties = None,
    limit_ms: terms.LimitMs = 1000,
    bank_ms: terms.BankMs = 10000,
    increment_ms: terms.IncrementMs = 0,
    strikes: terms.Strikes = int(FAULTS["strikes"]),
    grace: terms.Grace = FAULTS["grace_seconds"],
    deaths: terms.Deaths = int(FAULTS["deaths"]),
    why: Why = "",
    as_json: Json = False,
) -> None:
    """Make a league. Each division of a season is a tournament; workers settle, start and end them by the calendar.

    With --format ladder and seasons of a day it is a ladder that never ends.
    """
    plan = Plan(
        name=name, game=game, options=options_of_text(options), format=format_key, table_size=table_size, cycles=cycles,
        format_options=terms.format_options(rounds, seeding, ties),
        limit_ms=limit_ms, bank_ms=bank_ms, increment_ms=increment_ms,
        faults={"strikes": strikes, "grace_seconds": grace, "deaths": deaths},
    )  # fmt: skip
    with opened() as database, database.transaction() as tx:
        now = db.now(tx)
        wanted = Wanted(
            plan=plan, begins_at=_moment("--begins", begins, now), every=_span("--every", every),
            freeze=_span("--freeze", freeze), window=None if window is None else _span("--window", window),
            seasons=number_of_seasons, sizes=_sizes(sizes), moves=moves,
        )  # fmt: skip
        made = leagues.get(tx, leagues.create(tx, wanted, by=By(OPERATOR.who, why), now=now))
    first = f"League {made.league_id}, {made.name}: {_window(made, 0)}"
    _tell(as_json, _as_json(made), f"{first}\n'arena league enter {made.league_id} BOT' enters a bot.")


def _moment(option: str, text: str, now: datetime) -> datetime:
    if re.fullmatch(r"[0-9]+[wdhms].*", text):
        return now + _span(option, text)
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise BadInput(
        f"{option} is {text[:40]!a}: give a time with its zone, such as 2026-12-01T18:00Z, or one from now on, as in 2h"
    )


def _span(option: str, text: str) -> timedelta:
    parts = re.findall(r"([0-9]{1,6})([wdhms])", text[:40])
    span = timedelta(seconds=sum(int(count) * UNITS[unit] for count, unit in parts))
    if "".join(count + unit for count, unit in parts) != text or not text or span > MOST:
        raise BadInput(f"{option} is {text[:40]!a}: give a time in w, d, h, m and s, such as 7d or 1h30m")
    return span


def _sizes(text: str) -> list[int]:
    parts = text.split(",") if text else []
    if not all(re.fullmatch(r"[0-9]{1,6}", part) for part in parts):
        raise BadInput(
            f"--sizes is {text[:40]!a}: give the bots of each division with commas between them, such as 8,8"
        )
    return [int(part) for part in parts]


def _window(league: League, season_no: int) -> str:
    calendar = league.calendar
    return (
        f"one may enter and leave for season {season_no + 1} from {utc(calendar.opens(season_no))} to "
        f"{utc(calendar.freezes(season_no))}; it begins at {utc(calendar.begins(season_no))}"
    )


@app.command("list")
def list_leagues(as_json: Json = False) -> None:
    """List the leagues, the newest first."""
    with opened() as database, database.transaction() as tx:
        found = leagues.list_all(tx)
    lines = [
        f"{one.league_id:>6}  {'ended' if one.ended_at else 'open':<5}  {one.game:<12}  {one.name}" for one in found
    ]
    _tell(as_json, [_as_json(one) for one in found], "\n".join(lines) or "There is no league yet.")


@app.command()
def show(number: Number, as_json: Json = False) -> None:
    """Show a league: its windows, the season that was settled last, and the next one as it stands, with its size."""
    with opened() as database, database.transaction() as tx:
        league, now = leagues.get(tx, number), db.now(tx)
        settled = seasons.newest(tx, number)
        following = _following(league, settled, now)
        planned = [] if following is None else preview(tx, league, following, before=now)
        last = settled and season_json(tx, league, settled)
        text = "" if settled is None else shown(tx, league, settled)
    answer = {**_as_json(league), "season": last, "next": None}
    lines = [f"League {number}, {league.name}: {league.game}, {_tiers(league)}", *([text] if text else [])]
    if following is not None:
        answer["next"] = {**_times(league, following), "divisions": [part.as_json() for part in planned]}
        lines.append(f"{_window(league, following)[0].upper()}{_window(league, following)[1:]}.")
        lines += [part.shown() for part in planned]
        lines += [] if planned else ["There are too few bots for it yet."]
    else:
        lines.append("It has ended." if league.ended_at else "No season follows.")
    _tell(as_json, answer, "\n".join(lines))


def _following(league: League, settled: seasons.Season | None, now: datetime) -> int | None:
    """The next season that is not settled; for which one may enter, unless the calendar lies behind."""
    number = league.calendar.next_to_freeze(now)
    if league.ended_at is not None or number is None:
        return None
    return number if settled is None else max(number, settled.season_no + 1)


def _tiers(league: League) -> str:
    if not league.sizes:
        return "one division"
    sizes = ", ".join(map(str, league.sizes))
    return f"divisions of {sizes} and everybody else, {league.moves} up and {league.moves} down"


@app.command("season")
def show_season(
    number: Number,
    season: Annotated[int | None, typer.Argument(help="The season's number, from 1; else the newest.")] = None,
    as_json: Json = False,
) -> None:
    """Show a season: its divisions with their tournaments, the standings, and who goes up and down."""
    with opened() as database, database.transaction() as tx:
        league = leagues.get(tx, number)
        found = seasons.newest(tx, number) if season is None else seasons.get(tx, number, season - 1)
        if found is None:
            raise NotFound(f"no season of {league.name!r} is settled yet: {_window(league, 0)}")
        answer, text = season_json(tx, league, found), shown(tx, league, found)
    _tell(as_json, {"league": number, **answer}, text)


@app.command()
def enter(number: Number, bot: Bot, why: Why = "", as_json: Json = False) -> None:
    """Enter a bot, for all seasons until it leaves. It begins at the bottom."""
    with opened() as database, database.transaction() as tx:
        version = bots.find(tx, bot)
        league = leagues.get(tx, number, lock=True)
        season_no = leagues.enter(tx, number, version.version_id, by=By(OPERATOR.who, why), now=db.now(tx))
    text = (
        f"{version.owner}/{version.name} is in {league.name} from season {season_no + 1} on, with its newest version."
    )
    _tell(as_json, _moved(league, version, season_no), text)


@app.command()
def withdraw(number: Number, bot: Bot, why: Why = "", as_json: Json = False) -> None:
    """Take a bot out. The season that is being played it plays to its end."""
    with opened() as database, database.transaction() as tx:
        version = bots.find(tx, bot)
        league = leagues.get(tx, number, lock=True)
        season_no = leagues.withdraw(tx, number, version.version_id, by=By(OPERATOR.who, why), now=db.now(tx))
    text = f"{version.owner}/{version.name} is out of {league.name}: it does not play season {season_no + 1}."
    _tell(as_json, _moved(league, version, season_no), text)


def _moved(league: League, version: bots.Version, season_no: int) -> dict[str, Any]:
    return {"league": league.league_id, "bot": f"{version.owner}/{version.name}", "season": season_no + 1}


@app.command()
def end(number: Number, why: Why = "", as_json: Json = False) -> None:
    """End a league: no further season is settled; one that is settled already is still played."""
    with opened() as database, database.transaction() as tx:
        name = leagues.get(tx, number, lock=True).name
        last = leagues.end(tx, number, by=By(OPERATOR.who, why), now=db.now(tx))
    said = f"{name} ends with season {last}." if last else f"{name} has ended before its first season."
    _tell(as_json, {"league": number, "seasons": last}, said)


def _as_json(league: League) -> dict[str, Any]:
    return {
        "league": league.league_id, "name": league.name, **league.terms, "sizes": list(league.sizes),
        "moves": league.moves, "begins": league.begins_at.isoformat(), "every_seconds": league.every.total_seconds(),
        "window_seconds": league.entry_window.total_seconds(), "freeze_seconds": league.freeze.total_seconds(),
        "seasons": league.seasons, "ended": league.ended_at and league.ended_at.isoformat(),
    }  # fmt: skip


def _times(league: League, season_no: int) -> dict[str, Any]:
    calendar = league.calendar
    return {
        "season": season_no + 1,
        "opens": calendar.opens(season_no).isoformat(),
        "freezes": calendar.freezes(season_no).isoformat(),
        "begins": calendar.begins(season_no).isoformat(),
    }


def _tell(as_json: bool, answer: Any, text: str) -> None:
    typer.echo(json.dumps(answer) if as_json else text)
