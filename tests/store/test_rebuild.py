"""A tournament is made anew from its log alone, to the bit, whatever was done to it."""

from dataclasses import replace
from itertools import count, islice

import pytest
from world import BECAUSE, World

from rummy.errors import BadInput, Conflict, ReplayMismatch
from rummy.league.model import TournamentState
from rummy.league.pairing import find_format
from rummy.league.pairing.format import Field
from rummy.league.ratings import elo
from rummy.rules import canonical
from rummy.store import conduct, log, ratings, recorded, tournaments
from rummy.store.log import Entry
from rummy.store.rebuild import Rebuilt
from rummy.store.terms import Plan
from workers.ratings import settle


def entries(world: World, tournament_id: int) -> list[Entry]:
    with world.database.transaction() as tx:
        return list(log.entries(tx, tournament_id))


def difference(world: World, tournament_id: int) -> str | None:
    anew = Rebuilt(log.read_json([entry.as_json() for entry in entries(world, tournament_id)]))
    with world.database.transaction() as tx:
        stored, computed = ratings.log(tx), list(ratings.recompute(tx, elo.rate_round))
        assert stored == computed
        return recorded.first_difference(tx, tournament_id, anew)


def unfinished(world: World, tournament_id: int) -> list[int]:
    query = """SELECT fixture_id FROM fixture WHERE tournament_id = %(id)s AND state = 'scheduled'
                ORDER BY round_no, table_no"""
    with world.database.transaction() as tx:
        return [row[0] for row in tx.execute(query, {"id": tournament_id})]


def play(world: World, tournament_id: int, most: int = 1000) -> int:
    """Plays at most so many fixtures that are drawn, and settles."""
    due = unfinished(world, tournament_id)[:most]
    for fixture_id in due:
        claim = world.claim(fixture_id)
        assert claim is not None
        assert world.finish(claim, winner=fixture_id % 3 % 2)
    settle(world.database, clock=lambda tx: world.now)
    return len(due)


def play_to_the_end(world: World, tournament_id: int) -> None:
    for _ in range(40):
        if not play(world, tournament_id):
            break
    assert world.value("SELECT state FROM tournament WHERE tournament_id = %(id)s", id=tournament_id) == "finished"


def leave(world: World, tournament_id: int, entrant: int, how: str) -> None:
    with world.database.transaction() as tx:
        version = tournaments.entrants(tx, tournament_id)[entrant]
        act = {"withdraw": conduct.withdraw, "disqualify": conduct.disqualify}[how]
        act(tx, tournament_id, version, by=BECAUSE, now=world.now)
    settle(world.database, clock=lambda tx: world.now)


def void_newest(world: World, tournament_id: int) -> None:
    """Voids the fixture that was finished last, of those of the last round that was played that can be voided."""
    query = """SELECT fixture_id FROM fixture WHERE tournament_id = %(id)s AND state = 'done' AND absent IS NULL
                ORDER BY round_no DESC, table_no"""
    with world.database.transaction() as tx:
        done = [row[0] for row in tx.execute(query, {"id": tournament_id})]
    for fixture_id in done:
        try:
            with world.database.transaction() as tx:
                conduct.void(tx, tournament_id, fixture_id, by=BECAUSE, now=world.now)
            return
        except Conflict:
            continue
    raise AssertionError("there is nothing to void")


FORMATS = {
    "round_robin": ({"cycles": 2}, 6, 6),
    "ladder": ({"format": "ladder", "format_options": {"rounds": 12}}, 7, 8),
    "gauntlet": ({"format": "gauntlet", "cycles": 3}, 5, 3),
    "swiss": ({"format": "swiss", "format_options": {"rounds": 5}}, 7, 3),
    "knockout": ({"format": "knockout"}, 8, 3),
    "practice": ({"format": "swiss", "seed": "5", "format_options": {"rounds": 5}}, 6, 3),
}


@pytest.mark.parametrize("kind", FORMATS)
def test_a_tournament_with_every_kind_of_move_is_made_anew_to_the_bit(world: World, kind: str) -> None:
    """Withdrawal, disqualification and void in mid-tournament, in every format, before and after rounds were rated."""
    plan, bots, part = FORMATS[kind]
    made = world.tournament(bots, start=False, **plan)  # type: ignore[arg-type]
    with world.database.transaction() as tx:
        tournaments.change_format(tx, made, options={}, by=BECAUSE, now=world.now)
        late = world.bot(tx, "Leaves early")
        tournaments.add_entrant(tx, made, late, by=BECAUSE, now=world.now)
        conduct.withdraw(tx, made, tournaments.entrants(tx, made)[1], by=BECAUSE, now=world.now)
    with world.database.transaction() as tx:
        tournaments.start(tx, made, by=BECAUSE, now=world.now)
    play(world, made, part)
    void_newest(world, made)
    play(world, made, part)
    leave(world, made, 2, "withdraw")
    play(world, made, part)
    if world.value("SELECT state FROM tournament") == "running":
        leave(world, made, 1, "disqualify")
    play_to_the_end(world, made)
    moves = [entry.move for entry in entries(world, made)]
    assert {"voided", "withdrawn", "disqualified"} <= set(moves)
    assert ("corrected" in moves) == (kind != "practice")
    assert difference(world, made) is None


def test_a_tournament_that_is_not_over_is_made_anew_too(world: World) -> None:
    made = world.tournament(5, cycles=2)
    play(world, made, 7)
    leave(world, made, 4, "withdraw")
    with world.database.transaction() as tx:
        tournaments.change_state(tx, made, TournamentState.PAUSED, by=BECAUSE, now=world.now)
    assert difference(world, made) is None
    cancelled = world.tournament(3, format="knockout")
    with world.database.transaction() as tx:
        tournaments.change_state(tx, cancelled, TournamentState.CANCELLED, by=BECAUSE, now=world.now)
    assert difference(world, cancelled) is None


def test_what_follows_from_a_seed_that_is_not_revealed_is_said(world: World) -> None:
    made = world.tournament(6, format="ladder")
    with pytest.raises(ReplayMismatch, match="follow from the seed, which the log has once it is revealed"):
        Rebuilt(entries(world, made))


def test_ratings_that_were_reached_elsewhere_are_taken_as_given(world: World) -> None:
    first = world.tournament(3)
    play_to_the_end(world, first)
    with world.database.transaction() as tx:
        second = tournaments.create(tx, Plan(name="Second", game="gin"), by=BECAUSE, now=world.now)
        for version in tournaments.entrants(tx, first):
            tournaments.add_entrant(tx, second, version, by=BECAUSE, now=world.now)
        tournaments.start(tx, second, by=BECAUSE, now=world.now)
    assert difference(world, second) is None
    play(world, second, 2)
    assert difference(world, second) is None
    play_to_the_end(world, second)
    assert difference(world, second) is None
    assert difference(world, first) is None


DAMAGE = {
    "UPDATE tournament SET cycles = 2": "terms: on record ['cycles', 2], by the log ['cycles', 1]",
    "UPDATE entrant SET nonce = '\\x00' WHERE entrant_no = 1": "entrants: on record [2, '00', None, False]",
    "UPDATE fixture_seat SET seat = 1 - seat + 4 WHERE fixture_id = 2": "fixtures: on record [1, 0,",
    "UPDATE seat_result SET score = 99 WHERE match_id = 1 AND seat = 0": "matches: on record [0, 0, 0, 0,",
    "UPDATE match SET digest = sha256('')": "matches: on record [0, 0, 0, 0,",
    "UPDATE fixture_score SET score = 0.25": "scores: on record [0, 0,",
    "UPDATE rating_change SET after = after + 1e-9 WHERE change_id = 6": "rating changes: on record [2,",
    "DELETE FROM rating_change WHERE change_id = 6": "rating changes: on record nothing, by the log [2,",
}


def test_the_first_thing_that_differs_is_named(world: World) -> None:
    made = world.tournament(3)
    play_to_the_end(world, made)
    anew = Rebuilt(entries(world, made))
    for statement, said in DAMAGE.items():
        with pytest.raises(RuntimeError, match="undone"), world.database.transaction() as tx:
            tx.execute("SET CONSTRAINTS ALL DEFERRED")
            tx.execute(statement.encode())
            found = recorded.first_difference(tx, made, anew)
            assert found is not None and found.startswith(said), statement
            raise RuntimeError("undone")


def sealed(chain: list[Entry]) -> list[Entry]:
    """The entries numbered and chained anew, as somebody would do who wants to hide what was changed."""
    done: list[Entry] = []
    for number, entry in zip(count(), chain, strict=False):
        entry = replace(entry, entry_no=number)
        done.append(replace(entry, digest=entry.chained(done[-1].digest if done else b"")))
    return done


@pytest.mark.parametrize(
    ("move", "before", "after", "said"),
    [
        ("result", '"fixture":[0,0,0]', '"fixture":[9,0,0]', "result, does not follow"),
        ("result", None, None, "closed, does not follow from those before: the round is not complete"),
        ("rated", "1516.0", "1517.0", r"rated, does not follow .* comes to 1516.0, not 1517.0"),
        ("rated", "1500.0", "1501.0", "rated, does not follow"),
        ("drawn", '"tables":"', '"tables":"00', "drawn, does not follow from those before: other tables"),
        ("entered", '"entrant":0', '"entrant":5', "entered, does not follow from those before: another number"),
        ("started", None, None, "drawn, does not follow from those before: it is not being played"),
        ("revealed", '"seed":"', '"seed":"00', "the seed is not the one that was committed to"),
    ],
)
def test_a_log_that_was_forged_does_not_follow(
    world: World, move: str, before: str | None, after: str, said: str
) -> None:
    """Also where whoever forged it has sealed it anew: results, ratings and drawings have to follow from each other."""
    made = world.tournament(2, seed="1")
    with world.database.transaction() as tx:
        tx.execute("UPDATE tournament SET rated = true")
    play_to_the_end(world, made)
    chain = entries(world, made)
    at = next(number for number, entry in enumerate(chain) if entry.move == move)
    if before is None:
        del chain[at]
    else:
        assert before in chain[at].what
        chain[at] = replace(chain[at], what=chain[at].what.replace(before, after, 1))
    with pytest.raises(ReplayMismatch, match=said):
        Rebuilt(sealed(chain))


def test_a_log_without_its_beginning_is_refused(world: World) -> None:
    made = world.tournament(2)
    with pytest.raises(BadInput, match="does not begin with a tournament that is made"):
        Rebuilt(sealed(entries(world, made)[1:]))
    with pytest.raises(BadInput, match="or empty"):
        Rebuilt([])


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("drawn", "a round was drawn twice"),
        ("rated", "the round is rated already"),
        ("closed", "the round is complete already"),
        ("result", "the fixture has a result already"),
    ],
)
def test_nothing_counts_twice(world: World, move: str, said: str) -> None:
    made = world.tournament(4, format="swiss", format_options={"rounds": 2})
    play_to_the_end(world, made)
    chain = entries(world, made)
    at = next(number for number, entry in enumerate(chain) if entry.move == move)
    with pytest.raises(ReplayMismatch, match=said):
        Rebuilt(sealed([*chain[: at + 1], *chain[at:]]))


def test_a_tournament_does_not_end_before_its_last_round(world: World) -> None:
    made = world.tournament(4)
    play_to_the_end(world, made)
    chain = entries(world, made)
    drawn = next(entry for entry in chain if entry.move == "drawn")
    rounds = list(islice(find_format("round_robin").draw(Field(entrants=4), ()), 2))
    told = {**drawn.said, "rounds": 2, "fixtures": 4, "tables": tournaments.tables_digest(rounds)}
    short = [
        replace(entry, what=canonical.dumps(told).decode()) if entry is drawn else entry
        for entry in chain
        if entry.said.get("round") != 2 and entry.said.get("fixture", [0])[0] != 2
    ]
    with pytest.raises(ReplayMismatch, match=r"finished, does not follow .* there are rounds to be drawn"):
        Rebuilt(sealed(short))
