"""Windows, freezes and beginnings of seasons."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rummy.errors import LeagueError
from rummy.league.calendar import Calendar

MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
WEEKLY = Calendar(
    created_at=MONDAY - 20 * DAY, begins_at=MONDAY, every=7 * DAY, window=2 * DAY, freeze=6 * HOUR, seasons=3
)  # fmt: skip


def test_the_times_of_a_weekly_league() -> None:
    WEEKLY.check()
    assert [WEEKLY.begins(number) for number in (0, 1)] == [MONDAY, MONDAY + 7 * DAY]
    assert [WEEKLY.opens(number) for number in (0, 1)] == [WEEKLY.created_at, MONDAY + 5 * DAY]
    assert [WEEKLY.freezes(number) for number in (0, 1)] == [MONDAY - 6 * HOUR, MONDAY + 7 * DAY - 6 * HOUR]


@pytest.mark.parametrize(("hours", "season"), [(-480, 0), (-6.01, 0), (120, 1), (161.9, 1), (288, 2), (329.9, 2)])
def test_one_may_enter_inside_the_window_of_a_season(hours: float, season: int) -> None:
    assert WEEKLY.open_for(MONDAY + hours * HOUR) == season


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        (-6, "season 1 was settled at 2026-03-02 12:00:00 UTC; for season 2 that is from 2026-03-07 18:00:00 UTC to "
             "2026-03-09 12:00:00 UTC"),
        (119.9, "for season 2 that is from 2026-03-07"),
        (162, "season 2 was settled at 2026-03-09 12:00:00 UTC; for season 3"),
        (330, "the last season, number 3, is settled"),
        (9999, "the last season, number 3, is settled"),
    ],
)  # fmt: skip
def test_outside_it_is_said_when_the_next_one_is(hours: float, said: str) -> None:
    with pytest.raises(LeagueError, match=said):
        WEEKLY.open_for(MONDAY + hours * HOUR)


@given(seconds=st.integers(-2_000_000, 20_000_000), endless=st.booleans())
def test_the_season_to_be_frozen_next_is_the_first_whose_freeze_is_to_come(seconds: int, endless: bool) -> None:
    calendar = replace(WEEKLY, seasons=0 if endless else 3)
    now = MONDAY + timedelta(seconds=seconds)
    expected = next(number for number in range(50) if calendar.freezes(number) > now)
    assert calendar.next_to_freeze(now) == (expected if endless or expected < 3 else None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"every": timedelta(seconds=9)}, "from 0:00:10 to"),
        ({"every": 4000 * DAY}, "from 0:00:10 to 3660 days"),
        ({"freeze": -HOUR}, "must be shorter than a season"),
        ({"freeze": 7 * DAY}, "must be shorter than a season"),
        ({"window": 6 * HOUR}, "no later than they open"),
        ({"window": 8 * DAY}, "entries open at most a season"),
        ({"created_at": MONDAY - 6 * HOUR}, "would have been settled at 2026-03-02 12:00:00 UTC"),
        ({"begins_at": datetime(1, 1, 1, tzinfo=UTC)}, "would have begun at"),
        ({"seasons": -1}, "not -1"),
        ({"begins_at": MONDAY + 3650 * DAY}, "at most 3660 days from now, not on 2036-02-28"),
    ],
)
def test_times_that_contradict_each_other_are_refused(change: dict[str, timedelta], said: str) -> None:
    with pytest.raises(LeagueError, match=said):
        replace(WEEKLY, **change).check()  # type: ignore[arg-type]
