"""A league with seasons of seconds, held by the workers' own beat."""

import json
import time
import urllib.request
from typing import Any

from real_arena import BOTS, PATIENCE, Arena

from rummy.store import bots, db, leagues
from rummy.store.db import Database
from rummy.store.log import OPERATOR


def read(arena: Arena, path: str) -> Any:
    with urllib.request.urlopen(f"{arena.dashboard}/api/v1/leagues/{path}") as answer:
        return json.load(answer)


def test_two_seasons_follow_on_each_other_by_the_calendar(arena: Arena) -> None:
    made = arena.json(
        "league", "create", "Seconds", "--game", "gin", "--options", '{"target": 10}', "--begins", "20s",
        "--every", "15s", "--freeze", "2s", "--seasons", "2", "--sizes", "2", "--moves", "1", "--cycles", "3",
        "--limit-ms", "60000", "--bank-ms", "600000",
    )  # fmt: skip
    with Database(arena.database_url()) as database, database.transaction() as tx:  # At once: the window is short.
        for name in BOTS:
            version = bots.find(tx, name)
            leagues.enter(tx, made["league"], version.version_id, by=OPERATOR, now=db.now(tx))
    limit = time.monotonic() + PATIENCE
    while read(arena, str(made["league"]))["ended_at"] is None:
        assert time.monotonic() < limit
        time.sleep(0.5)  # Other processes play.
    first, second = (read(arena, f"{made['league']}/seasons/{number}")["divisions"] for number in range(2))
    assert [division["state"] for division in [*first, *second]] == ["finished"] * 4
    assert all(line["matches"] == 6 for division in [*first, *second] for line in division["lines"])
    before = [[line["name"] for line in division["lines"]] for division in first]
    after = [{line["name"] for line in division["lines"]} for division in second]
    assert sorted(before[0] + before[1]) == sorted(BOTS)
    assert after == [{before[0][0], before[1][0]}, {before[0][1], before[1][1]}]
    assert "Season 2 ended at" in arena.run("league", "season", str(made["league"])).stdout
