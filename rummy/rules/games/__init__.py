"""The registry of games: one line a game, and the identity of a game's options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from hashlib import sha256
from typing import Any

from rummy.errors import BadOptions, UnknownGame
from rummy.rules.game import Game
from rummy.rules.games.basic import Basic
from rummy.rules.games.club import Club
from rummy.rules.games.contract import Contract
from rummy.rules.games.gin import Gin
from rummy.rules.games.indian13 import Indian13
from rummy.rules.games.one_oh_one import OneOhOne
from rummy.rules.games.rummy500 import Rummy500
from rummy.rules.options import shown


def _registry(*games: type[Game]) -> dict[str, type[Game]]:
    known: dict[str, type[Game]] = {}
    for game in games:
        if game.spec.key in known:
            raise ValueError(f"Two games have the key {game.spec.key}.")
        known[game.spec.key] = game
    return known


GAMES: dict[str, type[Game]] = _registry(Gin, OneOhOne, Basic, Club, Rummy500, Indian13, Contract)


def find_game(key: str, options: Mapping[str, object] | None = None) -> Game:
    """The game *key* with *options*, which may come from JSON. Raises `UnknownGame` and `BadOptions`.

    The option `preset` stands for the options that the game keeps under that name; others may stand beside it.
    """
    kind = GAMES.get(key) if isinstance(key, str) else None
    if kind is None:
        raise UnknownGame(f"There is no game {shown(key)}; there are: {', '.join(sorted(GAMES))}.")
    if options is None:
        return kind()
    if not isinstance(options, Mapping):
        raise BadOptions(f"Options are names with values, not {shown(options)}.")
    options = _expanded(kind, options)
    names = set(_defaults(kind))
    for name in options:
        if name not in names:
            raise BadOptions(f"{kind.spec.title} has no option {shown(name)}; it has: {', '.join(sorted(names))}.")
    return kind(**{name: _frozen(value) for name, value in options.items()})


def presets_of(kind: Any) -> Mapping[str, Mapping[str, object]]:
    """By name: sets of options that the game has a name for."""
    presets: Mapping[str, Mapping[str, object]] = getattr(kind, "presets", {})
    return presets


def _expanded(kind: type[Game], options: Mapping[str, object]) -> Mapping[str, object]:
    if "preset" not in options:
        return options
    presets, name = presets_of(kind), options["preset"]
    if not isinstance(name, str) or name not in presets:
        known = ", ".join(sorted(presets)) or "none"
        raise BadOptions(f"{kind.spec.title} has no preset {shown(name)}; it has: {known}.")
    return {**presets[name], **{option: value for option, value in options.items() if option != "preset"}}


def options_of(game: Game) -> dict[str, Any]:
    """The options of *game* that differ from the defaults, as JSON writes them."""
    defaults = _defaults(type(game))
    return {name: _plain(value) for name, value in _values(game).items() if value != defaults[name]}


def options_json(game: Game) -> str:
    """`options_of` as canonical JSON: sorted names, no spaces, ASCII; `{}` for the defaults."""
    return json.dumps(options_of(game), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def options_digest(game: Game) -> str:
    """The identity of the options: SHA-256 of `options_json`, as hex digits."""
    return sha256(options_json(game).encode("ascii")).hexdigest()


def _defaults(kind: Any) -> dict[str, Any]:
    return {field.name: field.default for field in fields(kind)}


def _values(game: Any) -> dict[str, Any]:
    return {field.name: getattr(game, field.name) for field in fields(game)}


def _frozen(value: object, depth: int = 2) -> object:
    """Lists become tuples; no option is nested deeper than a table."""
    return tuple(_frozen(item, depth - 1) for item in value) if depth and isinstance(value, list | tuple) else value


def _plain(value: object) -> object:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
