"""`arena up`, `down`, `status` and `migrate`: an arena in the background of this machine."""

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import psycopg
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rummy.cli import here
from rummy.cli.launch import STOP_SECONDS, Kept, need_port
from rummy.cli.plan import Plan
from rummy.embedded import folders
from rummy.errors import Conflict, HostFault, NotFound, SettingsError, StoreUnavailable
from rummy.settings import Settings
from rummy.store import db
from rummy.store import migrate as migrations

Data = Annotated[Path | None, typer.Option(envvar="ARENA_DATA", help="Folder for the data; made if need be.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]
Trust = Annotated[
    bool, typer.Option("--trust-bots", help="Host submitted packages as plain processes, without a sandbox.")
]

SECRETS = (*(f"{role.upper()}_PASSWORD" for role in migrations.ROLES), "ARENA_REDIS_PASSWORD", "ARENA_ARBITER_TOKEN")

WAITING = """
    SELECT count(*) FILTER (WHERE state = 'scheduled') AS waiting, count(*) FILTER (WHERE state = 'running') AS running,
           count(*) FILTER (WHERE state = 'running' AND lease_until < clock_timestamp()) AS abandoned
      FROM fixture"""


def up(
    data: Data = None,
    host: Annotated[str, typer.Option(help="Where the dashboard listens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The dashboard's port.")] = 8101,
    bots: Annotated[str, typer.Option(help="Where bots dial in, HOST:PORT.")] = "127.0.0.1:50151",
    workers: Annotated[int, typer.Option(min=1, max=64, help="How many worker processes.")] = 1,
    trust_bots: Trust = False,
    as_json: Json = False,
) -> None:
    """Start an arena in the background: servers, arbiter, workers and dashboard."""
    folder = folders.make_data(data or here.data_folder())
    plan = Plan(data=folder, http_host=host, http_port=port, bots_listen=bots, workers=workers, trust_bots=trust_bots)
    refuse_second(folder)
    need_port(f"{host}:{port}", "--port")
    need_port(bots, "--bots")
    kept = Kept(plan)
    with _stopped_on_failure(kept):
        kept.wait_ready((lambda _: None) if as_json else step)
        kept.detach()
    found = {"dashboard": plan.address, "bots": bots, "data": str(folder), "token": str(folder / "owner.token")}
    if as_json:
        typer.echo(json.dumps(found))
        return
    typer.echo(f"The arena is up: dashboard {plan.address}, bots dial {bots}, data in {folder}.")
    typer.echo("'arena status' shows it, 'arena down' ends it.")


def down(data: Data = None, as_json: Json = False) -> None:
    """Stop the arena that runs in the background."""
    folder = (data or here.data_folder()).expanduser().absolute()
    found = here.running(folder)
    if found is None:
        raise NotFound(f"No arena runs on {folder}.")
    os.kill(found.keeper, signal.SIGTERM)
    limit = time.monotonic() + STOP_SECONDS
    while folders.holder(folder) == found.keeper:
        if time.monotonic() > limit:
            raise HostFault(f"Process {found.keeper}, which holds the arena, has not ended within a minute.")
        time.sleep(0.05)
    typer.echo(json.dumps({"stopped": found.keeper}) if as_json else "The arena is down; its data stays.")


def status(data: Data = None, as_json: Json = False) -> None:
    """Show whether an arena runs, its processes and addresses, and how much work waits. Status 1 where none runs."""
    folder = (data or here.data_folder()).expanduser().absolute()
    found = here.running(folder)
    answer: dict[str, Any] = {"running": found is not None, "data": str(folder)}
    if found is not None and found.state:
        answer |= {name: value for name, value in found.state.items() if name != "operator"}
        answer["fixtures"] = _fixtures(found.state["operator"]["ARENA_DATABASE_URL"])
    if as_json:
        typer.echo(json.dumps(answer))
    else:
        _show(answer)
    if found is None:
        raise typer.Exit(1)


def migrate(as_json: Json = False) -> None:
    """Bring the database of ARENA_DATABASE_URL to the newest schema, and give the services' roles their passwords.

    The passwords are taken from ARENA_ARBITER_PASSWORD, ARENA_WORKER_PASSWORD and ARENA_DASHBOARD_PASSWORD; a role
    whose variable is not there keeps its own. A secret that is there and empty is refused.
    """
    url = Settings.from_environment().need("database_url").database_url
    _refuse_empty(SECRETS)
    given = {role: os.environ.get(f"{role.upper()}_PASSWORD", "") for role in migrations.ROLES}
    with db.connect(url) as connection:
        applied = migrations.migrate(connection)
        migrations.set_passwords(connection, {role: password for role, password in given.items() if password})
    if as_json:
        typer.echo(json.dumps({"applied": applied}))
    else:
        typer.echo(f"Applied: {', '.join(applied)}." if applied else "The database is up to date.")


def _refuse_empty(names: Sequence[str]) -> None:
    """Raises SettingsError for variables that are set to nothing, as docker-compose sets those that .env lacks."""
    empty = [name for name in names if os.environ.get(name) == ""]
    if empty:
        raise SettingsError(
            f"{', '.join(empty)} {'are' if len(empty) > 1 else 'is'} empty: give each a long random text of its own "
            "in the file .env beside docker-compose.yml, whose first lines say how."
        )


def step(sentence: str) -> None:
    """Tell the person at the terminal what is being done."""
    typer.echo(f"  {sentence} …")


def refuse_second(data: Path) -> None:
    """Raises Conflict where an arena runs on *data* already."""
    found = here.running(data)
    if found is not None:
        where = f" ({found.state['dashboard']})" if found.state else ""
        raise Conflict(f"An arena runs on {data} already{where}: 'arena down' ends it, --data chooses another folder.")


@contextmanager
def _stopped_on_failure(kept: Kept) -> Iterator[None]:
    try:
        yield
    except BaseException:
        kept.stop()
        raise


def _fixtures(url: str) -> dict[str, int] | None:
    """How many fixtures wait, run, and are held by somebody who went quiet; None where the database does not answer."""
    try:
        with db.connect(url) as connection:
            row = connection.execute(WAITING).fetchone()
    except (StoreUnavailable, SettingsError, psycopg.Error):
        return None
    assert row is not None
    return dict(zip(("waiting", "running", "abandoned"), row, strict=True))


def _show(answer: dict[str, Any]) -> None:
    if "processes" not in answer:
        typer.echo(
            f"An arena is starting or stopping on {answer['data']}."
            if answer["running"]
            else f"No arena runs on {answer['data']}: 'arena up' starts one."
        )
        return
    table = Table("process", "pid", "restarts", "log", box=None)
    for process in answer["processes"]:
        table.add_row(process["name"], str(process["pid"]), str(process["restarts"]), Text(process["log"]))
    Console().print(table)
    typer.echo(f"Dashboard {answer['dashboard']}, bots dial {answer['bots']}, data in {answer['data']}.")
    if answer["trust_bots"]:
        typer.echo(f"What hosted bots write: {answer['bot_logs']}/VERSION-lane-LANE.log.")
    fixtures = answer["fixtures"]
    if fixtures is None:
        typer.echo("The database does not answer.")
    else:
        typer.echo("Fixtures: {waiting} waiting, {running} running, {abandoned} abandoned.".format(**fixtures))
