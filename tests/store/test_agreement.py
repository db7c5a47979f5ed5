"""What is exported, what the table shows and what the ratings say are one, and follow from the export (fault P31)."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import groupby
from typing import Any

import pytest
from eventful import PAIRS, STYLES, THREES, eventful
from season import as_dashboard
from world import World

from api.reads import Reads
from rummy.league.model import FixtureResult, match_scores
from rummy.league.ratings import elo
from rummy.rules.replay import verify
from rummy.store import drawing, exports, matches, ratings, tournaments
from rummy.store.db import Database
from rummy.store.exports import RATINGS, RESULTS, Table

Line = dict[str, Any]


def exported(world: World, table: Table, number: int) -> list[Line]:
    """The lines of an export, by column."""
    with world.database.transaction() as tx:
        return [dict(zip(table.columns, line, strict=True)) for line in exports.rows(tx, table, tournament_id=number)]


def by(lines: Iterable[Line], *names: str) -> list[list[Line]]:
    return [list(group) for _, group in groupby(lines, key=lambda line: [line[name] for name in names])]


def table_of(lines: list[Line]) -> dict[int, tuple[int, int, int, float]]:
    """Matches, wins, draws and points of each version, by `table_place` alone: an empty place is the last."""
    found: dict[int, list[Any]] = defaultdict(lambda: [0, 0, 0, 0.0])
    for leg in by(lines, "fixture", "leg"):
        places = [len(leg) if line["table_place"] is None else line["table_place"] for line in leg]
        here = [line["table_place"] is not None for line in leg]
        first = places.count(1)
        for line, place, points, there in zip(leg, places, match_scores(places), here, strict=True):
            mine = found[line["version_id"]]
            mine[0] += 1
            mine[1] += there and place == 1 and first == 1
            mine[2] += there and place == 1 and first > 1
            mine[3] += points if there else 0.0
    return {version: tuple(mine) for version, mine in found.items()}


def fixture_of(lines: list[Line]) -> FixtureResult:
    """A fixture, with versions in the seat order of leg 0."""
    legs = by(lines, "leg")
    versions = tuple(line["version_id"] for line in legs[0])
    placed = [{line["version_id"]: line["placement"] for line in leg} for leg in legs]
    place = lines[0]["round"], lines[0]["table"]
    return FixtureResult(*place, versions, tuple(tuple(leg[version] for version in versions) for leg in placed))


@pytest.mark.parametrize("disqualify", [False, True])
@pytest.mark.parametrize("plan", [PAIRS, THREES], ids=["pairs", "threes"])
def test_the_table_and_the_ratings_follow_from_the_export(
    world: World, plan: dict[str, object], disqualify: bool
) -> None:
    """Ties at the wall, double forfeits, what nobody played, what is void, and what counts as won by the others."""
    _, number = eventful(world, plan, disqualify=disqualify)
    lines = exported(world, RESULTS, number)
    with world.database.transaction() as tx:
        versions, standings = tournaments.entrants(tx, number), drawing.table(tx, number)()
        records = ratings.records(tx, tournaments.get(tx, number).ladder)
    shown = {versions[s.entrant]: (s.matches, s.wins, s.draws, s.points) for s in standings}
    assert table_of(lines) == shown
    rated = [fixture_of(fixture) for fixture in by(lines, "round", "table") if fixture[0]["rates"]]
    now = dict.fromkeys(versions, elo.INITIAL)
    for _, of_round in groupby(rated, key=lambda result: result.round_no):
        now = {**now, **elo.rate_round(now, list(of_round))}
    assert {versions[s.entrant]: s.rating for s in standings} == now
    newest = {line["version_id"]: line["after"] for line in exported(world, RATINGS, number)}
    assert newest == {version: rating for version, rating in now.items() if version in newest}
    counted = Counter(in_order(result) for result in rated)
    assert counted == records
    if plan is PAIRS:
        games = "".join(exports.as_pgn(RESULTS, iter([tuple(line.values()) for line in lines])))
        assert games.count("[Event ") == sum(len(result.legs) for result in rated) < len(by(lines, "fixture", "leg"))


def test_every_match_of_a_bot_is_found_behind_fixtures_that_nobody_played(world: World) -> None:
    """Page after page, of one fixture each: what was decided without play is on none of them."""
    _, number = eventful(world, PAIRS)
    played = [line for line in exported(world, RESULTS, number) if line["match"] is not None]
    with Database(as_dashboard(world.database.url)) as database:
        reads = Reads(database)
        for bot in (page := reads.bots(after=0, prefix="", limit=200)).items:
            seen, before = [], None
            while (found := reads.bot_matches(bot.bot_id, before=before, limit=1)).items:
                seen += [match.match_id for match in found.items]
                if found.next is None:
                    break
                before = int(found.next)
            assert sorted(seen) == sorted(line["match"] for line in played if line["bot"] == bot.name)
    assert len(page.items) == len(STYLES)


def in_order(result: FixtureResult) -> Any:
    """As the joint fit takes a fixture: versions in order, and its legs in any."""
    order = sorted(range(len(result.entrants)), key=lambda at: result.entrants[at])
    legs = sorted(tuple(leg[at] for at in order) for leg in result.legs)
    return tuple(result.entrants[at] for at in order), tuple(legs)


@pytest.mark.parametrize("plan", [PAIRS, THREES], ids=["pairs", "threes"])
def test_each_line_is_what_the_replay_comes_to_and_nothing_is_missing(world: World, plan: dict[str, object]) -> None:
    _, number = eventful(world, plan)
    lines = exported(world, RESULTS, number)
    assert len(by(lines, "fixture")) == world.value("SELECT count(*) FROM fixture WHERE state = 'done'")
    played = [leg for leg in by(lines, "fixture", "leg") if leg[0]["match"] is not None]
    kinds = {"tie": 0, "forfeit": 0}
    for leg in played:
        with world.database.transaction() as tx:
            found = verify(matches.replay(tx, leg[0]["match"]))
        result = found.result
        assert [line["placement"] for line in leg] == list(result.placements)
        assert [line["score"] for line in leg] == list(result.scores)
        assert [line["forfeit"] for line in leg] == list(result.forfeits)
        kinds["tie"] += result.placements.count(1) > 1
        kinds["forfeit"] += sum(cause is not None for cause in result.forfeits) >= len(leg) - 1
    assert kinds["forfeit"] and (kinds["tie"] or plan is THREES)
    nobody = [leg for leg in by(lines, "fixture", "leg") if leg[0]["match"] is None]
    absent = Counter(sum(line["forfeit"] == "absent" for line in leg) for leg in nobody)
    assert set(absent) >= ({0, 1} if plan is THREES else {0, 1, 2})
    assert {(line["reason"], line["actions"], line["score"]) for leg in nobody for line in leg} == {
        ("unplayed", 0, None)
    }
    for fixture in by(lines, "fixture"):
        whole = fixture_of(fixture)
        if fixture[0]["match"] is not None:
            scores = {line["version_id"]: line["fixture_score"] for line in fixture}
            assert scores == dict(zip(whole.entrants, whole.scores, strict=True))
        assert [line["seat"] for line in fixture] == [*range(len(whole.entrants))] * len(whole.legs)
