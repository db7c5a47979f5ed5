"""A log of elsewhere says what an arena says, and nothing besides: whoever reads it sees all of it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from eventful import PAIRS, eventful
from world import World

from rummy.errors import BadInput, ReplayMismatch
from rummy.rules import canonical
from rummy.store import log, logtext, said
from rummy.store.log import Entry
from rummy.store.rebuild import Rebuilt

HOSTILE: tuple[object, ...] = (
    None, True, -1, 1 << 62, 10**400, 0.5, 1e308, "", "\x1b[2J", "\u202e", "\0", "x" * 5000, "<b>", [], [[]], ["\x1b"],
    {}, {"more": "\x1b"},
)  # fmt: skip


def entries(world: World) -> list[Entry]:
    """A log with every kind of move that plays a part in a result."""
    _, number = eventful(world, PAIRS, disqualify=True)
    with world.database.transaction() as tx:
        return list(log.entries(tx, number))


def places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where in a value other values stand."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*at, key))


def put(value: Any, at: tuple[str | int, ...], other: object) -> Any:
    """The value, with another one there."""
    if not at:
        return other
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = put(value[at[0]], at[1:], other)
    return copy


def test_nothing_else_is_said(world: World) -> None:
    """Anything in any place: refused, or of the same kind and with nothing that a terminal obeys (fault P35)."""
    by_move = {entry.move: entry for entry in entries(world)}
    terms = {"options", "faults", "deadlines", "format_options"}  # Their own rules have them, but for their size.
    for move, entry in by_move.items():
        said.check(move, entry.said)
        for at in places(entry.said):
            for hostile in HOSTILE:
                told = put(entry.said, at, hostile)
                try:
                    said.check(move, told)
                except BadInput:
                    continue
                assert terms & set(at[:1]) or is_alike(told, entry.said, at), (move, at, hostile)
                shown = replace(entry, what=canonical.dumps(told).decode())
                assert logtext.sentence(shown).isprintable(), (move, at, hostile)
        with pytest.raises(BadInput, match="not what such an entry says"):
            said.check(move, {**entry.said, "more": 1})


def is_alike(told: Any, before: Any, at: tuple[str | int, ...]) -> bool:
    """Whether the same type is there as before; the forfeit of a seat is none, or a word."""
    for key in at:
        told, before = told[key], before[key]
    return type(told) is type(before) or (at[0] == "legs" and told is None)


def sealed(chain: list[Entry]) -> list[Entry]:
    """The chain, made to hold again."""
    before, found = b"", []
    for number, entry in enumerate(chain):
        entry = replace(entry, entry_no=number)
        found.append(replace(entry, digest=entry.chained(before)))
        before = found[-1].digest
    return found


FORGED: dict[str, tuple[str, Callable[[dict[str, Any]], dict[str, Any]], str]] = {
    "nobody enters twice": ("entered", lambda what: what | {"version": 1, "entrant": 1}, "another number|in already"),
    "nobody is ranked for nothing": ("started", lambda what: what | {"ranking": [0, 1]}, "others were to be ranked"),
    "all that is drawn counts": ("drawn", lambda what: what | {"fixtures": 29}, "other tables"),
    "from the round that it is": ("drawn", lambda what: what | {"first": 1}, "other tables"),
    "nobody is absent twice": ("unplayed", lambda what: what | {"absent": [*what["absent"], *what["absent"]]}, "once"),
    "half is counted": ("withdrawn", lambda what: what | {"played": 0}, "it has played"),
    "half of what was planned": ("withdrawn", lambda what: what | {"planned": what["planned"] + 1}, "was planned for"),
    "the format annuls": ("disqualified", lambda what: what | {"annulled": not what["annulled"]}, "format decides"),
    "once is taken back": ("corrected", lambda what: {"rounds": what["rounds"] * 2}, "taken back twice"),
    "what was rated is taken back": ("corrected", lambda what: {"rounds": [9]}, "that was not rated"),
}


def test_what_follows_from_what_was_before_is_compared_with_it(world: World) -> None:
    chain = entries(world)
    Rebuilt(sealed(chain))
    for move, forge, refused in FORGED.values():
        at = max(number for number, entry in enumerate(chain) if entry.move == move)
        other = replace(chain[at], what=canonical.dumps(forge(chain[at].said)).decode())
        with pytest.raises(ReplayMismatch, match=refused):
            Rebuilt(sealed([*chain[:at], other, *chain[at + 1 :]]))


def test_the_seed_that_was_committed_to_stays_the_one(world: World) -> None:
    """Whoever knows the nonces could choose another seed, and say so where nobody looks."""
    chain = entries(world)
    at = next(number for number, entry in enumerate(chain) if entry.move == "started")
    told = {"commitment": "00" * 32, "format": "round_robin", "cycles": 2, "format_options": {}}
    other = replace(chain[at], move="changed", what=canonical.dumps(told).decode())
    with pytest.raises(ReplayMismatch, match=r"changed, does not follow .* not what such an entry says"):
        Rebuilt(sealed([*chain[:at], other, *chain[at:]]))
