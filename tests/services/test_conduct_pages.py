"""The log of a tournament, and what waits for whom, on pages and as JSON."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from dashboard import browsing, serving
from httpx import Client
from season import Filled, filled
from world import BECAUSE

from rummy.store import conduct, deadlines, log
from rummy.store.log import By

__all__ = ["filled"]  # A fixture, which pytest finds by its name here.


@pytest.fixture(scope="module")
def client(filled: Filled) -> Iterator[Client]:
    with serving(filled.dashboard_url, now=lambda: filled.season.now) as address, browsing(address) as client:
        yield client


def test_a_tournament_says_what_waits_for_whom_and_until_when(client: Client, filled: Filled) -> None:
    """P12: whoever holds up a tournament is named, with the time at which it no longer does."""
    season = filled.season
    address = f"/api/v1/tournaments/{filled.running}"
    before = client.get(address).json()
    assert (before["waits_for"], before["in_play"]["deadline"]) == ([], None)
    assert before["deadlines"] == {"match": 3620, "fixture": 300, "round": None}
    with season.database.transaction() as tx:
        deadlines.watch(tx, now=season.now)
    now = client.get(address).json()
    [block] = now["waits_for"]
    until = season.now + timedelta(seconds=300)
    assert (block["name"], block["version"], block["owner"]) == ("greedy", "0.3", "Zoe")
    assert block["fixtures"] > 1 and block["until"] == until.isoformat().replace("+00:00", "Z")
    assert now["in_play"]["deadline"] is not None
    page = client.get(f"/tournaments/{filled.running}").text
    assert f"{block['fixtures']} fixtures wait for" in page and "then it forfeits" in page
    assert 'id="deadline"' in page
    [waiting, *_] = [each for each in client.get(f"{address}/fixtures").json()["items"] if each["missing"]]
    assert waiting["waits_for"] == f"waits until {until:%H:%M:%S} UTC for a live bot to dial in:"
    assert waiting["waits_until"] == block["until"]


def test_the_log_is_shown_newest_first_in_pages(client: Client, filled: Filled) -> None:
    season, made = filled.season, filled.running
    with season.database.transaction() as tx:
        deadlines.extend(tx, made, seconds=3600, by=By("operator", "It <b>rains</b>."), now=season.now)
    address = f"/api/v1/tournaments/{made}/log"
    first = client.get(f"{address}?limit=3").json()
    assert [entry["move"] for entry in first["items"]] == ["extended", "started", "entered"]
    newest = first["items"][0]
    assert (newest["who"], newest["why"], newest["what"]) == ("operator", "It <b>rains</b>.", {"seconds": 3600.0})
    assert newest["text"] == "The deadline of the round in play moves by 3600 seconds."
    more = client.get(f"{address}?limit=3&before={first['next']}").json()
    assert [entry["entry"] for entry in more["items"]] == [first["items"][-1]["entry"] - n for n in (1, 2, 3)]
    every = client.get(f"{address}?routine=true&limit=200").json()["items"]
    assert [entry["entry"] for entry in every] == list(range(len(every)))[::-1]
    with season.database.transaction() as tx:
        log.check_chain(list(log.entries(tx, made)))
    for page in (f"/tournaments/{made}", f"/tournaments/{made}/log"):
        text = client.get(page).text
        assert "It &lt;b&gt;rains&lt;/b&gt;." in text and "<b>rains</b>" not in text
    assert "has its result" in client.get(f"/tournaments/{made}/log?routine=true").text

    assert client.get("/api/v1/tournaments/999/log").status_code == 404
    assert client.get("/tournaments/999/log").status_code == 404
    assert client.get(f"{address}?before=0").status_code == 422
    assert client.get(f"{address}?before={2**62}&limit=1").json()["items"] == first["items"][:1]


def test_whoever_has_left_and_what_was_not_played_is_said(client: Client, filled: Filled) -> None:
    season, made = filled.season, filled.running
    entered = client.get(f"/api/v1/tournaments/{made}").json()["entered"]
    gone = next(entrant for entrant in entered if entrant["name"] == "greedy" and entrant["owner"] == "Zoe")
    with season.database.transaction() as tx:
        conduct.withdraw(tx, made, gone["version_id"], by=BECAUSE, now=season.now)
    now = client.get(f"/api/v1/tournaments/{made}").json()
    assert now["waits_for"] == []
    assert {entrant["left_as"] for entrant in now["entered"]} == {None, "withdrawn"}
    items = client.get(f"/api/v1/tournaments/{made}/fixtures?state=done&limit=200").json()["items"]
    assert [gone["entrant_no"]] in [each["absent"] for each in items]
    assert "without play" in client.get(f"/tournaments/{made}?state=done").text
    table = client.get(f"/api/v1/tournaments/{made}/table").json()["lines"]
    assert table[-1]["name"] == "greedy" and table[-1]["points"] == 0
