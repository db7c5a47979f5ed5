"""Tournaments with real matches: simple programs play in this process, and all is stored as a worker stores it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import psycopg
import pytest

from rummy.embedded.postgres import OWNER, PostgresServer
from rummy.league.ratings import elo
from rummy.rules.actions import Action, BigGin, DrawPile, Knock
from rummy.rules.game import Game
from rummy.rules.games import find_game
from rummy.rules.match import Match
from rummy.rules.replay import Recorder, verify
from rummy.store import bots, drawing, fixtures, log, owners, ratings, tournaments
from rummy.store.db import Database
from rummy.store.matches import PlayedMatch, SeatResult
from rummy.store.terms import Plan

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
HOSTILE = ("🃏 <script>alert(1)</script>", "שלום עולם", "../../etc/passwd")
LEASE = timedelta(seconds=30)
Choose = Callable[[Match, random.Random], Action | None]  # None leaves the match.


def gone(match: Match, dice: random.Random) -> None:
    """Leaves the match."""


def draw_and_knock(match: Match, dice: random.Random) -> Action:
    """Plays the default, and knocks as soon as it may."""
    return next((action for action in match.legal_actions() if isinstance(action, Knock | BigGin)), plain(match, dice))


def plain(match: Match, dice: random.Random) -> Action:
    """Plays the default."""
    return match.default_action()


def collect(match: Match, dice: random.Random) -> Action:
    """Takes from the pile when a coin says so, and knocks as soon as it may."""
    legal = match.legal_actions()
    takes = [action for action in legal if isinstance(action, DrawPile)]
    return takes[0] if takes and dice.random() < 0.4 else draw_and_knock(match, dice)


def careless(match: Match, dice: random.Random) -> Action:
    """Plays anything."""
    return dice.choice(list(match.legal_actions()))


STYLES: tuple[Choose, ...] = (draw_and_knock, collect, plain, careless)


@dataclass(slots=True)
class Season:
    """Owners and bots, and a clock that moves with each match."""

    database: Database
    now: datetime
    styles: dict[int, Choose] = field(default_factory=dict)

    def bots(self, names: Sequence[str], owner: str = "Ann") -> list[int]:
        """One hosted version for each name, of different styles."""
        with self.database.transaction() as tx:
            owner_id = owners.create(tx, owner, now=self.now).owner_id
            made = [
                bots.add_version(
                    tx, owner_id, name=name, version="1.0", language="python", games=("gin", "one_oh_one"),
                    now=self.now, entry="bot.py", content=f"{owner} {name}".encode(),
                ).version_id
                for name in names
            ]  # fmt: skip
        self.styles |= {version: STYLES[number % len(STYLES)] for number, version in enumerate(made)}
        return made

    def tournament(self, versions: Sequence[int], **plan: object) -> int:
        """A tournament that has started."""
        values = {"name": "Season", "game": "gin", **plan}
        with self.database.transaction() as tx:
            made = tournaments.create(tx, Plan(**values), by=log.OPERATOR, now=self.now)  # type: ignore[arg-type]
            for version in versions:
                tournaments.add_entrant(tx, made, version, by=log.OPERATOR, now=self.now)
            tournaments.start(tx, made, by=log.OPERATOR, now=self.now)
        return made

    def play(self, tournament_id: int, *, most: int = 1_000_000) -> None:
        """Plays and rates at most so many fixtures, and ends the tournament where all are done."""
        query = """SELECT fixture_id FROM fixture WHERE tournament_id = %(id)s AND state <> 'done'
                    ORDER BY round_no, table_no LIMIT %(most)s"""
        with self.database.transaction() as tx:
            due = [row[0] for row in tx.execute(query, {"id": tournament_id, "most": most})]
        for fixture_id in due:
            self.play_fixture(fixture_id)
        self._settle()

    def play_fixture(self, fixture_id: int) -> None:
        """Plays all legs of a fixture."""
        self.now += timedelta(seconds=2)
        with self.database.transaction() as tx:
            claim = fixtures.claim(tx, fixture_id, holder="season", now=self.now, lease=LEASE)
            assert claim is not None
            terms = fixtures.terms(tx, claim)
            game = find_game(claim.game, claim.options)
            played = [self._leg(game, fixture_id, terms, leg) for leg in range(terms.legs)]
            assert fixtures.finish(tx, claim, played, now=self.now)

    def _leg(self, game: Game, fixture_id: int, terms: fixtures.Terms, leg: int) -> PlayedMatch:
        seats = len(terms.entrants)
        at = [terms.entrants[(seat + leg) % seats] for seat in range(seats)]
        styles, names = [self.styles[entrant.version_id] for entrant in at], [entrant.name for entrant in at]
        replay = play_match(game, terms.seed, styles, fixture_id, leg, bots=names)
        checked = verify(replay)
        result = checked.result
        return PlayedMatch(
            leg=leg, reason=result.reason, deals=result.deals, actions=checked.actions, replay=replay,
            digest=bytes.fromhex(checked.digest),
            seats=tuple(
                SeatResult(
                    seat=seat, entrant_no=at[seat].entrant_no, placement=result.placements[seat],
                    score=result.scores[seat], forfeit=result.forfeits[seat], strikes=checked.strikes[seat],
                )
                for seat in range(seats)
            ),
        )  # fmt: skip

    def _settle(self) -> None:
        with self.database.transaction() as tx:
            for ladder in ratings.waiting(tx):
                while (closed := ratings.lock_next(tx, ladder)) is not None:
                    ratings.save(tx, closed, elo.rate_round(closed.opening, closed.results), now=self.now)
            for tournament_id in drawing.undrawn(tx):
                drawing.draw(tx, tournament_id, now=self.now)
            tournaments.finish_played(tx, now=self.now)


def play_match(
    game: Game, seed: bytes, styles: Sequence[Choose], fixture: int = 1, leg: int = 0, **header: object
) -> bytes:
    """The replay of one match between *styles*, by seat."""
    match = Match(game, len(styles), seed)
    recorder = Recorder({"fixture": fixture, "leg": leg, **header}, match)
    dice = [random.Random(seed + bytes([leg, seat])) for seat in range(len(styles))]
    while match.decision is not None:
        seat = match.decision.seat
        action = styles[seat](match, dice[seat])
        if action is None:
            match.forfeit(seat, "timeout")
            recorder.forfeit(seat, "timeout", "It was gone.")
            continue
        match.apply(action)
        recorder.action(seat, action, took_us=120)
    return recorder.finish()


class Filled(NamedTuple):
    """A database with a season in it."""

    season: Season
    url: str  # The owner's address.
    dashboard_url: str  # With the rights of the dashboard.
    gin: int  # A finished, rated tournament of four bots.
    running: int  # One that has begun, with hostile names and a live bot that is not there.
    practice: int  # A finished practice tournament of 101 at tables of three.


def as_dashboard(url: str) -> str:
    """The same database with the rights of the dashboard."""
    return f"{url}&options=-c%20role%3Darena_dashboard"


@pytest.fixture(scope="module")
def filled(postgres: PostgresServer, migrated_template: str) -> Iterator[Filled]:
    """A season for the tests of a module, which leave it as they find it but for what they damage on purpose."""
    name = f"season_{random.randrange(1 << 30)}"
    with psycopg.connect(postgres.url(database="postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{migrated_template}" OWNER "{OWNER}"')
        with Database(postgres.url(database=name)) as database:
            yield _fill(Season(database, NOON), postgres.url(database=name))
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _fill(season: Season, url: str) -> Filled:
    versions = season.bots(["greedy", "collector", "patient", "random"])
    gin = season.tournament(versions, name="Gin", cycles=2)
    season.play(gin)
    practice = season.tournament(versions, name="101", game="one_oh_one", table_size=3, seed="seven")
    season.play(practice)
    strangers = season.bots(HOSTILE, owner="مريم")
    with season.database.transaction() as tx:
        owner_id = owners.create(tx, "Zoe", now=season.now).owner_id
        live = bots.add_version(
            tx, owner_id, name="greedy", version="0.3", language="go", games=("gin",), now=season.now
        ).version_id
    season.styles[live] = plain
    running = season.tournament([*versions[:2], *strangers, live], name="<b>Running</b>", cycles=3)
    season.play(running, most=5)
    return Filled(season, url, as_dashboard(url), gin, running, practice)
