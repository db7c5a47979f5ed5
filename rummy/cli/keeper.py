"""The process that holds an arena: `python -m rummy.cli.keeper`, started by the command line in a session of its own.

It takes its plan as its argument and tells what happens in lines of JSON. Unless a line of its input says "detach", it
ends everything when its input ends: that is when its launcher has gone, whatever became of it.
"""

import contextlib
import io
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from rummy.cli.plan import Places, Plan
from rummy.embedded import folders
from rummy.embedded.postgres import PostgresServer
from rummy.embedded.supervisor import Supervisor
from rummy.embedded.valkey import ValkeyServer
from rummy.errors import NotFound, RummyError, Unauthenticated
from rummy.settings import Settings
from rummy.store import db, migrate, owners

OPERATOR = "operator"
STATE = "state.json"


class Ended(BaseException):
    """Somebody asked for the end."""


def main() -> int:
    """Hold an arena until told to end. Returns the exit status."""
    plan = Plan.from_json(sys.argv[1])
    launcher = os.fdopen(0, "rb", buffering=0)  # Unbuffered: a buffer's lock would be held when we end.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _end)
    threading.Thread(target=_watch, args=[launcher], daemon=True).start()
    try:
        _hold(plan)
    except Ended:
        tell(event="ended")
        return 0
    except RummyError as error:
        tell(event="failed", sentence=str(error))
        return 1
    return 0


def tell(**message: object) -> None:
    """Say something to the launcher, if it still listens."""
    with contextlib.suppress(OSError):
        print(json.dumps(message), flush=True)  # noqa: T201


def _hold(plan: Plan) -> None:
    with folders.locked(plan.data), folders.running_in(plan.data) as run, _supervised(plan) as supervisor:
        places = _start_servers(plan, run, supervisor)
        token = _prepare_database(places)
        tell(event="step", sentence="starting arbiter, workers and dashboard")
        supervisor.start(*places.services())
        operator = places.operator(token)
        _write_state(plan, supervisor, operator)
        supervisor.changed = lambda: _write_state(plan, supervisor, operator)
        tell(event="ready")
        supervisor.watch()


@contextlib.contextmanager
def _supervised(plan: Plan) -> Iterator[Supervisor]:
    supervisor = Supervisor(endless=plan.endless)
    try:
        yield supervisor
    finally:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # Nothing may interrupt the end.
        supervisor.stop()
        (plan.data / STATE).unlink(missing_ok=True)


def _start_servers(plan: Plan, run: Path, supervisor: Supervisor) -> Places:
    """The servers that the environment does not name."""
    given = Settings.from_environment()
    logs = plan.data / "logs"
    database_url, redis_url = given.database_url, given.redis_url
    if not database_url:
        tell(event="step", sentence="starting PostgreSQL")
        postgres = PostgresServer(plan.data, run, logs / "postgres.log")
        postgres.prepare()
        supervisor.start(postgres)
        database_url = postgres.url()
    if not redis_url:
        tell(event="step", sentence="starting Valkey")
        valkey = ValkeyServer(plan.data, run, logs / "valkey.log")
        valkey.prepare()
        supervisor.start(valkey)
        redis_url = valkey.url
    return Places(plan=plan, run=run, database_url=database_url, redis_url=redis_url)


def _prepare_database(places: Places) -> str:
    """All tables, the roles' passwords, and a valid token of the operator's."""
    with db.connect(places.database_url) as connection:
        for name in migrate.migrate(connection):
            tell(event="step", sentence=f"applied {name}")
        migrate.set_passwords(connection, {role: places.role_password(role) for role in migrate.ROLES})
        return _owner_token(connection, places.plan.data / "owner.token")


def _owner_token(connection: db.Connection, kept: Path) -> str:
    with contextlib.suppress(FileNotFoundError, Unauthenticated):
        owners.find_by_token(connection, kept.read_text())
        return kept.read_text()
    now = datetime.now(UTC)
    try:
        owner = owners.find(connection, OPERATOR)
    except NotFound:
        owner = owners.create(connection, OPERATOR, now=now)
    return folders.write_secret(kept, owners.new_token(connection, owner.owner_id, now=now))


def _write_state(plan: Plan, supervisor: Supervisor, operator: dict[str, str]) -> None:
    parts = [
        {"name": part.name, "pid": part.running.pid, "restarts": supervisor.restarts[part.name], "log": str(part.log)}
        for part in supervisor.parts
        if part.running is not None
    ]
    state = {
        "keeper": os.getpid(),
        "dashboard": plan.address,
        "bots": plan.bots_listen,
        "trust_bots": plan.trust_bots,
        "bot_logs": str(plan.bot_logs),
        "processes": parts,
        "operator": operator,
    }
    folders.write_secret(plan.data / STATE, json.dumps(state, indent=1))


def _end(*_: object) -> None:
    raise Ended


def _watch(launcher: io.RawIOBase) -> None:
    """Runs in a thread of its own; the main thread gets the signal and ends everything."""
    while said := launcher.readline():
        if said.strip() == b"detach":
            return
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
