"""Tournaments in which much happens: ties, forfeits, a void match, bots that leave, fixtures that nobody plays."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from season import NOON, Season, careless, draw_and_knock, gone, plain
from world import BECAUSE, World

from rummy.store import conduct, fixtures, tournaments, unplayed
from workers.ratings import settle

PAIRS: dict[str, object] = {"game": "gin", "options": {"wall": 30, "deal_cap": 1}, "cycles": 2}
THREES: dict[str, object] = {"game": "one_oh_one", "table_size": 3}
STYLES = (plain, plain, draw_and_knock, gone, gone, careless)


def begun(world: World, plan: Mapping[str, object], owner: str = "Bea") -> tuple[Season, int]:
    """A tournament of six bots, of which two never play; those of two seats tie where two of them meet."""
    season = Season(world.database, NOON)
    versions = season.bots([f"bot {number}" for number in range(len(STYLES))], owner)
    season.styles = dict(zip(versions, STYLES, strict=True))
    with world.database.transaction() as tx:
        live = versions[3:5]
        tx.execute(
            "UPDATE bot_version SET hosted = false, entry = NULL, package = NULL WHERE version_id = ANY(%s)", [live]
        )
    return season, season.tournament(versions, **plan)


def eventful(
    world: World, plan: Mapping[str, object], *, owner: str = "Bea", disqualify: bool = False
) -> tuple[Season, int]:
    """Such a tournament that is over: a fixture was void, one endless, one deserted; two bots have left."""
    season, number = begun(world, plan, owner)
    season.play(number, most=5)
    with world.database.transaction() as tx:
        newest = tx.execute(
            "SELECT fixture_id FROM fixture WHERE state = 'done' AND tournament_id = %s ORDER BY 1 DESC LIMIT 1",
            [number],
        ).fetchone()
        assert newest is not None
        conduct.void(tx, number, newest[0], by=BECAUSE, now=season.now)
    give_up_one(world, season, number)
    desert(world, season, number)
    leave(world, season, number, 5)
    season.play(number, most=3)
    leave(world, season, number, 4, disqualify=disqualify)
    season.play(number)
    settle(world.database, clock=lambda tx: season.now)
    assert world.value("SELECT state FROM tournament WHERE tournament_id = %(id)s", id=number) == "finished"
    return season, number


def give_up_one(world: World, season: Season, number: int) -> None:
    """A match that is in play for too long: it is decided without play, and nobody is to blame."""
    with world.database.transaction() as tx:
        [due] = tx.execute(
            "SELECT max(fixture_id) FROM fixture WHERE state = 'scheduled' AND tournament_id = %s", [number]
        )
        claim = fixtures.claim(tx, due[0], holder="season", now=season.now, lease=timedelta(seconds=30))
        assert claim is not None
        assert unplayed.decide_endless(tx, claim, now=season.now)


def desert(world: World, season: Season, number: int) -> None:
    """Nobody comes to the fixtures of those who never play, and both are live."""
    long_ago = season.now - timedelta(days=1)
    with world.database.transaction() as tx:
        tx.execute(
            """UPDATE fixture SET waits_since = %(then)s
                WHERE tournament_id = %(id)s AND state = 'scheduled' AND round_no > 1
                  AND 2 = (SELECT count(*) FROM fixture_seat s
                            WHERE s.fixture_id = fixture.fixture_id AND entrant_no IN (3, 4))""",
            {"then": long_ago, "id": number},
        )
        unplayed.decide_deserted(tx, number, now=season.now)


def leave(world: World, season: Season, number: int, entrant: int, *, disqualify: bool = False) -> None:
    """An entrant goes, or is sent away."""
    act = conduct.disqualify if disqualify else conduct.withdraw
    with world.database.transaction() as tx:
        act(tx, number, tournaments.entrants(tx, number)[entrant], by=BECAUSE, now=season.now)
