"""JSON with one spelling."""

from __future__ import annotations

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
        ("Ž".encode(), "not ASCII"),
        (b'"\xff"', "not ASCII"),
        (b"1 2", "no JSON"),
        (b"9" * 5000, "digits"),
    ],
)
def test_what_is_read_is_strict(data: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        canonical.loads(data)
