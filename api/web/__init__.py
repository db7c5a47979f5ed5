"""What is shown: templates, their filters, static files and the headers that keep foreign code out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path

from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rummy.rules.games import GAMES

HERE = Path(__file__).parent
STATIC = HERE / "static"


def game_title(key: str) -> str:
    """The game's name for people; an old key that is no longer in the registry stands for itself."""
    known = GAMES.get(key)
    return known.spec.title if known else key


def utc(moment: datetime) -> str:
    """A time to the minute, for reading."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def span(seconds: float) -> str:
    """A time that something takes, such as 7 days or 90 minutes."""
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size and seconds % size == 0:
            count = int(seconds // size)
            return f"{count} {unit}{'s' * (count > 1)}"
    return f"{seconds:g} seconds"


def points(value: float) -> str:
    """At most two decimals, and none where none are needed."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def ordinal(place: int) -> str:
    """1st, 2nd, 3rd …"""
    ending = "th" if 10 < place % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def given(values: Mapping[str, object]) -> dict[str, object]:
    """The parameters that have a value."""
    return {name: value for name, value in values.items() if value is not None}


@cache
def static(name: str) -> str:
    """The address of a static file, with a mark of its content so that a browser may keep it for ever."""
    mark = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"/static/{name}?v={mark}"


def _environment() -> Environment:
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(given=given, game_title=game_title, utc=utc, points=points, ordinal=ordinal, span=span)
    env.globals.update(static=static)
    return env


templates = Jinja2Templates(env=_environment())
