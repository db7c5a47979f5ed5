"""Exports: every line and column, hostile names, what programs that rate chess players read, few lines in memory."""

import csv
import io
import json
import re
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import chess.pgn
import pytest
from world import World

from rummy.cli import parquet
from rummy.errors import BadInput
from rummy.store import exports, log, tournaments
from rummy.store.exports import RATINGS, RESULTS, Row, Table
from rummy.store.terms import Plan
from workers.ratings import settle

HOSTILE = ("=1+1", "+49", "-2", "@SUM(A1)", 'a "quoted", \\ name', "שלום", "a;b", "＝1", "'=1", "<b>")


def played(world: World, *names: str, game: str = "gin", **plan: object) -> int:
    """A tournament that is over, of bots with these names."""
    with world.database.transaction() as tx:
        terms = Plan(name="Test", game=game, **plan)  # type: ignore[arg-type]
        made = tournaments.create(tx, terms, by=log.OPERATOR, now=world.now)
        for name in names:
            tournaments.add_entrant(tx, made, world.bot(tx, name, games=(game,)), by=log.OPERATOR, now=world.now)
        tournaments.start(tx, made, by=log.OPERATOR, now=world.now)
    world.play_all(made)
    settle(world.database, clock=lambda tx: world.now)
    return made


def lines(world: World, table: Table, **of: object) -> list[Row]:
    with world.database.transaction() as tx:
        tx.execute("SET LOCAL ROLE arena_dashboard")
        return list(exports.rows(tx, table, **of))  # type: ignore[arg-type]


def text(table: Table, found: list[Row], form: str) -> str:
    return "".join(exports.TEXTS[form](table, iter(found)))


def test_a_line_for_each_seat_of_each_leg_that_is_done(world: World) -> None:
    made = played(world, "Ace", "Two")
    found = [dict(zip(RESULTS.columns, line, strict=True)) for line in lines(world, RESULTS, tournament_id=made)]
    short = [(line["leg"], line["seat"], line["bot"], line["placement"], line["fixture_score"]) for line in found]
    winner = ("Ace", "Two")[world.all_fixtures(made)[0] % 2]
    assert sorted(short) == sorted(
        (leg, (seat + leg) % 2, bot, place, 1.0 if bot == winner else 0.0)
        for leg in (0, 1)
        for seat, bot in enumerate(("Ace", "Two"))
        for place in [1 if bot == winner else 2]
    )
    assert {(line["owner"], line["version"], line["deals"], line["actions"]) for line in found} == {("Ann", "1", 3, 99)}


def test_what_is_not_done_is_left_out_and_a_ladder_has_its_rated_rounds(world: World) -> None:
    first, second = played(world, "Ace", "Two"), world.tournament(2)
    assert lines(world, RESULTS, tournament_id=second) == []
    practice = played(world, "Ten", "Six", seed="1")
    with world.database.transaction() as tx:
        ladder = tournaments.get(tx, first).ladder
    assert lines(world, RESULTS, ladder=ladder) == lines(world, RESULTS, tournament_id=first)
    assert lines(world, RATINGS, ladder=ladder) == lines(world, RATINGS, tournament_id=first)
    assert len(lines(world, RESULTS, tournament_id=practice)) == 4
    assert lines(world, RATINGS, tournament_id=practice) == []


def test_numbers_of_csv_and_json_are_read_as_the_same_bits(world: World) -> None:
    made = played(world, "Ace", "Two", "Ten", cycles=3)
    stored = [line[7:9] for line in lines(world, RATINGS, tournament_id=made)]
    assert len(stored) == 18
    as_csv = list(csv.DictReader(io.StringIO(text(RATINGS, lines(world, RATINGS, tournament_id=made), "csv"))))
    assert [(float(line["before"]), float(line["after"])) for line in as_csv] == stored
    as_json = text(RATINGS, lines(world, RATINGS, tournament_id=made), "jsonl").splitlines()
    assert [(line["before"], line["after"]) for line in map(json.loads, as_json)] == stored


def test_names_stay_names_whatever_reads_them(world: World) -> None:
    """No cell begins as a formula does; quotes and commas stay within their field."""
    found = lines(world, RESULTS, tournament_id=played(world, *HOSTILE))
    cells = list(csv.DictReader(io.StringIO(text(RESULTS, found, "csv"))))
    assert {cell["bot"].removeprefix("'") for cell in cells} == {name.removeprefix("'") for name in HOSTILE}
    numbers = {name for name, kind in RESULTS.columns.items() if kind is not str}
    assert not [
        value
        for cell in cells
        for name, value in cell.items()
        if name not in numbers and value[:1] in "=+-@＝" and value
    ]
    as_json = text(RESULTS, found, "jsonl")
    assert as_json.isascii()
    assert {json.loads(line)["bot"] for line in as_json.splitlines()} == set(HOSTILE)


def test_text_of_csv_is_exact() -> None:
    found: list[Row] = [
        ("gin:1", 7, 0, 3, "An\rn", 'Say "hi", or\nnot', "\t1", 1500.1, -0.5, 1, "round"),
        ("gin:1", 7, 0, 3, "@", "-1", "1", 1500.0, 1e-7, 1, None),
    ]
    assert text(RATINGS, found, "csv") == (
        "ladder,tournament,round,version_id,owner,bot,version,before,after,fixtures,reason\r\n"
        'gin:1,7,0,3,"An\rn","Say ""hi"", or\nnot",\'\t1,1500.1,-0.5,1,round\r\n'
        "gin:1,7,0,3,'@,'-1,1,1500.0,1e-07,1,\r\n"
    )


def test_pgn_has_a_game_for_each_leg_with_white_in_the_first_seat(world: World) -> None:
    made = played(world, 'a "b" \\', "Two")
    with world.database.transaction() as tx:
        tx.execute("UPDATE seat_result SET placement = 1 WHERE match_id = (SELECT min(match_id) FROM match)")
    found = lines(world, RESULTS, tournament_id=made)
    games = text(RESULTS, found, "pgn").split("\n\n")[:-1]
    ladder, hostile = found[0][0], f"\"Ann/a 'b' / 1 #{found[0][8]}\""
    first = [f'Event "{ladder}, tournament {made}"', 'Site "?"', 'Date "????.??.??"', 'Round "1.1.1"']
    first += [f"White {hostile}", f'Black "Ann/Two 1 #{found[1][8]}"', 'Result "1/2-1/2"']
    assert games[0].splitlines() == [f"[{tag}]" for tag in first]
    assert games[1] == "1/2-1/2"
    assert games[2].splitlines()[5] == f"[Black {hostile}]"
    won = "1-0" if found[2][12] == 1 else "0-1"
    assert games[3] == won
    assert f'[Result "{won}"]' in games[2]


def as_ordo(pgn: str) -> list[tuple[str, str, str]]:
    """White, Black and result of each game as Ordo takes them: by line, up to the first quote with a bracket."""
    found: list[dict[str, str]] = [{}]
    for line in pgn.splitlines():
        for tag in ("White", "Black", "Result"):
            if (at := line.find(f'[{tag} "')) >= 0:
                found[-1][tag] = line[at + len(tag) + 3 : line.index('"]')]
        if len(found[-1]) == 3:
            found.append({})
    return [(game["White"], game["Black"], game["Result"]) for game in found[:-1]]


def as_bayeselo(pgn: str) -> list[tuple[str, str, str]]:
    """The same as BayesElo takes them: tokens, where a string may be of 1023 bytes and a game ends by its result."""
    token = r'"((?:[^"\\]|\\.)*)"|(1-0|0-1|1/2-1/2|\*)|\[|\]|([A-Za-z][A-Za-z0-9_=:+#-]*)|\s+'
    found, tags, name, at = [], dict[str, str](), "", 0
    while at < len(pgn):
        match = re.compile(token).match(pgn, at)
        assert match is not None, f"an unexpected character: {pgn[at : at + 20]!r}"
        at = match.end()
        if match[1] is not None:
            assert len(match[1].encode()) < 1024
            tags[name] = match[1]
        elif match[2]:
            assert match[2] == tags["Result"]
            found.append((tags["White"], tags["Black"], match[2]))
        else:
            name = match[3] or name
    return found


def as_python_chess(pgn: str) -> list[tuple[str, str, str]]:
    """The same as python-chess takes them, which reads what chess players exchange."""
    found, source = [], io.StringIO(pgn)
    while (game := chess.pgn.read_game(source)) is not None:
        assert game.errors == []
        assert list(game.headers) == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
        found.append((game.headers["White"], game.headers["Black"], game.headers["Result"]))
    return found


ALIKE = (*HOSTILE, 'x"]y', 'x"]z', '[Black "', "back\\", "back/", "1-0", "{", "}", "; %")


def test_programs_that_rate_chess_players_read_every_game_and_keep_bots_apart(world: World) -> None:
    """Fault P34: no name ends another tag, and no two bots come to have one name."""
    made = played(world, *ALIKE)
    found = lines(world, RESULTS, tournament_id=made)
    pgn = text(RESULTS, found, "pgn")
    read = as_python_chess(pgn)
    assert read == as_ordo(pgn) == as_bayeselo(pgn)
    assert len(read) == len(found) // 2
    players = {name for white, black, _ in read for name in (white, black)}
    assert len(players) == len(ALIKE)
    by_name: Counter[str] = Counter()
    for white, black, result in read:
        by_name[white] += 2 * (result == "1-0") + (result == "1/2-1/2")
        by_name[black] += 2 * (result == "0-1") + (result == "1/2-1/2")
    wins = Counter(f"#{line[8]}" for line in found if line[12] == 1)
    assert {name.rpartition(" ")[2]: points // 2 for name, points in by_name.items() if points} == wins


def test_pgn_refuses_what_it_cannot_hold(world: World) -> None:
    found = lines(world, RESULTS, tournament_id=played(world, "Ace", "Two", "Ten", game="basic", table_size=3))
    with pytest.raises(BadInput, match="played by 3 seats, and PGN holds games of two"):
        text(RESULTS, found, "pgn")
    with pytest.raises(BadInput, match="results only"):
        text(RATINGS, [], "pgn")


MANY = 60_000


def many() -> Iterator[Row]:
    line = ("gin:1", 7, 0, 3, "Ann", "A bot of which there are many", "1", 1500.0, 1516.0, 1, "round")
    return islice(((*line[:2], number, *line[3:]) for number in count()), MANY)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_few_lines_are_in_memory(form: str) -> None:
    tracemalloc.start()
    size = sum(len(part) for part in exports.TEXTS[form](RATINGS, many()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 60 * MANY
    assert peak < 1 << 18


def test_parquet_holds_the_same_values_and_types(world: World, tmp_path: Path) -> None:
    parquet_files = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
    made = played(world, *HOSTILE[:3])
    for table in (RESULTS, RATINGS):
        found, out = lines(world, table, tournament_id=made), tmp_path / "out.parquet"
        assert parquet.write(table, iter(found), out) == len(found)
        read = parquet_files.read_table(out)
        assert [tuple(line.values()) for line in read.to_pylist()] == found
        kinds = {str: "string", int: "int64", float: "double"}
        assert [(each.name, str(each.type)) for each in read.schema] == [
            (n, kinds[k]) for n, k in table.columns.items()
        ]
    assert parquet.write(RATINGS, many(), out) == MANY
    assert parquet_files.ParquetFile(out).num_row_groups == MANY // parquet.GROUP


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BadInput, match=r"extra 'parquet': ARENA_EXTRAS=parquet"):
        parquet.write(RATINGS, iter([]), tmp_path / "out")
