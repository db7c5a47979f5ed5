"""Who plays in which division: from how the last season ended, who is still there, and who is new."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rummy.errors import LeagueError
from rummy.league.standings import Standing

Member = int
"""A bot."""


@dataclass(frozen=True, slots=True)
class Tiers:
    """The divisions of a league: *sizes* from the top, and one more at the bottom that takes everybody else.

    *moves* go up and as many down between two neighbours. *least* are needed for a division, as for a table.
    """

    sizes: tuple[int, ...]
    moves: int
    least: int

    def check(self) -> None:
        """Raises `LeagueError` where divisions are too small for what moves between them, or for a table."""
        if self.moves < 0:
            raise LeagueError(f"at least nobody moves between divisions, not {self.moves}")
        if self.moves and not self.sizes:
            raise LeagueError(
                "a league of one division has nowhere to move to: give the sizes of the others, or no moves"
            )
        for size in self.sizes:
            if size < self.least:
                raise LeagueError(f"a division of {size} has not enough bots for a table, which has {self.least} seats")
            if size < 2 * self.moves:
                raise LeagueError(f"a division of {size} is too small for {self.moves} to go up and {self.moves} down")


def final_order(table: Sequence[Standing]) -> list[int]:
    """The entrants of a division as its season ended; of those who share a place who stood higher at the start.

    Entrants are numbered in the order of the season's start.
    """
    return [line.entrant for line in sorted(table, key=lambda line: (line.place, line.entrant))]


def following(
    tiers: Tiers, last: Sequence[Sequence[Member]], members: Sequence[Member], cancelled: Collection[int] = ()
) -> list[list[Member]]:
    """The divisions of the next season from the top, each in order of standing; none where there are too few for one.

    *last* are the divisions as the last season ended, best first, *cancelled* the numbers of those that did not.
    *members* are those who play now, in order of entry: who was not in *last* comes below all who were. What those
    leave who play no more is filled from below, by who stands next, so that nobody is worse off for it; and who is
    too few for a division of its own joins the one above.
    """
    playing = set(members)
    before = {member for division in last for member in division}
    order = [member for division in _moved(last, tiers.moves, cancelled) for member in division if member in playing]
    order += [member for member in members if member not in before]
    return _joined(_cut(order, tiers.sizes), tiers.least)


def steps(moves: int, lengths: Sequence[int], cancelled: Collection[int] = ()) -> list[list[int]]:
    """By division, and by who stands there at the end: -1 goes up, 0 stays, 1 goes down.

    As many go down as can come up. From and to a division that was *cancelled* nobody moves.
    """
    ups = [0, *(min(moves, below) for below in lengths[1:]), 0]
    for number in cancelled:
        ups[number] = ups[number + 1] = 0
    return [
        [-1] * ups[number] + [0] * (length - ups[number] - ups[number + 1]) + [1] * ups[number + 1]
        for number, length in enumerate(lengths)
    ]


def _moved(last: Sequence[Sequence[Member]], moves: int, cancelled: Collection[int]) -> list[list[Member]]:
    """Each division with those who come down on top, and those who come up below."""
    moved: list[list[Member]] = [[] for _ in last]
    for number, by_place in enumerate(steps(moves, [len(division) for division in last], cancelled)):
        for member, step in zip(last[number], by_place, strict=True):
            moved[number + step].append(member)
    return moved


def _cut(order: Sequence[Member], sizes: Sequence[int]) -> list[list[Member]]:
    divisions, first = [], 0
    for size in (*sizes, len(order)):
        divisions.append(list(order[first : first + size]))
        first += size
    return [division for division in divisions if division]


def _joined(divisions: list[list[Member]], least: int) -> list[list[Member]]:
    while divisions and len(divisions[-1]) < least:
        rest = divisions.pop()
        if divisions:
            divisions[-1] += rest
    return divisions
