"""The benchmark of pages: which addresses there are, and what its rows say."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import FastAPI, Response

from bench.filled import Filled
from bench.pages import Answer, _row, addresses, ask

THERE = Filled(large=8, duel=7, ladder="gin:0", league=1, bot=1, match=5, running=3)


def app(*, strange: bool = False) -> FastAPI:
    made = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)

    @made.get("/bots/{bot_id}")
    def bot(bot_id: int, q: str = "") -> Response:
        return Response(f"{bot_id} {q}")

    @made.get("/tournaments/{tournament_id}")
    def tournament(tournament_id: int, after: str = "") -> None: ...

    if strange:

        @made.get("/new")
        def new(strange: int) -> None: ...

    return made


def test_every_route_is_asked_with_every_parameter() -> None:
    asked = dict(addresses(app(), THERE))
    assert asked["/bots/{bot_id}?q=bot 3"] == "/bots/1?q=bot%203"
    assert asked["/tournaments/{tournament_id}"] == "/tournaments/8"
    assert asked["/tournaments/{tournament_id}?after=100.0"] == "/tournaments/8?after=100.0"
    assert len(asked) == 5
    answer = asyncio.run(ask(app(), asked["/bots/{bot_id}?q=bot 3"]))
    assert (answer.status, answer.size) == (200, len("1 bot 3"))


def test_a_parameter_that_nobody_has_thought_of_is_no_gap() -> None:
    with pytest.raises(KeyError, match="strange"):
        dict(addresses(app(strange=True), THERE))


@pytest.mark.parametrize(("slow", "holds"), [(0.045, True), (0.055, True), (0.06, False)])
def test_an_address_is_judged_by_the_worse_of_warm_and_after_a_write(slow: float, holds: bool) -> None:
    quick, after = (Answer(200, 1000, 1.0, seconds) for seconds in (0.01, slow - 0.005))
    row = _row("/bots", [quick] * 3, 0.005, [after] * 3, 7)
    assert (row["value"], row["holds"]) == (pytest.approx(1000 * slow), holds)
    assert "7 rows" in row["against"]
