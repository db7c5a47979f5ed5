"""The last result of a tournament sent twice and late: it ends once, and every place tells the same numbers."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from dashboard import browsing, serving
from world import LEASE, World

from rummy.store import db, tournaments
from workers.ratings import settle

ENTRANTS, CYCLES = 4, 2
FIXTURES = ENTRANTS * (ENTRANTS - 1) // 2 * CYCLES


def test_a_last_result_that_comes_twice_and_late_ends_the_tournament_once(world: World) -> None:
    """Fault P5: one event of the end; page, API and log have the totals of the plan."""
    with world.database.transaction() as tx:
        world.now = db.now(tx)
    made = world.tournament(ENTRANTS, cycles=CYCLES)
    *before, last = world.all_fixtures(made)
    for fixture_id in before:
        claim = world.claim(fixture_id)
        assert claim is not None and world.finish(claim)
    late = world.claim(last, "late")
    world.later((LEASE + timedelta(seconds=1)).total_seconds())
    heir = world.claim(last, "heir")
    assert late is not None and heir is not None
    with db.connect(world.database.url) as listener:
        listener.execute("LISTEN arena")
        with ThreadPoolExecutor(6) as pool:
            saved = list(pool.map(world.finish, [late, heir, heir, late, heir, late]))
            list(pool.map(lambda _: settle(world.database), range(6)))
        assert not world.finish(late) and not world.finish(heir)
        settle(world.database)
        told = [json.loads(note.payload) for note in listener.notifies(timeout=1)]
    assert saved.count(True) == 1
    ends = [note for note in told if note["kind"] == "tournament" and note["state"] == "finished"]
    done = [note for note in told if note["kind"] == "fixture" and note["state"] == "done"]
    assert (len(ends), len(done)) == (1, 1)
    check_totals(world, made)


def check_totals(world: World, made: int) -> None:
    """Fixtures and matches, as the database, the API and the page have them; a pair is no match."""
    with world.database.transaction() as tx:
        now = tournaments.progress(tx, made)
    assert (now.fixtures, now.done, now.unrated) == (FIXTURES, FIXTURES, 0)
    assert world.value("SELECT count(*) FROM match") == 2 * FIXTURES
    assert world.value("SELECT count(*) FROM fixture_attempt WHERE outcome = 'done'") == FIXTURES
    assert world.value("SELECT sum(fixtures) FROM rating_change") == 2 * FIXTURES
    for move, times in (("result", FIXTURES), ("finished", 1)):
        assert world.value("SELECT count(*) FROM tournament_log WHERE move = %(move)s", move=move) == times
    with serving(world.database.url) as address, browsing(address) as client:
        shown = client.get(f"/api/v1/tournaments/{made}").json()
        lines = client.get(f"/api/v1/tournaments/{made}/table").json()["lines"]
        page = re.sub(r"<[^>]+>", " ", client.get(f"/tournaments/{made}").text)
    assert (shown["state"], shown["fixtures"], shown["done"]) == ("finished", FIXTURES, FIXTURES)
    assert {line["matches"] for line in lines} == {(ENTRANTS - 1) * CYCLES * 2}
    assert re.search(rf"\b{FIXTURES}\s+of\s+{FIXTURES}\b", page), page
