"""The dashboard in a real browser: what is on the pages, and a replay stepped through by buttons and keys."""

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from dashboard import serving
from in_play import in_play, known
from playwright.sync_api import Browser, Page, expect, sync_playwright
from season import HOSTILE, Filled, filled
from world import BECAUSE, made_up_match

from rummy.league.model import TournamentState
from rummy.rules.games import find_game
from rummy.store import fixtures, leagues, pages, seasons, tournaments
from rummy.store.leagues import Wanted
from rummy.store.log import OPERATOR
from rummy.store.terms import Plan, ladder_of
from workers.leagues import turn

__all__ = ["filled"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run")
found = os.environ.get("ARENA_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)

GIN = ladder_of(find_game("gin"))

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not found, reason="no Chromium on this machine: install one, or name it in ARENA_CHROMIUM"),
]


@pytest.fixture(scope="module")
def address(filled: Filled) -> Iterator[str]:
    with serving(filled.dashboard_url) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert found is not None
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=Path(found), args=[*QUIET, *root])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page that fails the test for an error in a script, a refused style or script, or a request to elsewhere."""
    context = browser.new_context(base_url=address, viewport={"width": 1200, "height": 900})
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: None if request.url.startswith(address) else wrong.append(request.url))
    yield page
    context.close()
    assert wrong == []


def at(page: Page, place: str) -> None:
    expect(page.locator("#player")).to_have_attribute("data-at", place)


def test_from_the_table_to_a_bot_and_a_match(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Gin", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Gin")
    expect(page.locator("#table tbody tr")).to_have_count(4)
    page.locator("#table").get_by_role("link", name="greedy").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("greedy")
    expect(page.locator(".chart canvas")).to_be_visible()
    page.locator("section", has_text="Recent matches").locator("tbody tr").first.get_by_role("link").first.click()
    expect(page.locator("#result tbody tr")).to_have_count(2)
    at(page, "1.0")


def test_from_a_ladder_to_its_ratings(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Gin rummy", exact=True).last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Gin rummy")
    first = page.locator("#ratings tbody tr").first
    expect(first).to_contain_text("±")
    expect(first).to_contain_text("%")
    first.get_by_role("link").click()
    page.get_by_role("link", name="Gin rummy", exact=True).click()
    expect(page).to_have_url(re.compile(r"/ladders/gin:[0-9a-f]{12}$"))


def test_a_replay_is_stepped_through_by_buttons_and_keys(page: Page, filled: Filled) -> None:
    page.goto("/matches/1")
    at(page, "1.0")
    page.get_by_role("button", name="Forward").click()
    at(page, "1.1")
    page.keyboard.press("ArrowRight")
    at(page, "1.2")
    expect(page.locator("#log [aria-current=step] .n")).to_have_text("2")
    page.keyboard.press("ArrowLeft")
    at(page, "1.1")
    page.keyboard.press("Home")
    at(page, "1.0")
    page.keyboard.press("End")
    last = int(page.locator("#slider").get_attribute("max") or 0)
    at(page, f"1.{last}")
    expect(page.locator("#said")).to_contain_text("The deal ends")
    page.get_by_role("button", name="Forward").click()
    at(page, "2.0")
    page.keyboard.press("ArrowLeft")
    at(page, f"1.{last}")
    page.get_by_role("button", name="First position").click()
    at(page, "1.0")
    assert page.url.endswith("/matches/1#1.0")


@pytest.mark.parametrize("path", ["/matches/1#1.6", "/matches/25#1.12"])
def test_the_controls_are_in_sight_and_stay_where_they_are(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 850})
    page.goto(path)
    at(page, path.partition("#")[2])
    for button in ("First position", "Back", "Play", "Forward", "Last position"):
        expect(page.get_by_role("button", name=button, exact=True)).to_be_in_viewport(ratio=1)
    expect(page.locator("#said")).to_be_in_viewport(ratio=1)
    before = page.locator("#play").bounding_box()
    page.get_by_role("button", name="Last position").click()
    expect(page.locator("#said")).to_contain_text("The deal ends")
    assert page.locator("#play").bounding_box() == before


def test_cards_have_names_for_those_who_listen(page: Page) -> None:
    page.goto("/matches/1#1.3")
    at(page, "1.3")
    hands = page.get_by_role("list", name="Hand")
    expect(hands).to_have_count(2)
    label = hands.first.get_by_role("listitem").first.get_attribute("aria-label")
    assert label is not None and " of " in label
    expect(page.locator("#said")).to_have_attribute("aria-live", "polite")


def test_the_address_names_the_position(page: Page) -> None:
    page.goto("/matches/1#2.4")
    at(page, "2.4")
    page.locator("#deal").select_option("0")
    at(page, "1.0")
    page.locator("#log button").nth(5).click()
    at(page, "1.5")
    page.goto("/matches/1#99999.99999")  # Beyond the end is the end.
    expect(page.locator("#said")).to_contain_text("The deal ends")
    expect(page.get_by_role("button", name="Forward")).to_be_disabled()


def test_it_plays_by_itself_and_stops(page: Page) -> None:
    page.goto("/matches/1")
    at(page, "1.0")
    page.locator("#speed").select_option("fast")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#player")).to_have_attribute("data-at", re.compile(r"1\.[1-9]"))
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_a_page_keeps_itself_up_to_date(page: Page, filled: Filled) -> None:
    page.goto(f"/tournaments/{filled.running}")
    expect(page.locator("#live-state")).to_have_text("This page keeps itself up to date.")
    expect(page.locator(".progress")).to_contain_text("5 of 45 fixtures done")
    filled.season.play(filled.running, most=1)
    expect(page.locator(".progress")).to_contain_text("6 of 45 fixtures done")
    with filled.season.database.transaction() as tx:
        tournaments.change_state(tx, filled.running, TournamentState.PAUSED, by=BECAUSE, now=filled.season.now)
    expect(page.locator(".tag.paused")).to_be_visible()


def test_hostile_names_are_shown_as_they_are(page: Page, filled: Filled) -> None:
    page.goto(f"/tournaments/{filled.running}")
    expect(page.get_by_role("heading", level=1)).to_have_text("<b>Running</b>")
    for name in HOSTILE:
        expect(page.locator("#table").get_by_role("link", name=name, exact=True)).to_be_visible()


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/tournaments/1",
        f"/ladders/{GIN}",
        "/bots",
        "/bots/1",
        "/matches/1",
        "/verify",
        "/reference",
        f"/ladders/{GIN}/luck",
    ],
)
def test_nothing_is_wider_than_a_phone(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_on_a_phone_the_pile_has_a_row_of_its_own(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/matches/1#1.0")
    at(page, "1.0")
    page.get_by_role("button", name="Last position").click()
    expect(page.locator("#said")).to_contain_text("The deal ends")
    pile = page.get_by_role("list", name=re.compile("^Discard pile: .*the top card last"))
    size = int(re.findall(r"\d+", pile.get_attribute("aria-label") or "")[0])
    assert size > 2
    expect(pile.get_by_role("listitem", name=re.compile(" of "))).to_have_count(min(size, 10))
    box, card = pile.bounding_box(), pile.get_by_role("listitem").last.bounding_box()
    assert box is not None and card is not None
    assert card["x"] + card["width"] <= box["x"] + box["width"]


def claimed(filled: Filled) -> fixtures.Claim:
    """A fixture of a new tournament, which a worker has begun."""
    made = filled.season.tournament(filled.season.bots(HOSTILE[:2], owner=secrets.token_hex(4)), name="Now")
    with filled.season.database.transaction() as tx:
        [fixture] = tx.execute("SELECT fixture_id FROM fixture WHERE tournament_id = %s", (made,)).fetchone() or ()
        claim = fixtures.claim(tx, fixture, holder="w", now=filled.season.now, lease=timedelta(seconds=30))
    assert claim is not None
    return claim


def test_a_fixture_is_followed_while_it_is_played(page: Page, filled: Filled) -> None:
    claim = claimed(filled)
    with in_play(claim.fixture_id) as match:
        with filled.season.database.transaction() as tx:
            known(tx, claim, match.address, filled.season.now)
        page.goto(f"/tournaments/{claim.tournament_id}?state=running")
        page.get_by_role("link", name="watch").click()
        expect(page.get_by_role("list", name="10 cards, face down")).to_have_count(2, timeout=20_000)
        expect(page.locator("#felt .hand .card")).to_have_count(20)
        expect(page.locator("#felt .hand .card:not(.back)")).to_have_count(0)
        pile = page.get_by_role("list", name=re.compile("^Discard pile"))
        expect(pile.get_by_role("listitem").last).to_have_attribute("aria-label", re.compile(" of "))
        match.go(6)
        expect(page.locator("#log li", has_text="discards").first).to_be_visible()
        expect(page.locator("#felt .hand .card:not(.back)")).to_have_count(0)
        for name in HOSTILE[:2]:
            expect(page.locator("#felt").get_by_role("link", name=name, exact=True)).to_be_visible()
        page.set_viewport_size({"width": 360, "height": 780})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        match.go(10_000)
        expect(page.locator("#said")).to_contain_text("Leg 1 has ended")
    with filled.season.database.transaction() as tx:
        terms = fixtures.terms(tx, claim)
        played = [made_up_match(terms, leg, 0) for leg in range(terms.legs)]
        assert fixtures.finish(tx, claim, played, now=filled.season.now)
    expect(page.get_by_role("link", name="leg 2")).to_be_visible()
    expect(page.locator(".head .tag.done")).to_be_visible()
    expect(page.locator("#watch")).to_have_attribute("data-ended", "", timeout=20_000)
    expect(page.locator("#said")).to_contain_text("Leg 1 has ended")


def test_of_mirrored_deals_the_page_shows_no_card(page: Page, filled: Filled) -> None:
    claim = claimed(filled)
    with in_play(claim.fixture_id, (11, 12)) as match:
        with filled.season.database.transaction() as tx:
            known(tx, claim, match.address, filled.season.now)
        page.goto(f"/fixtures/{claim.fixture_id}")
        expect(page.locator("#said")).to_contain_text("no card is shown before the last leg has ended")
        expect(page.locator(".card")).to_have_count(0)
        expect(page.locator("#stage")).to_be_hidden()
        match.go(10_000)
        expect(page.locator("#said")).to_contain_text("Leg 2 has ended")
        expect(page.locator(".card")).to_have_count(0)


def test_a_page_says_why_a_fixture_was_given_up(page: Page, filled: Filled) -> None:
    claim = claimed(filled)
    with in_play(claim.fixture_id) as match:
        with filled.season.database.transaction() as tx:
            known(tx, claim, match.address, filled.season.now)
        page.goto(f"/fixtures/{claim.fixture_id}")
        expect(page.locator("#stage")).to_be_visible()
        match.void("The arena is <tired>.")
        expect(page.locator("#said")).to_have_text(re.compile("The arena is <tired>.|not in play"))


def test_a_league_shows_who_goes_up_and_down_and_fits_a_phone(page: Page, filled: Filled) -> None:
    season = filled.season
    plan = Plan(name="Weekly", game="gin")
    with season.database.transaction() as tx:
        versions = [entrant.version_id for entrant in pages.entrants(tx, filled.gin)]
        wanted = Wanted(
            plan=plan, begins_at=season.now + timedelta(days=1), every=timedelta(days=7), freeze=timedelta(hours=1),
            sizes=(2,), moves=1,
        )  # fmt: skip
        made = leagues.create(tx, wanted, by=OPERATOR, now=season.now)
        for version in versions:
            leagues.enter(tx, made, version, by=OPERATOR, now=season.now)
    page.goto("/")
    page.get_by_role("link", name="Leagues").click()
    page.get_by_role("link", name="Weekly").click()
    expect(page.get_by_text("open for entries")).to_be_visible()
    season.now += timedelta(days=1)
    turn(season.database, clock=lambda tx: season.now)
    with season.database.transaction() as tx:
        divisions = seasons.divisions(tx, made, 0)
    for division in divisions:
        season.play(division)
    turn(season.database, clock=lambda tx: season.now)
    page.reload()
    page.set_viewport_size({"width": 360, "height": 780})
    page.get_by_role("link", name="Season 1").first.click()
    expect(page.locator("tr", has_text="up")).to_have_count(1)
    expect(page.locator("tr", has_text="down")).to_have_count(1)
    for path in (f"/leagues/{made}", f"/leagues/{made}/seasons/0", "/leagues"):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
