"""A ladder: everybody plays in every round, mostly with those who are ranked close.

A place in the ranking and a chance of the round make a key, tables are cut from the entrants in the order of their
keys. So who meets whom follows from ranking and seed alone, tables of any size are made in the same way, and how often
two meet falls with the number of places between them. The reach of the chance differs from round to round: mostly a few
places, and every fourth time far beyond the field, so that all ratings stay comparable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import gcd
from typing import ClassVar

from rummy.league.model import Entrant, FixtureResult, Round
from rummy.league.pairing import design
from rummy.league.pairing.design import Table
from rummy.league.pairing.format import Field, Merit, Option, Size

REACHES = (1, 2, 4, 32)
"""By round, in turn: over how many eighths of the field chance reaches. With four times the field all may meet."""
USUAL = 4
"""Rounds by default: so many times those of a knockout."""


class Ladder:
    """Rounds drawn from the ranking at the start. A table plays as many fixtures in a round as there are cycles."""

    title: ClassVar[str] = "a ladder"
    waits: ClassVar[bool] = False
    by_rating: ClassVar[bool] = True
    eliminates: ClassVar[bool] = False
    defaults: ClassVar[Mapping[str, Option]] = {"rounds": 0, "seeding": "rating"}
    table_sizes: ClassVar[range] = range(2, 7)
    most_entrants: ClassVar[int] = 1_000

    def size(self, field: Field) -> Size:
        """What is planned for *field*."""
        rounds = _rounds(field)
        fixtures = rounds * (field.entrants // field.table_size) * field.cycles
        return Size(rounds, fixtures, fixtures)

    def draw(self, field: Field, played: Sequence[FixtureResult]) -> Iterator[Round]:
        """All rounds."""
        drawn = _places(field)
        block, number = _block(field), 0
        while rounds := list(islice(drawn, block)):
            for tables in _seated(rounds, field):
                yield Round(number, tables)
                number += 1

    def merits(self, field: Field, played: Sequence[FixtureResult]) -> dict[Entrant, Merit] | None:
        """None: the table is ordered by rating, since not everybody has the same opponents."""
        return None


def _rounds(field: Field) -> int:
    """As many as were asked for; else four times as many as a knockout would have."""
    return int(field.options["rounds"]) or USUAL * (field.entrants - 1).bit_length()


def _block(field: Field) -> int:
    """After so many rounds all have played a multiple of the seats, so that seats can be settled block by block."""
    return field.table_size * (field.entrants // gcd(field.entrants, field.table_size))


def _places(field: Field) -> Iterator[list[Table]]:
    """By round: the tables, with no seats meant by their order yet."""
    order, size = field.ranking or range(field.entrants), field.table_size
    rested = [0] * field.entrants  # By place.
    for number in range(_rounds(field)):
        chance = [_chance(field.seed, number, place) for place in range(field.entrants)]
        playing = set(range(field.entrants))
        for place in sorted(playing, key=lambda place: (rested[place], chance[place]))[: field.entrants % size]:
            rested[place] += 1
            playing.remove(place)
        reach = max(field.entrants * REACHES[number % len(REACHES)] // 8, size)
        keys = {place: ((place << 64) + reach * chance[place], place) for place in playing}
        entrants = [order[place] for place in sorted(playing, key=keys.__getitem__)]
        yield [tuple(entrants[first : first + size]) for first in range(0, len(entrants), size)]


def _chance(seed: bytes, number: int, place: int) -> int:
    """64 random bits: of SHA-256 of *seed*, a label, and both numbers in 4 bytes."""
    label = seed + b"ladder" + number.to_bytes(4, "big") + place.to_bytes(4, "big")
    return int.from_bytes(hashlib.sha256(label).digest()[:8], "big")


def _seated(rounds: Sequence[list[Table]], field: Field) -> Iterator[tuple[Table, ...]]:
    tables = [table for drawn in rounds for table in drawn for _ in range(field.cycles)]
    in_order = iter(design.seated(tables, field.table_size))
    for drawn in rounds:
        yield tuple(islice(in_order, len(drawn) * field.cycles))
