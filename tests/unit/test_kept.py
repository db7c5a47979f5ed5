"""Costly values: computed once for all who ask, and nobody waits long."""

import threading

import pytest

from api.kept import PATIENCE, SHORT_SECONDS, Kept


def test_a_value_is_computed_once_for_its_mark() -> None:
    kept: Kept[int] = Kept()
    calls: list[int] = []

    def compute() -> int:
        calls.append(1)
        return len(calls)

    assert [kept.get("key", mark, compute, wait=None).value for mark in (1, 1, 2, 2)] == [1, 1, 2, 2]


def test_who_does_not_want_to_wait_gets_the_old_value() -> None:
    kept: Kept[str] = Kept()
    may_end = threading.Event()

    def slow() -> str:
        may_end.wait(20)
        return "new"

    assert kept.get("key", 1, lambda: "old", wait=None) == ("old", False)
    assert kept.get("key", 2, slow, wait=0) == ("old", True)
    assert kept.get("other", 1, slow, wait=0) == (None, True)
    may_end.set()
    assert kept.get("key", 2, slow, wait=None) == ("new", False)


def test_nobody_waits_for_what_took_long_before() -> None:
    moments = iter([0.0, 2 * SHORT_SECONDS])
    kept: Kept[str] = Kept(clock=lambda: next(moments, 1.0))
    may_end = threading.Event()

    def slow() -> str:
        may_end.wait(20)
        return "new"

    assert kept.get("key", 1, lambda: "old", wait=20) == ("old", False)
    assert kept.get("key", 2, slow, wait=20) == ("old", True)
    may_end.set()
    assert kept.get("key", 2, slow, wait=None) == ("new", False)


def test_a_value_that_took_long_is_kept_for_longer() -> None:
    moments = iter([0.0, 10.0])
    now = 10.0
    kept: Kept[str] = Kept(clock=lambda: next(moments, now))
    assert kept.get("key", 1, lambda: "old", wait=None) == ("old", False)
    assert kept.get("key", 2, lambda: "new", wait=None) == ("old", True)
    now += 10.0 * PATIENCE
    assert kept.get("key", 2, lambda: "new", wait=None) == ("new", False)


def test_a_failure_is_told_and_not_kept() -> None:
    kept: Kept[str] = Kept()

    def fails() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        kept.get("key", 1, fails, wait=None)
    assert kept.get("key", 1, lambda: "well", wait=None).value == "well"


def test_only_the_newest_are_kept() -> None:
    kept: Kept[str] = Kept(size=1)
    kept.get("one", 1, lambda: "first", wait=None)
    kept.get("two", 1, lambda: "second", wait=None)
    assert kept.get("one", 1, lambda: "again", wait=None).value == "again"
