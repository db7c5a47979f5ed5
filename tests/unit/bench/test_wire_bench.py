"""The benchmark of the wire: what its rows say of what was measured."""

from __future__ import annotations

import os
from array import array
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import stage, wire
from bench.bare import Transport, bouncing
from bench.stage import Arena, Stretch


@pytest.mark.parametrize(("ratio", "goal", "holds"), [(0.9, 1.0, True), (0.89, 1.0, False), (0.1, None, True)])
def test_a_goal_holds_at_nine_tenths_and_none_always(ratio: float, goal: float | None, holds: bool) -> None:
    assert wire._judged(ratio, goal) == {"ratio": ratio, "goal": goal, "holds": holds}


def test_overheads_are_medians_of_percentiles_and_slower_is_less() -> None:
    slow, fast = ([factor * step * 1e-6 for step in range(101)] for factor in (2, 1))
    measured = [(wire.Side(1, 1, slow), wire.Side(1, 1, fast))]
    row = wire._overhead_row(measured, 50, 1 / wire.MOST_OVERHEAD, "bare")
    assert (row["value"], row["against"][-3:], row["ratio"], row["holds"]) == (100, " 50", 0.5, False)
    assert wire._overhead_row(measured, 99, None, "bare")["value"] == 198


def test_a_rate_is_beside_the_peers_and_tells_the_processor_time() -> None:
    measured = [(wire.Side(rate, 40e-6, []), wire.Side(100.0, 10e-6, [])) for rate in (60.0, 70.0, 10.0)]
    row = wire._rate_row(64, "bare", measured, wire.GOALS[64])
    assert (row["value"], row["ratio"], row["goal"], row["holds"]) == (60, 0.6, 0.65, True)
    assert row["against"] == "bare; 40 and 10.0 us of processor each: 100"


@pytest.mark.parametrize(("matches", "rows"), [(1, 3), (8, 1)])
def test_goals_are_set_against_one_of_the_peers(matches: int, rows: int) -> None:
    sides = (wire.Side(100.0, 40e-6, [1e-3, 2e-3]), wire.Side(200.0, 10e-6, [1e-3, 2e-3]))
    judged, told = (wire._rows_beside(matches, "bare, unread", [sides], judged=each) for each in (True, False))
    assert [len(judged), len(told)] == [rows, rows]
    assert judged[0]["goal"] == wire.GOALS[matches]
    assert {row["goal"] for row in told} == {None}


def test_two_arbiters_count_by_the_processor_that_each_has_had() -> None:
    one, half_fed = Stretch(100, 1.0, 0.5, []), Stretch(50, 1.0, 0.25, [])
    assert wire._by_processor([one, half_fed]) == 400
    assert one.rate == 100


def test_pauses_are_between_the_messages_of_both_bots_as_far_as_both_are_known(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("1", "2")]
    for folder, moments in zip(folders, ([1.0, 5.0, 6.0, 8.0], [5.5, 7.0]), strict=True):
        folder.mkdir()
        (folder / "moments").write_bytes(array("d", moments).tobytes() + b"half")
    arena = Arena(SimpleNamespace(credential="", processes={}), None, folders)  # type: ignore[arg-type]
    assert arena._pauses(2.0) == [0.5, 0.5, 1.0]
    assert arena._pauses(7.5) == []


def test_processor_time_is_that_of_the_process() -> None:
    before = stage.processor([os.getpid()])
    while stage.processor([os.getpid()]) == before:
        pass
    assert before < stage.processor([os.getpid()]) <= sum(os.times()[:2]) + 0.02


def test_without_batches_the_bytes_of_a_decision_are_the_same() -> None:
    load = wire.Load(4.0, 1000.0, 42.0)
    assert load.one_by_one() == (1.0, 250.0, 10.5)
    assert str(load) == "unread messages of 4.0 decisions, 1000 and 42 bytes"
    assert [peer.judged for peer in wire.PEERS if peer.batches] == [True, False]
    assert [peer.judged for peer in wire.PEERS if not peer.batches] == [False]


@pytest.mark.parametrize("transport", [peer.transport for peer in wire.PEERS[:2]])
async def test_the_peer_bounces_what_it_is_told_to(tmp_path: Path, transport: Transport) -> None:
    async with bouncing(200, 20, 1, f"unix:{tmp_path}/bare.sock", transport) as bouncer:
        for _ in range(2):
            bounced = await bouncer.bounce(0.1)
            assert bounced.messages == len(bounced.pauses) > 0
            assert sum(bounced.pauses) <= bounced.seconds
    assert len(bouncer.pids) == 3
