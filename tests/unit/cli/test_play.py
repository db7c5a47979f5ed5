"""`arena play`: contests of the sample bots, and what is said of a wrong request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rummy.cli import contest
from rummy.cli.main import app
from rummy.errors import BadInput, BadOptions, BotCrashed, BotIllegalAction, NotEnoughEntrants, NotFound, UnknownGame
from rummy.manifest import read_manifest
from rummy.rules.game import seats_of
from rummy.rules.games import GAMES, find_game
from rummy.rules.replay import verify


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["play", *arguments, "--json"])


def table(*arguments: str) -> dict[str, dict[str, float]]:
    result = run(*arguments)
    assert result.exit_code == 0, result.exception
    return {line["bot"]: line for line in json.loads(result.stdout)["table"]}


@pytest.mark.parametrize("game", ["basic", "gin", "indian13"])
def test_greedy_beats_random(game: str) -> None:
    lines = table(game, "greedy", "random", "--matches", "100", "--seed", "a")
    assert lines["greedy"]["score"] > 0.95
    assert lines["greedy"]["wins"] + lines["greedy"]["draws"] + lines["greedy"]["losses"] == 100


def test_greedy_beats_random_at_club() -> None:
    # Four deals leave much to luck: docs/reference/sample-bots.md has the figure of a longer contest.
    lines = table("club", "greedy", "random", "--matches", "40", "--seed", "a")
    assert lines["greedy"]["score"] > 0.85
    assert lines["greedy"]["strikes"] == lines["random"]["strikes"] == 0


def games_of(bot: str) -> tuple[str, ...]:
    """The games that the manifest of a sample bot names."""
    return read_manifest((contest.SAMPLES / bot / "bot.toml").read_bytes()).games


@pytest.mark.parametrize("game", GAMES)
def test_every_sample_bot_plays_what_its_manifest_names(game: str) -> None:
    bots = [name for name in ("random", "greedy", "patient", "drawer") if game in games_of(name)]
    assert bots[:2] == ["random", "greedy"], f"name {game} in the bot.toml of both, once they play it"
    seats, _ = seats_of(find_game(game))
    bots += ["greedy"] * (seats - len(bots))
    lines = table(game, *bots, "--matches", "4", "--seats", str(seats), "--seed", "b")
    assert {line["strikes"] for line in lines.values()} == {0}
    assert sum(line["score"] for line in lines.values()) == pytest.approx(len(bots) / 2)


@pytest.mark.parametrize("game", ["gin", "one_oh_one"])
def test_montecarlo_answers_the_same_again(game: str) -> None:
    arguments = (game, "montecarlo", "greedy", "--matches", "2", "--seed", "f")
    assert table(*arguments) == table(*arguments)


def test_the_same_bot_twice_is_even() -> None:
    lines = table("one_oh_one", "greedy", "greedy", "greedy", "--matches", "9", "--seed", "c")
    assert set(lines) == {"greedy", "greedy (2)", "greedy (3)"}
    assert [line["score"] for line in lines.values()] == [pytest.approx(0.5)] * 3


def test_the_same_seed_gives_the_same_replays_and_they_verify(tmp_path: Path) -> None:
    for name in ("one", "two"):
        arguments = ("one_oh_one", "greedy", "random", "--matches", "4", "--seed", "d", "--out", str(tmp_path / name))
        table(*arguments)
    one, two = (sorted((tmp_path / name).iterdir()) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    assert [path.name for path in one] == ["1-0.jsonl", "1-1.jsonl", "2-0.jsonl", "2-1.jsonl"]
    seeds = [verify(path.read_bytes()).header["seed"] for path in one]
    assert seeds[0] == seeds[1] != seeds[2]


def test_options_reach_the_game() -> None:
    result = run("gin", "greedy", "random", "--matches", "2", "--options", '{"knock_limit": 0}')
    assert json.loads(result.stdout)["options"] == {"knock_limit": 0}


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (("chess", "greedy", "random"), UnknownGame, "gin"),
        (("gin", "greedy", "nobody"), NotFound, "drawer, greedy, montecarlo, patient, random"),
        (("gin", "greedy"), NotEnoughEntrants, "needs 2 bots"),
        (("gin", "greedy", "random", "--seats", "3"), BadOptions, "2 to 2 seats"),
        (("gin", "greedy", "random", "--matches", "0"), BadInput, "not 0"),
        (("gin", "greedy", "random", "--options", "{"), BadOptions, "JSON object"),
        (("gin", "greedy", "random", "--options", "[]"), BadOptions, "JSON object"),
        (("gin", "greedy", "random", "--options", '{"wild": 1}'), BadOptions, "no option 'wild'"),
    ],
)
def test_a_wrong_request_is_refused(arguments: tuple[str, ...], error: type[Exception], says: str) -> None:
    result = run(*arguments)
    assert type(result.exception) is error
    assert says in str(result.exception)


def bot(folder: Path, body: str) -> str:
    folder.mkdir()
    lines = ['name = "own"', 'version = "1"', 'games = ["gin"]', 'language = "python"', 'entry = "bot.py"']
    (folder / "bot.toml").write_text("\n".join(lines))
    (folder / "bot.py").write_text(body)
    return str(folder)


@pytest.mark.parametrize(
    ("body", "error", "says"),
    [
        ("def choose(decision): return 1 / 0", BotCrashed, "own has failed at deal 1, ply"),
        ("def choose(decision): return None", BotIllegalAction, "own chose None"),
        ("1 / 0", BotCrashed, "cannot be loaded"),
        ("pass", BadInput, "no function `choose`"),
    ],
)
def test_a_bot_at_fault_is_told(tmp_path: Path, body: str, error: type[Exception], says: str) -> None:
    result = run("gin", bot(tmp_path / "own", body), "random")
    assert type(result.exception) is error
    assert says in str(result.exception)


def test_modules_of_a_bot_share_nothing(tmp_path: Path) -> None:
    body = "seen = []\ndef choose(decision):\n    seen.append(decision.match)\n    assert len(set(seen)) == 1\n"
    path = bot(tmp_path / "own", body + "    return decision.fallback\n")
    result = run("gin", path, path, "--matches", "2")
    assert result.exit_code == 0, result.exception


def test_a_fixture_mirrors_its_seats_on_one_seed() -> None:
    fixtures = contest.fixtures(3, 2, 4, "x")
    assert [fixture.entrants for fixture in fixtures] == [(0, 1), (0, 2), (1, 2)] * 2
    assert len({fixture.seed for fixture in fixtures}) == 6
    assert [fixtures[1].seated(leg) for leg in (0, 1)] == [[0, 2], [2, 0]]
    assert contest.seats_for(find_game("one_oh_one"), 9, None) == 6


@pytest.mark.realtime
def test_the_wire_plays_what_this_process_plays() -> None:
    arguments = ("gin", "greedy", "drawer", "--matches", "4", "--seed", "e")
    here, there = table(*arguments), table(*arguments, "--wire")
    assert here == there


@pytest.mark.realtime
def test_the_wire_tells_what_a_bot_says_only_where_something_is_wrong(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    main = "\nif __name__ == '__main__':\n    sdk.run(choose)\n"
    head = "from sample_bots import sdk\nfrom rummy.rules.actions import Knock\n"
    wrong = bot(tmp_path / "wrong", head + "def choose(decision):\n    return Knock(0)\n" + main)
    struck = run("gin", wrong, "greedy", "--matches", "2", "--wire")
    assert "own, process 1, has said:" in struck.stderr and "an answer was rejected" in struck.stderr
    assert "greedy" not in struck.stderr
    fine = run("gin", "drawer", "greedy", "--matches", "2", "--wire")
    assert fine.exit_code == 0 and "connected" not in fine.stderr
    dies = bot(tmp_path / "dies", head + "def choose(decision):\n    raise SystemExit('my last words')\n" + main)
    died = run("gin", dies, "greedy", "--matches", "2", "--wire")
    assert isinstance(died.exception, BotCrashed) and "my last words" in died.stderr
    assert "connected" not in capfd.readouterr().err  # Nor past this process.
