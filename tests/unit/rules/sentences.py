"""What a person is told: whole sentences."""

from __future__ import annotations

import re


def is_sentence(text: str) -> bool:
    """Whether *text* begins like a sentence, ends like one, and does not shout; a clause may begin it (101-4.2)."""
    return re.fullmatch(r"[A-Z0-9].*[a-z0-9)]\.", text) is not None and any(each.islower() for each in text)
