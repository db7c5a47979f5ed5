"""The `arena` command: which commands there are, and how any of them fails."""

import inspect
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rummy.cli import here
from rummy.errors import BadInput, RummyError

COMMANDS = {
    "demo": ("rummy.cli.demo", "demo"),
    "up": ("rummy.cli.servers", "up"),
    "down": ("rummy.cli.servers", "down"),
    "status": ("rummy.cli.servers", "status"),
    "migrate": ("rummy.cli.servers", "migrate"),
    "owner": ("rummy.cli.owners", "app"),
    "bot": ("rummy.cli.bots", "app"),
    "tournament": ("rummy.cli.tournaments", "app"),
    "league": ("rummy.cli.leagues", "app"),
    "rate": ("rummy.cli.rate", "rate"),
    "ratings": ("rummy.cli.ratings", "ratings"),
    "export": ("rummy.cli.export", "export"),
    "import": ("rummy.cli.importing", "import_archive"),
    "luck": ("rummy.cli.luck", "luck"),
    "play": ("rummy.cli.play", "play"),
    "compare": ("rummy.cli.compare", "compare"),
    "watch": ("rummy.cli.watch", "watch"),
    "replay": ("rummy.cli.replays", "app"),
    "bench": ("rummy.cli.bench", "bench"),
    "chaos": ("rummy.cli.chaos.command", "chaos"),
}
OF_THE_MACHINE = ("demo", "up", "down", "status", "migrate", "chaos")
"""These start and stop an arena; all others speak to one that runs."""


class Arena(TyperGroup):
    """A group whose commands are imported when they are needed: most need little of what others need."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str):  # type: ignore[no-untyped-def, override]
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name]
        found = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            group = typer.main.get_group(found)
            group.name = cmd_name  # The list of commands shows what a command calls itself.
            return _plain(group)
        alone = typer.Typer(add_completion=False)
        alone.command(cmd_name)(found)
        return _plain(typer.main.get_command(alone))

    def get_help_option(self, ctx: typer.Context):  # type: ignore[no-untyped-def, override]
        found = super().get_help_option(ctx)
        if found is not None:
            found.metavar = ""
        return found


def _plain(command: Any) -> Any:
    """*command* with a help that reads well: no type beside a switch, and no line broken where its source breaks."""
    own_help = command.get_help_option(typer.Context(command))
    for option in (*command.params, own_help):
        if getattr(option, "is_flag", False):
            option.metavar = ""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    for below in getattr(command, "commands", {}).values():
        _plain(below)
    return command


app = typer.Typer(
    cls=Arena, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False,
    epilog="In a checkout, './arena test' runs the test-suite.",
)  # fmt: skip


@app.callback()
def arena(
    ctx: typer.Context,
    data: Annotated[Path | None, typer.Option(help="Data folder of the arena on this machine.")] = None,
) -> None:
    """Rummy Arena: programs play rummy against each other."""
    if data is not None:
        os.environ["ARENA_DATA"] = str(data)
    if ctx.invoked_subcommand not in OF_THE_MACHINE:
        here.adopt()


def main() -> None:
    """Run the command line; what goes wrong is one sentence on standard error and status 1, or 2 for wrong usage."""
    try:
        app(prog_name="arena")
    except RummyError as error:
        sys.exit(_told(error))
    except UnicodeEncodeError as error:
        if error.reason != "surrogates not allowed":
            raise
        # Python reads bytes of an argument or a variable that are no UTF-8 as halves of surrogate pairs.
        sys.exit(_told(BadInput("An argument or a setting holds bytes that are no UTF-8 text; write it anew.")))


def _told(error: RummyError) -> int:
    if "--json" in sys.argv:
        text = json.dumps({"error": type(error).__name__, "sentence": str(error)})
    else:
        text = f"arena: {error}"
    sys.stderr.write(text + "\n")
    return 1
