"""JSON with one spelling."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

import pytest

from rummy.rules import canonical


def test_it_is_sorted_dense_ascii() -> None:
    assert canonical.dumps({"b": [1, None, True], "a": "Ž\n"}) == b'{"a":"\\u017d\\n","b":[1,null,true]}'
    assert canonical.loads(b'{"a":"\\ud83c\\udca1"}') == {"a": "🂡"}
    assert canonical.dumps("🂡") == b'"\\ud83c\\udca1"'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", ["\udfff"]])
def test_what_is_no_json_is_not_written(value: object) -> None:
    with pytest.raises(ValueError):
        canonical.dumps(value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"NaN", "NaN is no number"),
        (b"-Infinity", "is no number"),
        (b'{"a":1,"a":2}', "twice"),
        (b'{"b":{"a":1,"a":1}}', "twice"),
        (b"[" * 50000, "too deeply"),
        (b'{"a":' * 33, "too deeply"),
        (b'"[{", ' + b"[" * 33, "too deeply"),
        (b'"' + b'\\"' * 50000 + b"[" * 33, "no JSON"),
        ("Ž".encode(), "not ASCII"),
        (b'"\xff"', "not ASCII"),
        (b"1 2", "no JSON"),
        (b"9" * 5000, "digits"),
    ],
)
def test_what_is_read_is_strict(data: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        canonical.loads(data)


def test_brackets_are_counted_by_depth_and_not_in_texts() -> None:
    assert canonical.loads(b"[" * 32 + b"]" * 32)
    assert len(canonical.loads(b"[" + b",".join([b"[{}]"] * 1000) + b"]")) == 1000
    assert canonical.loads(b'["' + b'[\\"{' * 100 + b'"]') == ['["{' * 100]


def test_finalizers_have_room_whenever_the_collector_runs_in_the_reader() -> None:
    """P29: with the stack used up, what gRPC had to let go of was kept, and the log filled with unreadable errors."""
    room = [sys.getrecursionlimit()]

    def frames_left(used: int = 0) -> int:
        try:
            return frames_left(used + 1)
        except RecursionError:
            return used

    def look(_phase: str, _info: object) -> None:
        room.append(frames_left())

    threshold = gc.get_threshold()
    gc.callbacks.append(look)
    gc.set_threshold(1)
    try:
        for data in (b"[" * 2000, b"[" * 32 + b"]" * 32):
            with suppress(ValueError):
                canonical.loads(data)
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(look)
    assert min(room) > sys.getrecursionlimit() / 2


def nested(depth: int, beside: int) -> bytes:
    """Lists within each other, so many deep, beside others that are short."""
    return b"[" + b"[{}]," * beside + b"[" * (depth - 1) + b"]" * (depth - 1) + b"]"


@pytest.mark.parametrize("beside", [0, 1, 40])
def test_lists_may_be_32_deep_whatever_lies_beside(beside: int) -> None:
    assert len(canonical.loads(nested(canonical.MAX_DEPTH, beside))) == beside + 1
    with pytest.raises(ValueError, match="too deeply"):
        canonical.loads(nested(canonical.MAX_DEPTH + 1, beside))
