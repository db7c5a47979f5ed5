"""What an option may be, and how a refusal names what it was given."""

from __future__ import annotations

import pytest

from rummy.errors import BadOptions
from rummy.rules.options import flag, one_of, shown, whole


@pytest.mark.parametrize("value", [3, 5, 9])
def test_a_whole_number_within_its_bounds(value: int) -> None:
    whole("n", value, 3, 9)


@pytest.mark.parametrize("value", [2, 10, True, 5.0, "5", None])
def test_no_other_number(value: object) -> None:
    with pytest.raises(BadOptions) as refusal:
        whole("n", value, 3, 9)
    assert str(refusal.value) == f"The option n is a whole number from 3 to 9, not {value!r}."


@pytest.mark.parametrize("value", [0, 1, "true", None])
def test_a_flag_is_true_or_false(value: object) -> None:
    flag("f", True)
    flag("f", False)
    with pytest.raises(BadOptions) as refusal:
        flag("f", value)
    assert str(refusal.value) == f"The option f is true or false, not {value!r}."


@pytest.mark.parametrize("value", ["c", "", "A", None, 1, ["a"]])
def test_one_of_the_choices(value: object) -> None:
    one_of("o", "a", ("a", "b"))
    one_of("o", "b", ("a", "b"))
    with pytest.raises(BadOptions) as refusal:
        one_of("o", value, ("a", "b"))
    assert str(refusal.value) == f"The option o is one of a, b, not {value!r}."


@pytest.mark.parametrize(("length", "text"), [(38, "'" + "x" * 38 + "'"), (39, "'" + "x" * 35 + "...")])
def test_a_refusal_repeats_no_long_text(length: int, text: str) -> None:
    assert shown("x" * length) == text
    assert shown("Č") == r"'\u010c'"
