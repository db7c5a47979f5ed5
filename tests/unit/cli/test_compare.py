"""`arena compare`: questions that are decided, the order of fixtures, and what is said of a wrong request."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from rummy.cli.compare import in_order
from rummy.cli.contest import Fixture, Leg
from rummy.cli.main import app
from rummy.errors import BadInput, BadOptions, NotFound, RummyError, UnknownGame


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["compare", *arguments])


def answer(*arguments: str) -> Any:
    result = run(*arguments, "--seed", "a", "--json")
    assert result.exit_code == 0, result.exception
    return json.loads(result.stdout)


def test_greedy_is_better_than_random() -> None:
    found = answer("greedy", "random", "--game", "gin", "--elo1", "100")
    assert (found["answer"], found["matches"]) == ("better", 2 * found["fixtures"])
    assert found["log_ratio"] >= found["bounds"][1]
    assert sum(found["scores"].values()) == found["fixtures"] < 100
    assert answer("random", "greedy", "--game", "gin", "--elo1", "100")["answer"] == "not better"


def test_a_bot_is_no_better_than_itself_and_mirrored_deals_show_it_soon() -> None:
    found = answer("greedy", "greedy", "--game", "gin", "--elo1", "50")
    assert (found["answer"], found["scores"]) == ("not better", {"0.5": found["fixtures"]})
    assert found["error"] is None  # All alike: they tell none.


def test_what_is_not_decided_stays_open_and_more_of_the_same_deals_goes_on_from_there() -> None:
    few = answer("patient", "greedy", "--game", "gin", "--most", "5")
    more = answer("patient", "greedy", "--game", "gin", "--most", "9")
    assert (few["answer"], few["fixtures"], more["fixtures"]) == ("open", 5, 9)
    assert all(more["scores"].get(score, 0) >= times for score, times in few["scores"].items())


def test_over_the_wire_the_answer_is_the_same() -> None:
    arguments = ("greedy", "random", "--game", "gin", "--elo1", "200")
    wire, here = answer(*arguments, "--wire"), answer(*arguments)
    assert {**wire, "seconds": 0} == {**here, "seconds": 0}


def test_people_are_told_in_a_sentence() -> None:
    said = run("greedy", "random", "--game", "gin", "--elo1", "100", "--seed", "a").output
    assert "greedy is better than random: by 100 Elo points rather than 0." in said
    assert "--seed a" in said


def leg(number: int, leg: int) -> Leg:
    return Leg(Fixture(number, (0, 1), b""), leg, (1, 2), (10, 0), "target", 9, (0, 0), b"")


def test_fixtures_count_in_the_order_of_the_schedule_and_whole() -> None:
    ended = [leg(3, 0), leg(3, 1), leg(1, 1), leg(2, 0), leg(1, 0), leg(2, 1), leg(4, 0)]
    assert [[(each.fixture.number, each.leg) for each in legs] for legs in in_order(ended)] == [
        [(1, 1), (1, 0)],
        [(2, 0), (2, 1)],
        [(3, 0), (3, 1)],
    ]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["greedy", "random", "--game", "whist"], UnknownGame),
        (["greedy", "nobody", "--game", "gin"], NotFound),
        (["greedy", "random", "--game", "gin", "--elo0", "20"], BadInput),
        (["greedy", "random", "--game", "gin", "--alpha", "0.5"], BadInput),
        (["greedy", "random", "--game", "gin", "--most", "0"], BadInput),
        (["greedy", "random", "--game", "contract"], BadOptions),
    ],
)
def test_a_wrong_request(arguments: list[str], error: type[RummyError]) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, error)
