"""However much is played, no page and no address reads more for it."""

import asyncio
from dataclasses import replace

from api.app import create_app
from bench import filled
from bench.filled import Size
from bench.pages import Counting, addresses, as_dashboard, is_whole, rows_read
from rummy.store.db import Database

SIZE = Size(entrants=12, cycles=25, others=4, of_each=10, field=8, bots=24, duel=1100)
"""So long, and ten times so long, that about as many fixtures are drawn ahead; more steps than any page shows."""
MORE = 10
"""So many times as much is played in the end."""
SLACK = 300
"""Rows: of tables that are small, or that the planner finds as cheap to read whole."""


def read_by(database_url: str, there: filled.Filled) -> dict[str, int]:
    """By address the rows that are read once everything that is kept is there."""
    with Counting(as_dashboard(database_url)) as database:
        app = create_app(database)
        asked = {name: address for name, address in addresses(app, there) if not is_whole(name)}
        return asyncio.run(rows_read(app, database, asked))


def test_ten_times_as_many_matches_make_no_page_read_more(database_url: str) -> None:
    with Database(database_url) as owner:
        there = filled.fill(owner, SIZE)
        before = read_by(database_url, there)
        filled.play(owner, there.large, rounds=SIZE.cycles * (SIZE.entrants - 1) * MORE)
        filled.play(owner, there.duel, rounds=SIZE.duel * MORE)
        with owner.transaction() as tx:
            there = replace(there, running=filled.begun(tx, there.large).fixture_id)
            assert tx.execute("SELECT count(*) > 45_000 FROM match").fetchone() == (True,)
        filled.write(owner, there)
        after = read_by(database_url, there)
    more = {name: (rows, after[name]) for name, rows in before.items() if after[name] > 1.2 * rows + SLACK}
    assert more == {}
    assert all(rows > 0 for name, rows in after.items() if "{" in name and not name.endswith("/live"))
