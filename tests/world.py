"""A small world in a real database: owners, bots, a tournament, and a clock that stands still until it is moved."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from rummy.embedded.postgres import PostgresServer
from rummy.store import bots, db, fixtures, log, owners, tournaments
from rummy.store.db import Connection, Database
from rummy.store.fixtures import Claim
from rummy.store.matches import PlayedMatch, SeatResult
from rummy.store.terms import Plan

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
LEASE = timedelta(seconds=10)
BECAUSE = log.By("operator", "A test wants it.")


@dataclass(slots=True)
class World:
    """Short ways to say what a test is about."""

    database: Database
    now: datetime = NOON
    owner_id: int = 0

    def later(self, seconds: float) -> datetime:
        """Moves the clock."""
        self.now += timedelta(seconds=seconds)
        return self.now

    def bot(self, tx: Connection, name: str, *, hosted: bool = True, games: tuple[str, ...] = ("gin",)) -> int:
        """A bot version."""
        made = bots.add_version(
            tx, self.owner_id, name=name, version="1", language="python", games=games, now=self.now,
            entry="bot.py" if hosted else None, content=name.encode() if hosted else None,
        )  # fmt: skip
        return made.version_id

    def tournament(self, entrants: int = 3, *, live: int = 0, start: bool = True, **plan: object) -> int:
        """A gin tournament of new bots, the last *live* of them live ones."""
        with self.database.transaction() as tx:
            values = {"name": "Test", "game": "gin", **plan}
            made = tournaments.create(tx, Plan(**values), by=log.OPERATOR, now=self.now)  # type: ignore[arg-type]
            for number in range(entrants):
                version = self.bot(tx, f"bot {made} {number}", hosted=number < entrants - live)
                tournaments.add_entrant(tx, made, version, by=log.OPERATOR, now=self.now)
            if start:
                tournaments.start(tx, made, by=log.OPERATOR, now=self.now)
        return made

    def claim(self, fixture_id: int, holder: str = "one") -> Claim | None:
        """Claims in a transaction of its own."""
        with self.database.transaction() as tx:
            return fixtures.claim(tx, fixture_id, holder=holder, now=self.now, lease=LEASE)

    def finish(self, claim: Claim, winner: int = 0) -> bool:
        """Saves a made-up result in which the entrant in seat *winner* of leg 0 wins every leg."""
        with self.database.transaction() as tx:
            terms = fixtures.terms(tx, claim)
            played = [made_up_match(terms, leg, winner) for leg in range(terms.legs)]
            return fixtures.finish(tx, claim, played, now=self.now)

    def all_fixtures(self, tournament_id: int) -> list[int]:
        """In the order of the schedule."""
        query = "SELECT fixture_id FROM fixture WHERE tournament_id = %(id)s ORDER BY round_no, table_no"
        with self.database.transaction() as tx:
            return [row[0] for row in tx.execute(query, {"id": tournament_id})]

    def play_all(self, tournament_id: int) -> None:
        """Plays a tournament with made-up results."""
        for fixture_id in self.all_fixtures(tournament_id):
            claim = self.claim(fixture_id)
            assert claim is not None
            assert self.finish(claim, winner=fixture_id % 2)

    def value(self, query: str, **values: object) -> object:
        """The first column of the first row."""
        with self.database.transaction() as tx:
            row = tx.execute(query.encode(), values).fetchone()
            return None if row is None else row[0]


def made_up_match(terms: fixtures.Terms, leg: int, winner: int) -> PlayedMatch:
    """A leg won by the entrant of seat *winner* in leg 0; the others share the second place."""
    seats = len(terms.entrants)
    return PlayedMatch(
        leg=leg, reason="target", deals=3, actions=99, replay=b"replay of a leg", digest=bytes(32),
        seats=tuple(
            SeatResult(
                seat=seat, entrant_no=terms.entrants[(seat + leg) % seats].entrant_no,
                placement=1 if (seat + leg) % seats == winner else 2, score=100, forfeit=None, strikes=0,
            )
            for seat in range(seats)
        ),
    )  # fmt: skip


_ALONE = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()"""
_EMPTY = """
    DO $$ BEGIN
        SET LOCAL session_replication_role = replica;  -- The log of a tournament refuses it else.
        EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('%I', tablename), ', ') || ' RESTART IDENTITY'
                   FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migration');
    END $$"""


@pytest.fixture(scope="session")
def world_url(postgres: PostgresServer, migrated_template: str) -> str:
    """The owner's address of a database that the tests of a world use one after the other; it goes with its server."""
    with db.connect(postgres.url(database="postgres")) as connection:
        connection.execute(f'CREATE DATABASE arena_world TEMPLATE "{migrated_template}"'.encode())
    return postgres.url(database="arena_world")


@pytest.fixture
def world(world_url: str) -> Iterator[World]:
    """An owner and nothing else."""
    with db.connect(world_url) as connection:  # To empty it takes a tenth of what a new database takes.
        connection.execute(_ALONE)
        connection.execute(_EMPTY)
    with Database(world_url, size=8) as database:
        world = World(database)
        with database.transaction() as tx:
            world.owner_id = owners.create(tx, "Ann", now=NOON).owner_id
        yield world
