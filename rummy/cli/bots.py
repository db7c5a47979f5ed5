"""`arena bot`: from an empty folder to a bot that plays, in the arena or on one's own machine."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn

import grpc
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rummy import packages
from rummy.cli import here
from rummy.cli.columns import add_columns
from rummy.cli.contest import Bot, Fixture
from rummy.cli.in_process import Table as LocalTable
from rummy.cli.store import opened
from rummy.cli.submission import submit as upload
from rummy.embedded.privileges import tied_command
from rummy.errors import BadInput, BotCrashed, BotFault, Conflict
from rummy.manifest import FILE, Manifest
from rummy.names import check_name
from rummy.packages import Package
from rummy.rules.games import GAMES, find_game
from rummy.settings import Settings
from rummy.store import bots as bot_store
from rummy.store.db import Database
from rummy.wire import dial
from rummy.wire.status import error_of
from rummy.wire.v1 import bots_pb2, bots_pb2_grpc

app = typer.Typer(no_args_is_help=True, help="Write, check, submit, run and retire bots.")

SEATS = 3  # At the table of `check`, where the game allows so many.
SECONDS = 30.0
STOP_SECONDS = 5.0
ROOT = Path(packages.__file__).parents[1]

SOURCE = '''"""The bot: one function, which is asked for every decision."""

from sample_bots import sdk


def choose(decision: sdk.Decision) -> sdk.Answer:
    return decision.random.choice(decision.legal)


if __name__ == "__main__":
    sdk.run(choose)
'''

_Folder = Annotated[Path, typer.Argument(help=f"The bot's folder, with a {FILE}.")]
_FolderOrZip = Annotated[Path, typer.Argument(help=f"The bot's folder, with a {FILE}, or a zip of what is in it.")]
_Arena = Annotated[str | None, typer.Option("--arena", help="Where the arena takes bots, HOST:PORT.")]
_Token = Annotated[str | None, typer.Option("--token", help="The owner's token; else ARENA_OWNER_TOKEN.")]
_Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(help="A folder to make, or an empty one.")],
    name: Annotated[str | None, typer.Option(help="The bot's name; by default the folder's.")] = None,
    as_json: _Json = False,
) -> None:
    """Write a bot of ten lines that works, to begin with."""
    called = check_name(folder.absolute().name if name is None else name, "name of the bot")
    games = json.dumps(sorted(GAMES))
    lines = (f"name = {json.dumps(called, ensure_ascii=False)}", 'version = "1"', f"games = {games}")
    _write(folder, {FILE: "\n".join((*lines, 'language = "python"', 'entry = "bot.py"', "")), "bot.py": SOURCE})
    _answer(
        {"folder": str(folder), "name": called},
        f"{folder} holds a bot that plays at random. Change choose in bot.py, then: arena bot check {folder}",
        as_json,
    )


@app.command()
def check(folder: _FolderOrZip, as_json: _Json = False) -> None:
    """Pack the bot as it would be submitted, and play a match of each of its games against itself."""
    content = _content(folder)
    package = packages.read(content)
    with _unpacked(package) as place:
        played = {key: _try(place, package.manifest, key) for key in package.manifest.games}
    _answer(
        {**_about(package, content), "played": played},
        "\n".join(
            (
                f"{package.manifest.name} {package.manifest.version}: {len(package.files)} files, "
                f"{len(content):,} bytes as a package",
                *(f"{key}: {actions} actions, no fault" for key, actions in played.items()),
            )
        ),
        as_json,
    )


@app.command()
def submit(folder: _FolderOrZip, arena: _Arena = None, token: _Token = None, as_json: _Json = False) -> None:
    """Send the bot to an arena, which checks it, tries it and hosts it."""
    content = _content(folder)
    packages.read(content)  # What the arena would refuse at once is refused here.
    steps = []
    for step in upload(here.bots_address(arena), _owner_token(token), content):
        steps.append({"step": step.step, "state": _state(step), "text": step.text})
        if not as_json:
            _show(step)
    _answer({"version_id": step.version_id, "steps": steps}, f"The bot is version {step.version_id}.", as_json)


@app.command()
def run(folder: _Folder, arena: _Arena = None, token: _Token = None, as_json: _Json = False) -> None:
    """Run the bot on this machine and keep it connected, until Ctrl-C; it is registered first."""
    said = packages.read(_content(folder)).manifest
    address = here.bots_address(arena)
    reply = _register(address, _owner_token(token), said)
    _answer(
        {"version_id": reply.version_id, "arena": address},
        f"{said.name} {said.version} is version {reply.version_id}; it dials {address} now. Ctrl-C ends it.",
        as_json,
    )
    environment = {"ARENA_ADDRESS": address, "ARENA_TOKEN": reply.token, "ARENA_BOT_DIR": str(folder.absolute())}
    raise typer.Exit(_live(folder.absolute() / said.entry, environment))


@app.command("list")
def list_bots(as_json: _Json = False) -> None:
    """Show the bots of the arena on this machine, or of the one that ARENA_DATABASE_URL names."""
    url = Settings.from_environment().need("database_url").database_url
    with Database(url, size=1) as database, database.transaction() as tx:
        versions = bot_store.list_versions(tx)
    if as_json:
        typer.echo(json.dumps([_row(version) for version in versions], ensure_ascii=True))
        return
    table = Table()
    add_columns(table, ("id", "bot", "version", "owner", "games", "runs", "state"))
    for version in versions:
        where = "hosted" if version.hosted else "live"
        row = (version.name, version.version, version.owner, ", ".join(version.games), where, version.state)
        table.add_row(str(version.version_id), *map(Text, row))
    Console().print(table)


@app.command()
def retire(
    bot: Annotated[str, typer.Argument(help="A version's number, 'NAME VERSION', or NAME or OWNER/NAME: the newest.")],
    as_json: _Json = False,
) -> None:
    """Take a version out of new tournaments. It plays on in those that it has entered; results and ratings stay."""
    with opened() as database, database.transaction() as tx:
        version = bot_store.find(tx, bot)
        bot_store.retire(tx, version.version_id)
    answer = {"version_id": version.version_id, "name": version.name, "version": version.version, "state": "retired"}
    _answer(answer, f"{version.title} (version {version.version_id}) is retired and enters no new tournament.", as_json)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in files:
            if (folder / name).exists():
                raise Conflict(f"{folder / name} exists already; choose another folder.")
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}.") from None


def _content(folder: Path) -> bytes:
    """The package in a folder, or in a file that is one already."""
    if folder.is_dir():
        return packages.pack(folder)
    try:
        with folder.open("rb") as file:  # What a file says of its size need not be true: a device's is 0.
            content = file.read(packages.MAX_PACKAGE_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{folder} is neither the folder of a bot nor a package: {error.strerror}.") from None
    if len(content) > packages.MAX_PACKAGE_BYTES:
        raise BadInput(f"{folder} is larger than the {packages.MAX_PACKAGE_BYTES} bytes that a package may have.")
    return content


@contextmanager
def _unpacked(package: Package) -> Iterator[Path]:
    """The package in a folder, as the arena would have it."""
    with tempfile.TemporaryDirectory(prefix="arena-check-") as made:
        place = Path(made) / "bot"
        packages.unpack(package.files, place)
        sys.path.insert(0, str(place))  # A bot may import what lies beside it.
        try:
            yield place
        finally:
            sys.path.remove(str(place))
            for inner in (place, *place.rglob("*")):
                inner.chmod(0o700)


def _try(place: Path, said: Manifest, key: str) -> int:
    """Actions of a match of *key*. Raises the `BotFault` that ended it."""
    game = find_game(key)
    seats = min(SEATS, game.spec.max_seats)
    fixture = Fixture(1, tuple(range(seats)), secrets.token_bytes(32))
    with _alarm(f"A match of {key} took longer than {SECONDS:g} seconds; does choose ever end?"):
        try:
            table = LocalTable(game, [Bot(said.name, place, said)] * seats, seats)
            return next(table.play([fixture])).actions
        except SystemExit as error:
            raise BotCrashed(f"The bot has ended itself in a match of {key}, with status {error.code}.") from None


@contextmanager
def _alarm(sentence: str) -> Iterator[None]:
    """Ends the block where it takes too long, whatever it is doing."""

    def ring(_: int, __: FrameType | None) -> NoReturn:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    except _TooLong:
        raise BotFault(sentence) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _TooLong(BaseException):
    """Not an `Exception`: a bot must not swallow it."""


def _register(address: str, token: str, said: Manifest) -> bots_pb2.RegisterReply:
    request = bots_pb2.RegisterRequest(name=said.name, version=said.version, games=said.games, language=said.language)
    with dial.channel(address) as channel:
        shown = (("authorization", f"Bearer {token}"),)
        try:
            return bots_pb2_grpc.BotsStub(channel).Register(request, metadata=shown, timeout=SECONDS)
        except grpc.RpcError as error:
            raise error_of(error) from None


def _live(entry: Path, environment: Mapping[str, str]) -> int:
    """Runs the bot's process until it ends, or we are told to; returns its status."""
    inherited = {
        name: value for name, value in os.environ.items() if name == dial.AUTHORITY or not name.startswith("ARENA_")
    }
    path = os.pathsep.join(filter(None, (str(ROOT), inherited.get("PYTHONPATH"))))
    command = tied_command([sys.executable, entry])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    bot = subprocess.Popen(command, cwd=entry.parent, env={**inherited, **environment, "PYTHONPATH": path})
    try:
        return bot.wait()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        _end(bot)


def _end(bot: subprocess.Popen[bytes]) -> None:
    bot.terminate()
    try:
        bot.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        bot.kill()
        bot.wait()


def _owner_token(given: str | None) -> str:
    return given or Settings.from_environment().need("owner_token").owner_token


def _about(package: Package, content: bytes) -> dict[str, Any]:
    return {
        **asdict(package.manifest),
        "files": len(package.files),
        "bytes": len(content),
        "digest": package.digest.hex(),
    }


def _row(version: bot_store.Version) -> dict[str, Any]:
    shown = ("version_id", "name", "version", "owner", "games", "language", "hosted", "state")
    return {**{name: getattr(version, name) for name in shown}, "created_at": version.created_at.isoformat()}


def _state(step: bots_pb2.SubmitStep) -> str:
    return bots_pb2.SubmitStep.State.Name(step.state).removeprefix("STATE_").lower()


def _show(step: bots_pb2.SubmitStep) -> None:
    if step.state == bots_pb2.SubmitStep.STATE_PASSED:
        Console(highlight=False, soft_wrap=True).print(Text(f"{step.step}: {step.text}" if step.text else step.step))


def _answer(said: Mapping[str, Any], sentence: str, as_json: bool) -> None:
    typer.echo(json.dumps(said, ensure_ascii=True) if as_json else sentence)
    sys.stdout.flush()
