"""What a game can say, read from its source: phases, kinds of events, and the words for how things end.

So a test can ask for all of them of a game that it has never heard of. Words are followed from where they are written,
through the parameters called `reason`, to the value that carries them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rummy.rules.games
from rummy.rules.game import EventKind, Phase

FOLDER = Path(rummy.rules.games.__path__[0])
Functions = list[ast.FunctionDef]
_NAMED = (ast.FunctionDef, ast.ClassDef)
_PACKAGE = rummy.rules.games.__name__


@dataclass(frozen=True)
class Sayings:
    """All that a game can ask, tell, and call an end."""

    phases: frozenset[Phase]
    events: frozenset[EventKind]
    ends: frozenset[str]  # The reasons of its deals' results.
    told: frozenset[str]  # The reasons of its events.


def sayings_of(kind: Any) -> Sayings:
    """What the game *kind*, a class of the registry, can say."""
    code = list(_code(kind.__module__.rpartition(".")[2]))
    own = [node for top in code for node in ast.walk(top)]
    functions = [node for node in own if isinstance(node, ast.FunctionDef)]
    return Sayings(
        frozenset([Phase[name] for name in _members(own, "Phase")]),
        frozenset([EventKind[name] for name in _members(own, "EventKind")]),
        frozenset(_words(functions, "DealResult", 1)),
        frozenset(_words(functions, "Event", 6)),
    )


def _code(stem: str) -> Iterator[ast.stmt]:
    """The module of a game and those named after it, and what they use of the modules that games share."""
    trees = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.py")}
    own = [name for name in trees if name == stem or name.startswith(f"{stem}_")]
    todo = [(name, node) for name in own for node in trees[name].body]
    seen: set[tuple[str, str]] = set()
    while todo:
        module, node = todo.pop()
        yield node
        for where in _used(node, module, trees) - seen:
            if where[0] not in own:
                seen.add(where)
                todo += [(where[0], each) for each in trees[where[0]].body if getattr(each, "name", "") == where[1]]


def _used(node: ast.stmt, module: str, trees: dict[str, ast.Module]) -> set[tuple[str, str]]:
    """By module of games and name: what *node* of *module* mentions."""
    names = {each.name: (module, each.name) for each in trees[module].body if isinstance(each, _NAMED)}
    for each in trees[module].body:
        if isinstance(each, ast.ImportFrom) and (each.module or "").startswith(f"{_PACKAGE}."):
            for alias in each.names:
                names[alias.asname or alias.name] = ((each.module or "").rpartition(".")[2], alias.name)
    modules = {alias.name for each in trees[module].body if isinstance(each, ast.ImportFrom) for alias in each.names}
    parts = list(ast.walk(node))
    used = {names[part.id] for part in parts if isinstance(part, ast.Name) and part.id in names}
    for part in parts:
        if (
            isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id in modules & trees.keys()
        ):
            used.add((part.value.id, part.attr))
    return used


def _members(nodes: list[ast.AST], enum: str) -> set[str]:
    """The members of an enumeration that are named in the code."""
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == enum
    }


def _words(functions: Functions, maker: str, place: int) -> set[str]:
    """The texts that come to the argument number *place*, called `reason`, of *maker*."""
    words: set[str] = set()
    carriers = {maker: place}
    todo = [maker]
    while todo:
        carrier = todo.pop()
        for function in functions:
            for call in ast.walk(function):
                if not isinstance(call, ast.Call) or _name(call.func) != carrier:
                    continue
                words |= set(_texts(_reason(call, carriers[carrier]), function))
                passed = _reason(call, carriers[carrier])
                parameters = [each.arg for each in function.args.args if each.arg != "self"]
                if isinstance(passed, ast.Name) and passed.id in parameters and function.name not in carriers:
                    carriers[function.name] = parameters.index(passed.id)
                    todo.append(function.name)
    return words


def _name(callee: ast.expr) -> str:
    return callee.id if isinstance(callee, ast.Name) else callee.attr if isinstance(callee, ast.Attribute) else ""


def _reason(call: ast.Call, place: int) -> ast.expr | None:
    named = [each.value for each in call.keywords if each.arg == "reason"]
    return named[0] if named else call.args[place] if len(call.args) > place else None


def _texts(value: ast.expr | None, function: ast.FunctionDef) -> Iterator[str]:
    """The texts that an expression can be, by what is assigned to it if it is a name."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.IfExp):
        yield from _texts(value.body, function)
        yield from _texts(value.orelse, function)
    elif isinstance(value, ast.Name):
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and any(_name(target) == value.id for target in node.targets):
                yield from _texts(node.value, function)
