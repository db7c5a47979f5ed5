"""The dashboard on a real database, through its ASGI interface."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, LiteralString

import pytest
from dashboard import browsing, serving
from httpx import Client
from psycopg.errors import InsufficientPrivilege
from season import HOSTILE, Filled, filled

from api.routes import pages
from rummy.league.schedule import commitment, fixture_seed
from rummy.rules.replay import verify
from rummy.store import arbiters, fixtures, matches
from rummy.store.db import connect

__all__ = ["filled"]  # A fixture, which pytest finds by its name here.
MOST = 2**63 - 1
MATCHES_OF_A_BOT = """
    SELECT count(*) FROM seat_result JOIN fixture USING (fixture_id) JOIN entrant USING (tournament_id, entrant_no)
      JOIN bot_version USING (version_id) WHERE bot_id = %(bot_id)s"""
LISTS_AND_PARTS = (
    "tournaments/{}", "tournaments/{}/table", "tournaments/{}/fixtures", "bots/{}", "bots/{}/ratings",
    "bots/{}/matches", "matches/{}", "matches/{}/replay", "matches/{}/frames",
)  # fmt: skip


@pytest.fixture(scope="module")
def client(filled: Filled) -> Iterator[Client]:
    with serving(filled.dashboard_url, now=lambda: filled.season.now) as address, browsing(address) as client:
        yield client


class Page(HTMLParser):
    """What a browser would make of a page: elements and the text in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.bdi: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "bdi":
            self.bdi.append(data)


def get(client: Client, address: str, status: int = 200) -> Any:
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    return answer.json()


def all_items(client: Client, address: str, parameter: str) -> list[Any]:
    page = get(client, address)
    items = list(page["items"])
    while page["next"]:
        page = get(client, f"{address}&{parameter}={page['next']}")
        items += page["items"]
    return items


def first_match(client: Client, filled: Filled) -> int:
    found = get(client, f"/api/v1/tournaments/{filled.gin}/fixtures?limit=1")["items"][0]["matches"][0]
    assert isinstance(found, int)
    return found


# JSON.


def test_tournaments_come_in_pages_newest_first(client: Client, filled: Filled) -> None:
    first = get(client, "/api/v1/tournaments?limit=2")
    rest = get(client, f"/api/v1/tournaments?limit=2&before={first['next']}")
    ids = [tournament["tournament_id"] for tournament in first["items"] + rest["items"]]
    assert ids == sorted([filled.gin, filled.practice, filled.running], reverse=True)
    assert rest["next"] is None


def test_progress_and_the_state_of_fixtures(client: Client, filled: Filled) -> None:
    running = get(client, f"/api/v1/tournaments/{filled.running}")
    assert (running["state"], running["done"], running["fixtures"], running["seed"]) == ("running", 5, 45, None)
    page = get(client, f"/api/v1/tournaments/{filled.running}/fixtures?limit=200&state=scheduled")
    assert len(page["items"]) == 40
    assert all(fixture["matches"] == [] for fixture in page["items"])


def test_a_fixture_says_whom_it_waits_for(client: Client, filled: Filled) -> None:
    scheduled = get(client, f"/api/v1/tournaments/{filled.running}/fixtures?limit=200&state=scheduled")["items"]
    with_live = [one for one in scheduled if any(seat["owner"] == "Zoe" for seat in one["seats"])]
    assert with_live and all(one["missing"][0]["owner"] == "Zoe" for one in with_live)
    assert {one["waits_for"] for one in with_live} == {"waits for a live bot to dial in:"}
    assert {one["waits_for"] for one in scheduled if one not in with_live} == {"waits for a worker"}


def test_fixtures_go_on_by_round_and_table(client: Client, filled: Filled) -> None:
    fixtures = all_items(client, f"/api/v1/tournaments/{filled.gin}/fixtures?limit=5", "after")
    seen = [(fixture["round_no"], fixture["table_no"]) for fixture in fixtures]
    assert seen == sorted(set(seen))
    assert len(seen) == 12


def test_figures_before_rounds_close_and_of_young_versions_are_said_to_be_provisional(
    client: Client, filled: Filled
) -> None:
    table = get(client, f"/api/v1/tournaments/{filled.running}/table")
    assert table["provisional"]
    assert any(line["rating"] != 1500 for line in table["lines"])
    assert "provisional, Elo" in client.get(f"/tournaments/{filled.running}").text
    ladder = get(client, "/api/v1/ladders")[0]["ladder"]
    lines = get(client, f"/api/v1/ladders/{ladder}")["lines"]
    assert all(line["provisional"] == (line["fixtures"] < 20) for line in lines)
    assert client.get(f"/ladders/{ladder}").text.count(">provisional<") == len(lines)


def test_the_table_adds_up(client: Client, filled: Filled) -> None:
    table = get(client, f"/api/v1/tournaments/{filled.gin}/table")
    lines = table["lines"]
    assert not table["provisional"]
    assert sum(line["points"] for line in lines) == pytest.approx(12 * 2)  # Each match gives one point.
    assert sum(line["rating"] for line in lines) == pytest.approx(4 * 1500)
    assert all(line["error"] > 0 for line in lines)
    assert [line["place"] for line in lines] == sorted(line["place"] for line in lines)


def test_a_bot_shows_its_newest_rating_with_its_error(client: Client, filled: Filled) -> None:
    line = get(client, f"/api/v1/tournaments/{filled.gin}/table")["lines"][0]
    bot = next(each for each in get(client, "/api/v1/bots")["items"] if each["bot_id"] == line["bot_id"])
    newest = get(client, f"/api/v1/bots/{line['bot_id']}/ratings")["ladders"][0]["points"][-1]
    assert bot["ratings"][0]["error"] == pytest.approx(newest["error"], abs=1e-9)
    assert get(client, f"/api/v1/bots/{line['bot_id']}")["ratings"] == bot["ratings"]
    assert f"± {newest['error']:.0f}" in client.get("/bots").text


def test_people_count_from_one(client: Client, filled: Filled) -> None:
    fixture = get(client, f"/api/v1/tournaments/{filled.gin}/fixtures")["items"][0]
    page = client.get(f"/matches/{fixture['matches'][0]}")
    result = page.text.partition('id="result"')[2].partition("</table>")[0]
    seats = re.findall(r'</span></td><td class="num">(\d)</td>', result)  # The column after the name.
    assert sorted(seats) == ["1", "2"]
    assert re.search(r'<span class="owner">v<bdi>[0-9.]+</bdi> by', page.text)


def test_the_last_rating_of_a_bot_is_that_of_the_table(client: Client, filled: Filled) -> None:
    line = get(client, f"/api/v1/tournaments/{filled.gin}/table")["lines"][0]
    ladders = get(client, f"/api/v1/bots/{line['bot_id']}/ratings")["ladders"]
    steps = [step for step in ladders[0]["points"] if step["tournament_id"] == filled.gin]
    assert steps[-1]["rating"] == pytest.approx(line["rating"], abs=1e-9)
    assert steps[-1]["error"] == pytest.approx(line["error"], abs=1e-9)
    assert all(after["before"] == before["rating"] for before, after in pairwise(steps))


def test_practice_moves_no_rating(client: Client, filled: Filled) -> None:
    assert [ladder["game"] for ladder in get(client, "/api/v1/ladders")] == ["gin"]
    assert len(get(client, f"/api/v1/tournaments/{filled.practice}/table")["lines"]) == 4


def test_a_ladder_shows_the_joint_fit_beside_elo(client: Client, filled: Filled) -> None:
    address = f"/api/v1/ladders/{get(client, '/api/v1/ladders')[0]['ladder']}"
    ladder = get(client, address)
    assert not ladder["computing"]
    lines = [line for line in ladder["lines"] if line["group"] == 0]
    assert len(lines) >= 4
    assert [line["rating"] for line in lines] == sorted((line["rating"] for line in lines), reverse=True)
    assert all(0 < line["error"] < 1000 for line in lines)
    assert all(0.5 <= line["better_than_next"] <= 1 for line in lines[:-1]) and lines[-1]["better_than_next"] is None
    assert [line["place"] for line in lines] == [
        1 + sum(other["rating"] > line["rating"] + 1e-6 for other in lines) for line in lines
    ]
    elo = {line["version_id"]: line["rating"] for line in get(client, "/api/v1/ladders")[0]["top"]}
    assert {line["version_id"]: line["elo"] for line in ladder["lines"]}.items() >= elo.items()
    page = client.get(address.removeprefix("/api/v1"))
    assert f"± {lines[0]['error']:.0f}" in page.text
    assert f"{100 * lines[0]['better_than_next']:.1f} %" in page.text


def test_a_long_ladder_is_shown_in_parts(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = get(client, "/api/v1/ladders")[0]["ladder"]
    names = [line["version_id"] for line in get(client, f"/api/v1/ladders/{ladder}")["lines"]]
    monkeypatch.setattr(pages, "RATED", 3)
    address, shown = f"/ladders/{ladder}", 0
    while address:
        page = client.get(address).text
        assert page.count(">provisional<") <= 3 and f"<b>{len(names)}</b> bot versions" in page
        shown += page.count(">provisional<")
        following = re.search(r'href="([^"]+)">Those below<', page)
        address = following[1] if following else ""
    assert shown == len(names)


def test_a_ladder_shows_the_luck_in_its_results(client: Client, filled: Filled) -> None:
    address = f"/api/v1/ladders/{get(client, '/api/v1/ladders')[0]['ladder']}/luck"
    luck = get(client, address)
    while luck["computing"]:
        luck = get(client, address)
    gain = luck["mirroring"]
    assert gain["fixtures"] >= 12
    assert gain["saved"] == pytest.approx(1 - gain["ratio"] ** 2)
    assert (luck["control"], luck["coefficient"], luck["runs"], luck["scores"]) == (None, None, [], [])
    page = client.get(address.removeprefix("/api/v1"))
    assert f"{100 * gain['ratio']:.1f} %" in page.text
    assert "The results tell nothing of it yet." in page.text
    assert get(client, "/api/v1/ladders/gin:000000000000/luck", 404)


def test_a_ladder_that_is_none(client: Client) -> None:
    assert "Nothing is rated" in get(client, "/api/v1/ladders/gin:000000000000", 404)["message"]
    assert client.get("/ladders/gin:000000000000").status_code == 404
    for wrong in ("gin", "gin:zzzzzzzzzzzz", "gin:000000000000%00", "%F0%9F%83%8F:000000000000", "gin:00000000000"):
        assert client.get(f"/api/v1/ladders/{wrong}").status_code == 422


def test_the_seeds_follow_from_what_is_shown(client: Client, filled: Filled) -> None:
    shown = get(client, f"/api/v1/tournaments/{filled.gin}")
    master = bytes.fromhex(shown["seed"])
    assert commitment(master).hex() == shown["commitment"]
    match = get(client, f"/api/v1/matches/{first_match(client, filled)}")
    nonces = [bytes.fromhex(entrant["nonce"]) for entrant in shown["entered"]]
    seed = fixture_seed(master, nonces, match["round_no"], match["table_no"], match["generation"])
    header = json.loads(client.get(f"/api/v1/matches/{match['match_id']}/replay").content.split(b"\n")[0])
    assert header["seed"] == seed.hex()


def test_the_replay_is_served_byte_for_byte(client: Client, filled: Filled) -> None:
    match_id = first_match(client, filled)
    answer = client.get(f"/api/v1/matches/{match_id}/replay")
    with filled.season.database.transaction() as tx:
        assert answer.content == matches.replay(tx, match_id)
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.headers["content-disposition"] == f'attachment; filename="match-{match_id}.jsonl"'
    assert verify(answer.content).digest == get(client, f"/api/v1/matches/{match_id}")["digest"]


def test_frames_of_every_deal(client: Client, filled: Filled) -> None:
    match_id = first_match(client, filled)
    match, first = get(client, f"/api/v1/matches/{match_id}"), get(client, f"/api/v1/matches/{match_id}/frames")
    assert len(first["deals"]) == match["deals"]
    parts = [get(client, f"/api/v1/matches/{match_id}/frames?deal={deal}") for deal in range(match["deals"])]
    assert sum(len(part["frames"]) - 1 for part in parts) == match["actions"]
    missing = get(client, f"/api/v1/matches/{match_id}/frames?deal={match['deals']}", 404)
    assert f"there is no deal {match['deals']}" in missing["message"]


def test_matches_of_a_bot_go_on_by_fixture(client: Client, filled: Filled) -> None:
    bot_id = get(client, f"/api/v1/tournaments/{filled.gin}/table")["lines"][0]["bot_id"]
    seen = [match["match_id"] for match in all_items(client, f"/api/v1/bots/{bot_id}/matches?limit=3", "before")]
    assert len(seen) == len(set(seen))
    with filled.season.database.transaction() as tx:
        row = tx.execute(MATCHES_OF_A_BOT, {"bot_id": bot_id}).fetchone()
    assert row is not None and len(seen) == row[0]


def test_two_bots_of_one_name_stay_apart(client: Client) -> None:
    found = get(client, "/api/v1/bots?q=GREEDY")["items"]
    assert sorted(bot["owner"] for bot in found) == ["Ann", "Zoe"]
    assert len({bot["bot_id"] for bot in found}) == 2


@pytest.mark.parametrize("path", LISTS_AND_PARTS)
def test_what_does_not_exist_is_said_in_a_sentence(client: Client, path: str) -> None:
    address = "/api/v1/" + path.format(MOST)
    problem = get(client, address, 404)
    assert problem["kind"] == "NotFound"
    assert problem["message"].startswith("There is no ") and str(MOST) in problem["message"]


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("/api/v1/tournaments/0", "tournament_id"),
        ("/api/v1/tournaments/nine", "tournament_id"),
        (f"/api/v1/matches/{MOST + 1}", "match_id"),
        ("/api/v1/tournaments?limit=0", "limit"),
        ("/api/v1/tournaments?limit=201", "limit"),
        ("/api/v1/tournaments?before=x", "before"),
        ("/api/v1/tournaments/1/fixtures?after=1", "after"),
        ("/api/v1/tournaments/1/fixtures?after=1.-1", "after"),
        ("/api/v1/tournaments/1/fixtures?state=lost", "state"),
        ("/api/v1/bots?q=%00", "q"),
        ("/api/v1/bots?q=" + "x" * 257, "q"),
        ("/api/v1/matches/1/frames?deal=-1", "deal"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_named(client: Client, address: str, word: str) -> None:
    problem = get(client, address, 422)
    assert problem["message"].startswith(f"{word}: ") and problem["message"].endswith(".")


def test_unknown_addresses_and_methods_under_api_answer_in_json(client: Client) -> None:
    assert get(client, "/api/v1/nothing", 404)["kind"] == "NotFound"
    answer = client.post("/api/v1/bots")
    assert (answer.status_code, answer.json()["status"]) == (405, 405)
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("address", ["/", "/api/v1/bots", "/bots/1", "/static/live.js", "/nothing", "/bots/x"])
def test_head_is_get_without_the_content(client: Client, address: str) -> None:
    head, whole = client.head(address), client.get(address)
    kept = [{name: value for name, value in answer.headers.items() if name != "date"} for answer in (head, whole)]
    assert (head.status_code, kept[0], head.content) == (whole.status_code, kept[1], b"")


def test_head_of_an_endless_stream_ends(client: Client) -> None:
    answer = client.head("/live", timeout=10)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"].startswith("text/event-stream")


def test_openapi_describes_every_answer(client: Client) -> None:
    spec = get(client, "/api/v1/openapi.json")
    assert all(path.startswith("/api/v1/") for path in spec["paths"])
    for methods in spec["paths"].values():
        content = methods["get"]["responses"]["200"]["content"]
        assert all(kind["schema"] for kind in content.values())


# Pages.


@pytest.mark.parametrize(
    "address",
    ["/", "/bots", "/bots?q=gre", "/bots/1", "/verify", "/reference", "/tournaments/{gin}", "/tournaments/{running}",
     "/tournaments/{running}?state=running", "/tournaments/{running}?after=1.0", "/tournaments/{practice}",
     "/matches/1", "/nothing", "/bots/999999", "/tournaments/x"],
)  # fmt: skip
def test_a_page_holds_no_foreign_or_inline_code(client: Client, filled: Filled, address: str) -> None:
    answer = client.get(address.format(**filled._asdict()))
    page = Page(answer.text)
    for tag, attributes in page.tags:
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert not str(attributes.get("src") or attributes.get("href") or "").startswith(("http", "//", "javascript"))
        assert tag != "script" or attributes.get("src")
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_every_static_file_that_a_page_names_is_there(client: Client) -> None:
    names = {
        str(attributes.get("src") or attributes.get("href"))
        for address in ("/", "/bots/1", "/matches/1")
        for _, attributes in Page(client.get(address).text).tags
    }
    wanted = [name for name in names if name.startswith("/static/")]
    assert len(wanted) >= 8
    for name in wanted:
        answer = client.get(name)
        assert answer.status_code == 200 and "immutable" in answer.headers["cache-control"], name


def test_hostile_names_are_text_and_keep_their_direction(client: Client, filled: Filled) -> None:
    for address in ("/", "/bots", f"/tournaments/{filled.running}"):
        page = Page(client.get(address).text)
        assert set(HOSTILE) <= set(page.bdi), address
    assert "<b>Running</b>" in Page(client.get(f"/tournaments/{filled.running}").text).bdi


def test_the_page_shows_a_seed_only_when_the_tournament_has_ended(client: Client, filled: Filled) -> None:
    assert 'id="seed"' in client.get(f"/tournaments/{filled.gin}").text
    assert 'id="seed"' not in client.get(f"/tournaments/{filled.running}").text


def test_an_error_is_a_page_with_a_sentence(client: Client) -> None:
    for address, status in (("/nothing", 404), ("/bots/999999", 404), ("/tournaments/x", 422), ("/?before=0", 422)):
        answer = client.get(address)
        assert answer.status_code == status and 'class="lead"' in answer.text


# What the dashboard may not know, and what it does when things are broken.


def test_a_match_of_an_unfinished_fixture_is_not_shown(filled: Filled, client: Client) -> None:
    season = filled.season
    fixture_id = get(client, f"/api/v1/tournaments/{filled.running}/fixtures?limit=1&state=scheduled")["items"][0][
        "fixture_id"
    ]
    with season.database.transaction() as tx:
        season.play_fixture(fixture_id)
        tx.execute(
            "UPDATE fixture SET state = 'scheduled', done_at = NULL WHERE fixture_id = %(id)s", {"id": fixture_id}
        )
        row = tx.execute("SELECT match_id FROM match WHERE fixture_id = %(id)s", {"id": fixture_id}).fetchone()
        assert row is not None
    for address in ("/matches/{}", "/api/v1/matches/{}", "/api/v1/matches/{}/replay", "/api/v1/matches/{}/frames"):
        assert client.get(address.format(row[0])).status_code == 404


def test_a_damaged_replay_is_said_so(client: Client, filled: Filled) -> None:
    match_id = first_match(client, filled) + 1
    damage = "UPDATE match SET replay = %(replay)s, digest = sha256(%(replay)s) WHERE match_id = %(id)s"
    with filled.season.database.transaction() as tx:
        whole = matches.replay(tx, match_id)
    altered = whole.replace(b'"act":"S"', b'"act":"P1"', 1)
    for stored in (b"\x01not zstd", b"\x07" + whole, matches.pack(whole[:-40]), matches.pack(altered)):
        with filled.season.database.transaction() as tx:
            tx.execute(damage, {"replay": stored, "id": match_id})
        problem = get(client, f"/api/v1/matches/{match_id}/frames", 500)
        assert problem["kind"] == "ReplayMismatch"
        page = client.get(f"/matches/{match_id}")
        assert page.status_code == 200 and 'id="damage"' in page.text and 'id="player"' not in page.text


def test_an_outage_is_said_so(filled: Filled) -> None:
    gone = filled.dashboard_url.replace("season_", "no_such_")
    with serving(gone, wait_seconds=0.2) as address, browsing(address) as client:
        assert get(client, "/api/v1/bots", 503)["kind"] == "StoreUnavailable"
        assert client.get("/bots").status_code == 503


@pytest.mark.parametrize("query", ["TABLE tournament_seed", "TABLE token", "TABLE package", "DELETE FROM match"])
def test_the_role_can_neither_write_nor_read_secrets(filled: Filled, query: LiteralString) -> None:
    with connect(filled.dashboard_url) as connection, pytest.raises(InsufficientPrivilege):
        connection.execute(query)


def test_a_fixture_says_where_it_is_played_and_why_it_was_given_up(client: Client, filled: Filled) -> None:
    path = f"/api/v1/tournaments/{filled.running}/fixtures?limit=1&state=scheduled"
    fixture = get(client, path)["items"][0]
    assert fixture["setback"] is None
    with filled.season.database.transaction() as tx:
        claim = fixtures.claim(
            tx, fixture["fixture_id"], holder="one", now=filled.season.now, lease=timedelta(seconds=10)
        )
        assert claim is not None
        here = arbiters.announce(
            tx, address="unix:a", bots_address="arena.test:50151", incarnation="i", now=filled.season.now
        )
        assert fixtures.sending(tx, claim, here, "i")
    running = f"/api/v1/tournaments/{filled.running}/fixtures?limit=1&state=running"
    assert get(client, running)["items"][0]["arbiter"] == "arena.test:50151"
    watched = f"/fixtures/{fixture['fixture_id']}"
    assert f'href="{watched}"' in client.get(f"/tournaments/{filled.running}?state=running").text
    assert f"arena watch {fixture['fixture_id']} --arena arena.test:50151" in client.get(watched).text
    with filled.season.database.transaction() as tx:
        assert fixtures.void(tx, claim, now=filled.season.now, reason="the arbiter is <full>")
    assert get(client, path)["items"][0]["arbiter"] is None
    assert get(client, path)["items"][0]["setback"] == "the arbiter is <full>"
    assert "last given up: the arbiter is &lt;full&gt;" in client.get(f"/tournaments/{filled.running}").text
