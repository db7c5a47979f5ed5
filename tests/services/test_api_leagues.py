"""The dashboard of leagues, as JSON and as pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from dashboard import browsing, serving
from httpx import Client
from season import as_dashboard
from world import World

from api.kept import Found
from api.tables import Tables
from rummy.store import leagues
from rummy.store.leagues import Wanted
from rummy.store.log import OPERATOR
from rummy.store.terms import Plan
from workers.leagues import turn
from workers.ratings import settle

DAY = timedelta(days=1)


@pytest.fixture
def client(world: World) -> Iterator[Client]:
    """A dashboard whose clock is that of the world, on two leagues: of one a season has been played."""
    plan = Plan(name="<b>Weekly</b>", game="gin")
    wanted = Wanted(plan=plan, begins_at=world.now + DAY, every=7 * DAY, freeze=DAY / 24, sizes=(2,), moves=1)
    with world.database.transaction() as tx:
        made = leagues.create(tx, wanted, by=OPERATOR, now=world.now)
        leagues.create(tx, replace(wanted, plan=replace(plan, name="Empty"), window=DAY), by=OPERATOR, now=world.now)
        for name in ("a", "b", "c", "d", "<i>"):
            leagues.enter(tx, made, world.bot(tx, name), by=OPERATOR, now=world.now)
    with serving(as_dashboard(world.database.url), now=lambda: world.now) as address, browsing(address) as client:
        yield client


def go(world: World, hours: float) -> None:
    world.now += timedelta(hours=hours)
    turn(world.database, clock=lambda tx: world.now)


def play(world: World) -> None:
    with world.database.transaction() as tx:
        for (made,) in tx.execute("SELECT tournament_id FROM tournament WHERE state = 'running'").fetchall():
            world.play_all(made)
    settle(world.database, clock=lambda tx: world.now)
    go(world, 0)


def get(client: Client, path: str, status: int = 200) -> Any:
    answer = client.get(f"/api/v1/leagues{path}")
    assert answer.status_code == status
    return answer.json()


def test_a_league_and_its_season_from_entries_to_the_end(client: Client, world: World) -> None:
    assert [league["name"] for league in get(client, "")["items"]] == ["Empty", "<b>Weekly</b>"]
    league = get(client, "/1")
    assert [member["name"] for member in league["members"]] == ["a", "b", "c", "d", "<i>"]
    assert (league["newest"], league["next"]["season_no"], league["next"]["open"]) == (None, 0, True)
    page = client.get("/leagues/1").text
    assert "open for entries" in page and "a season every 7 days" in page and "divisions of <b>2</b>" in page
    assert "<b>Weekly</b>" not in page and "<i>" not in page
    go(world, 23)
    assert get(client, "/1")["next"] | {"open": None} == {
        "season_no": 1, "opens_at": "2026-01-03T12:00:00Z", "freezes_at": "2026-01-10T11:00:00Z",
        "begins_at": "2026-01-10T12:00:00Z", "open": None,
    }  # fmt: skip
    assert "settled, begins" in client.get("/leagues/1").text and ">closed<" in client.get("/leagues/1").text
    season = get(client, "/1/seasons/0")
    assert [division["state"] for division in season["divisions"]] == ["open", "open"]
    go(world, 1)
    assert "played since" in client.get("/leagues/1").text
    play(world)
    season = get(client, "/1/seasons/0")
    assert season["ended_at"] is not None and season["played"]
    assert [[line["step"] for line in division["lines"]] for division in season["divisions"]] == [[0, 1], [-1, 0, 0]]
    page = client.get("/leagues/1/seasons/0").text
    assert page.count(">up<") == 1 and page.count(">down<") == 1 and "&lt;i&gt;" in page
    assert 'href="/tournaments/2"' in page
    assert get(client, "/1/seasons") == {"items": [{key: season[key] for key in SEASON}], "next": None}
    tournament = client.get("/api/v1/tournaments/2").json()
    assert (tournament["league_id"], tournament["season_no"], tournament["division_no"]) == (1, 0, 1)
    assert 'href="/leagues/1/seasons/0">Season 1</a>' in client.get("/tournaments/2").text


def test_a_season_is_shown_while_its_tables_are_computed(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    go(world, 24)
    play(world)
    monkeypatch.setattr(Tables, "table", lambda *_, **__: Found(None, True))
    season = get(client, "/1/seasons/0")
    assert [(division["computing"], division["lines"]) for division in season["divisions"]] == [(True, [])] * 2
    assert "/tournaments/2" in client.get("/leagues/1/seasons/0").text


SEASON = ("league_id", "season_no", "begins_at", "frozen_at", "started_at", "ended_at", "played")


def test_seasons_that_nobody_plays_and_a_league_that_ends(client: Client, world: World) -> None:
    for _ in range(3):
        go(world, 7 * 24)
    assert [each["played"] for each in get(client, "/2/seasons")["items"]] == [False] * 3
    first = get(client, "/2/seasons?limit=2")
    assert [each["season_no"] for each in first["items"]] == [2, 1]
    assert [each["season_no"] for each in get(client, f"/2/seasons?limit=2&before={first['next']}")["items"]] == [0]
    assert "was not played" in client.get("/leagues/2/seasons/1").text
    with world.database.transaction() as tx:
        leagues.end(tx, 2, by=OPERATOR, now=world.now)
    assert get(client, "/2")["next"] is None
    page = client.get("/leagues/2").text
    assert ">ended<" in page and "No season follows." in page and "Nobody yet." in page
    assert "ended <time" in client.get("/leagues").text


def test_a_league_or_season_that_is_none(client: Client) -> None:
    for path in ("/9", "/9/seasons", "/9/seasons/0"):
        assert "there is no league 9" in get(client, path, 404)["message"]
        assert client.get(f"/leagues{path}").status_code == 404
    assert "season 8 of league 1 is not settled" in get(client, "/1/seasons/7", 404)["message"]
    for path in ("/0", "/x", "/1/seasons/-1", f"/1/seasons/{2**40}", "?limit=0"):
        get(client, path, 422)
