"""What addresses may ask for, with its limits: one definition for pages and JSON."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from fastapi import Depends, Path, Query, Request

from api.downloads import Downloads
from api.leagues import Leagues
from api.reads import NEWEST, Reads
from rummy.errors import BadInput


def reads_of(request: Request) -> Reads:
    """The service's way to the store."""
    return cast(Reads, request.app.state.reads)


def leagues_of(request: Request) -> Leagues:
    """The service's way to the leagues."""
    return cast(Leagues, request.app.state.leagues)


def downloads_of(request: Request) -> Downloads:
    """The service's files for download."""
    return cast(Downloads, request.app.state.downloads)


def place_in_schedule(
    after: Annotated[
        str | None, Query(max_length=21, description="Goes on after this fixture: `round.table`, as in `next`.")
    ] = None,
) -> tuple[int, int] | None:
    """A fixture's round and table. Raises `BadInput`."""
    if after is None:
        return None
    parts = after.split(".")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise BadInput("after: it must be a round and a table with a dot between them, such as 3.0.")
    return int(parts[0]), int(parts[1])


def name_prefix(
    q: Annotated[str, Query(max_length=256, description="Only bots whose name begins with this.")] = "",
) -> str:
    """The beginning of a name. Raises `BadInput` for a text that PostgreSQL cannot hold."""
    if "\0" in q:
        raise BadInput("q: it holds a NUL character, which no name does.")
    return q.strip()


Arena = Annotated[Reads, Depends(reads_of)]
ArenaLeagues = Annotated[Leagues, Depends(leagues_of)]
Files = Annotated[Downloads, Depends(downloads_of)]
What = Annotated[
    Literal["results", "ratings"],
    Query(description="`results`: a line for each seat of each leg; `ratings`: one for each change of a rating."),
]
Form = Annotated[Literal["csv", "jsonl"], Query(alias="format", description="`csv` or `jsonl`, JSON Lines.")]
SeasonNo = Annotated[int, Path(ge=0, lt=2**31, description="A season, from 0.")]
Id = Annotated[int, Path(ge=1, le=NEWEST)]
LadderName = Annotated[
    str,
    Path(
        max_length=80, pattern=r"^[a-z0-9_]+:[0-9a-f]{12}(@[0-9a-f]{12})?$",
        description="A game, a mark of its options and, where it was imported, the tournament's mark.",
    ),
]  # fmt: skip
Limit = Annotated[int, Query(ge=1, le=200, description="At most so many.")]
Before = Annotated[int | None, Query(ge=1, le=NEWEST, description="Goes on below this id, as in `next`.")]
After = Annotated[int, Query(ge=0, le=NEWEST, description="Goes on above this id, as in `next`.")]
FixtureState = Annotated[
    Literal["scheduled", "running", "done"] | None, Query(description="Only fixtures in this state.")
]
Routine = Annotated[bool, Query(description="Also what workers enter as it is played: results, rounds, ratings.")]
Schedule = Annotated[tuple[int, int] | None, Depends(place_in_schedule)]
Prefix = Annotated[str, Depends(name_prefix)]
