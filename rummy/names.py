"""Names that people choose, of bots, owners and tournaments, and versions of bots: what is accepted, and why not.

A name is shown on pages, in tables, files and metadata, so it may hold what a reader sees (letters, marks, numbers,
punctuation, symbols, the space) and nothing that changes how the text around it is shown. Lengths are counted in
grapheme clusters, what a reader calls one character, by wcwidth (the rules of UAX 29); the standard library has none.
"""

from __future__ import annotations

import re
import unicodedata

from wcwidth import iter_graphemes

from rummy.errors import BadInput

MAX_GRAPHEMES = 64
MAX_BYTES = 256

MAX_REASON_BYTES = 2000

VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,31}")

_JOINER = "\u200d"
_MODIFIERS = frozenset("\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")  # May stand before a joiner.
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,12}\U000e007f")  # Regions: a black flag and tags.
# Unicode calls them letters, marks or symbols, and nothing is seen of them.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_REFUSED = {
    "Cc": "a control character",
    "Cf": "a format character, which is invisible or turns the direction of the text",
    "Cs": "half of a surrogate pair",
    "Co": "a private-use character",
    "Cn": "a character that Unicode has not assigned",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
    "Zs": "a space other than the ordinary one",
}


def check_name(text: str, what: str = "name") -> str:
    """*text* in composed form (NFC), if it can be a name. Raises `BadInput` with a sentence; *what* names it there."""
    if not text:
        raise BadInput(f"The {what} is empty; give it at least one letter, number or symbol.")
    if len(text) > 2 * MAX_BYTES:  # Long before the costlier checks.
        raise _too_long(what, len(text.encode("utf-8", "surrogatepass")))
    _refuse_characters(text, what)
    name = unicodedata.normalize("NFC", text)
    _refuse_form(name, what)
    if (size := len(name.encode())) > MAX_BYTES:
        raise _too_long(what, size)
    if (clusters := sum(1 for _ in iter_graphemes(name))) > MAX_GRAPHEMES:
        raise BadInput(f"The {what} is {clusters} characters long; at most {MAX_GRAPHEMES} are allowed.")
    return name


def check_reason(text: str) -> str:
    """*text* in composed form (NFC), if it can be a reason on record: a line. Raises `BadInput` with a sentence."""
    if not text.strip(" "):
        raise BadInput("The reason is empty; say in a few words why.")
    if len(text) <= MAX_REASON_BYTES:
        _refuse_characters(text, "reason")
        text = unicodedata.normalize("NFC", text.strip(" "))
    if (size := len(text.encode("utf-8", "surrogatepass"))) > MAX_REASON_BYTES:
        raise BadInput(f"The reason is {size} bytes of UTF-8 long; at most {MAX_REASON_BYTES} are allowed.")
    return text


def check_version(text: str) -> str:
    """*text*, if it can be the version of a bot. Raises `BadInput` with a sentence."""
    if not VERSION.fullmatch(text):
        raise BadInput(
            f"The version {text[:40]!a} is not accepted: 1 to 32 of the letters A to Z, digits, and . _ + - , "
            "beginning with a letter or a digit."
        )
    return text


def _too_long(what: str, size: int) -> BadInput:
    return BadInput(f"The {what} is {size} bytes of UTF-8 long; at most {MAX_BYTES} are allowed.")


def _refuse_characters(text: str, what: str) -> None:
    plain = _FLAG.sub("\U0001f3f4", text)
    for place, character in enumerate(plain):
        if character == " " or (character == _JOINER and _joins(plain, place)):
            continue
        why = "an invisible character" if character in _INVISIBLE else _REFUSED.get(unicodedata.category(character))
        if why:
            raise BadInput(
                f"The {what} holds U+{ord(character):04X}, {why}; letters, marks, numbers, punctuation, symbols and "
                "single spaces are allowed."
            )


def _joins(text: str, place: int) -> bool:
    """Whether the joiner at *place* stands between two emoji, as in the sign for a family."""
    before = text[:place].rstrip("".join(_MODIFIERS))[-1:]
    after = text[place + 1 : place + 2]
    return all(character and unicodedata.category(character) in ("So", "Sm") for character in (before, after))


def _refuse_form(name: str, what: str) -> None:
    if name != name.strip(" "):
        raise BadInput(f"The {what} begins or ends with a space; take it away.")
    if "  " in name:
        raise BadInput(f"The {what} has several spaces in a row, which pages show as one; leave one.")
    if unicodedata.category(name[0]).startswith("M"):
        raise BadInput(f"The {what} begins with a combining mark, which would join the text before it.")
