"""bot.toml: what a package says of itself. Read strictly, so that a slip of the pen is told and not ignored."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from rummy.errors import BadInput
from rummy.names import check_name, check_version
from rummy.rules.games import find_game

FILE = "bot.toml"
LANGUAGES = ("python",)
MAX_GAMES = 32
MAX_BYTES = 16_384
MAX_BRACKETS = 64
"""More than that could be nested so deeply that the parser uses up the stack; see `rummy.rules.canonical.MAX_DEPTH`."""

_NEEDED = ("name", "version", "games", "language", "entry")
_KEYS = (*_NEEDED, "concurrency")
MAX_CONCURRENCY = 256


@dataclass(frozen=True, slots=True)
class Manifest:
    """Who the bot is, what it plays, and how it is started."""

    name: str
    version: str
    games: tuple[str, ...]  # Keys of the registry, each played with any options.
    language: str
    entry: str  # The file that is run.
    concurrency: int = 0  # How many matches it plays at once; 0 leaves that to the arena.


def read_manifest(content: bytes) -> Manifest:
    """The manifest in the bytes of a bot.toml. Raises `BadInput`, or `UnknownGame`, which lists the games."""
    table = _parsed(content)
    for key in table:
        if key not in _KEYS:
            raise BadInput(f"{FILE} has the unknown key {key[:40]!a}; it may have: {', '.join(_KEYS)}.")
    return Manifest(
        name=check_name(_text(table, "name"), f"name in {FILE}"),
        version=check_version(_text(table, "version")),
        games=check_games(table.get("games")),
        language=check_language(_text(table, "language")),
        entry=_entry(_text(table, "entry")),
        concurrency=_concurrency(table.get("concurrency", 0)),
    )


def check_games(games: object) -> tuple[str, ...]:
    """*games* as keys of the registry. Raises `BadInput`, or `UnknownGame`, which lists the games."""
    if not isinstance(games, list | tuple) or not games or not all(isinstance(key, str) for key in games):
        raise BadInput('The games of a bot are a list of at least one name, such as ["gin", "one_oh_one"].')
    if len(games) > MAX_GAMES or len(set(games)) != len(games):
        raise BadInput(f"The games of a bot are at most {MAX_GAMES}, each named once.")
    return tuple(find_game(key).spec.key for key in games)


def check_language(language: str) -> str:
    """*language*, if the arena can run it. Raises `BadInput`."""
    if language not in LANGUAGES:
        raise BadInput(f"The language {language[:40]!a} is not hosted; there is: {', '.join(LANGUAGES)}.")
    return language


def _parsed(content: bytes) -> Mapping[str, object]:
    if len(content) > MAX_BYTES:
        raise BadInput(f"{FILE} is {len(content)} bytes long; at most {MAX_BYTES} are allowed.")
    if content.count(b"[") + content.count(b"{") > MAX_BRACKETS:
        raise BadInput(f"{FILE} has more than {MAX_BRACKETS} opening brackets; one list of games is all it needs.")
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadInput(f"{FILE} is not UTF-8 text.") from None
    except ValueError as error:  # Not TOMLDecodeError alone: a number may have too many digits.
        raise BadInput(f"{FILE} is not TOML: {str(error)[:200]}.") from None


def _text(table: Mapping[str, object], key: str) -> str:
    value = table.get(key)
    if isinstance(value, str):
        return value
    if value is None:
        raise BadInput(f"{FILE} lacks the key {key}; it needs: {', '.join(_NEEDED)}.")
    raise BadInput(f'{FILE}: {key} has to be a text in quotes, such as {key} = "1".')


def _entry(entry: str) -> str:
    if not entry.endswith(".py") or len(entry) > 200:
        raise BadInput(f'{FILE}: entry has to be the name of a Python file in the package, such as "bot.py".')
    return entry


def _concurrency(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_CONCURRENCY:
        raise BadInput(f"{FILE}: concurrency has to be a number from 0 to {MAX_CONCURRENCY}.")
    return value
