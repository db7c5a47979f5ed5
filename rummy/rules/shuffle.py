"""Where every card comes from: seeds, and a shuffle that any language can redo.

All seeds are byte strings, all numbers in them are unsigned and big-endian.

    words(seed)            SHA-256(seed || i as 8 bytes) for i = 0, 1, 2, ..., each digest read as sixteen 16-bit words
    below(n)               the next word w of the stream with w < 65536 - 65536 mod n, larger ones skipped; then w mod n
    shuffled(seed, pack)   for i from len(pack) - 1 down to 1: j = below(i + 1); swap pack[i] and pack[j]
    deal_seed(match, d)    SHA-256(match || d as 8 bytes): shuffles deal number d, counted from 0
    again_seed(deal, k)    SHA-256(deal || "again" || k as 8 bytes): shuffles a pile in mid-deal, the k-th time from 0
    first_seat(match, n)   below(n) on the words of SHA-256(match || "first seat")
    bot_seed(match, l, s)  the first 8 bytes of SHA-256(match || "bot" || l as 8 bytes || s as 8 bytes): leg l, seat s

The pack before the shuffle is the game's (for one pack: 0, 1, ..., 51), and it is dealt from its head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from struct import Struct

_WORDS = Struct(">16H")
_LIMIT = 1 << 16
MAX_PACK = 1 << 10


def shuffled(seed: bytes, pack: Sequence[int] | int) -> list[int]:
    """A shuffled list of *pack*, or of the numbers below it where it is one. Raises ValueError over 1,024 cards."""
    cards = list(range(pack) if isinstance(pack, int) else pack)
    if len(cards) > MAX_PACK:
        raise ValueError(f"A pack holds at most {MAX_PACK} cards, not {len(cards)}.")
    words = _words(seed)
    for i in range(len(cards) - 1, 0, -1):
        n = i + 1
        word = next(words)
        while word >= _LIMIT - _LIMIT % n:
            word = next(words)
        j = word % n
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def deal_seed(match_seed: bytes, number: int) -> bytes:
    """The seed that shuffles deal *number* of a match, the same in every leg."""
    return sha256(match_seed + number.to_bytes(8, "big")).digest()


def again_seed(seed: bytes, number: int) -> bytes:
    """The seed that shuffles a pile into a new stock for the time *number*, from 0, in the deal of *seed*."""
    return sha256(seed + b"again" + number.to_bytes(8, "big")).digest()


def first_seat(match_seed: bytes, seats: int) -> int:
    """The seat drawn for the first deal (COM-3), the same in every leg."""
    limit = _LIMIT - _LIMIT % seats
    words = _words(sha256(match_seed + b"first seat").digest())
    return next(word for word in words if word < limit) % seats


def bot_seed(match_seed: bytes, leg: int, seat: int) -> int:
    """64 random bits for the bot in *seat*; they tell nothing about the cards."""
    label = b"bot" + leg.to_bytes(8, "big") + seat.to_bytes(8, "big")
    return int.from_bytes(sha256(match_seed + label).digest()[:8], "big")


def _words(seed: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from _WORDS.unpack(sha256(seed + block.to_bytes(8, "big")).digest())
        block += 1
