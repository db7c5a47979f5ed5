"""A contest on this machine: who meets whom on which deals, and what the results say. Nothing runs here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

import rummy
from rummy.errors import BadInput, BadOptions, NotEnoughEntrants, NotFound
from rummy.league.model import fixture_scores
from rummy.league.schedule import fixture_seed, practice_master, practice_nonce
from rummy.manifest import FILE, Manifest, read_manifest
from rummy.rules.game import Game, seats_of

SAMPLES = Path(rummy.__file__).parents[1] / "sample_bots"
MAX_MATCHES = 1_000_000


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot in a folder of this machine. *name* is unlike that of every other bot of the contest."""

    name: str
    folder: Path
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Fixture:
    """A table of entrants, in seat order of leg 0, on one seed; leg k seats entrant (s + k) mod n in seat s."""

    number: int
    entrants: tuple[int, ...]
    seed: bytes

    def seated(self, leg: int) -> list[int]:
        """By seat: who sits there in *leg*."""
        count = len(self.entrants)
        return [self.entrants[(seat + leg) % count] for seat in range(count)]


@dataclass(frozen=True, slots=True)
class Leg:
    """A match that is over: by seat, in *fixture* and *leg*; *replay* holds the rest."""

    fixture: Fixture
    leg: int
    placements: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    actions: int
    strikes: tuple[int, ...]
    replay: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """What a contest says of one bot: *score* is the mean over its fixtures, *error* the standard error of that."""

    bot: str
    fixtures: int
    score: float
    error: float | None
    wins: int
    draws: int
    losses: int
    strikes: int


def find_bots(names: Sequence[str], game: Game) -> list[Bot]:
    """The bots that *names* mean: folders, or names of sample bots. Raises `NotFound`, `BadInput`, `BadOptions`."""
    bots: list[Bot] = []
    for text in names:
        folder = _folder(text)
        manifest = read_manifest((folder / FILE).read_bytes())
        if game.spec.key not in manifest.games:
            others = ", ".join(manifest.games)
            raise BadOptions(f"{manifest.name} does not play {game.spec.key}; its {FILE} names {others}.")
        twins = sum(bot.manifest.name == manifest.name for bot in bots)
        bots.append(Bot(manifest.name if not twins else f"{manifest.name} ({twins + 1})", folder, manifest))
    return bots


def _folder(text: str) -> Path:
    for folder in (Path(text), SAMPLES / text):
        if (folder / FILE).is_file():
            return folder.resolve()
    samples = ", ".join(sorted(path.parent.name for path in SAMPLES.glob(f"*/{FILE}")))
    raise NotFound(f"There is no bot {text!r}: give a folder with a {FILE}, or one of the sample bots {samples}.")


def fixtures(bots: int, seats: int, matches: int, seed: str) -> list[Fixture]:
    """At least *matches* matches between each group of *seats* bots, each deal once from every seat. Raises errors."""
    if bots < seats:
        raise NotEnoughEntrants(f"A table of {seats} needs {seats} bots, not {bots}; name more, or one more than once.")
    if not 1 <= matches <= MAX_MATCHES:
        raise BadInput(f"A contest has 1 to {MAX_MATCHES:,} matches, not {matches}.")
    return list(drawn(bots, seats, -(-matches // seats), seed))


def drawn(bots: int, seats: int, rounds: int, seed: str) -> Iterator[Fixture]:
    """Each group of *seats* bots on a deal of its own, *rounds* times."""
    master, nonces = practice_master(seed), [practice_nonce(entrant) for entrant in range(bots)]
    number = 0
    for round_no in range(rounds):
        for table_no, table in enumerate(combinations(range(bots), seats)):
            number += 1
            yield Fixture(number, table, fixture_seed(master, nonces, round_no, table_no, generation=0))


def seats_for(game: Game, bots: int, wanted: int | None) -> int:
    """The seats at a table: as many as bots where the game allows it. Raises `BadOptions`."""
    least, most = seats_of(game)
    seats = min(max(bots, least), most) if wanted is None else wanted
    if not least <= seats <= most:
        raise BadOptions(f"{game.spec.title} is played by {least} to {most} seats, not {seats}.")
    return seats


def lines(bots: Sequence[Bot], legs: Sequence[Leg]) -> list[Line]:
    """The table, best first."""
    by_fixture: dict[int, list[Leg]] = {}
    for leg in legs:
        by_fixture.setdefault(leg.fixture.number, []).append(leg)
    made = [_line(bot.name, entrant, list(by_fixture.values())) for entrant, bot in enumerate(bots)]
    return sorted(made, key=lambda line: -line.score)


def _line(name: str, entrant: int, played: Sequence[Sequence[Leg]]) -> Line:
    mine = [legs for legs in played if entrant in legs[0].fixture.entrants]
    scores = [score(entrant, legs) for legs in mine]
    places = [_place(entrant, leg) for legs in mine for leg in legs]
    return Line(
        name, len(mine), mean(scores), _error(scores),
        wins=sum(place == 1 and not shared for place, shared in places),
        draws=sum(place == 1 and shared for place, shared in places),
        losses=sum(place > 1 for place, _ in places),
        strikes=sum(leg.strikes[leg.fixture.seated(leg.leg).index(entrant)] for legs in mine for leg in legs),
    )  # fmt: skip


def _error(scores: Sequence[float]) -> float | None:
    """None where the fixtures tell none: a single one, or all alike, whose 0 would read as certainty."""
    return stdev(scores) / sqrt(len(scores)) if len(set(scores)) > 1 else None


def score(entrant: int, legs: Sequence[Leg]) -> float:
    """What *entrant* has scored in a fixture, from 0 to 1."""
    fixture = legs[0].fixture
    by_entrant = [[_place(each, leg)[0] for each in fixture.entrants] for leg in legs]
    return fixture_scores(by_entrant)[fixture.entrants.index(entrant)]


def _place(entrant: int, leg: Leg) -> tuple[int, bool]:
    """The place of *entrant*, and whether another has the same."""
    place = leg.placements[leg.fixture.seated(leg.leg).index(entrant)]
    return place, leg.placements.count(place) > 1
