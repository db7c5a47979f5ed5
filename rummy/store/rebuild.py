"""A tournament made anew from nothing but its log: fixtures, results, table and ratings, with every entry checked.

What cannot follow from the log of one tournament is taken from it as given: the ranking at the start, and the rating of
a bot when it is first rated here, which other tournaments have led to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from rummy.errors import BadInput, ReplayMismatch, RummyError
from rummy.league import standings
from rummy.league.model import MOVES, FixtureResult, Round, TournamentState, check_move, unplayed
from rummy.league.pairing import find_format
from rummy.league.pairing.format import Field, check, ranks
from rummy.league.ratings import elo
from rummy.league.schedule import commitment, draw_seed
from rummy.league.standings import Standing
from rummy.store import said as words
from rummy.store.log import Entry, check_chain
from rummy.store.matches import Left, legs_of, without
from rummy.store.tournaments import tables_digest

Place = tuple[int, int]
Step = tuple[int, int, float, float, int]
"""A change of a rating: round, version, before, after, fixtures."""


@dataclass(slots=True)
class Entered:
    """An entrant."""

    version_id: int
    name: str
    hosted: bool
    nonce: str
    left: Left | None = None
    planned: int | None = None  # How many fixtures its withdrawal goes by, where all rounds are known beforehand.


@dataclass(slots=True)
class Fixture:
    """A fixture as it stands: *legs* by generation, *absent* where the present one was decided without play."""

    entrants: tuple[int, ...]
    generation: int = 0
    done: bool = False
    absent: tuple[int, ...] | None = None
    legs: dict[int, list[dict[str, Any]]] = field(default_factory=dict)


class Rebuilt:
    """What a log comes to. Raises `ReplayMismatch` at the first entry that does not follow from those before."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        check_chain(entries)
        if not entries or entries[0].move != "created":
            raise BadInput("The log does not begin with a tournament that is made: it is of an older arena, or empty.")
        self.count = len(entries)
        self.terms: dict[str, Any] = {}
        self.state = TournamentState.DRAFT
        revealed = (entry.said["seed"] for entry in reversed(entries) if entry.move == "revealed")
        self.seed: str | None = next(revealed, None)
        self.entrants: list[Entered] = []
        self.ranking: tuple[int, ...] = ()
        self.fixtures: dict[Place, Fixture] = {}
        self.steps: list[Step] = []  # All that were made, in order; those taken back have their mirror behind them.
        self.made_by: list[Entry] = []  # For each step, the entry that has made it.
        self._valid: list[Step] = []
        self._known: dict[int, float] = {}  # The rating of each version after its last valid step.
        self._rounds: dict[int, list[Place]] = {}
        self.closed: set[int] = set()
        self.rated_rounds: set[int] = set()
        self._schedule: Iterator[Round] | None = None
        for entry in entries:
            try:
                said = entry.said
                words.check(entry.move, said)
                self._apply(entry.move, said)
                self.made_by += [entry] * (len(self.steps) - len(self.made_by))
            except (RummyError, KeyError, ValueError, TypeError, IndexError, ArithmeticError) as error:
                what = error if isinstance(error, RummyError) else repr(error)
                where = f"Entry {entry.entry_no} of the log, {entry.move}"
                raise ReplayMismatch(f"{where}, does not follow from those before: {what}") from None

    def results(self) -> list[FixtureResult]:
        """What counts for the table, in the order of the schedule."""
        gone = {number for number, entrant in enumerate(self.entrants) if entrant.left and entrant.left.annulled}
        return [without(self.result(place), gone) for place in sorted(self.fixtures) if self.fixtures[place].done]

    def rated(self, round_no: int | None = None) -> list[FixtureResult]:
        """What counts for ratings, of all rounds or one."""
        gone = {n for n, entrant in enumerate(self.entrants) if entrant.left and entrant.left.left_as == "disqualified"}
        places = sorted(self.fixtures) if round_no is None else self._rounds[round_no]
        played = [place for place in places if self.fixtures[place].done and self.fixtures[place].absent is None]
        return [self.result(place) for place in played if gone.isdisjoint(self.fixtures[place].entrants)]

    def opening(self, elsewhere: Mapping[int, float]) -> dict[int, float]:
        """By entrant: its rating before its first step here; without one, the one that it has *elsewhere*."""
        first: dict[int, float] = {}
        for _, version, before, _, _ in self._valid:
            first.setdefault(version, before)
        return {
            number: first.get(entrant.version_id, elsewhere.get(number, elo.INITIAL))
            for number, entrant in enumerate(self.entrants)
        }

    def table(self, elsewhere: Mapping[int, float]) -> list[Standing]:
        """The standings, best first; *elsewhere* as in `opening`."""
        form, results = find_format(self.terms["format"]), self.results()
        left = [entrant.left for entrant in self.entrants if entrant.left]
        return standings.table(
            range(len(self.entrants)),
            results,
            self.opening(elsewhere),
            form.merits(self._field(), results) if form.waits else None,
            by_rating=form.by_rating,
            rated=self.rated(),
            last=[each.entrant_no for each in left if each.annulled or each.left_as == "disqualified"],
        )

    def _apply(self, move: str, said: dict[str, Any]) -> None:
        if move in MOVES:
            check_move(move, str(self.terms.get("name")), self.state)
            self.state = MOVES[move].then or self.state
        act = _ACTS.get(move)
        if act is not None:
            act(self, said)

    def _created(self, said: dict[str, Any]) -> None:
        self.terms, self.state = said, TournamentState(said["state"])

    def _changed(self, said: dict[str, Any]) -> None:
        self.terms = {**self.terms, **said}

    def _entered(self, said: dict[str, Any]) -> None:
        _demand(said["entrant"] == len(self.entrants), "another number was to be given")
        _demand(said["version"] not in {each.version_id for each in self.entrants}, "it is in already")
        self.entrants.append(Entered(said["version"], said["name"], said["hosted"], said["nonce"]))

    def _started(self, said: dict[str, Any]) -> None:
        form, self.ranking = find_format(self.terms["format"]), tuple(said["ranking"])
        everybody = range(len(self.entrants)) if ranks(form) else ()
        _demand(sorted(self.ranking) == list(everybody), "others were to be ranked")
        size = check(form, self._field())
        _demand(said["planned"] == size.fixtures, "another number of fixtures was to be planned")

    def _drawn(self, said: dict[str, Any]) -> None:
        _demand(self.state is TournamentState.RUNNING, "it is not being played")
        drawn = self._next(said["rounds"])
        if tables_digest(drawn) != said["tables"] and self.seed is None:
            raise BadInput("its tables follow from the seed, which the log has once it is revealed")
        known = drawn[0].number, len(drawn), sum(len(each.tables) for each in drawn), tables_digest(drawn)
        told = said["first"], said["rounds"], said["fixtures"], said["tables"]
        _demand(told == known, "other tables were to be drawn")
        _demand(self._rounds.keys().isdisjoint(each.number for each in drawn), "a round was drawn twice")
        for each in drawn:
            for table_no, table in enumerate(each.tables):
                self.fixtures[each.number, table_no] = Fixture(table)
            self._rounds[each.number] = [(each.number, table_no) for table_no in range(len(each.tables))]

    def _next(self, rounds: int) -> list[Round]:
        form = find_format(self.terms["format"])
        if form.waits:
            return list(form.draw(self._field(), self.results()))
        if self._schedule is None:
            self._schedule = form.draw(self._field(), ())
        return list(islice(self._schedule, rounds))

    def _field(self) -> Field:
        nonces = [bytes.fromhex(entrant.nonce) for entrant in self.entrants]
        lots = self.seed is not None and not find_format(self.terms["format"]).waits
        return Field(
            entrants=len(self.entrants),
            table_size=self.terms["table_size"],
            cycles=self.terms["cycles"],
            options=self.terms["format_options"],
            ranking=self.ranking,
            out=frozenset(number for number, entrant in enumerate(self.entrants) if entrant.left),
            seed=draw_seed(bytes.fromhex(str(self.seed)), nonces) if lots else b"",
        )

    def _played(self, said: dict[str, Any]) -> None:
        fixture = self._open(said)
        fixture.legs[fixture.generation] = said["legs"]
        fixture.done = True

    def _unplayed(self, said: dict[str, Any]) -> None:
        fixture = self._open(said)
        _demand(set(said["absent"]) <= set(fixture.entrants), "somebody was absent who was not to be there")
        _demand(said["absent"] == sorted(set(said["absent"])), "the absent are named once, in order")
        fixture.absent, fixture.done = tuple(said["absent"]), True

    def _open(self, said: dict[str, Any]) -> Fixture:
        round_no, table_no, generation = said["fixture"]
        fixture = self.fixtures[round_no, table_no]
        _demand(not fixture.done, "the fixture has a result already")
        _demand(generation >= fixture.generation, "the fixture is in a later generation")
        fixture.generation = generation  # A match that the arena has failed may have begun a new one.
        return fixture

    def _voided(self, said: dict[str, Any]) -> None:
        round_no, table_no, generation = said["fixture"]
        fixture = self.fixtures[round_no, table_no]
        _demand(generation >= fixture.generation, "the fixture is in a later generation")
        fixture.generation, fixture.done, fixture.absent = generation + 1, False, None
        self.closed.discard(round_no)

    def _close(self, said: dict[str, Any]) -> None:
        number = said["round"]
        _demand(all(self.fixtures[place].done for place in self._rounds[number]), "the round is not complete")
        _demand(number not in self.closed, "the round is complete already")
        self.closed.add(number)

    def _withdrawn(self, said: dict[str, Any]) -> None:
        if self.state in (TournamentState.DRAFT, TournamentState.OPEN):
            del self.entrants[said["entrant"]]
        else:
            played, waits = self._played_by(said["entrant"]), find_format(self.terms["format"]).waits
            _demand(said["played"] == played and played <= said["planned"], f"it has played {played}")
            _demand(said["annulled"] == (not waits and 2 * played < said["planned"]), "half decides")
            self._leave(said, "withdrawn")
            self.entrants[said["entrant"]].planned = None if waits else said["planned"]

    def _played_by(self, entrant: int) -> int:
        return sum(each.done and each.absent is None for each in self._of(entrant))

    def _of(self, entrant: int) -> list[Fixture]:
        return [each for each in self.fixtures.values() if entrant in each.entrants]

    def _disqualified(self, said: dict[str, Any]) -> None:
        _demand(said["annulled"] == (not find_format(self.terms["format"]).waits), "the format decides")
        self._leave(said, "disqualified")

    def _leave(self, said: dict[str, Any], left_as: str) -> None:
        entrant = self.entrants[said["entrant"]]
        _demand(entrant.left is None, "it has left already")
        entrant.left = Left(said["entrant"], left_as, said["annulled"])

    def _rated(self, said: dict[str, Any]) -> None:
        number = said["round"]
        _demand(number in self.closed, "the round is not complete")
        _demand(number not in self.rated_rounds, "the round is rated already")
        self.rated_rounds.add(number)
        versions = [entrant.version_id for entrant in self.entrants]
        results = [
            replace(result, entrants=tuple(versions[entrant] for entrant in result.entrants))
            for result in self.rated(number)
        ]
        before = {version: rating for version, rating, _, _ in said["changes"]}
        _demand(sorted(before) == sorted({v for result in results for v in result.entrants}), "others have played")
        after = elo.rate_round(before, results)
        known = self._known
        for version, opening, closing, fixtures in said["changes"]:
            _demand(known.get(version, opening) == opening, f"version {version} was not rated {opening!r} before")
            _demand(closing == after[version], f"version {version} comes to {after[version]!r}, not {closing!r}")
            _demand(fixtures == sum(version in each.entrants for each in results), "another number was played")
            self._valid.append((number, version, opening, closing, fixtures))
            self.steps.append(self._valid[-1])
            known[version] = closing

    def _corrected(self, said: dict[str, Any]) -> None:
        _demand(len(set(said["rounds"])) == len(said["rounds"]), "a round was taken back twice")
        _demand(self.rated_rounds.issuperset(said["rounds"]), "a round was taken back that was not rated")
        self.rated_rounds.difference_update(said["rounds"])
        taken = [step for step in self._valid if step[0] in said["rounds"]]
        self._valid = [step for step in self._valid if step[0] not in said["rounds"]]
        self.steps += [(number, version, after, before, -n) for number, version, before, after, n in reversed(taken)]
        self._known = {version: rating for _, version, _, rating, _ in self._valid}

    def _finished(self, said: dict[str, Any]) -> None:
        _demand(all(fixture.done for fixture in self.fixtures.values()), "there are fixtures to be played")
        _demand(find_format(self.terms["format"]).waits or not self._next(1), "there are rounds to be drawn")
        for number, planned in [(n, each.planned) for n, each in enumerate(self.entrants) if each.planned is not None]:
            _demand(planned == len(self._of(number)), "more or less was planned for who was withdrawn")

    def _revealed(self, said: dict[str, Any]) -> None:
        committed = commitment(bytes.fromhex(said["seed"])).hex()
        _demand(committed == self.terms["commitment"], "the seed is not the one that was committed to")

    def result(self, place: Place) -> FixtureResult:
        """What a fixture that is done has come to."""
        fixture = self.fixtures[place]
        if fixture.absent is not None:
            hosted = all(self.entrants[entrant].hosted for entrant in fixture.entrants)
            return unplayed(*place, fixture.entrants, fixture.absent, legs_of(len(fixture.entrants), hosted=hosted))
        legs = []
        for leg in fixture.legs[fixture.generation]:
            placed = {entrant: placement for entrant, placement, *_ in leg["seats"]}
            legs.append(tuple(placed[entrant] for entrant in fixture.entrants))
        return FixtureResult(*place, fixture.entrants, tuple(legs))


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadInput(otherwise)


_ACTS: dict[str, Callable[[Rebuilt, dict[str, Any]], None]] = {
    "created": Rebuilt._created,
    "changed": Rebuilt._changed,
    "entered": Rebuilt._entered,
    "started": Rebuilt._started,
    "drawn": Rebuilt._drawn,
    "result": Rebuilt._played,
    "unplayed": Rebuilt._unplayed,
    "voided": Rebuilt._voided,
    "closed": Rebuilt._close,
    "withdrawn": Rebuilt._withdrawn,
    "disqualified": Rebuilt._disqualified,
    "rated": Rebuilt._rated,
    "corrected": Rebuilt._corrected,
    "finished": Rebuilt._finished,
    "revealed": Rebuilt._revealed,
}
