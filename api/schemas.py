"""What the dashboard says: one model a thing, for programs as JSON and for the templates alike."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict

from rummy.league.pairing import find_format

Item = TypeVar("Item")

Hex = Annotated[str, BeforeValidator(lambda value: value.hex() if isinstance(value, bytes) else value)]
"""Bytes as hex digits."""


class Model(BaseModel):
    """Made from the rows of the store by their names."""

    model_config = ConfigDict(from_attributes=True, frozen=True, json_schema_serialization_defaults_required=True)


class Problem(Model):
    """What went wrong, in a sentence; `kind` is the word for programs."""

    status: int
    kind: str
    message: str


class Page(Model, Generic[Item]):
    """A part of a list; `next` is the parameter for the part that follows, null at the end."""

    items: list[Item]
    next: str | None = None


class BotName(Model):
    """A bot by id; names are for reading only, they may repeat and change."""

    bot_id: int
    name: str
    owner: str


class VersionName(BotName):
    """One version of a bot."""

    version_id: int
    version: str


class Tournament(Model):
    """A tournament and how far it has come. `seed` is null until the tournament has ended. `fixtures` counts
    those planned, and those by which ties were played off. `deadlines` are seconds: for a match, for a fixture that
    waits for a live bot, and for a round, null where that follows from its fixtures. `imported_at` is null unless
    another arena has played it. The last three fields are null unless it is a league's."""

    tournament_id: int
    name: str
    game: str
    options: dict[str, Any]
    ladder: str
    format: str
    table_size: int
    cycles: int
    format_options: dict[str, Any]
    limit_ms: int
    bank_ms: int
    increment_ms: int
    faults: dict[str, Any]
    deadlines: dict[str, int | None]
    commitment: Hex
    seed: Hex | None
    rated: bool
    state: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    imported_at: datetime | None
    entrants: int
    fixtures: int
    done: int
    running: int
    league_id: int | None
    season_no: int | None
    division_no: int | None

    @property
    def live(self) -> bool:
        """Whether anything may still change."""
        return self.state not in ("finished", "cancelled")

    @property
    def waits(self) -> bool:
        """Whether each round is drawn from the results of those before."""
        return find_format(self.format).waits


class Entrant(VersionName):
    """An entrant with its public nonce. `left_as`: it was withdrawn or disqualified."""

    entrant_no: int
    nonce: Hex
    left_as: str | None


class Block(VersionName):
    """A live bot that is not there: so many `fixtures` wait for it, and from `until` on it forfeits them."""

    entrant_no: int
    fixtures: int
    until: datetime


class RoundInPlay(Model):
    """The oldest round that is not complete, and its `deadline`, null until it is set."""

    round_no: int
    deadline: datetime | None


class TournamentDetail(Tournament):
    """A tournament with its entrants by number: with the seed, all that the shuffles follow from. `waits_for` has the
    bots for which fixtures wait, `in_play` the round whose deadline counts, null where there is none."""

    entered: list[Entrant]
    waits_for: list[Block]
    in_play: RoundInPlay | None


class LogEntry(Model):
    """An entry of a tournament's log. `what` says it for programs, `text` for people; `digest` is chained over all
    entries before."""

    entry: int
    at: datetime
    who: str
    move: str
    why: str
    what: dict[str, Any]
    text: str
    digest: Hex


class TableLine(VersionName):
    """A line of the table. `error` is one standard error by jackknife over fixtures, null where they do not tell one:
    too few, or all alike."""

    place: int
    entrant_no: int
    rating: float
    error: float | None
    fixtures: int
    matches: int
    wins: int
    draws: int
    points: float


class Table(Model):
    """The standings, best first; provisional while the tournament runs.

    While `computing`, newer standings are on their way, and these are older or not there yet.
    """

    tournament_id: int
    provisional: bool
    computing: bool
    lines: list[TableLine]


class FixtureSeat(VersionName):
    """An entrant at its seat of leg 0; `score` is its mean pairwise score over the legs once the fixture is done."""

    entrant_no: int
    score: float | None


class Fixture(Model):
    """A pairing on a given seed. `waits_for` says in words what an unfinished one waits for; `missing` names bots.

    `waits_until` is when it no longer waits for a live bot that is not there. `absent` has the entrants by number that
    were not there, where it was decided without play. `setback` is why it was last given up, while it is not done.
    `arbiter` is where spectators find it in play.
    """

    fixture_id: int
    round_no: int
    table_no: int
    generation: int
    attempt: int
    state: str
    waits_for: str
    waits_until: datetime | None
    absent: list[int] | None
    setback: str | None
    arbiter: str | None
    missing: list[BotName]
    done_at: datetime | None
    seats: list[FixtureSeat]
    matches: list[int]

    @property
    def best(self) -> float | None:
        """The highest score, or None while it is not done."""
        scores = [seat.score for seat in self.seats if seat.score is not None]
        return max(scores, default=None)


class FixtureDetail(Fixture):
    """A fixture with its tournament."""

    tournament_id: int
    tournament: str
    game: str
    options: dict[str, Any]


class BotRating(Model):
    """The newest rating of a bot in a ladder, and the version that holds it; `error` is that of its last tournament."""

    ladder: str
    game: str
    version_id: int
    version: str
    rating: float
    error: float | None


class Bot(BotName):
    """A bot as its newest version describes it; `hosted` and the like are null while it has no version.

    `connected`: a live version of it has dialled in to an arbiter, now.
    """

    version: str | None
    language: str | None
    hosted: bool | None
    connected: bool
    games: list[str]
    ratings: list[BotRating]


class Version(Model):
    """One submitted state of a bot; `connected` is for live ones."""

    version_id: int
    version: str
    language: str
    hosted: bool
    connected: bool
    state: str
    games: list[str]
    created_at: datetime


class BotDetail(Bot):
    """A bot with its newest versions."""

    versions: list[Version]


class LadderLine(VersionName):
    """A line of a ladder; equal ratings share a place. `error` is that of the version's last tournament."""

    place: int
    rating: float
    error: float | None
    fixtures: int


class Ladder(Model):
    """The best of all who play a game with the same options."""

    ladder: str
    game: str
    options: dict[str, Any]
    top: list[LadderLine]


class LadderRating(VersionName):
    """A bot version in a ladder. `place` is that by joint fit in its group, shared by those alike. `elo` is the
    published rating, provisional in its first fixtures. `rating` and `error` are those of the joint fit, against the
    mean of the bots of the same `group`: bots of different groups have not met, not even through others, and are not
    comparable. `better_than_next` is the probability that it is better than the bot on the next line, null where that
    is of another group. All of the fit is null until it is computed, and for versions that play too little to be
    among the most active of a very large ladder."""

    place: int | None
    elo: float
    provisional: bool
    fixtures: int
    group: int | None
    rating: float | None
    error: float | None
    better_than_next: float | None


class LadderRatings(Model):
    """All of a ladder, by group and joint fit, best first; by Elo until that is computed. While `computing`, newer
    figures are on their way."""

    ladder: str
    game: str
    options: dict[str, Any]
    computing: bool
    lines: list[LadderRating]


class RatingPoint(Model):
    """A step of a rating. `fixtures` were rated in it, `played` in all up to here; `error` is null where the
    step was not among those for which one was computed."""

    version_id: int
    version: str
    tournament_id: int
    tournament: str
    round_no: int
    fixtures: int
    played: int
    before: float
    rating: float
    error: float | None
    reason: str
    rated_at: datetime | None


class LadderHistory(Model):
    """The steps of a bot's ratings in one ladder, oldest first."""

    ladder: str
    game: str
    options: dict[str, Any]
    points: list[RatingPoint]


class BotRatings(Model):
    """The ratings of a bot over time, a list for each ladder."""

    bot_id: int
    ladders: list[LadderHistory]


class BotMatch(Model):
    """A match as one of its bots sees it."""

    match_id: int
    fixture_id: int
    tournament_id: int
    tournament: str
    game: str
    leg: int
    version: str
    placement: int
    score: int
    forfeit: str | None
    others: list[BotName]


class MatchSeat(VersionName):
    """How a seat fared."""

    seat: int
    entrant_no: int
    placement: int
    score: int
    forfeit: str | None
    strikes: int


class Match(Model):
    """A match of a finished fixture. `legs` are the matches on the same deals; `digest` is that of the replay. While it
    `waits`, reference bots have yet to play its deals, and nothing of them is shown."""

    match_id: int
    fixture_id: int
    tournament_id: int
    tournament: str
    game: str
    options: dict[str, Any]
    round_no: int
    table_no: int
    generation: int
    leg: int
    legs: list[int]
    reason: str
    deals: int
    actions: int
    digest: Hex
    saved_at: datetime
    voided: bool
    waits: bool
    seats: list[MatchSeat]


class FrameMeld(Model):
    """A meld on the table; `placers` names by card the seat that laid it."""

    seat: int
    cards: str
    placers: list[int]


class Frame(Model):
    """A position of a replay, after `seat` has done `act` (null: the deal has begun, or the seat has left).

    Cards are written one after the other, such as `As2s3s`; hands are by seat and open; the pile ends with its top
    card; `aside` was cut for the wild rank or thrown face down in a knock. `scores` are those before the deal. `turn`
    and `phase` are those of the open question, null at the end.
    """

    deal: int
    ply: int
    seat: int | None
    act: str | None
    text: str
    fault: str | None
    us: int | None
    hands: list[str]
    stock: int
    pile: str
    aside: str
    melds: list[FrameMeld]
    scores: list[int]
    status: list[int]
    dealer: int
    turn: int | None
    phase: str | None


class Deal(Model):
    """A finished deal: how many frames it has, its points by seat, and the word for how it ended."""

    deal: int
    frames: int
    points: list[int]
    reason: str


class Frames(Model):
    """One deal of a replay, with the list of all deals to choose from."""

    match_id: int
    deals: list[Deal]
    deal: int
    frames: list[Frame]
