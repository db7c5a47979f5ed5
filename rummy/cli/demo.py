"""`arena demo`: a whole arena from nothing, four bots submitted over gRPC, two tournaments, and the dashboard."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from rummy import packages
from rummy.cli import following, here, tables
from rummy.cli.launch import Kept, free_port, need_port, tied
from rummy.cli.plan import ROOT, Plan
from rummy.cli.servers import Data, Json, refuse_second
from rummy.cli.submission import submit
from rummy.embedded import folders
from rummy.errors import BadInput, Conflict
from rummy.store import bots, db, log, owners, terms, tournaments
from rummy.store.db import Connection, Database

BOTS = ("random", "greedy", "patient", "drawer")
BOTS_ADDRESS = "127.0.0.1:50151"


@dataclass(frozen=True, slots=True)
class Event:
    """A tournament of the demo."""

    title: str
    game: str
    table_size: int

    @property
    def matches_a_cycle(self) -> int:
        """Each table of one cycle has as many matches as seats: every seat order of the same deals."""
        return math.comb(len(BOTS), self.table_size) * self.table_size


EVENTS = (Event("Gin rummy", "gin", 2), Event("One Hundred and One, tables of three", "one_oh_one", 3))


def demo(
    leave: Annotated[bool, typer.Option("--exit", help="End after the tables.")] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The dashboard's port.")] = 8101,
    bots: Annotated[
        str | None, typer.Option(help=f"Where bots dial in, HOST:PORT; else {BOTS_ADDRESS}, or a free port.")
    ] = None,
    data: Data = None,
    matches: Annotated[
        int, typer.Option(min=1, max=100_000, help="Matches a tournament, rounded up to whole cycles.")
    ] = 120,
    as_json: Json = False,
) -> None:
    """Start an arena, submit the sample bots, play gin and 101, print the tables; stays up until Ctrl-C."""
    folder = folders.make_data(data or here.data_folder())
    refuse_second(folder)
    need_port(f"127.0.0.1:{port}", "--port")
    plan = Plan(data=folder, http_port=port, bots_listen=_bots_address(bots), trust_bots=True)
    out = Console(stderr=as_json, highlight=False, markup=False)
    out.print(f"Starting an arena, its data in {folder}:")
    with tied(plan) as kept:
        kept.wait_ready(lambda sentence: out.print(f"  {sentence} …"))
        found = here.running(folder)
        assert found is not None
        settings = found.state["operator"]
        with Database(settings["ARENA_DATABASE_URL"], size=1, name="demo", wait_seconds=2) as database:
            versions = _submit_all(out, database, plan.bots_listen, settings["ARENA_OWNER_TOKEN"])
            played = [_play(out, kept, database, event, versions, matches) for event in EVENTS]
        _tell(out, plan, played, leave=leave, as_json=as_json)
        if not leave:
            kept.wait_end()


def _bots_address(chosen: str | None) -> str:
    """The address *chosen* for bots; else the usual one, or a free one: the demo's own bots are told of it."""
    if chosen is not None:
        need_port(chosen, "--bots")
        return chosen
    try:
        need_port(BOTS_ADDRESS, "--bots")
    except Conflict:
        return f"127.0.0.1:{free_port()}"
    return BOTS_ADDRESS


def _submit_all(out: Console, database: Database, address: str, token: str) -> list[int]:
    """Submit what an earlier run has not. Returns the versions."""
    out.print(f"Submitting {len(BOTS)} bots over gRPC to {address}:")
    versions = []
    for name in BOTS:
        package = packages.pack(ROOT / "sample_bots" / name)
        version = _submitted(database, token, package)
        if version is None:
            version = _submit(out, name, address, token, package)
        else:
            out.print(f"  {name}: there from an earlier run")
        versions.append(version)
    return versions


def _submitted(database: Database, token: str, package: bytes) -> int | None:
    manifest = packages.read(package).manifest
    with database.transaction() as tx:
        owner = owners.find_by_token(tx, token)
        found = bots.find_own(tx, owner.owner_id, manifest.name, manifest.version)
    return None if found is None else found.version_id


def _submit(out: Console, name: str, address: str, token: str, package: bytes) -> int:
    version = 0
    for step in submit(address, token, package):
        version = step.version_id or version
        if step.state == step.STATE_RUNNING:
            continue
        mark = "ok" if step.state == step.STATE_PASSED else "failed"
        out.print(f"  {name}: {step.step}: {mark}{f' ({step.text})' if step.text else ''}")
        if step.state == step.STATE_FAILED:
            raise BadInput(f"The sample bot {name} was refused at '{step.step}': {step.text}")
    return version


def _play(
    out: Console, kept: Kept, database: Database, event: Event, versions: Sequence[int], matches: int
) -> dict[str, Any]:
    with database.transaction() as tx:
        tournament_id = _create(tx, event, versions, math.ceil(matches / event.matches_a_cycle))
    with database.transaction() as tx:  # Apart: the commitment is public before the entries close.
        tournaments.start(tx, tournament_id, by=log.OPERATOR, now=db.now(tx))
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out) as bar:
        task = bar.add_task(event.title, total=None)
        _wait(kept, database, tournament_id, lambda now: bar.update(task, total=now.fixtures, completed=now.done))
    with database.transaction() as tx:
        lines = tables.table_of(tx, tournament_id)
    out.print(tables.shown(event.title, lines))
    return {"tournament": tournament_id, "game": event.game, "table": [line.as_json() for line in lines]}


def _create(tx: Connection, event: Event, versions: Sequence[int], cycles: int) -> int:
    wanted = terms.Plan(name=f"Demo: {event.title}", game=event.game, table_size=event.table_size, cycles=cycles)
    tournament_id = tournaments.create(tx, wanted, by=log.OPERATOR, now=db.now(tx))
    for version_id in versions:
        tournaments.add_entrant(tx, tournament_id, version_id, by=log.OPERATOR, now=db.now(tx))
    return tournament_id


def _wait(kept: Kept, database: Database, tournament_id: int, look: Callable[[tournaments.Progress], None]) -> None:
    """Return once all is played and rated, telling *look* how far it is; servers may be killed meanwhile."""

    def last(now: tournaments.Progress) -> bool:
        look(now)
        return now.state == "finished" and now.unrated == 0

    following.follow(database, tournament_id, last, check=kept.check, patience=math.inf)  # `check` ends it in time.


def _tell(out: Console, plan: Plan, played: list[dict[str, Any]], *, leave: bool, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"dashboard": plan.address, "data": str(plan.data), "tournaments": played}))
    if leave:
        out.print(f"The arena ends now; 'arena up' goes on with its data in {plan.data}.", soft_wrap=True)
    else:
        out.print(f"Dashboard: {plan.address}\nCtrl-C ends it; the data stays.")
