"""Fixtures in play on the dashboard: what the arbiter tells spectators, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from dashboard import browsing, serving
from httpx import Client, Response
from in_play import in_play, known
from season import as_dashboard
from world import World

from api import spectating
from api.spectating import Story
from rummy.rules.cards import cards_text
from rummy.rules.game import Event, EventKind
from rummy.store import fixtures
from rummy.wire.encoder import followed_part
from rummy.wire.v1 import watch_pb2


class News:
    """What an open page has been told so far."""

    def __init__(self, answer: Response) -> None:
        self._lines = answer.iter_lines()
        self.parts: dict[str, Any] = {}
        self.said: list[str] = []

    def until(self, holds: Callable[[], object]) -> None:
        """Reads until *holds*."""
        while not holds():
            line = next(self._lines)
            if line.startswith("data: "):
                news = json.loads(line[6:])
                self.said += news.pop("said", [])
                self.parts |= news


@pytest.fixture
def fixture(world: World) -> int:
    """A fixture that a worker has claimed."""
    made = world.tournament(2, live=2)
    return world.all_fixtures(made)[0]


def sent(world: World, fixture: int, address: str) -> fixtures.Claim:
    claim = world.claim(fixture)
    assert claim is not None
    with world.database.transaction() as tx:
        known(tx, claim, address, world.now)
    return claim


@contextmanager
def page(address: str, fixture: int) -> Iterator[News]:
    with browsing(address) as client, client.stream("GET", f"/fixtures/{fixture}/live") as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield News(answer)


def test_a_match_is_told_as_it_is_played_with_hands_face_down(world: World, fixture: int) -> None:
    with in_play(fixture) as match, serving(as_dashboard(world.database.url)) as address:
        sent(world, fixture, match.address)
        with page(address, fixture) as news:
            news.until(lambda: "table" in news.parts and news.said)
            assert news.parts["start"] == {"bots": ["bot 1", "bot 2"], "legs": 1, "open": True, "delay": 0.0}
            table = news.parts["table"]
            assert (table["hands"], table["stock"], len(table["pile"])) == ([10, 10], 31, 2)
            assert set(table) == {"hands", "stock", "pile", "melds", "scores", "status", "turn", "dealer", "wild"}
            match.go(3)
            news.until(lambda: any("discards" in line for line in news.said))
            drawn = [line for line in news.said if "from the stock" in line]
            assert all(line.endswith("draws a card from the stock.") for line in drawn)
            match.go(10_000)
            news.until(lambda: "results" in news.parts)
            assert news.parts["results"][0].startswith("Leg 1 has ended (target): 1. bot ")
        with page(address, fixture) as late:  # The arbiter keeps the result for a while.
            late.until(lambda: "results" in late.parts)
            assert late.parts["results"] == news.parts["results"]


def test_of_mirrored_deals_a_page_learns_how_far_they_are_and_no_card(world: World, fixture: int) -> None:
    with in_play(fixture, (11, 12)) as match, serving(as_dashboard(world.database.url)) as address:
        sent(world, fixture, match.address)
        with page(address, fixture) as news:
            match.go(150)  # More than a deal of each leg takes.
            news.until(lambda: "progress" in news.parts)
            match.go(10_000)
            news.until(lambda: "results" in news.parts)
        assert news.said == [] and "table" not in news.parts and not news.parts["start"]["open"]
        assert news.parts["progress"]["legs"] <= 2
        assert len(news.parts["results"]) == 2


def test_many_pages_are_one_spectator_and_who_comes_late_sees_the_table(
    world: World, fixture: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spectating, "MAX_FIXTURES", 1)
    with in_play(fixture) as match, serving(as_dashboard(world.database.url)) as address:
        sent(world, fixture, match.address)
        with page(address, fixture) as first:
            match.go(4)
            first.until(lambda: sum("discards" in line for line in first.said) >= 1)
            with page(address, fixture) as second:
                second.until(lambda: second.said)
                told = min(len(first.said), len(second.said))
                assert second.said[:told] == first.said[:told] and "table" in second.parts
            match.void("The arena is <tired>.")
            first.until(lambda: "void" in first.parts)
            assert first.parts["void"] == "The arena is <tired>."


def test_a_page_of_a_fixture_says_where_it_stands(world: World, fixture: int) -> None:
    with serving(as_dashboard(world.database.url)) as address, browsing(address) as client:
        with page(address, fixture) as news:
            news.until(lambda: news.parts == {"waits": True})
        assert "waits for a live bot to dial in" in client.get(f"/fixtures/{fixture}").text
        claim = sent(world, fixture, "arena.test:50151")
        text = client.get(f"/fixtures/{fixture}").text
        assert f"arena watch {fixture} --arena arena.test:50151" in text and 'id="watch"' in text
        assert world.finish(claim)
        assert client.get(f"/fixtures/{fixture}/live").status_code == 204
        text = client.get(f"/fixtures/{fixture}").text
        assert 'id="watch"' not in text and 'href="/matches/1"' in text
        assert client.get(f"/api/v1/fixtures/{fixture}").json()["tournament"] == "Test"
        for path in ("/fixtures/999", "/fixtures/999/live", "/api/v1/fixtures/999"):
            assert client.get(path).status_code == 404


@pytest.mark.parametrize("there", ["127.0.0.1:1", "unix:/nowhere/at-all.sock"])
def test_an_arbiter_that_is_not_there_is_named_and_nothing_about_the_network(
    world: World, fixture: int, there: str
) -> None:
    with serving(as_dashboard(world.database.url)) as address:
        sent(world, fixture, there)
        with page(address, fixture) as news:
            news.until(lambda: "broken" in news.parts)
        assert news.parts["broken"] == spectating.UNREACHED


def test_there_is_room_for_so_many_pages_and_fixtures(
    world: World, fixture: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(client: Client) -> str:
        answer = client.get(f"/fixtures/{fixture}/live")
        assert answer.status_code == 429
        return answer.text

    with in_play(fixture) as match, serving(as_dashboard(world.database.url)) as address, browsing(address) as client:
        sent(world, fixture, match.address)
        monkeypatch.setattr(spectating, "MAX_FIXTURES", 0)
        assert "0 fixtures are being followed" in refused(client)
        monkeypatch.setattr(spectating, "MAX_FIXTURES", 1)
        monkeypatch.setattr(spectating, "MAX_SPECTATORS", 1)
        with page(address, fixture) as news:
            news.until(lambda: news.parts)
            assert "1 spectators are here already" in refused(client)
        while not free(client, fixture):
            pass  # The place is free as soon as the service has noticed.


def free(client: Client, fixture: int) -> bool:
    with client.stream("GET", f"/fixtures/{fixture}/live") as answer:
        return answer.status_code == 200


def test_what_is_kept_of_a_fixture_has_a_bound() -> None:
    story = Story()
    start = watch_pb2.FollowStart(game="gin", bots=["a", "b"], legs=1, open=True)
    story.tell(watch_pb2.FollowUpdate(start=start))
    discard = followed_part([Event(EventKind.DISCARD, 0, (5,))])
    for _ in range(3 * spectating.MAX_SAID):
        story.tell(watch_pb2.FollowUpdate.FromString(discard))
    said = story.since(0)["said"]
    assert said == [f"a discards {cards_text((5,))}."] * spectating.MAX_SAID
    assert story.since(story.version - 1) == {"said": said[:1]}
