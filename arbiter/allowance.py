"""How much of something is let pass: so much at once, and so much a second later. Pure: the caller says the time."""

from __future__ import annotations


class Allowance:
    """*most* at once, and *each_second* of it back."""

    __slots__ = ("_each_second", "_left", "_most", "_since")

    def __init__(self, most: float, each_second: float, now: float) -> None:
        self._most = self._left = most
        self._each_second = each_second
        self._since = now

    def takes(self, count: float, now: float) -> bool:
        """Uses *count* of what is left; false, and nothing used, where that is less."""
        self._gain(now)
        if count > self._left:
            return False
        self._left -= count
        return True

    def whole(self, now: float) -> bool:
        """Whether nothing of it has been used lately."""
        self._gain(now)
        return self._left >= self._most

    def _gain(self, now: float) -> None:
        self._left = min(self._most, self._left + (now - self._since) * self._each_second)
        self._since = now
