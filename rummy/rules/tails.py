"""What becomes of the runs of a suit from one place to the next, whatever cards are held: the steps of `arranging`.

A run that is still open is a *tail*, known by its length and its natural cards, so far as these matter, and by how many
more naturals than jokers it has where the rules ask. A *state* is the open tails of a suit, ascending, and what was
promised at its first place: aces kept for the last one, or tails that a run round the corner has to bring along.
States are numbered, the empty one 0. The steps between them are found once and kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, count, product
from typing import Final, NamedTuple

from rummy.rules.tabling import MeldRules

Tail = tuple[int, int, int]  # Length and naturals up to the least that a run needs, and naturals less jokers.
NATURAL, WILD, STOP = "n", "j", "s"
_MOST_TAILS: Final = 3  # As many go round the corner as there are packs.


class State(NamedTuple):
    """The open tails of a suit, and what it has promised."""

    tails: tuple[Tail, ...]
    aces: int
    claimed: tuple[Tail, ...]


class Place(NamedTuple):
    """What a step depends on besides state and cards. *ends*: 1 where no run can go on, 2 at the last place."""

    start: bool  # Whether a run may begin.
    bridge: bool  # Whether a card that a joker may lead to follows.
    keep: bool  # Whether an ace may be kept for the place above the king.
    ends: int
    room: int  # How many runs can go on.
    jokers: int  # In the hand.


class Step(NamedTuple):
    """One thing that may become of tails and cards: the next state, cards left loose, jokers, and by tail its part."""

    state: int
    loose: int
    jokers: int
    taken: tuple[str, ...]


class Tails:
    """The states and steps of *rules*."""

    def __init__(self, rules: MeldRules) -> None:
        self.rules = rules
        self._count = count()
        self._states: dict[int, State] = {}
        self._numbers: dict[State, int] = {}
        self._steps: dict[Place, dict[tuple[int, int], tuple[Step, ...]]] = {}
        self.found = 0  # Steps were found for so many states, cards and places.
        self.number(State((), 0, ()))

    def __getitem__(self, number: int) -> State:
        return self._states[number]

    def number(self, state: State) -> int:
        """The number of *state*. Threads may ask at once: a number that nobody got is left out."""
        known = self._numbers.get(state)
        if known is None:
            number = next(self._count)
            self._states[number] = state
            known = self._numbers.setdefault(state, number)
        return known

    def known(self, place: Place) -> dict[tuple[int, int], tuple[Step, ...]]:
        """The steps at *place* that have been found, by state and cards: a look is cheaper than to ask again."""
        return self._steps.setdefault(place, {})

    def steps(self, state: int, cards: int, place: Place) -> tuple[Step, ...]:
        """Every step that may be best with so many *cards* for runs; none where a tail cannot be served."""
        known = self.known(place)
        steps = known.get((state, cards))
        if steps is None:
            steps = known[state, cards] = self._found(self._states[state], cards, place)
            self.found += 1
        return steps

    def claims(self, copies: int, jokers: int) -> list[int]:
        """The states in which a suit may begin where runs go round the corner."""
        rules = self.rules
        kinds = [
            (length, naturals, extra)
            for length in range(1, rules.least_run + 1)
            for naturals in range(1 if jokers else min(length, rules.naturals), min(length, rules.naturals) + 1)
            for extra in (range(-jokers, jokers + 1) if rules.half_natural else (0,))
        ]
        some = [
            each for size in range(min(copies, _MOST_TAILS) + 1) for each in combinations_with_replacement(kinds, size)
        ]
        return [self.number(State(each, 0, each)) for each in some]

    def grown(self, tail: Tail, jokers: int, *, natural: bool) -> Tail:
        """*tail* with one more card."""
        rules = self.rules
        extra = min(tail[2] + (1 if natural else -1), jokers) if rules.half_natural else 0
        return min(tail[0] + 1, rules.least_run), min(tail[1] + natural, rules.naturals), extra

    def begun(self, jokers: int) -> Tail:
        """The tail of one natural card."""
        return self.grown((0, 0, 0), jokers, natural=True)

    def is_complete(self, tail: Tail) -> bool:
        """Whether *tail* is a run as it is."""
        return tail[0] == self.rules.least_run and tail[1] == self.rules.naturals and tail[2] >= 0

    def _found(self, state: State, cards: int, place: Place) -> tuple[Step, ...]:
        best: dict[int, Step] = {}  # By next state: all that lead to it leave equally many cards loose.
        for taken in product(NATURAL + WILD + STOP, repeat=len(state.tails)):
            left, jokers = cards - taken.count(NATURAL), taken.count(WILD)
            if left < 0 or jokers > place.jokers or not self._fit(state.tails, taken, place):
                continue
            if left and STOP in taken:
                continue  # The run takes one of them as well, and is then worth all that it was.
            tails = [
                self.grown(tail, place.jokers, natural=part == NATURAL)
                for tail, part in zip(state.tails, taken, strict=True)
                if part != STOP
            ]
            for begun, kept in self._uses(left, place):
                loose = left - begun - kept
                after = self._after(state, [*tails, *[self.begun(place.jokers)] * begun], kept, place)
                if after is None or (loose and jokers):  # Beside a loose card no joker is needed.
                    continue
                step = Step(after[0], loose, jokers + after[1], taken + (NATURAL,) * begun)
                if step.state not in best or step.jokers < best[step.state].jokers:
                    best[step.state] = step
        return tuple(best.values())

    def _fit(self, tails: Sequence[Tail], taken: Sequence[str], place: Place) -> bool:
        """Whether each tail may have its part; a joker either leads to a card or makes the run long enough."""
        for (length, naturals, extra), part in zip(tails, taken, strict=True):
            if part == STOP and not self.is_complete((length, naturals, extra)):
                return False
            short = length < self.rules.least_run and naturals == self.rules.naturals
            if part == WILD and not (place.bridge or short):
                return False
        return True

    def _uses(self, left: int, place: Place) -> Iterator[tuple[int, int]]:
        """Of so many cards: runs begun with them, and aces kept."""
        for begun in range(left + 1 if place.start else 1):
            for kept in range(left - begun + 1 if place.keep else 1):
                yield begun, kept

    def _after(self, state: State, tails: list[Tail], kept: int, place: Place) -> tuple[int, int] | None:
        """The number of the next state, and the jokers that make its runs long enough; None where it cannot be."""
        tails.sort()
        if place.ends:
            lack = self._lack(tails, state.claimed if place.ends == 2 else ())
            if lack is None or lack > place.jokers:
                return None
            return (0 if place.ends == 2 else self.number(State((), state.aces + kept, state.claimed))), lack
        done = [tail for tail in tails if self.is_complete(tail)]  # Those that can take most jokers come last.
        for tail in done[: max(0, len(tails) - place.room)]:
            tails.remove(tail)
        laid = sum([length - naturals for length, naturals, _ in tails if naturals < self.rules.naturals])
        if len(tails) > place.room or laid > place.jokers:
            return None
        return self.number(State(tuple(tails), state.aces + kept, state.claimed)), 0

    def _lack(self, tails: Sequence[Tail], claimed: Sequence[Tail]) -> int | None:
        """The jokers without which *tails*, less the claimed ones, are too short; None where they can be no runs."""
        open_ = list(tails)
        for claim in claimed:
            if claim not in open_:
                return None
            open_.remove(claim)
        lack = 0
        for length, naturals, extra in open_:
            more = self.rules.least_run - length
            if naturals < self.rules.naturals or (self.rules.half_natural and extra < more):
                return None
            lack += more
        return lack
