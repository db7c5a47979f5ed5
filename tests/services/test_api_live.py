"""News for open pages: what moves in the database reaches those who look at it."""

import json
from collections.abc import Iterator

import pytest
from dashboard import browsing, serving
from httpx import Client, Response
from world import BECAUSE, World

from api import live
from rummy.league.model import TournamentState
from rummy.store import arbiters, tournaments
from rummy.store.db import connect


class Events:
    """The events of a stream, one after the other. The service's own sign of life, after silence, ends the wait."""

    def __init__(self, answer: Response) -> None:
        self._lines = answer.iter_lines()
        self._pinged = False

    def next(self) -> tuple[str, str]:
        """Name and data of the next event; comments and times are passed over."""
        event = data = ""
        for line in self._lines:
            match line.partition(": "):
                case ("event", _, text):
                    event = text
                case ("data", _, text):
                    data = text
                case ("", "", "") if event:
                    return event, data
                case ("", _, text) if text.startswith("ping"):
                    if self._pinged:
                        raise TimeoutError("no event came")
                    self._pinged = True
        raise EOFError("the stream has ended")

    def until(self, kind: str) -> str:
        """The first news of *kind*; the listener's first arrival may be news too."""
        while kind not in (news := self.next()[1]):
            assert news in ("", live.RESYNC)
        return news


@pytest.fixture
def address(world: World) -> Iterator[str]:
    with serving(world.database.url) as address:
        yield address


def test_a_fixture_that_moves_is_news_for_its_tournament(world: World, address: str) -> None:
    mine, other = world.tournament(), world.tournament()
    with browsing(address) as client, client.stream("GET", f"/tournaments/{mine}/live") as answer:
        events = Events(answer)
        assert events.next()[0] == "hello"
        assert answer.headers["content-type"].startswith("text/event-stream")
        world.claim(world.all_fixtures(other)[0])  # No news here: the next event is of mine.
        with world.database.transaction() as tx:
            tournaments.change_state(tx, mine, TournamentState.PAUSED, by=BECAUSE, now=world.now)
        assert "tournament" in events.until("tournament")


def test_a_bot_that_dials_in_is_news_for_the_page_of_bots_and_shown_there(world: World, address: str) -> None:
    with world.database.transaction() as tx:
        version = world.bot(tx, "Dialler", hosted=False)
        here = arbiters.announce(tx, address="a", bots_address="b", incarnation="i", now=world.now)
    made = world.tournament()

    def shown(client: Client) -> tuple[bool, bool]:
        [bot] = client.get("/api/v1/bots?q=Dialler").json()["items"]
        [one] = client.get(f"/api/v1/bots/{bot['bot_id']}").json()["versions"]
        for page in ("/bots?q=Dialler", f"/bots/{bot['bot_id']}"):
            assert (">connected<" in client.get(page).text) == bot["connected"]
        return bot["connected"], one["connected"]

    with browsing(address) as client, client.stream("GET", "/bots/live") as answer:
        events = Events(answer)
        assert events.next()[0] == "hello"
        assert shown(client) == (False, False)
        world.claim(world.all_fixtures(made)[0])  # No news here.
        with world.database.transaction() as tx:
            arbiters.attach(tx, here, version, 0, now=world.now)
        assert events.until("bot") == "bot"
        assert shown(client) == (True, True)
        with world.database.transaction() as tx:
            arbiters.detach(tx, here, version, 0)
        assert events.until("bot") == "bot"
        assert shown(client) == (False, False)


def test_the_listener_comes_back_and_has_pages_read_anew(world: World, address: str) -> None:
    with browsing(address) as client, client.stream("GET", "/live") as answer, connect(world.database.url) as owner:
        events = Events(answer)
        assert events.next()[0] == "hello"
        made = world.tournament(start=False)
        events.until("tournament")
        owner.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'dashboard listener' AND datname = current_database()"
        )
        assert events.next() == ("changed", live.RESYNC)
        with world.database.transaction() as tx:
            tournaments.change_state(tx, made, TournamentState.CANCELLED, by=BECAUSE, now=world.now)
        assert events.next() == ("changed", "tournament")


def test_too_many_open_pages_are_refused_in_a_sentence(
    world: World, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MAX_READERS", 0)
    with browsing(address) as client:
        answer = client.get("/live")
    assert answer.status_code == 429
    assert "asks at intervals" in answer.text


@pytest.mark.parametrize(
    ("payload", "news"),
    [
        (json.dumps({"kind": "fixture", "tournament": 3}), ("fixture", 3)),
        (json.dumps({"kind": "bot", "version": 3}), ("bot", None)),
        ("{", (live.RESYNC, None)),
        ("[]", (live.RESYNC, None)),
        ("{}", (live.RESYNC, None)),
    ],
)
def test_a_notice_that_cannot_be_read_has_pages_read_anew(payload: str, news: tuple[str, int | None]) -> None:
    assert live.read_notice(payload) == news
