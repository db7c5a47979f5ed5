"""The terms on which tournaments are played, as options of the commands that make some."""

from typing import Annotated

import typer

from rummy.league.pairing import PAIRINGS

Options = Annotated[str, typer.Option(help="Options of the game, as a JSON object.")]
Format = Annotated[str, typer.Option("--format", metavar="FORMAT", help=f"Who meets whom: {', '.join(PAIRINGS)}.")]
TableSize = Annotated[int, typer.Option(help="Seats at a table.")]
Rounds = Annotated[
    int | None, typer.Option(help="Swiss: how many rounds, else as for a knockout; ladder: else four times as many.")
]
Seeding = Annotated[
    str | None,
    typer.Option(help="Swiss, knockout, ladder: what ranks the bots at the start, 'rating' (default) or 'entry'."),
]
Ties = Annotated[int | None, typer.Option(help="Knockout: how many fixtures more an equal pair may play (default: 3).")]
LimitMs = Annotated[int, typer.Option(help="Time for a decision, in milliseconds.")]
BankMs = Annotated[int, typer.Option(help="Time to overdraw in a match, in milliseconds.")]
IncrementMs = Annotated[int, typer.Option(help="What each answer in time adds to that, in milliseconds.")]
Strikes = Annotated[int, typer.Option(help="The illegal or late answer of a match that forfeits it; 1 forgives none.")]
Grace = Annotated[float, typer.Option(help="Seconds that a bot may be gone before it forfeits.")]
Deaths = Annotated[int, typer.Option(help="The death of a hosted bot's process in a match that forfeits it.")]


def format_options(rounds: int | None, seeding: str | None, ties: int | None) -> dict[str, object]:
    """The options that were given to a format."""
    given = {"rounds": rounds, "seeding": seeding, "ties": ties}
    return {name: value for name, value in given.items() if value is not None}
