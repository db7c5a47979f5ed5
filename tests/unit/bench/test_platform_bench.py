"""How the benchmark of the platform judges what it has measured."""

import pytest

from bench.platform import _limit


@pytest.mark.parametrize(("value", "holds"), [(0.0, True), (100.0, True), (200.0, False)])
def test_a_limit_holds_for_what_is_below_it_and_for_nothing(value: float, holds: bool) -> None:
    assert _limit("bytes of memory", value, 100.0)["holds"] is holds
