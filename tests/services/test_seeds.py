"""Anybody can check that a match was played on the deals that its tournament had committed to (`arena replay seed`)."""

import json
from pathlib import Path
from typing import Any

import pytest
from dashboard import browsing, serving
from season import Filled, filled
from typer.testing import CliRunner

from rummy.cli.replays import app

__all__ = ["filled"]  # A fixture.

run = CliRunner().invoke


@pytest.fixture(scope="module")
def answers(filled: Filled) -> dict[str, Any]:
    """What the dashboard says of a match of a finished, rated tournament."""
    with serving(filled.dashboard_url) as address, browsing(address) as client:
        number = client.get(f"/api/v1/tournaments/{filled.gin}/fixtures").json()["items"][3]["matches"][1]
        return {
            "replay": client.get(f"/api/v1/matches/{number}/replay").content,
            "match": client.get(f"/api/v1/matches/{number}").json(),
            "tournament": client.get(f"/api/v1/tournaments/{filled.gin}").json(),
            "running": client.get(f"/api/v1/tournaments/{filled.running}").json(),
        }


def check(folder: Path, answers: dict[str, Any], *more: str, **changed: Any) -> Any:
    """The command on downloaded files, of which some were changed."""
    files = {**answers, **changed}
    (folder / "replay").write_bytes(files["replay"])
    for name in ("match", "tournament"):
        (folder / name).write_text(json.dumps(files[name]))
    words = ["seed", "replay", "--match", "match", "--tournament", "tournament", *more]
    return run(app, [str(folder / word) if (folder / word).is_file() and word in files else word for word in words])


def test_the_deals_are_those_of_the_commitment(answers: dict[str, Any], tmp_path: Path) -> None:
    noted = answers["tournament"]["commitment"]
    answer = check(tmp_path, answers, "--noted", noted, "--json")
    assert answer.exit_code == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert found["seed"] == json.loads(answers["replay"].splitlines()[0])["seed"]
    assert found["commitment"] == noted and len(found["nonces"]) == 4
    assert "follows from the master seed, 4 nonces" in check(tmp_path, answers).stdout


def test_each_part_that_was_exchanged_is_noticed(answers: dict[str, Any], tmp_path: Path) -> None:
    match, tournament = answers["match"], answers["tournament"]
    entered = [{**tournament["entered"][0], "nonce": "00"}, *tournament["entered"][1:]]
    other = {
        "but from master seed": {"match": {**match, "round_no": match["round_no"] + 1}},
        "and nonces follows": {"match": {**match, "generation": match["generation"] + 1}},
        "master seed and nonces": {
            "tournament": {**tournament, "entered": [{**entered[0], "nonce": "00"}, *entered[1:]]}
        },
        "is not the commitment": {"tournament": {**tournament, "seed": "00" * 32}},
        "on record": {"match": {**match, "digest": "00" * 32}},
        "another tournament": {"match": {**match, "tournament_id": 99}},
        "once it has ended": {"tournament": answers["running"]},
        "no answers": {"tournament": {"seed": "00"}},
        "cut short": {"replay": answers["replay"][:-1]},
    }
    for words, changed in other.items():
        answer = check(tmp_path, answers, **changed)
        assert answer.exit_code == 1 and words in answer.stderr, (words, answer.stderr)
    assert "noted" in check(tmp_path, answers, "--noted", "00" * 32).stderr
