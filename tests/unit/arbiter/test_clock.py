"""What is charged to whom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.clock import BEAT, STILL, LaneClock, Purse, SteadyTime, Terms


class Monotonic:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = 50.0

    def __call__(self) -> float:
        return self.time


def test_steady_time_follows_the_clock_while_the_loop_beats() -> None:
    clock = Monotonic()
    now = SteadyTime(clock)
    begun = now()
    for late in [0.0, 0.001, 0.0029] * 100:
        clock.time += BEAT + late
        now.beat()
    assert now() - begun == pytest.approx(300 * BEAT + 0.39)
    assert now.lost == 0.0


@pytest.mark.parametrize("stall", [STILL, 0.03, 0.3, 3600.0])
def test_a_stall_of_the_arbiter_is_nobodys_time(stall: float) -> None:
    """P17: whoever reads the clock before the loop is on time again, and however often, the stall is not in it."""
    clock = Monotonic()
    now = SteadyTime(clock)
    begun = now()
    for _ in range(10):
        clock.time += stall / 10
        assert now() - begun <= STILL + 1e-9
    now.beat()
    assert now() - begun == pytest.approx(STILL)
    assert now.lost == pytest.approx(stall - STILL)
    clock.time += 0.005
    assert now() - begun == pytest.approx(STILL + 0.005)


def test_a_loop_that_is_always_behind_ages_nothing_by_what_waits_in_it() -> None:
    """Each turn of the loop takes 50 ms, and an answer that came at its beginning is looked at after 40."""
    clock = Monotonic()
    now = SteadyTime(clock)
    for _ in range(20):
        now.beat()
        sent = now()
        clock.time += 0.04
        assert now() - sent <= STILL + 1e-9
        clock.time += 0.01


def test_time_never_runs_backwards() -> None:
    clock = Monotonic()
    now = SteadyTime(clock)
    readings = []
    for number, step in enumerate((0.01, 5.0, 0.0, 0.002, STILL, 7.0, 0.003) * 3):
        clock.time += step
        readings.append(now())
        if number % 2:
            now.beat()
            readings.append(now())
    assert readings == sorted(readings)


def test_the_bank_pays_what_passes_the_limit_and_no_more() -> None:
    purse = Purse(Terms(limit_ms=1000, bank_ms=500))
    assert purse.charge(1.0) and purse.bank == 0.5
    assert purse.charge(1.25) and purse.bank == pytest.approx(0.25)
    assert purse.charge(1.25) and purse.bank == pytest.approx(0.0)
    assert purse.charge(0.9)
    assert not purse.charge(1.01) and purse.bank == 0.0


def test_an_answer_in_time_adds_the_increment_and_a_late_one_does_not() -> None:
    purse = Purse(Terms(1000, 500, 100))
    assert purse.charge(0.2) and purse.bank == pytest.approx(0.6)
    assert purse.charge(1.5) and purse.bank == pytest.approx(0.2)
    assert not purse.charge(1.3) and purse.bank == 0.0
    assert purse.charge(1.0) and purse.bank == pytest.approx(0.1)


def test_a_lane_alone_with_one_decision_is_charged_all_of_its_time() -> None:
    lane = LaneClock()
    lane.sent(10.0)
    assert lane.answered(10.4, [0.4]) == pytest.approx([0.4])
    lane.sent(20.0)
    assert lane.answered(20.1, [0.1]) == pytest.approx([0.1])


def test_the_decisions_of_one_message_share_its_time() -> None:
    lane = LaneClock()
    lane.sent(0.0, 4)
    assert lane.answered(2.0, [2.0] * 4) == pytest.approx([0.5] * 4)


def test_busy_time_is_charged_once() -> None:
    lane = LaneClock()
    lane.sent(0.0, 3)
    assert sum(lane.answered(0.3, [0.3]) + lane.answered(0.9, [0.9, 0.9])) == pytest.approx(0.9)


def test_waiting_behind_others_costs_nothing_while_they_are_answered() -> None:
    lane = LaneClock()
    lane.sent(0.0, 2)
    lane.answered(5.0, [5.0])
    assert lane.answered(5.1, [5.1]) == pytest.approx([0.1])


def test_nobody_pays_for_the_time_before_the_question() -> None:
    lane = LaneClock()
    lane.sent(0.0)
    lane.sent(5.0)  # While the first is thought about.
    assert lane.answered(5.1, [0.1]) == pytest.approx([0.1])
    assert lane.answered(5.2, [5.2]) == pytest.approx([5.1])  # And a quick answer elsewhere does not make it cheaper.


def test_in_one_message_the_older_question_pays_for_the_time_before_the_newer() -> None:
    lane = LaneClock()
    lane.sent(0.0)
    lane.sent(5.0)
    assert lane.answered(5.1, [5.1, 0.1]) == pytest.approx([5.0, 0.1])


@given(st.lists(st.tuples(st.floats(0, 10), st.integers(1, 5), st.integers(1, 5)), max_size=30))
def test_a_lane_is_never_charged_more_than_the_time_that_has_passed(steps: list[tuple[float, int, int]]) -> None:
    lane, now, charged = LaneClock(), 0.0, 0.0
    sent: list[float] = []
    for wait, asked, answered in steps:
        lane.sent(now, asked)
        sent += [now] * asked
        now += wait
        done = [now - sent.pop(0) for _ in range(min(answered, len(sent)))]
        charges = lane.answered(now, done)
        assert all(charge <= wall + 1e-9 for charge, wall in zip(charges, done, strict=True))
        charged += sum(charges)
        assert lane.outstanding == len(sent)
    assert charged <= now + 1e-6


def test_the_wall_allows_for_what_was_outstanding() -> None:
    lane, purse = LaneClock(), Purse(Terms(limit_ms=1000, bank_ms=500))
    lane.sent(0.0)
    assert lane.wall(purse) == pytest.approx(1.5)
    lane.sent(0.0, 3)
    assert lane.wall(purse) == pytest.approx(4.5)
    lane.answered(0.1, [0.1] * 3)
    assert lane.wall(purse) == pytest.approx(4.5)
    lane.dropped()
    lane.sent(9.0)
    assert lane.wall(purse) == pytest.approx(1.5)
