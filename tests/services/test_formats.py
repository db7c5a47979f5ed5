"""The dashboard on tournaments whose rounds are drawn from results."""

from collections.abc import Iterator

import pytest
from dashboard import browsing, serving
from httpx import Client
from season import Filled, filled

__all__ = ["filled"]  # A fixture, which pytest finds by its name here.


@pytest.fixture(scope="module")
def client(filled: Filled) -> Iterator[Client]:
    with serving(filled.dashboard_url, now=lambda: filled.season.now) as address, browsing(address) as client:
        yield client


def test_a_knockout_is_shown_while_it_is_played_and_at_its_end(client: Client, filled: Filled) -> None:
    season = filled.season
    versions = [line["version_id"] for line in client.get(f"/api/v1/tournaments/{filled.gin}").json()["entered"]]
    cup = season.tournament(versions, name="Cup", format="knockout")
    season.play(cup)
    now = client.get(f"/api/v1/tournaments/{cup}").json()
    assert (now["state"], now["done"], now["format_options"]) == ("running", 2, {"ties": 3, "seeding": "rating"})
    page = client.get(f"/tournaments/{cup}")
    assert page.status_code == 200
    for said in ("knockout", "ranked by rating", "Each round is drawn from the results of those before"):
        assert said in page.text
    for _ in range(9):
        season.play(cup)
    assert client.get(f"/api/v1/tournaments/{cup}").json()["state"] == "finished"
    table = client.get(f"/api/v1/tournaments/{cup}/table").json()
    assert [line["place"] for line in table["lines"]] == [1, 2, 3, 3]
    assert "Each round is drawn" not in client.get(f"/tournaments/{cup}").text


def test_a_swiss_tournament_that_is_open_says_how_many_rounds(client: Client, filled: Filled) -> None:
    versions = [line["version_id"] for line in client.get(f"/api/v1/tournaments/{filled.gin}").json()["entered"]]
    swiss = filled.season.tournament(versions, name="Swiss", format="swiss", format_options={"rounds": 2})
    assert "swiss, <b>1</b> cycle, <b>2</b> rounds" in client.get(f"/tournaments/{swiss}").text
    assert client.get(f"/api/v1/tournaments/{swiss}").json()["fixtures"] == 4
