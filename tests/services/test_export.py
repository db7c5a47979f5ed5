"""`arena export` on a real database."""

import json
from pathlib import Path

import pytest
from commands import Run, answer, run
from world import World

from workers.ratings import settle

__all__ = ["run"]  # A fixture, which pytest finds by its name here.


def test_export_writes_to_a_file_or_to_standard_output(run: Run, world: World, tmp_path: Path) -> None:
    made, out = world.tournament(2), tmp_path / "results.csv"
    world.play_all(made)
    settle(world.database, clock=lambda tx: world.now)
    assert answer(run, "export", str(made), "--out", str(out)) == {"file": str(out), "lines": 4}
    status, text, _ = run("export", "gin")
    assert status == 0 and text.encode() == out.read_bytes()
    assert len(text.splitlines()) == 5
    status, text, _ = run("export", "gin", "--what", "ratings", "--format", "jsonl")
    assert {json.loads(line)["after"] for line in text.splitlines()} == {1516.0, 1484.0}
    assert [each.name for each in tmp_path.iterdir()] == [out.name]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("export", "7"), "there is no tournament 7"),
        (("export", "gin"), "Nothing is rated in the ladder gin:"),
        (("export", "gin", "--json"), "Say where to write it: --out FILE."),
        (("export", "gin", "--format", "parquet"), "Say where to write it: --out FILE."),
        (("export", "chess"), "chess"),
        (("export", "MADE", "--what", "ratings", "--format", "pgn", "--out", "FOLDER/x.pgn"), "PGN holds results only"),
        (("export", "MADE", "--out", "FOLDER/missing/x.csv"), "x.csv cannot be written: No such file"),
        (("export", "MADE", "--out", "FOLDER"), "cannot be written: Is a directory"),
    ],
)
def test_what_cannot_be_exported_is_said(
    run: Run, world: World, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    made = world.tournament(2)
    words = [word.replace("MADE", str(made)).replace("FOLDER", str(tmp_path)) for word in arguments]
    status, out, err = run(*words)
    assert (status, out) == (1, "")
    assert said in err
    assert list(tmp_path.iterdir()) == []
