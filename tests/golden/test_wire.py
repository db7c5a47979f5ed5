"""What has once been given out as version 1 of the protocol is read today as it was then."""

from __future__ import annotations

import json
from typing import Any

import pytest
from golden_wire import FILE, enums, fields, messages, methods, read, values
from google.protobuf.message_factory import GetMessageClass

KNOWN = json.loads(FILE.read_text())
MORE = "python tests/golden/golden_wire.py adds what is new; what is gone or has changed is another protocol."


def test_every_call_is_as_it_was() -> None:
    assert methods() == KNOWN["methods"], MORE


@pytest.mark.parametrize("name", sorted(KNOWN["fields"]))
def test_every_field_has_its_number_and_type(name: str) -> None:
    assert fields(messages()[name]) == KNOWN["fields"][name], MORE


def test_no_message_and_no_value_is_unknown() -> None:
    assert sorted(messages()) == sorted(KNOWN["fields"]), MORE
    assert {enum.full_name: values(enum) for enum in enums()} == KNOWN["values"], MORE


@pytest.mark.parametrize(
    ("name", "sample"),
    [(name, sample) for name, samples in sorted(KNOWN["messages"].items()) for sample in samples],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_message_of_then_says_today_what_it_said(name: str, sample: dict[str, Any]) -> None:
    message = GetMessageClass(messages()[name]).FromString(bytes.fromhex(sample["bytes"]))
    assert read(message) == sample["says"]


def test_a_message_of_tomorrow_is_read_without_what_is_new() -> None:
    """Fields that nobody knows yet are no fault, on either side."""
    unknown = b"\xfa\x3e\x03new"  # Field 1007.
    for name, descriptor in messages().items():
        sample = KNOWN["messages"][name][0]
        message = GetMessageClass(descriptor).FromString(bytes.fromhex(sample["bytes"]) + unknown)
        assert read(message) == sample["says"]
