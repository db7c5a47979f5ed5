"""Seeds that nobody can choose and everybody can check.

The master seed of a rated tournament is 256 random bits. Its SHA-256 is published before entries close, each entrant
adds a public nonce, and every fixture's seed follows from all of them:

    HMAC-SHA256(key = master, message = "rummy-arena fixture 1" || count of nonces
                || each nonce's length and bytes || round || table || generation)

where every number is 4 bytes, big-endian, and the nonces stand in the order of the entrants. What a format leaves to
lots follows from another: the same with the text "rummy-arena draw 1", and without round, table and generation.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

_LABEL = b"rummy-arena fixture 1"
_DRAW_LABEL = b"rummy-arena draw 1"


def _number(value: int) -> bytes:
    return value.to_bytes(4, "big")


def fixture_seed(master: bytes, nonces: Sequence[bytes], round_no: int, table_no: int, generation: int) -> bytes:
    """The 32 bytes from which all deals of a fixture follow."""
    place = _number(round_no) + _number(table_no) + _number(generation)
    return hmac.new(master, _LABEL + _all(nonces) + place, hashlib.sha256).digest()


def draw_seed(master: bytes, nonces: Sequence[bytes]) -> bytes:
    """The 32 bytes from which everything follows that a format leaves to lots; they tell nothing of any deal."""
    return hmac.new(master, _DRAW_LABEL + _all(nonces), hashlib.sha256).digest()


def _all(nonces: Sequence[bytes]) -> bytes:
    return _number(len(nonces)) + b"".join(_number(len(nonce)) + nonce for nonce in nonces)


def commitment(master: bytes) -> bytes:
    """What is published of *master* before entries close: its SHA-256."""
    return hashlib.sha256(master).digest()


def practice_master(text: str) -> bytes:
    """The master seed of a practice tournament, whose seed is given by hand as *text*."""
    return hashlib.sha256(b"rummy-arena practice 1" + text.encode()).digest()


def practice_nonce(entrant_no: int) -> bytes:
    """The nonce of an entrant of a practice tournament, so that the same seed gives the same deals again."""
    return hashlib.sha256(b"rummy-arena practice nonce 1" + _number(entrant_no)).digest()[:16]
