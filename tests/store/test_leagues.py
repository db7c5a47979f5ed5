"""Leagues over several seasons on a real database, with a clock of their own, against the pure functions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Any

import psycopg
import pytest
from world import NOON, World

from rummy.errors import BadInput, BadOptions, CallerFault, Conflict, LeagueError, NotFound, TournamentClosed
from rummy.league.model import TournamentState
from rummy.league.promotion import final_order, following
from rummy.store import bots, drawing, leagues, ratings, seasons, tournaments
from rummy.store.leagues import Wanted
from rummy.store.log import OPERATOR, By
from rummy.store.terms import Plan
from workers.leagues import turn
from workers.ratings import settle

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
WEEKLY = Wanted(
    plan=Plan(name="Weekly", game="gin"), begins_at=NOON + DAY, every=WEEK, freeze=HOUR, sizes=(3,), moves=1
)  # fmt: skip
Divisions = list[list[str]]


@dataclass(slots=True)
class League:
    """Short ways to say what a test is about. Bots are called by their names."""

    world: World
    league_id: int
    versions: dict[str, int] = field(default_factory=dict)  # By name: its first version.

    @classmethod
    def make(cls, world: World, wanted: Wanted = WEEKLY) -> League:
        with world.database.transaction() as tx:
            return cls(world, leagues.create(tx, wanted, by=OPERATOR, now=world.now))

    def submit(self, name: str, version: str = "1", games: Sequence[str] = ("gin",)) -> int:
        with self.world.database.transaction() as tx:
            made = bots.add_version(
                tx, self.world.owner_id, name=name, version=version, language="python", games=games,
                now=self.world.now, entry="bot.py", content=f"{name} {version}".encode(),
            )  # fmt: skip
        self.versions.setdefault(name, made.version_id)
        return made.version_id

    def enter(self, *names: str) -> None:
        for name in names:
            if name not in self.versions:
                self.submit(name)
            with self.world.database.transaction() as tx:
                leagues.enter(tx, self.league_id, self.versions[name], by=By.owner("Ann"), now=self.world.now)

    def withdraw(self, name: str) -> None:
        with self.world.database.transaction() as tx:
            leagues.withdraw(tx, self.league_id, self.versions[name], by=By.owner("Ann"), now=self.world.now)

    def turn(self) -> None:
        turn(self.world.database, clock=lambda tx: self.world.now)

    def go_to(self, season_no: int, moment: str = "begins") -> None:
        """Moves the clock to a time of the calendar, at most forward."""
        with self.world.database.transaction() as tx:
            calendar = leagues.get(tx, self.league_id).calendar
        self.world.now = max(self.world.now, getattr(calendar, moment)(season_no))

    def tournaments(self, season_no: int) -> list[int]:
        query = (
            "SELECT tournament_id FROM tournament WHERE league_id = %(id)s AND season_no = %(no)s ORDER BY division_no"
        )
        with self.world.database.transaction() as tx:
            return [row[0] for row in tx.execute(query.encode(), {"id": self.league_id, "no": season_no})]

    def divisions(self, season_no: int, *, final: bool = False) -> Divisions:
        """By division the names of its bots, in the order of the start or the end."""
        query = f"""SELECT array_agg(name ORDER BY {"final" if final else "entrant_no"}) FROM season_place JOIN bot
                     USING (bot_id) WHERE league_id = %(id)s AND season_no = %(no)s GROUP BY division_no
                     ORDER BY division_no"""
        with self.world.database.transaction() as tx:
            return [row[0] for row in tx.execute(query.encode(), {"id": self.league_id, "no": season_no})]

    def play(self, season_no: int, best: Callable[[str], Any] = str) -> None:
        """Plays a season; of two the one wins whose name comes first by *best*."""
        with self.world.database.transaction() as tx:
            names = {version: bots.get(tx, version).name for version in _versions(tx)}
        for made in self.tournaments(season_no):
            query = """SELECT fixture_id, array_agg(version_id ORDER BY seat) FROM fixture_seat
                         JOIN entrant USING (tournament_id, entrant_no) JOIN fixture USING (fixture_id, tournament_id)
                        WHERE tournament_id = %(id)s AND state <> 'done' GROUP BY 1 ORDER BY 1"""
            with self.world.database.transaction() as tx:
                seated = tx.execute(query, {"id": made}).fetchall()
            for fixture_id, versions in seated:
                claim = self.world.claim(fixture_id)
                assert claim is not None
                winner = min(range(len(versions)), key=lambda seat: best(names[versions[seat]]))
                assert self.world.finish(claim, winner=winner)
        settle(self.world.database, clock=lambda tx: self.world.now)

    def season(self, season_no: int, best: Callable[[str], Any] = str) -> Divisions:
        """Settles, begins, plays and ends a season; its divisions at the start."""
        for moment in ("freezes", "begins"):
            self.go_to(season_no, moment)
            self.turn()
        self.play(season_no, best)
        self.turn()
        return self.divisions(season_no)

    def states(self, season_no: int) -> list[str]:
        with self.world.database.transaction() as tx:
            return [tournaments.get(tx, made).state for made in self.tournaments(season_no)]


def _versions(tx: Any) -> list[int]:
    return [row[0] for row in tx.execute("SELECT version_id FROM bot_version")]


def test_three_seasons_with_those_who_come_and_go(world: World) -> None:
    league = League.make(world)
    league.enter("a", "b", "c", "d", "e", "f")
    assert league.season(0) == [["a", "b", "c"], ["d", "e", "f"]]
    assert league.divisions(0, final=True) == [["a", "b", "c"], ["d", "e", "f"]]
    league.enter("g")
    league.withdraw("a")  # It has won, and leaves: who was to go down stays.
    assert league.season(1, best=lambda name: -ord(name)) == [["b", "d", "c"], ["e", "f", "g"]]
    assert league.divisions(1, final=True) == [["d", "c", "b"], ["g", "f", "e"]]
    league.enter("a")  # Back, as a new one.
    assert league.season(2) == [["d", "c", "g"], ["b", "f", "e", "a"]]
    assert world.value("SELECT count(*) FROM season WHERE ended_at IS NOT NULL") == 3
    assert world.value("SELECT count(*) FROM tournament WHERE state = 'finished'") == 6
    names = "SELECT name FROM tournament ORDER BY tournament_id DESC LIMIT 1"
    assert world.value(names) == "Weekly, season 3, division 2"


def test_the_divisions_are_those_of_the_pure_functions(world: World) -> None:
    """Recomputed from the log of entries and the results on record alone."""
    league = League.make(world, replace(WEEKLY, sizes=(2, 3), moves=1))
    league.enter(*"hgfedcba")
    league.season(0, best=lambda name: name in "ceg")  # Many equal.
    league.withdraw("h")
    league.enter("i")
    league.season(1)
    league.season(2, best=lambda name: hash(name) % 3)
    members = [list("hgfedcba"), list("gfedcbai"), list("gfedcbai")]
    last: Divisions = []
    with world.database.transaction() as tx:
        tiers = leagues.get(tx, league.league_id).tiers
        for number in range(3):
            ids = {name: at for at, name in enumerate("abcdefghi")}
            expected = following(tiers, [[ids[n] for n in part] for part in last], [ids[n] for n in members[number]])
            assert league.divisions(number) == [["abcdefghi"[at] for at in part] for part in expected]
            last = [
                [division[entrant] for entrant in final_order(drawing.table(tx, made)())]
                for division, made in zip(league.divisions(number), league.tournaments(number), strict=True)
            ]
            assert league.divisions(number, final=True) == last


def test_a_calendar_turned_late_or_often_or_by_many_leaves_the_same(world: World) -> None:
    """One league whose calendar stands still for two weeks, and one that is turned all the time, by several at once."""
    prompt, late = League.make(world), League.make(world)
    late.versions = prompt.versions
    for league in (prompt, late):
        league.enter("a", "b", "c", "d", "e")

    def turn_one(league: League) -> None:
        while True:
            with world.database.transaction() as tx:
                if not seasons.advance(tx, league.league_id, now=world.now):
                    return

    for number in range(3):
        for moment in ("freezes", "begins"):
            prompt.go_to(number, moment)
            threads = [threading.Thread(target=turn_one, args=[prompt]) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            turn_one(prompt)
        prompt.play(number)
        turn_one(prompt)
        world.now += HOUR
        prompt.submit("c", f"{number + 2}")
        if number == 0:
            for league in (prompt, late):
                league.withdraw("b")
                league.enter("f")
        if number == 1:
            for league in (prompt, late):
                league.enter("b")
    for number in range(3):
        turn_one(late)
        assert late.states(number) == ["running"] * 2
        assert late.tournaments(number + 1) == []  # One after the other.
        late.play(number)
    turn_one(late)
    for number in range(3):
        assert late.divisions(number) == prompt.divisions(number)
        assert late.divisions(number, final=True) == prompt.divisions(number, final=True)
        assert entered(late, number) == entered(prompt, number)
    assert world.value("SELECT count(*) FROM season") == 6


def entered(league: League, season_no: int) -> list[list[str]]:
    with league.world.database.transaction() as tx:
        return [
            [bots.get(tx, version).title for version in tournaments.entrants(tx, made)]
            for made in league.tournaments(season_no)
        ]


def test_who_dies_in_the_middle_leaves_nothing(world: World) -> None:
    league = League.make(world)
    league.enter("a", "b", "c", "d", "e")
    league.go_to(0)
    for expected in ("settled", "begun"):
        with pytest.raises(RuntimeError), world.database.transaction() as tx:
            assert seasons.advance(tx, league.league_id, now=world.now), expected
            raise RuntimeError("killed")
        with world.database.transaction() as tx:
            assert seasons.advance(tx, league.league_id, now=world.now)
    assert league.states(0) == ["running"] * 2
    assert world.value("SELECT count(*) FROM tournament") == 2
    league.play(0)
    with pytest.raises(RuntimeError), world.database.transaction() as tx:
        assert seasons.advance(tx, league.league_id, now=world.now)
        raise RuntimeError("killed")
    assert world.value("SELECT count(*) FROM season_place WHERE final IS NOT NULL") == 0
    league.turn()
    assert league.divisions(0, final=True) == [["a", "b", "c"], ["d", "e"]]


def test_a_league_that_fails_holds_up_no_other(world: World, caplog: pytest.LogCaptureFixture) -> None:
    broken, sound = League.make(world), League.make(world)
    sound.versions = broken.versions
    for league in (broken, sound):
        league.enter("a", "b")
    with world.database.transaction() as tx:
        tx.execute(
            "UPDATE league SET plan = plan || '{\"cycles\": 0}' WHERE league_id = %(id)s", {"id": broken.league_id}
        )
    sound.go_to(0)
    sound.turn()
    assert sound.states(0) == ["running"] and broken.tournaments(0) == []
    assert "the calendar of league 1 stands still: the number of cycles must be" in caplog.text


def test_the_newest_version_at_the_freeze_plays(world: World) -> None:
    league = League.make(world)
    league.enter("a", "b")
    league.submit("a", "2")
    league.submit("b", "2", games=("one_oh_one",))  # Plays something else.
    retired = league.submit("b", "3")
    with world.database.transaction() as tx:
        bots.retire(tx, retired)
    league.go_to(0, "freezes")
    league.submit("a", "3")  # Too late.
    league.turn()
    assert entered(league, 0) == [["a 2", "b 1"]]
    assert league.states(0) == ["open"]
    assert world.value("SELECT octet_length(commitment) FROM tournament") == 32
    league.turn()
    assert league.states(0) == ["open"]
    league.go_to(0)
    league.turn()
    assert league.states(0) == ["running"]
    league.play(0)
    league.season(1)
    assert entered(league, 1) == [["a 3", "b 1"]]


def test_a_bot_without_a_version_is_out_and_the_log_says_so(world: World) -> None:
    league = League.make(world)
    league.enter("a", "b", "c")
    with world.database.transaction() as tx:
        bots.retire(tx, league.versions["b"])
    assert league.season(0) == [["a", "c"]]
    query = "SELECT who || ': ' || why FROM league_log WHERE move = 'withdrawn'"
    assert world.value(query) == "schedule: season 1 was settled, and no version of it was ready that plays gin"
    with pytest.raises(BadInput, match="Ann/b has no version that is ready and plays gin"):
        league.enter("b")
    league.submit("b", "2")
    league.enter("b")
    assert league.season(1) == [["a", "c", "b"]]


def test_a_season_for_which_there_are_too_few_is_not_played_and_the_next_one_is(world: World) -> None:
    league = League.make(world)
    league.enter("a")
    assert league.season(0) == []
    assert league.tournaments(0) == []
    assert world.value("SELECT ended_at = frozen_at FROM season") is True
    league.enter("b")
    assert league.season(1) == [["a", "b"]]
    league.withdraw("a")
    assert league.season(2) == []
    league.enter("c")
    assert league.season(3) == [["b", "c"]]


def test_a_season_that_takes_too_long_delays_the_next(world: World) -> None:
    league = League.make(world)
    league.enter("a", "b")
    league.go_to(0)
    league.turn()
    league.go_to(1)
    league.turn()
    assert league.states(0) == ["running"] and league.tournaments(1) == []
    league.play(0)
    league.turn()
    assert league.states(1) == ["running"]


def test_a_division_that_is_cancelled_moves_nobody(world: World) -> None:
    league = League.make(world, replace(WEEKLY, sizes=(2,)))
    league.enter("d", "c", "b", "a")
    league.go_to(0)
    league.turn()
    first, _ = league.tournaments(0)
    with world.database.transaction() as tx:
        tournaments.change_state(tx, first, TournamentState.CANCELLED, by=By("operator", "Rain."), now=world.now)
    world.play_all(league.tournaments(0)[1])
    settle(world.database, clock=lambda tx: world.now)
    league.turn()
    assert league.divisions(0, final=True)[0] == ["d", "c"]
    assert world.value("SELECT count(place) FROM season_place") == 2
    assert league.season(1)[0] == ["d", "c"]


def test_a_ladder_is_a_league_of_one_division_whose_epochs_go_on(world: World) -> None:
    daily = Wanted(
        plan=Plan(name="Daily", game="gin", format="ladder", format_options={"rounds": 6}),
        begins_at=NOON + DAY, every=DAY, freeze=timedelta(),
    )  # fmt: skip
    league = League.make(world, daily)
    league.enter("d", "c", "b", "a")
    league.season(0)
    with world.database.transaction() as tx:
        table = drawing.table(tx, league.tournaments(0)[0])()
    assert [line.rating for line in table] == sorted((line.rating for line in table), reverse=True)
    last = ["dcba"[line.entrant] for line in table]
    assert league.divisions(0, final=True) == [last]
    league.submit("e")
    league.enter("e")
    assert league.season(1) == [[*last, "e"]]
    with world.database.transaction() as tx:
        first, second = (league.tournaments(number)[0] for number in range(2))
        assert tournaments.get(tx, second).name == "Daily, season 2"
        assert len(tournaments.revealed(tx, first)[1]) == 4  # An epoch's seed is shown when the epoch has ended.
        opening = ratings.opening(tx, second)
        ranking = tournaments.field_of(tx, tournaments.get(tx, second)).ranking
    assert [opening[entrant] for entrant in ranking] == sorted(opening.values(), reverse=True)
    assert opening[4] == 1500 and len(set(opening.values())) > 1  # The new one begins in the middle.


def test_a_league_ends_after_its_last_season_or_when_an_organiser_ends_it(world: World) -> None:
    league = League.make(world, replace(WEEKLY, seasons=1))
    endless = League.make(world)
    unused = League.make(world)
    for each in (league, endless):
        each.versions = league.versions
        each.enter("a", "b")
    for each in (league, endless):
        each.go_to(0)
        each.turn()
    with world.database.transaction() as tx:
        assert leagues.end(tx, endless.league_id, by=OPERATOR, now=world.now) == 1
        assert leagues.end(tx, unused.league_id, by=OPERATOR, now=world.now) == 1
        with pytest.raises(LeagueError, match="'Weekly' ends with season 1 already"):
            leagues.end(tx, endless.league_id, by=OPERATOR, now=world.now)
    for each in (league, endless):
        each.play(0)
    league.turn()
    assert world.value("SELECT count(*) FROM league WHERE ended_at IS NULL") == 0
    world.now += 10 * WEEK
    league.turn()
    assert world.value("SELECT max(season_no) FROM season") == 0
    with pytest.raises(LeagueError, match="has ended: nobody enters"):
        league.enter("c")
    with world.database.transaction() as tx, pytest.raises(LeagueError, match="already"):
        leagues.end(tx, league.league_id, by=OPERATOR, now=world.now)


def refused(act: Callable[[], object], kind: type[CallerFault], said: str, world: World) -> None:
    """A sentence, and nothing is changed."""
    count = "SELECT (SELECT count(*) FROM league_log) + (SELECT count(*) FROM league) + (SELECT count(*) FROM entrant)"
    before = world.value(count)
    with pytest.raises(kind, match=said):
        act()
    assert world.value(count) == before


def test_what_cannot_be_entered_is_refused(world: World) -> None:
    league = League.make(world)
    league.enter("a", "b")
    league.submit("other", games=("one_oh_one",))
    refused(lambda: league.enter("a"), Conflict, "Ann/a is in 'Weekly' already; each bot enters once", world)
    refused(lambda: league.enter("other"), BadInput, "Ann/other has no version that is ready and plays gin", world)
    league.submit("c")
    refused(lambda: league.withdraw("c"), Conflict, "Ann/c is not in 'Weekly'", world)
    league.submit("a", "2")
    league.versions["a"] = league.submit("a", "3")
    refused(lambda: league.enter("a"), Conflict, "is in 'Weekly' already", world)  # Another version is no other bot.
    league.league_id += 1
    refused(lambda: league.enter("c"), NotFound, "there is no league 2", world)
    league.league_id -= 1
    league.go_to(0, "freezes")
    refused(lambda: league.enter("c"), LeagueError, "season 1 was settled at 2026-01-03 11:00:00 UTC", world)
    refused(lambda: league.withdraw("a"), LeagueError, "for season 2 that is from 2026-01-03 12:00:00 UTC", world)


def test_an_entry_that_meets_the_freeze_is_refused(world: World) -> None:
    """Its time was taken before the freeze, and it gets the league after that was settled."""
    league = League.make(world)
    league.enter("a", "b")
    league.submit("c")
    league.go_to(0, "freezes")
    league.turn()
    world.now -= timedelta(seconds=1)
    refused(lambda: league.enter("c"), LeagueError, "season 1 of 'Weekly' was settled at this moment", world)


def test_of_two_who_enter_a_bot_at_once_one_is_told(world: World) -> None:
    league = League.make(world)
    league.submit("a")
    said: list[str] = []

    def enter() -> None:
        try:
            league.enter("a")
            said.append("entered")
        except Conflict:
            said.append("refused")

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["entered", "refused", "refused", "refused"]


def test_the_tournament_of_a_season_takes_neither_entrants_nor_another_format(world: World) -> None:
    league = League.make(world)
    league.enter("a", "b")
    league.submit("c")
    league.go_to(0, "freezes")
    league.turn()
    [made] = league.tournaments(0)

    def enter() -> None:
        with world.database.transaction() as tx:
            tournaments.add_entrant(tx, made, league.versions["c"], by=OPERATOR, now=world.now)

    def change() -> None:
        with world.database.transaction() as tx:
            tournaments.change_format(tx, made, format_key="swiss", options={}, by=OPERATOR, now=world.now)

    refused(enter, TournamentClosed, "a division of league 1: enter the bot with 'arena league enter 1'", world)
    refused(change, TournamentClosed, "a division of league 1: its format is the league's", world)
    league.go_to(0)
    league.turn()
    refused(change, TournamentClosed, "cannot be changed: the tournament is running", world)


def test_a_league_that_has_grown_beyond_its_format_is_full(world: World) -> None:
    league = League.make(world, replace(WEEKLY, plan=replace(WEEKLY.plan, cycles=30_000)))
    league.enter(*"abcdefg")
    league.submit("h")
    refused(lambda: league.enter("h"), LeagueError, "300,000 fixtures; the limit is 250,000", world)


PLAN = WEEKLY.plan


IMPOSSIBLE: list[tuple[dict[str, Any], type[CallerFault], str]] = [
    ({"begins_at": NOON}, LeagueError, "would have begun at 2026-01-02 12:00:00 UTC"),
    ({"freeze": 2 * WEEK}, LeagueError, "must be shorter than a season"),
    ({"window": HOUR}, LeagueError, "no later than they open"),
    ({"window": 2 * WEEK}, LeagueError, "entries open at most a season"),
    ({"seasons": -1}, LeagueError, "at least one season"),
    ({"seasons": 10**6}, LeagueError, "at most 100 divisions and 100,000 seasons"),
    ({"sizes": (2,) * 100}, LeagueError, "at most 100 divisions"),
    ({"sizes": (1,)}, LeagueError, "a division of 1 has not enough bots for a table"),
    ({"sizes": (3,), "moves": 2}, LeagueError, "too small for 2 to go up and 2 down"),
    ({"sizes": (), "moves": 1}, LeagueError, "nowhere to move"),
    ({"sizes": (2000,)}, LeagueError, "at most 1,000 entrants"),
    ({"plan": replace(PLAN, game="whist")}, CallerFault, "whist"),
    ({"plan": replace(PLAN, options={"x": 1})}, BadOptions, "x"),
    ({"plan": replace(PLAN, format="cup")}, LeagueError, "there is no format 'cup'"),
    ({"plan": replace(PLAN, format_options={"ties": 1})}, LeagueError, "no option 'ties'"),
    ({"plan": replace(PLAN, table_size=3)}, BadOptions, "tables of 2, not of 3"),
    ({"plan": replace(PLAN, cycles=0)}, BadInput, "number of cycles"),
    ({"plan": replace(PLAN, limit_ms=0)}, BadInput, "time limit"),
    ({"plan": replace(PLAN, faults={"luck": 1})}, BadInput, "luck"),
    ({"plan": replace(PLAN, seed="7")}, BadInput, "their seeds cannot be given by hand"),
    ({"plan": replace(PLAN, name="")}, BadInput, "The name of the league is empty"),
    ({"plan": replace(PLAN, name="x\u202ey")}, BadInput, "U\\+202E"),
    ({"plan": replace(PLAN, name="x" * 60)}, BadInput, "at most 64"),
]


def test_a_league_that_cannot_be_had_is_refused(world: World) -> None:
    for change, kind, said in IMPOSSIBLE:
        refused(partial(League.make, world, replace(WEEKLY, **change)), kind, said, world)


def test_a_worker_may_turn_the_calendar_and_the_dashboard_read_it(world: World) -> None:
    league = League.make(world)
    league.enter("a", "b", "c", "d", "e")

    def as_worker() -> bool:
        with world.database.transaction() as tx:
            tx.execute("SET LOCAL ROLE arena_worker")
            return seasons.advance(tx, league.league_id, now=world.now)

    league.go_to(0)
    assert [as_worker() for _ in range(3)] == [True, True, False]
    league.play(0)
    assert as_worker()
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL ROLE arena_dashboard")
        assert leagues.list_all(tx)[0].league_id == league.league_id
        assert seasons.who_plays(tx, leagues.get(tx, league.league_id), before=world.now).out == []


def test_the_log_is_only_ever_added_to(world: World) -> None:
    League.make(world)
    for statement in ("UPDATE league_log SET why = 'x'", "DELETE FROM league_log"):
        with pytest.raises(psycopg.Error, match="only ever added to"), world.database.transaction() as tx:
            tx.execute(statement.encode())
