"""JSON with one spelling: sorted keys, no spaces, ASCII; and a strict reader."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

MAX_DEPTH = 32
"""Lists and objects within each other. Where a parser used up the stack, the collector might run at its bottom, and
whatever it finds there could not be finalized: gRPC's calls, for one, would stay for ever."""
_TEXT = re.compile(r'"(?:[^"\\]+|\\.)*"?', re.DOTALL)  # Also one that does not end.
_BRACKET = re.compile(r"[][{}]")

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode


def dumps(value: object) -> bytes:
    """*value* in its one spelling. Raises ValueError for NaN, infinities and text that is no text."""
    text = _encode(value)
    if "\\ud" in text:
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # Raises: half a surrogate pair is no text.
    return text.encode("ascii")


def loads(data: bytes) -> Any:
    """The value of *data*: no NaN, no key twice, no deep nesting, ASCII only. Raises ValueError with what is wrong."""
    try:
        text = data.decode("ascii")
        _check_depth(text)
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise ValueError("it holds a byte that is not ASCII") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON ({error.msg} at character {error.pos + 1})") from None


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for bracket in _BRACKET.findall(_TEXT.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_DEPTH:
            raise ValueError("it is nested too deeply")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands in it twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
