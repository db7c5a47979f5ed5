"""What the entries of a tournament's log can say: the keys of each move, and what their values can be.

Whoever makes a tournament anew from a log of elsewhere has no other word for it. What is not exactly as an arena writes
it is refused, so that a log has nothing that its reader does not see, and nothing that a terminal would obey.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rummy.errors import BadInput
from rummy.names import check_name, check_version
from rummy.rules import canonical

Kind = Callable[[Any], bool]

MOST_RATING = 100_000.0
"""No rating is farther from 0."""
_MOST_TERMS = 4096  # Bytes of the options of a game, and the like.
_WORD = re.compile("[a-z0-9_:]{1,80}")
_CAUSE = re.compile("[a-z][a-z _-]{0,63}")
_HEX = re.compile("([0-9a-f]{2})*")


def _keys(**kinds: Kind) -> Kind:
    return lambda value: (
        isinstance(value, dict)
        and value.keys() == kinds.keys()
        and all(kind(value[name]) for name, kind in kinds.items())
    )


def _many(kind: Kind) -> Kind:
    return lambda value: isinstance(value, list) and all(map(kind, value))


def _row(*kinds: Kind) -> Kind:
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(kinds)
        and all(kind(each) for kind, each in zip(kinds, value, strict=True))
    )


def _text(pattern: re.Pattern[str]) -> Kind:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 31


def _score(value: Any) -> bool:
    return type(value) is int and abs(value) < 1 << 31


def is_version(value: Any) -> bool:
    """Whether it can be the number of a version of a bot."""
    return type(value) is int and 0 < value < 1 << 63


def is_rating(value: Any) -> bool:
    """Whether it can be a rating."""
    return type(value) is float and abs(value) <= MOST_RATING


def _seconds(value: Any) -> bool:
    return type(value) is float and abs(value) < 1e10


def _flag(value: Any) -> bool:
    return type(value) is bool


def _cause(value: Any) -> bool:
    return value is None or _text(_CAUSE)(value)


def _terms(value: Any) -> bool:
    return isinstance(value, dict) and len(canonical.dumps(value)) <= _MOST_TERMS


def _name(value: Any) -> bool:
    return isinstance(value, str) and check_name(value) == value


def _title(value: Any) -> bool:
    """Of a version of a bot: its name and its version."""
    if not isinstance(value, str):
        return False
    name, _, version = value.rpartition(" ")
    return _name(name) and check_version(version) == version


def _withdrawn(value: Any) -> bool:
    """Before the start there is less to say."""
    meanwhile = _keys(entrant=_whole, played=_whole, planned=_whole, annulled=_flag)
    return meanwhile(value) or _keys(entrant=_whole)(value)


_FIXTURE = _row(_whole, _whole, _whole)
_LEG = _keys(
    reason=_text(_CAUSE), deals=_whole, actions=_whole, replay=_text(_HEX),
    seats=_many(_row(_whole, _whole, _score, _cause, _whole)),
)  # fmt: skip
_CAN_SAY: dict[str, Kind] = {
    "created": _keys(
        name=_name, game=_text(_WORD), options=_terms, ladder=_text(_WORD), format=_text(_WORD), table_size=_whole,
        cycles=_whole, format_options=_terms, limit_ms=_whole, bank_ms=_whole, increment_ms=_whole, faults=_terms,
        deadlines=_terms, commitment=_text(_HEX), rated=_flag, state=_text(_WORD),
    ),
    "changed": _keys(format=_text(_WORD), cycles=_whole, format_options=_terms),
    "entered": _keys(entrant=_whole, version=is_version, name=_title, hosted=_flag, nonce=_text(_HEX)),
    "started": _keys(ranking=_many(_whole), planned=_whole, all=_flag),
    "drawn": _keys(first=_whole, rounds=_whole, fixtures=_whole, tables=_text(_HEX)),
    "result": _keys(fixture=_FIXTURE, legs=_many(_LEG)),
    "unplayed": _keys(fixture=_FIXTURE, absent=_many(_whole)),
    "voided": _keys(fixture=_FIXTURE),
    "closed": _keys(round=_whole),
    "rated": _keys(round=_whole, changes=_many(_row(is_version, is_rating, is_rating, _whole))),
    "corrected": _keys(rounds=_many(_whole)),
    "withdrawn": _withdrawn,
    "disqualified": _keys(entrant=_whole, annulled=_flag),
    "extended": _keys(seconds=_seconds),
    "revealed": _keys(seed=_text(_HEX)),
    **dict.fromkeys(("opened", "paused", "resumed", "cancelled", "finished"), _keys()),
}  # fmt: skip


def check(move: str, said: object) -> None:
    """Raises `BadInput` for a move that there is not, and for what no entry of that move says."""
    if move not in _CAN_SAY:
        raise BadInput("it is a move that nobody knows")
    if not _CAN_SAY[move](said):
        raise BadInput("it is not what such an entry says")
