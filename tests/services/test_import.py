"""`arena export --format archive` and `arena import` between two real databases, and the pages of what was imported."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from commands import Run, answer, run
from dashboard import browsing, serving
from eventful import PAIRS, eventful
from season import as_dashboard
from world import World

__all__ = ["run"]  # A fixture, which pytest finds by its name here.


def test_a_tournament_goes_to_another_arena(
    run: Run, world: World, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, number = eventful(world, PAIRS)
    file = tmp_path / "it.jsonl.gz"
    done = answer(run, "export", str(number), "--format", "archive", "--out", str(file))
    assert done == {"file": str(file), "replays": world.value("SELECT count(*) FROM match")}
    table = answer(run, "tournament", "table", str(number))["table"]
    newest = json.loads(run("tournament", "log", str(number), "--json")[1].splitlines()[-1])
    monkeypatch.setenv("ARENA_DATABASE_URL", database_url)
    assert answer(run, "import", str(file), "--check")["newest"] == newest["digest"]
    assert answer(run, "tournament", "list") == []
    made = answer(run, "import", str(file))
    assert (made["tournament"], made["newest"], made["fixtures"]) == (1, newest["digest"], 30)
    assert answer(run, "tournament", "table", "1")["table"] == table
    assert answer(run, "tournament", "rebuild", "1")["same"] is True
    assert answer(run, "rate", "--recompute") == {"changes": 0, "recomputed": 0, "same": True}
    assert answer(run, "ratings", made["ladder"])["lines"]
    assert run("export", made["ladder"])[0] == 0
    status, _, err = run("import", str(file))
    assert (status, err) == (1, "arena: this tournament is here already: it is tournament 1\n")
    [listed] = answer(run, "tournament", "list")
    assert listed["imported"] and run("tournament", "list")[1].split()[:3] == ["1", "finished", "imported"]
    status, out, _ = run("tournament", "show", "1")
    assert status == 0 and "is finished: 30 of 30 fixtures done" in out
    assert f"Another arena has played it; its ladder is {made['ladder']}." in out
    shown = answer(run, "tournament", "show", "1")
    assert (shown["imported"], shown["ladder"]) == (True, made["ladder"])
    shows_it(database_url, made["ladder"])


def shows_it(database_url: str, ladder: str) -> None:
    """Every page, and the API, with the rights of the dashboard."""
    with serving(as_dashboard(database_url)) as address, browsing(address) as client:
        page = client.get("/tournaments/1").text
        assert "Another arena has played it" in page and f"/ladders/{ladder}" in page
        assert client.get("/api/v1/tournaments/1").json()["imported_at"] is not None
        assert "is the word of the arena that has played it" in page and "nobody can have chosen" not in page
        assert '<span class="tag">imported</span>' in client.get("/bots").text
        assert '<span class="tag">imported</span>' in client.get("/bots/1").text
        assert "of one tournament, which another arena has played" in client.get(f"/ladders/{ladder}").text
        assert client.get("/api/v1/ladders").json() == []
        match = client.get("/api/v1/tournaments/1/fixtures").json()["items"][0]["matches"][0]
        assert '<span class="tag">imported</span>' in client.get("/").text
        for path in ("/", "/bots", "/bots/1", f"/matches/{match}", "/tournaments/1/log", f"/ladders/{ladder}/luck"):
            assert client.get(path).status_code == 200, path
        assert client.get(f"/api/v1/matches/{match}/replay").status_code == 200


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import", "FOLDER/none"), "cannot be read: No such file"),
        (("import", "FOLDER"), "cannot be read: Is a directory"),
        (("import", "FOLDER/text", "--check"), "this is no archive, or it has been cut short or damaged"),
        (("export", "gin", "--format", "archive", "--out", "FOLDER/x"), "An archive has all of one tournament"),
        (("export", "1", "--format", "archive", "--what", "ratings", "--out", "FOLDER/x"), "An archive has all of one"),
        (("export", "1", "--format", "archive"), "Say where to write it"),
        (("export", "7", "--format", "archive", "--out", "FOLDER/x"), "there is no tournament 7"),
        (("export", "1", "--format", "archive", "--out", "FOLDER/x"), "'Test' is running; it can be archived once"),
    ],
)
def test_what_cannot_be_archived_or_imported_is_said(
    run: Run, world: World, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    world.tournament(2)
    (tmp_path / "text").write_text("no archive")
    status, out, err = run(*(word.replace("FOLDER", str(tmp_path)) for word in arguments))
    assert (status, out) == (1, "")
    assert said in err
    assert [each.name for each in tmp_path.iterdir()] == ["text"]


def test_what_is_read_once_only_is_checked_and_not_imported(
    run: Run, world: World, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, number = eventful(world, PAIRS)
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    assert run("export", str(number), "--format", "archive", "--out", str(file))[0] == 0
    os.mkfifo(pipe)
    monkeypatch.setenv("ARENA_DATABASE_URL", database_url)
    for arguments, ended in ((["--check"], 0), ([], 1)):
        with ThreadPoolExecutor(1) as writer:
            written = writer.submit(pipe.write_bytes, file.read_bytes())
            status, _, said = run("import", str(pipe), *arguments)
            assert (status, "can be read once only" in said) == (ended, ended == 1)
            assert isinstance(written.exception(timeout=30), BrokenPipeError | None)
