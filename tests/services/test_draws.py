"""A match that nobody wins, or that two seats leave, is the same wherever it is told (fault P31).

A tie at the wall, a tie at the cap on turns, and a double forfeit: in the result, the replay, the scores of the
fixture, the ratings and the log of their changes, the table, and what the dashboard gives out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
from dashboard import browsing, serving
from season import NOON, Season, as_dashboard, gone, plain
from world import World

from rummy.league.ratings import elo
from rummy.rules.replay import verify
from rummy.store import matches, ratings

WALL = {"wall": 30, "deal_cap": 1}
CAP = {"turn_cap": 1, "deal_cap": 1}


def played(world: World, styles: Sequence[Any], **plan: object) -> tuple[Season, int]:
    """A rated tournament of bots that play like that."""
    season = Season(world.database, NOON)
    versions = season.bots([f"bot {number}" for number in range(len(styles))], "Bea")
    season.styles = dict(zip(versions, styles, strict=True))
    number = season.tournament(versions, **plan)
    season.play(number)
    return season, number


def told(world: World, season: Season, number: int, path: str) -> Any:
    """What the dashboard's API says of a tournament, or of a match."""
    url = as_dashboard(world.database.url)
    with serving(url, now=lambda: season.now) as address, browsing(address) as client:
        answer = client.get(f"/api/v1/{path.format(number)}")
        assert answer.status_code == 200
        return answer.content if path.endswith("replay") else answer.json()


@pytest.mark.parametrize(("options", "reason"), [(WALL, "wall"), (CAP, "turn cap")])
def test_a_tie_is_a_tie_in_every_place(world: World, options: dict[str, object], reason: str) -> None:
    season, number = played(world, [plain, plain], options=options)
    with world.database.transaction() as tx:
        [result] = matches.results(tx, number)
        numbers = matches.ids(tx, number)
        replays = [verify(matches.replay(tx, match_id)) for match_id in numbers]
        changes = ratings.log(tx)
        again = list(ratings.recompute(tx, elo.rate_round))
    assert result.legs == ((1, 1), (1, 1))
    assert [(each.result.placements, each.result.scores) for each in replays] == [((1, 1), (0, 0))] * 2
    scores = world.value("SELECT array_agg(score ORDER BY entrant_no) FROM fixture_score")
    assert scores == [0.5, 0.5]
    assert [(change.before, change.after) for change in changes] == [(1500, 1500)] * 2
    assert again == changes
    lines = told(world, season, number, "tournaments/{}/table")["lines"]
    assert [(line["place"], line["matches"], line["wins"], line["draws"], line["points"]) for line in lines] == [
        (1, 2, 0, 2, 1.0)
    ] * 2
    match = told(world, season, numbers[0], "matches/{}")
    assert [(seat["placement"], seat["score"]) for seat in match["seats"]] == [(1, 0)] * 2
    frames = told(world, season, numbers[0], "matches/{}/frames")
    assert [(deal["reason"], deal["points"]) for deal in frames["deals"]] == [(reason, [0, 0])]
    assert verify(told(world, season, numbers[0], "matches/{}/replay")).result == replays[0].result


def test_two_who_leave_are_behind_in_the_same_order_in_every_place(world: World) -> None:
    season, number = played(world, [plain, gone, gone], game="one_oh_one", table_size=3)
    with world.database.transaction() as tx:
        [result] = matches.results(tx, number)
        numbers = matches.ids(tx, number)
        replays = [verify(matches.replay(tx, match_id)) for match_id in numbers]
        assert list(ratings.recompute(tx, elo.rate_round)) == ratings.log(tx)
    for leg, (places, found) in enumerate(zip(result.legs, replays, strict=True)):
        assert places[0] == 1
        assert sorted(places) == [1, 2, 3]
        assert tuple(places[(seat + leg) % 3] for seat in range(3)) == found.result.placements
        assert [cause is not None for cause in found.result.forfeits] == [
            place > 1 for place in found.result.placements
        ]
    lines = told(world, season, number, "tournaments/{}/table")["lines"]
    assert (lines[0]["name"], lines[0]["wins"], lines[0]["draws"]) == ("bot 0", 3, 0)
    assert sum(line["points"] for line in lines) == 3 * 1.5
    for match_id, found in zip(numbers, replays, strict=True):
        match = told(world, season, match_id, "matches/{}")
        assert [seat["placement"] for seat in match["seats"]] == list(found.result.placements)
        assert [seat["forfeit"] for seat in match["seats"]] == list(found.result.forfeits)
        assert match["reason"] == found.result.reason
    with psycopg.connect(world.database.url) as connection:
        rows = connection.execute("SELECT count(*) FROM seat_result WHERE forfeit = 'timeout'").fetchone()
    assert rows == (6,)
