"""`arena export` on a real database."""

import json
import os
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


def test_nothing_takes_the_place_of_a_pipe_or_of_a_link(run: Run, world: World, tmp_path: Path) -> None:
    """Whoever writes to /dev/stdout has it still, and who reads a pipe gets the file."""
    made = world.tournament(2)
    world.play_all(made)
    whole = run("export", str(made))[1]
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        assert run("export", str(made), "--out", str(pipe))[0] == 0
        assert reader.read() == whole.encode()
    link.symlink_to("file")
    assert run("export", str(made), "--out", str(link))[0] == 0
    assert pipe.is_fifo() and link.is_symlink() and (tmp_path / "file").read_bytes() == whole.encode()
    (tmp_path / "loop").symlink_to("loop")
    assert "loop cannot be written" in run("export", str(made), "--out", str(tmp_path / "loop"))[2]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "link", "loop", "pipe"]
