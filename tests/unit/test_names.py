"""What may be a name, and the sentence for what may not."""

import pytest

from rummy.errors import BadInput
from rummy.names import check_name, check_version

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    "name",
    [
        "Greedy",
        "x",
        "Queen of spades 2.0 (beta)",
        "日本語ボット",
        "عربي",
        "<script>alert(1)</script>",
        "../../etc/passwd",
        "=1+1",
        "🃏",
        FAMILY,
        ENGLAND,
        "👍🏽",
        "❤️‍🔥",
        "🇩🇪",
        "नमस्ते",
        "n" * 64,
        FAMILY * 14,
    ],
)
def test_what_a_reader_can_see_is_a_name(name: str) -> None:
    assert check_name(name) == name


def test_a_name_is_kept_in_its_composed_form() -> None:
    assert check_name("Cafe\u0301") == "Café"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "empty"),
        (" ", "space"),
        (" x", "begins or ends with a space"),
        ("x ", "begins or ends with a space"),
        ("a  b", "several spaces"),
        ("n" * 65, "65 characters long; at most 64"),
        ("e\u0332\u0330" * 64, "bytes of UTF-8 long; at most 256"),
        ("日" * 86, "258 bytes"),
        ("x" * 10_000_000, "at most 256"),
        ("a\nb", "U[+]000A, a control character"),
        ("a\tb", "control"),
        ("a\x00", "control"),
        ("\x1b[31mred", "control"),
        ("a\u202eb", "U[+]202E, a format character"),
        ("a\u2066b", "format"),
        ("a\u200bb", "format"),
        ("\ufeffa", "format"),
        ("a\u200db", "format"),
        ("🃏\u200d", "format"),
        ("\u200d🃏", "format"),
        ("\U000e0067", "format"),
        ("a\u00a0b", "a space other than the ordinary one"),
        ("a\u3000b", "a space other than the ordinary one"),
        ("a\u2028b", "line separator"),
        ("a\u2029b", "paragraph separator"),
        ("\ud800", "surrogate"),
        ("\ue000", "private-use"),
        ("\U0010ffff", "not assigned"),
        ("\u3164", "invisible"),
        ("\u0301a", "combining mark"),
    ],
)
def test_anything_else_is_refused_with_the_reason(name: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        check_name(name)


def test_the_refusal_says_which_name_it_is() -> None:
    with pytest.raises(BadInput, match=r"^The tournament's name is empty"):
        check_name("", "tournament's name")


@pytest.mark.parametrize("version", ["1", "2.0.1", "v3-beta+4", "a" * 32])
def test_versions(version: str) -> None:
    assert check_version(version) == version


@pytest.mark.parametrize("version", ["", " ", "1 2", "a" * 33, "é", "1\n", "../1", "-1", "\ud800"])
def test_versions_that_are_refused(version: str) -> None:
    with pytest.raises(BadInput, match="version"):
        check_version(version)
