"""A tournament goes into an archive and comes out of it in another arena, to the bit; what is not whole is refused."""

import gzip
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from eventful import PAIRS, STYLES, THREES, begun, eventful
from hypothesis import given, settings
from hypothesis import strategies as st
from season import NOON, Season
from world import BECAUSE, World

from rummy.errors import BadInput, Conflict, ReplayMismatch, RummyError
from rummy.league.model import TournamentState
from rummy.league.ratings import elo
from rummy.rules import canonical
from rummy.store import (
    archive,
    bots,
    drawing,
    exports,
    imported,
    imports,
    log,
    matches,
    owners,
    rating_pages,
    ratings,
    recorded,
    tournaments,
)
from rummy.store.archive import Reader
from rummy.store.db import Database
from rummy.store.exports import RATINGS, RESULTS, Table
from rummy.store.rebuild import Rebuilt
from rummy.store.terms import Plan
from workers.ratings import settle


@pytest.fixture
def elsewhere(database_url: str) -> Iterator[Database]:
    """Another arena, in which nothing is."""
    with Database(database_url, size=2) as database:
        yield database


def written(database: Database, number: int) -> bytes:
    file = io.BytesIO()
    with database.transaction() as tx:
        archive.write(tx, number, file)
    return file.getvalue()


def taken(database: Database, content: bytes) -> int:
    checked = imports.check(Reader(io.BytesIO(content)))
    with database.transaction() as tx:
        return imported.save(tx, checked, Reader(io.BytesIO(content)), now=NOON)


def lines(database: Database, table: Table, number: int) -> list[dict[str, object]]:
    """What is exported, but for numbers, and for what tells that a tournament was imported."""
    ids = ("tournament", "fixture", "match", "version_id")
    with database.transaction() as tx:
        found = [dict(zip(table.columns, row, strict=True)) for row in exports.rows(tx, table, tournament_id=number)]
    told = [{name: value for name, value in line.items() if name not in ids} for line in found]
    return [{**line, **{name: str(line[name]).partition("@")[0] for name in ("ladder", "owner")}} for line in told]


@pytest.mark.parametrize("plan", [PAIRS, THREES, {**PAIRS, "seed": "7"}], ids=["pairs", "threes", "practice"])
@pytest.mark.parametrize("disqualify", [False, True])
def test_what_was_played_here_is_there_to_the_bit(
    world: World, elsewhere: Database, plan: Mapping[str, object], disqualify: bool
) -> None:
    """Ties, forfeits, a void match, withdrawals, fixtures that nobody played, mirrored legs and single ones."""
    _, number = eventful(world, plan, disqualify=disqualify)
    content = written(world.database, number)
    there = taken(elsewhere, content)
    for table in (RESULTS, RATINGS):
        assert lines(elsewhere, table, there) == lines(world.database, table, number)
    with world.database.transaction() as here, elsewhere.transaction() as tx:
        assert drawing.table(tx, there)() == drawing.table(here, number)()
        entries = list(log.entries(tx, there))
        assert entries == list(log.entries(here, number))
        assert {entry.move for entry in entries} >= {"voided", "withdrawn", "unplayed", "revealed"}
        assert any(entry.move == "corrected" for entry in entries) == (disqualify and "seed" not in plan)
        assert recorded.first_difference(tx, there, Rebuilt(entries)) is None
        replays = [matches.replay(tx, match_id) for match_id in matches.ids(tx, there)]
        assert replays == [matches.replay(here, match_id) for match_id in matches.ids(here, number)]
        assert tournaments.revealed(tx, there) == tournaments.revealed(here, number)
    assert written(elsewhere, there) == content


def test_a_cancelled_tournament_and_a_swiss_one_are_taken_too(world: World, elsewhere: Database) -> None:
    season, number = begun(world, PAIRS)
    season.play(number, most=7)
    with world.database.transaction() as tx:
        tournaments.change_state(tx, number, TournamentState.CANCELLED, by=BECAUSE, now=season.now)
        again = tournaments.entrants(tx, number)
    settle(world.database, clock=lambda tx: season.now)
    swiss = season.tournament(again, **{**PAIRS, "format": "swiss", "cycles": 1, "format_options": {"rounds": 3}})
    for _ in range(4):
        season.play(swiss)
    settle(world.database, clock=lambda tx: season.now)
    for one in (number, swiss):
        content = written(world.database, one)
        there = taken(elsewhere, content)
        assert written(elsewhere, there) == content
        with world.database.transaction() as here, elsewhere.transaction() as tx:
            assert drawing.table(tx, there)() == drawing.table(here, one)()


def test_it_moves_no_rating_here_and_its_bots_are_nobody_here(world: World, elsewhere: Database) -> None:
    """Fault P34: the same owner and bots are here already, on the same ladder; they stay what they are."""
    local = Season(elsewhere, NOON)
    mine = local.bots([f"bot {number}" for number in range(len(STYLES))], "Bea")
    local.play(local.tournament(mine[:3], **{**PAIRS, "cycles": 1}))
    with elsewhere.transaction() as tx:
        before = ratings.log(tx), rating_pages.ladders(tx, top=10), owners.find(tx, "Bea")
    _, number = eventful(world, PAIRS)
    there = taken(elsewhere, written(world.database, number))
    settle(elsewhere, clock=lambda tx: local.now)
    with elsewhere.transaction() as tx:
        assert (ratings.log(tx), rating_pages.ladders(tx, top=10), owners.find(tx, "Bea")) == before
        assert list(ratings.recompute(tx, elo.rate_round)) == before[0]
        came = tournaments.entrants(tx, there)
        assert not set(came) & set(mine)
        ladder = tournaments.get(tx, there).ladder
        assert {row.version_id for row in rating_pages.ladder(tx, ladder, top=10)} <= set(came)
        assert ladder.startswith(f"{before[0][0].ladder}@")
        theirs = bots.get(tx, came[0])
        assert theirs.owner == f"Bea@{ladder.rpartition('@')[2]}" and theirs.state == "retired"
        assert bots.find(tx, "bot 0").version_id == mine[0]
        for version in (None, came[0]):
            with pytest.raises(Conflict, match="no token for it here"):
                owners.new_token(tx, theirs.owner_id, now=NOON, version_id=version)
    with elsewhere.transaction() as tx:
        new = tournaments.create(tx, Plan(name="New", game="gin"), by=BECAUSE, now=NOON)
        with pytest.raises(BadInput, match="has been retired"):
            tournaments.add_entrant(tx, new, came[0], by=BECAUSE, now=NOON)


def count(database: Database) -> list[object]:
    """How many rows there are of what an import makes."""
    tables = ("tournament", "owner", "bot_version", "fixture", "match", "rating_change", "tournament_log")
    with database.transaction() as tx:
        return [tx.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() for table in tables]


def test_twice_is_refused_and_so_is_what_somebody_has_the_name_of(world: World, elsewhere: Database) -> None:
    _, number = eventful(world, PAIRS)
    content = written(world.database, number)
    with pytest.raises(Conflict, match=f"is here already: it is tournament {number}"):
        taken(world.database, content)
    mark = imports.check(Reader(io.BytesIO(content))).mark
    with elsewhere.transaction() as tx:
        owners.create(tx, f"Bea@{mark}", now=NOON)
    before = count(elsewhere)
    with pytest.raises(Conflict, match=f"an owner 'Bea@{mark}' here already"):
        taken(elsewhere, content)
    assert count(elsewhere) == before
    with elsewhere.transaction() as tx:
        tx.execute("DELETE FROM owner")
    there = taken(elsewhere, content)
    before = count(elsewhere)
    with pytest.raises(Conflict, match=f"is here already: it is tournament {there}"):
        taken(elsewhere, content)
    assert count(elsewhere) == before


def test_of_two_accounts_of_a_tournament_the_second_is_told_that_they_differ(world: World, elsewhere: Database) -> None:
    """Once its seed is revealed anybody can write another log from the first entry on."""
    season, number = begun(world, SMALL)
    season.play(number)
    settle(world.database, clock=lambda tx: season.now)
    content = written(world.database, number)
    there = taken(elsewhere, content)
    *body, _ = gzip.decompress(content).splitlines(keepends=True)
    last = sum(line.startswith(b'{"at"') for line in body) - 1
    other = forged(body, last, lambda entry: replace(entry, why="Because."))
    newest = imports.check(Reader(io.BytesIO(content))).newest
    with pytest.raises(
        Conflict, match=f"is tournament {there}, but its log goes on otherwise there: .* digest {newest}"
    ):
        taken(elsewhere, other)


def test_of_two_who_import_it_at_once_the_second_is_told(world: World, elsewhere: Database) -> None:
    season, number = begun(world, SMALL)
    season.play(number)
    settle(world.database, clock=lambda tx: season.now)
    content = written(world.database, number)
    checked = imports.check(Reader(io.BytesIO(content)))
    with ThreadPoolExecutor(1) as other:
        with elsewhere.transaction() as tx:
            first = imported.save(tx, checked, Reader(io.BytesIO(content)), now=NOON)
            second = other.submit(taken, elsewhere, content)
            while tx.execute(WAITS).fetchone() is None:
                assert not second.done()
        with pytest.raises(Conflict, match=f"is here already: it is tournament {first}$"):
            second.result(timeout=30)


WAITS = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


def test_a_file_that_changes_while_it_is_read_leaves_nothing(world: World, elsewhere: Database) -> None:
    _, number = eventful(world, PAIRS)
    content = written(world.database, number)
    checked = imports.check(Reader(io.BytesIO(content)))
    before = count(elsewhere)
    other = gzip.decompress(content).replace(b'"us":120', b'"us":121')
    sealed = packed(other.splitlines(keepends=True)[:-1])
    with pytest.raises(ReplayMismatch, match="was changed while it was read"), elsewhere.transaction() as tx:
        imported.save(tx, checked, Reader(io.BytesIO(sealed)), now=NOON)
    assert count(elsewhere) == before


def test_what_is_not_over_is_not_archived(world: World) -> None:
    season, number = begun(world, PAIRS)
    season.play(number)
    with pytest.raises(Conflict, match="can be archived once it is over"):
        written(world.database, number)  # Its seed is not revealed yet.
    settle(world.database, clock=lambda tx: season.now)
    assert written(world.database, number)
    with world.database.transaction() as tx:
        tx.execute("UPDATE fixture_score SET score = 0.25")
    with pytest.raises(ReplayMismatch, match="is not what its log comes to: scores"):
        written(world.database, number)


# ---- archives that are not whole, or not honest

SMALL = {**PAIRS, "cycles": 1}


def packed(body: list[bytes]) -> bytes:
    """An archive of these lines, sealed anew."""
    text = b"".join(body)
    return gzip.compress(text + canonical.dumps({"digest": hashlib.sha256(text).hexdigest()}) + b"\n", mtime=0)


Damage = Callable[[list[bytes], int, int], list[bytes]]


def flipped(body: list[bytes], at: int, other: int) -> list[bytes]:
    line = bytearray(body[at])
    line[other % len(line)] ^= 1 << (other % 7)
    return [*body[:at], bytes(line), *body[at + 1 :]]


DAMAGES: dict[str, Damage] = {
    "a byte changed": flipped,
    "a line left out": lambda body, at, other: body[:at] + body[at + 1 :],
    "a line doubled": lambda body, at, other: body[: at + 1] + body[at:],
    "a line moved": lambda body, at, other: [*body[:at], *body[at + 1 :][: other % len(body)], body[at],
                                             *body[at + 1 :][other % len(body) :]],
    "a line of elsewhere": lambda body, at, other: [*body[:at], body[other % len(body)], *body[at + 1 :]],
    "the end cut off": lambda body, at, other: body[:at],
}  # fmt: skip


def test_an_archive_that_was_changed_anywhere_is_refused_in_a_sentence(world: World) -> None:
    """Also where whoever has changed it has sealed it anew: only the words about who a bot is could be others."""
    season, number = begun(world, SMALL)
    season.play(number)
    settle(world.database, clock=lambda tx: season.now)
    content = written(world.database, number)
    *body, seal = gzip.decompress(content).splitlines(keepends=True)
    whole = imports.check(Reader(io.BytesIO(content)))

    @settings(max_examples=150, deadline=None)
    @given(st.sampled_from(sorted(DAMAGES)), st.integers(0, len(body) - 1), st.integers(0, 1 << 16), st.booleans())
    def damaged(kind: str, at: int, other: int, resealed: bool) -> None:
        changed = DAMAGES[kind](body, at, other)
        if changed == body:
            return
        hostile = packed(changed) if resealed else gzip.compress(b"".join([*changed, seal]), mtime=0)
        try:
            found = imports.check(Reader(io.BytesIO(hostile)))
        except RummyError as error:
            assert str(error)
        else:
            assert resealed and changed[1:] == body[1:]
            for mine, theirs in zip(found.bots, whole.bots, strict=True):
                assert {name for name in mine if mine[name] != theirs[name]} <= {"owner", "language", "package"}

    @settings(max_examples=60, deadline=None)
    @given(st.integers(0, len(content) - 1), st.integers(0, 255), st.booleans())
    def container(at: int, value: int, cut: bool) -> None:
        hostile = content[:at] if cut else content[:at] + bytes([value]) + content[at + 1 :]
        try:
            found = imports.check(Reader(io.BytesIO(hostile)))
        except RummyError as error:
            assert str(error)
        else:
            assert found.digest == whole.digest and not cut

    damaged()
    container()


def forged(body: list[bytes], number: int, change: Callable[[log.Entry], log.Entry]) -> bytes:
    """An archive with one entry of its log changed, and all that follows chained and sealed anew."""
    logged = [at for at, line in enumerate(body) if line.startswith(b'{"at"')]
    chain: list[log.Entry] = []
    for at, entry in enumerate(log.read_json([json.loads(body[each]) for each in logged])):
        changed = change(entry) if at == number else entry
        chain.append(replace(changed, digest=changed.chained(chain[-1].digest if chain else b"")))
    new = [canonical.dumps(entry.as_json()) + b"\n" for entry in chain]
    return packed([body[0], *new, *body[logged[-1] + 1 :]])


FORGED = {
    "rated": ("created", '"rated":true', '"rated":false', "other rounds are rated"),
    "terms": ("created", '"limit_ms":1000', '"limit_ms":0', "time limit in milliseconds must be"),
    "ladder": ("created", '"ladder":"gin:', '"ladder":"gin:0', "its terms are not as they are written here"),
    "name": ("created", '"name":"Season"', '"name":" "', "begins or ends with a space"),
    "nonce": ("entered", '"nonce":"', '"nonce":"00', "was played with another seed|other tables were to be drawn"),
    "hosted": ("entered", '"hosted":true', '"hosted":false', "has not entered"),
    "planned": ("started", '"planned":', '"planned":1', "another number of fixtures was to be planned"),
    "deals": ("result", '"deals":', '"deals":1', "comes to another result than the log has"),
    "replay": ("result", '"replay":"', '"replay":"00', "comes to another result than the log has"),
}


def test_a_log_that_was_forged_and_chained_anew_does_not_pass(world: World) -> None:
    season, number = begun(world, SMALL)
    season.play(number)
    settle(world.database, clock=lambda tx: season.now)
    *body, _ = gzip.decompress(written(world.database, number)).splitlines(keepends=True)
    moves = [json.loads(line)["move"] for line in body if line.startswith(b'{"at"')]

    def refused(at: int, change: Callable[[log.Entry], log.Entry], said: str) -> None:
        with pytest.raises(RummyError, match=said):
            imports.check(Reader(io.BytesIO(forged(body, at, change))))

    for move, before, after, said in FORGED.values():
        at = moves.index(move)
        refused(at, lambda entry, b=before, a=after: replace(entry, what=entry.what.replace(b, a, 1)), said)  # type: ignore[misc]
    at = moves.index("closed")
    refused(at, lambda entry: replace(entry, who="owner \u202e"), "format character")
    refused(at, lambda entry: replace(entry, who="root"), "by nobody who could be")
    refused(at, lambda entry: replace(entry, why="\u202e"), "format character")
    at = moves.index("finished")
    refused(at, lambda entry: replace(entry, move="sold"), "a move that nobody knows")
    refused(at, lambda entry: replace(entry, move="extended", what="{}"), "it is not what such an entry says")


def test_what_is_yet_to_come_is_refused(world: World, elsewhere: Database) -> None:
    season, number = begun(world, SMALL)
    season.play(number)
    settle(world.database, clock=lambda tx: season.now)
    *body, _ = gzip.decompress(written(world.database, number)).splitlines(keepends=True)
    last = sum(line.startswith(b'{"at"') for line in body) - 1
    hostile = forged(body, last, lambda entry: replace(entry, at=entry.at.replace(year=9999)))
    before = count(elsewhere)
    with pytest.raises(BadInput, match="is of 9999-01-02, which is yet to come"):
        taken(elsewhere, hostile)
    assert count(elsewhere) == before


def test_what_is_added_is_refused_too(world: World) -> None:
    season, number = begun(world, SMALL)
    season.play(number)
    settle(world.database, clock=lambda tx: season.now)
    *body, _ = gzip.decompress(written(world.database, number)).splitlines(keepends=True)
    head, entry, replay = body[0], body[1], next(line for line in body if line.startswith(b'{"lines"'))
    for line, said in (
        (head, "no archive of the format"),
        (entry, "not written as it should"),
        (replay, "whose it is"),
    ):
        more = canonical.dumps({**json.loads(line), "more": 1}) + b"\n"
        with pytest.raises(BadInput, match=said):
            imports.check(Reader(io.BytesIO(packed([more if each == line else each for each in body]))))
    for at in ("0001-01-01T00:00:00.000000+14:00", "9999-12-31T23:59:59.000000-14:00", "2026-01-02T12:00:00.000000"):
        zone = canonical.dumps({**json.loads(entry), "at": at}) + b"\n"
        with pytest.raises(BadInput, match="no log of a tournament"):
            Reader(io.BytesIO(packed([head, zone, *body[2:]])))
    spelled = canonical.dumps({**json.loads(entry), "at": json.loads(entry)["at"].replace(".000000", "")}) + b"\n"
    with pytest.raises(BadInput, match="entry 0 of the archive's log is not written as it should be"):
        Reader(io.BytesIO(packed([head, spelled, *body[2:]])))


@pytest.mark.parametrize("content", [b"", b"no", gzip.compress(b""), gzip.compress(b"{}\n"), gzip.compress(b"[" * 99)])
def test_what_is_no_archive_is_said(content: bytes) -> None:
    with pytest.raises(BadInput, match=r"no archive|cut short"):
        Reader(io.BytesIO(content))


def test_a_bomb_does_not_fill_the_memory() -> None:
    bomb = gzip.compress(b"[" * (64 << 20), compresslevel=9)
    assert len(bomb) < 1 << 17
    with pytest.raises(BadInput, match="a line of more than"):
        Reader(io.BytesIO(bomb))


def test_a_log_without_end_does_not_fill_the_memory_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_LOG", 1 << 16)
    head = canonical.dumps({"format": archive.FORMAT, "version": archive.VERSION, "bots": []}) + b"\n"
    entry = log.Entry(entry_no=0, at=NOON, who="", move="", why="", what="{}", digest=b"").as_json()
    with pytest.raises(BadInput, match="the log of an archive has at most 65,536 bytes"):
        Reader(io.BytesIO(gzip.compress(head + (canonical.dumps(entry) + b"\n") * 10_000)))
