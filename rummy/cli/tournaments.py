"""`arena tournament`: made, started, watched, and its table."""

import json
import math
import secrets
from dataclasses import replace
from datetime import UTC
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from rummy.cli import following, forecasts, organising, tables, terms
from rummy.cli.store import opened
from rummy.errors import BadInput, BadOptions, CallerFault, NotFound, StoreUnavailable
from rummy.league.model import TournamentState
from rummy.league.pairing import find_format
from rummy.league.pairing.format import check
from rummy.rules import canonical
from rummy.store import bots, db, planning, tournaments, waits
from rummy.store.db import Connection, Database
from rummy.store.log import OPERATOR, By
from rummy.store.terms import FAULTS, WAIT_SECONDS, Plan

ENDED = ("finished", "cancelled")

app = typer.Typer(
    no_args_is_help=True,
    help="Tournaments: made, started, watched, interfered with; their tables and logs.",
)
for name, command in organising.COMMANDS.items():
    app.command(name)(command)

Number = Annotated[int, typer.Argument(help="The tournament's number.")]
NumberOrNewest = Annotated[int | None, typer.Argument(help="The tournament's number; else the newest.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]
Why = Annotated[str, typer.Option(help="Why, in a line, for the tournament's log.")]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What it is called.")],
    bot: Annotated[list[str], typer.Option(help="An entrant: a bot's number, name, 'NAME VERSION' or OWNER/NAME.")],
    game: Annotated[str, typer.Option(help="The game's key, such as gin.")],
    options: terms.Options = "{}",
    format_key: terms.Format = "round_robin",
    table_size: terms.TableSize = 2,
    cycles: Annotated[int | None, typer.Option(help="How often those meet who are to meet (default: 1).")] = None,
    rounds: terms.Rounds = None,
    seeding: terms.Seeding = None,
    ties: terms.Ties = None,
    matches: Annotated[int | None, typer.Option(help="In place of cycles: matches in all, at least.")] = None,
    seed: Annotated[str | None, typer.Option(help="A seed of your own: practice, which moves no rating.")] = None,
    seed_of: Annotated[
        int | None, typer.Option(help="Practice on the deals of this tournament, which has ended.")
    ] = None,
    limit_ms: terms.LimitMs = 1000,
    bank_ms: terms.BankMs = 10000,
    increment_ms: terms.IncrementMs = 0,
    strikes: terms.Strikes = int(FAULTS["strikes"]),
    grace: terms.Grace = FAULTS["grace_seconds"],
    deaths: terms.Deaths = int(FAULTS["deaths"]),
    match_deadline: Annotated[
        int | None, typer.Option(help="Seconds that a match may be in play (default: by limit and bank).")
    ] = None,
    fixture_deadline: Annotated[
        int | None, typer.Option(help=f"Seconds that a live bot is waited for (default: {WAIT_SECONDS}).")
    ] = None,
    round_deadline: Annotated[
        int | None, typer.Option(help="Seconds that a round may take (default: what its fixtures may take in all).")
    ] = None,
    draft: Annotated[bool, typer.Option("--draft", help="A draft, which 'open' opens for entries.")] = False,
    start_now: Annotated[bool, typer.Option("--start", help="Start it at once.")] = False,
    plan_only: Annotated[bool, typer.Option("--plan", help="Say what it would come to, and make nothing.")] = False,
    why: Why = "",
    as_json: Json = False,
) -> None:
    """Make a tournament of at least two bots. All or nothing: what is wrong is said, and nothing is made."""
    if draft and start_now:
        raise BadInput("--draft and --start exclude each other; a draft is opened, and then started")
    with opened() as database:
        with database.transaction() as tx:
            versions = [bots.find(tx, text) for text in bot]
            plan = Plan(
                name=name, game=game, options=_options(options), format=format_key, table_size=table_size, seed=seed,
                format_options=terms.format_options(rounds, seeding, ties),
                limit_ms=limit_ms, bank_ms=bank_ms, increment_ms=increment_ms,
                faults={"strikes": strikes, "grace_seconds": grace, "deaths": deaths},
                deadlines={"match": match_deadline, "fixture": fixture_deadline, "round": round_deadline},
            )  # fmt: skip
            plan = replace(plan, cycles=_cycles(plan, cycles, matches, versions))
            planned = planning.of_plan(tx, plan, versions)  # Too few or too many are refused here already.
            made = None if plan_only else _make(tx, plan, versions, seed_of, draft=draft, by=_operator(why))
        if start_now and made is not None:  # Apart: the commitment is public before the entries close.
            with database.transaction() as tx:
                tournaments.start(tx, made, by=_operator(why), now=db.now(tx))
    state = "draft" if draft else "running" if start_now else "open"
    _tell_made(plan, planned, made, state, rated=seed is None and seed_of is None, as_json=as_json)


def _operator(why: str) -> By:
    return By(OPERATOR.who, why)


def _tell_made(
    plan: Plan, planned: planning.Forecast, made: int | None, state: str, *, rated: bool, as_json: bool
) -> None:
    forecast = forecasts.as_json(planned)
    if made is None:
        _tell(as_json, {"plan": forecast}, forecasts.shown(planned))
        return
    fixtures = planned.size.fixtures
    answer = {"tournament": made, "fixtures": fixtures, "rated": rated, "state": state, "plan": forecast}
    then = {
        "running": "is running",
        "open": f"is open; 'arena tournament start {made}' starts it",
        "draft": f"is a draft; 'arena tournament open {made}' opens it for entries",
    }[state]
    first = f"Tournament {made}, {plan.name}: {planned.entrants} bots, {_counted(fixtures)}. It {then}."
    _tell(as_json, answer, f"{first}\n{forecasts.shown(planned)}")


def _make(tx: Connection, plan: Plan, versions: list[bots.Version], seed_of: int | None, *, draft: bool, by: By) -> int:
    """The tournament's number."""
    master, nonces = _known_seed(tx, plan, seed_of, len(versions))
    now = db.now(tx)
    made = tournaments.create(tx, plan, by=by, now=now, master=master, draft=draft)
    for version, nonce in zip(versions, nonces, strict=True):
        tournaments.add_entrant(tx, made, version.version_id, by=by, now=now, nonce=nonce)
    return made


def _known_seed(
    tx: Connection, plan: Plan, seed_of: int | None, entrants: int
) -> tuple[bytes | None, list[bytes] | list[None]]:
    if seed_of is None:
        return None, [None] * entrants
    if plan.seed is not None:
        raise BadInput("--seed and --seed-of exclude each other; give one of them")
    master, nonces = tournaments.revealed(tx, seed_of)
    if len(nonces) != entrants:
        raise BadInput(f"tournament {seed_of} had {len(nonces)} entrants; its deals need as many here, not {entrants}")
    return master, nonces


def _options(text: str) -> dict[str, object]:
    try:
        options = canonical.loads(text.encode("utf-8", "surrogatepass"))
    except ValueError as error:
        raise BadOptions(f"--options cannot be read: {error}") from None
    if not isinstance(options, dict):
        raise BadOptions(f'--options must be a JSON object, such as {{"target": 250}}, not {text[:40]!a}')
    return options


def _cycles(plan: Plan, cycles: int | None, matches: int | None, versions: list[bots.Version]) -> int:
    if matches is None:
        return 1 if cycles is None else cycles
    if cycles is not None:
        raise BadInput("--cycles and --matches exclude each other; give one of them")
    if matches < 1:
        raise BadInput(f"--matches is {matches}; it must be at least 1")
    form, field = find_format(plan.format), tournaments.check_plan(plan, versions)
    if form.waits:
        raise BadInput(f"--matches is for schedules that are known beforehand; give --cycles to {form.title}")
    check(form, field)
    return math.ceil(matches / planning.matches_a_cycle(form, field, versions))


@app.command()
def enter(
    number: Number,
    bot: Annotated[str, typer.Argument(help="A bot's number, name, 'NAME VERSION' or OWNER/NAME.")],
    nonce: Annotated[
        str | None, typer.Option(help="1 to 64 bytes of your own as hex digits, which the deals will follow from.")
    ] = None,
    why: Why = "",
    as_json: Json = False,
) -> None:
    """Enter one more bot while entries are open. A nonce of your own binds the arena, which has committed already."""
    with opened() as database, database.transaction() as tx:
        version = bots.find(tx, bot)
        by, now = _operator(why), db.now(tx)
        entrant = tournaments.add_entrant(tx, number, version.version_id, by=by, now=now, nonce=_nonce(nonce))
        committed = tournaments.get(tx, number).commitment.hex()
    answer = {"tournament": number, "entrant": entrant, "commitment": committed}
    _tell(as_json, answer, f"{version.title} is entrant {entrant} of tournament {number}. Its commitment: {committed}")


def _nonce(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        nonce = bytes.fromhex(text)
    except ValueError:
        nonce = b""
    if not 1 <= len(nonce) <= tournaments.MAX_NONCE:
        raise BadInput(f"--nonce is 1 to {tournaments.MAX_NONCE} bytes as hex digits, such as {secrets.token_hex(16)}")
    return nonce


@app.command("plan")
def show_plan(number: Number, as_json: Json = False) -> None:
    """Say what a tournament comes to with those who have entered: fixtures, expected time, how even it is."""
    with opened() as database, database.transaction() as tx:
        planned = planning.of_tournament(tx, number)
    _tell(as_json, {"tournament": number, "plan": forecasts.as_json(planned)}, forecasts.shown(planned))


@app.command()
def change(
    number: Number,
    format_key: Annotated[str | None, typer.Option("--format", metavar="FORMAT", help="Another format.")] = None,
    cycles: Annotated[int | None, typer.Option(help="Another number of cycles.")] = None,
    rounds: terms.Rounds = None,
    seeding: terms.Seeding = None,
    ties: terms.Ties = None,
    why: Why = "",
    as_json: Json = False,
) -> None:
    """Give it another format or length while entries are open."""
    with opened() as database, database.transaction() as tx:
        options = terms.format_options(rounds, seeding, ties)
        now = tournaments.change_format(
            tx, number, format_key=format_key, cycles=cycles, options=options, by=_operator(why), now=db.now(tx)
        )
    answer = {"tournament": number, "format": now.format, "cycles": now.cycles, "format_options": now.format_options}
    cycles_now = f"{now.cycles} cycle{'s' * (now.cycles != 1)}"
    _tell(as_json, answer, f"Tournament {number} is {find_format(now.format).title} of {cycles_now} now.")


@app.command("open")
def open_entries(number: Number, why: Why = "", as_json: Json = False) -> None:
    """Open a draft for entries."""
    with opened() as database, database.transaction() as tx:
        tournaments.change_state(tx, number, TournamentState.OPEN, by=_operator(why), now=db.now(tx))
    _tell(as_json, {"tournament": number, "state": "open"}, f"Tournament {number} is open for entries.")


@app.command()
def start(number: Number, why: Why = "", as_json: Json = False) -> None:
    """Close the entries and let it be played."""
    with opened() as database, database.transaction() as tx:
        fixtures = tournaments.start(tx, number, by=_operator(why), now=db.now(tx))
    text = f"Tournament {number} is running: {_counted(fixtures)}."
    _tell(as_json, {"tournament": number, "fixtures": fixtures}, text)


def _counted(fixtures: int) -> str:
    return f"{fixtures} fixture{'s' * (fixtures != 1)}"


@app.command()
def watch(number: NumberOrNewest = None, as_json: Json = False) -> None:
    """Show how far it is until it has ended, then its table. A database that is started again is waited for."""
    with opened() as database:
        number = _newest(database) if number is None else number
        title = _get(database, number).name
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=as_json)) as bar:
            state = _follow(database, number, bar, escape(title))
        _show_table(database, number, as_json, state)


@app.command()
def show(number: NumberOrNewest = None, as_json: Json = False) -> None:
    """Show how far it is, what waits for whom, and until when."""
    with opened() as database:
        number = _newest(database) if number is None else number
        with database.transaction() as tx:
            tournament, now = tournaments.get(tx, number), tournaments.progress(tx, number)
            blocks, in_play = waits.blocks(tx, number), waits.in_play(tx, number)
    deadline = None if in_play is None or in_play.deadline is None else in_play.deadline.astimezone(UTC)
    answer = {
        "tournament": number, "state": now.state, "fixtures": now.fixtures, "done": now.done, "running": now.running,
        "ladder": tournament.ladder, "imported": tournament.imported,
        "deadlines": tournament.deadlines, "round": in_play and in_play.round_no,
        "deadline": deadline and deadline.isoformat(), "waits_for": [_block(block) for block in blocks],
    }  # fmt: skip
    lines = [f"{tournament.name} is {now.state}: {now.done} of {_counted(now.fixtures)} done."]
    if tournament.imported:
        lines.append(f"  Another arena has played it; its ladder is {tournament.ladder}.")
    lines += [f"  {_waits(block)}." for block in blocks]
    if in_play is not None and deadline is not None:
        lines.append(f"  Round {in_play.round_no + 1} has until {deadline:%Y-%m-%d %H:%M:%S} UTC.")
    _tell(as_json, answer, "\n".join(lines))


def _block(block: waits.Block) -> dict[str, Any]:
    until = block.until.astimezone(UTC).isoformat()
    return {"version_id": block.version_id, "bot": f"{block.name} {block.version}", "fixtures": block.fixtures,
            "until": until}  # fmt: skip


def _waits(block: waits.Block) -> str:
    wait = "fixture waits" if block.fixtures == 1 else "fixtures wait"
    until = f"{block.until.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return f"{block.fixtures} {wait} for {block.name} {block.version} to dial in, until {until}; then it forfeits"


def _follow(database: Database, number: int, bar: Progress, title: str) -> str:
    task = bar.add_task(title, total=None)

    def look(now: tournaments.Progress) -> bool:
        bar.update(task, total=now.fixtures, completed=now.done, description=title + _blocked(database, number))
        if now.state in ("draft", "open"):
            raise CallerFault(f"tournament {number} has not begun; 'arena tournament start {number}' starts it")
        return now.state in ENDED

    return following.follow(database, number, look).state


def _blocked(database: Database, number: int) -> str:
    """For whom it waits first; nothing while the database is away."""
    try:
        with database.transaction() as tx:
            blocks = waits.blocks(tx, number, limit=1)
    except StoreUnavailable:
        return ""
    return f" ({escape(_waits(blocks[0]))})" if blocks else ""


def _newest(database: Database) -> int:
    with database.transaction() as tx:
        found = tournaments.list_all(tx)
    if not found:
        raise NotFound("there is no tournament yet; 'arena tournament create' makes one")
    return found[0].tournament_id


def _get(database: Database, number: int) -> tournaments.Tournament:
    with database.transaction() as tx:
        return tournaments.get(tx, number)


@app.command()
def table(number: NumberOrNewest = None, as_json: Json = False) -> None:
    """Show the table: Elo with its error, wins, draws and points."""
    with opened() as database:
        number = _newest(database) if number is None else number
        _show_table(database, number, as_json, _get(database, number).state)


def _show_table(database: Database, number: int, as_json: bool, state: str) -> None:
    with database.transaction() as tx:
        tournament, lines = tournaments.get(tx, number), tables.table_of(tx, number)
    if as_json:
        typer.echo(json.dumps({"tournament": number, "state": state, "table": [line.as_json() for line in lines]}))
        return
    kind = "" if tournament.rated else ", practice"
    Console().print(tables.shown(escape(f"{tournament.name} ({state}{kind})"), lines))


@app.command("list")
def list_tournaments(as_json: Json = False) -> None:
    """List the tournaments, the newest first."""
    with opened() as database, database.transaction() as tx:
        found = tournaments.list_all(tx)
    answer = [
        {"tournament": one.tournament_id, "name": one.name, "game": one.game, "state": one.state, "rated": one.rated,
         "imported": one.imported}
        for one in found
    ]  # fmt: skip
    lines = [
        f"{one.tournament_id:>6}  {one.state:<9}  {'imported' if one.imported else '':<8}  {one.game:<12}  {one.name}"
        for one in found
    ]
    _tell(as_json, answer, "\n".join(lines) or "There is no tournament yet.")


def _tell(as_json: bool, answer: Any, text: str) -> None:
    typer.echo(json.dumps(answer) if as_json else text)
