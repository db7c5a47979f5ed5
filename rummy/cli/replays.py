"""`arena replay`: look at recorded matches, and check them without anybody's help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from rummy.cli import seeds
from rummy.errors import BadInput, ReplayMismatch
from rummy.rules import replay

app = typer.Typer(no_args_is_help=True, help="Show replays, and verify them on this machine.")

_File = Annotated[Path, typer.Argument(help="A replay: JSON Lines, as the arena exports it.")]
_Files = Annotated[list[Path], typer.Argument(help="One or more replays.")]
_Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]


@app.command()
def show(file: _File, as_json: _Json = False) -> None:
    """Tell a match step by step, with every hand open."""
    out = Console(highlight=False, soft_wrap=True)
    try:
        frames = replay.steps(_read(file))
        if as_json:
            typer.echo(json.dumps(list(frames), ensure_ascii=True))
            return
        for frame in frames:
            out.print(_told(frame))
        _say(_verified(file))
    except ReplayMismatch as error:
        _refuse(f"{file}: {error}")


@app.command()
def verify(files: _Files, as_json: _Json = False) -> None:
    """Play replays again and compare every byte; ends with status 1 where one differs."""
    answers = [_verified(file) for file in files]
    if as_json:
        typer.echo(json.dumps(answers, ensure_ascii=True))
    else:
        for answer in answers:
            _say(answer)
    if not all(answer["verified"] for answer in answers):
        raise typer.Exit(1)


@app.command()
def seed(
    file: _File,
    match: Annotated[Path, typer.Option(help="What /api/v1/matches/N answers for this match.")],
    tournament: Annotated[Path, typer.Option(help="What /api/v1/tournaments/N answers once the tournament has ended.")],
    noted: Annotated[str | None, typer.Option(help="The commitment, as noted before entries closed.")] = None,
    as_json: _Json = False,
) -> None:
    """Check that the deals of a match are those that its tournament had committed to; ends with status 1 if not."""
    try:
        played = replay.verify(_read(file))
        checked = seeds.check_seed(played, seeds.read_json(match), seeds.read_json(tournament), noted)
    except (ReplayMismatch, BadInput) as error:
        _refuse(f"{file}: {error}")
    if as_json:
        typer.echo(json.dumps({"file": str(file), **checked}))
        return
    typer.echo(
        f"{_printable(str(file))}: its seed {checked['seed']} follows from the master seed, {len(checked['nonces'])} "
        f"nonces and its place in the schedule; the commitment to that master seed was {checked['commitment']}."
    )


def _verified(file: Path) -> dict[str, Any]:
    try:
        found = replay.verify(_read(file))
    except ReplayMismatch as error:
        return {"file": str(file), "verified": False, "error": str(error), "ply": error.ply}
    result = found.result
    return {
        "file": str(file),
        "verified": True,
        "game": found.header["game"],
        "bots": replay.seat_names(found.header, len(result.scores)),
        "placements": list(result.placements),
        "scores": list(result.scores),
        "reason": result.reason,
        "deals": result.deals,
        "actions": found.actions,
        "strikes": list(found.strikes),
        "digest": found.digest,
    }


def _say(answer: dict[str, Any]) -> None:
    if not answer["verified"]:
        typer.echo(_printable(f"{answer['file']}: {answer['error']}"), err=True)
        return
    table = zip(answer["placements"], answer["bots"], answer["scores"], strict=True)
    places = "; ".join(f"{place}. {bot} ({score})" for place, bot, score in sorted(table))
    typer.echo(
        _printable(
            f"{answer['file']}: verified, {answer['game']}, {answer['deals']} deals, {answer['actions']} actions, "
            f"ended by {answer['reason']}. {places}."
        )
    )


def _told(frame: dict[str, Any]) -> Text:
    text = Text(_printable(frame["text"]), style="bold" if frame["act"] is None else "")
    if frame["act"] is None:
        for seat, hand in enumerate(frame["hands"]):
            text.append(f"\n    {seat + 1}  {' '.join(hand) or 'out of the match'}", style="dim")
        return text
    tail = f"  [{' '.join(frame['hands'][frame['seat']])}]"
    if frame["fault"]:
        tail += f"  (strike: {frame['fault']})"
    return text.append(tail, style="dim")


def _printable(text: str) -> str:
    """A bot's name may hold anything: nothing in it may steer the terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as source:
            return source.read(replay.MAX_BYTES + 1)
    except OSError as error:
        raise ReplayMismatch(f"The file cannot be read: {error.strerror or error}.") from None


def _refuse(sentence: str) -> NoReturn:
    typer.echo(_printable(sentence), err=True)
    raise typer.Exit(1)
