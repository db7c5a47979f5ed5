"""The shuffle: published vectors, what follows from a seed, and that no card has a favourite place."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

from rummy.rules.cards import cards_text
from rummy.rules.shuffle import again_seed, bot_seed, deal_seed, first_seat, shuffled

DOCUMENT = Path(__file__).parents[3] / "docs/reference/replay-format.md"
VECTORS = json.loads(
    re.search(r"```json shuffle-vectors\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)[1]  # type: ignore[index]
)


@pytest.mark.parametrize("vector", VECTORS["shuffled"])
def test_the_published_packs(vector: dict[str, str]) -> None:
    assert cards_text(shuffled(bytes.fromhex(vector["seed"]), 52)) == vector["pack"]


@pytest.mark.parametrize("vector", VECTORS["match"])
def test_the_published_seeds(vector: dict[str, object]) -> None:
    seed = bytes.fromhex(str(vector["seed"]))
    assert deal_seed(seed, 0).hex() == vector["deal 0"]
    assert again_seed(deal_seed(seed, 0), 0).hex() == vector["deal 0, again 0"]
    assert deal_seed(seed, 1).hex() == vector["deal 1"]
    assert [first_seat(seed, seats) for seats in range(2, 7)] == vector["first seat of 2 to 6"]
    assert bot_seed(seed, 0, 0) == int(str(vector["bot seed, leg 0, seat 0"]), 16)
    assert bot_seed(seed, 1, 2) == int(str(vector["bot seed, leg 1, seat 2"]), 16)


def by_the_book(seed: bytes, size: int) -> list[int]:
    """The shuffle as the document states it, word by word."""
    pack, at = list(range(size)), 0

    def word() -> int:
        nonlocal at
        block = sha256(seed + (at // 16).to_bytes(8, "big")).digest()
        place = at % 16 * 2
        at += 1
        return block[place] * 256 + block[place + 1]

    for i in range(size - 1, 0, -1):
        n = i + 1
        drawn = word()
        while drawn >= 65536 - 65536 % n:
            drawn = word()
        j = drawn % n
        pack[i], pack[j] = pack[j], pack[i]
    return pack


def test_it_is_the_stated_algorithm() -> None:
    for number in range(200):
        seed = number.to_bytes(2, "big")
        assert shuffled(seed, 52) == by_the_book(seed, 52)
    assert shuffled(b"two packs", 1000) == by_the_book(b"two packs", 1000)


@pytest.mark.parametrize("seed", [b"128556", b"433"])  # Their first word is 65520, and one beyond it.
def test_a_word_that_would_favour_a_card_is_skipped(seed: bytes) -> None:
    first = int.from_bytes(sha256(seed + bytes(8)).digest()[:2], "big")
    assert first >= 65536 - 65536 % 52
    assert shuffled(seed, 52) == by_the_book(seed, 52)


@pytest.mark.parametrize(("seed", "seats"), [(b"6943", 3), (b"6943", 5), (b"17131", 6), (b"4534", 6)])
def test_a_word_that_would_favour_a_seat_is_skipped_com_3(seed: bytes, seats: int) -> None:
    block = sha256(sha256(seed + b"first seat").digest() + bytes(8)).digest()
    first, second = (int.from_bytes(block[at : at + 2], "big") for at in (0, 2))
    assert second < 65536 - 65536 % seats <= first
    assert first_seat(seed, seats) == second % seats


def test_a_pack_of_ones_own_is_shuffled_alike_and_left_as_it_was() -> None:
    pack = tuple(range(100, 152))
    assert shuffled(b"seed", pack) == [100 + card for card in shuffled(b"seed", 52)]
    assert pack == tuple(range(100, 152))
    assert shuffled(b"seed", 0) == []
    assert shuffled(b"seed", 1) == [0]


def test_an_endless_pack_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 1024"):
        shuffled(b"seed", 1025)
    assert len(shuffled(b"seed", 1024)) == 1024


def test_no_card_has_a_favourite_place() -> None:
    # Chi-squared over 52 x 52 cells with 2601 degrees of freedom: 5 sigma is 2601 + 5 * 72.
    rounds = 4000
    counts = [[0] * 52 for _ in range(52)]
    for number in range(rounds):
        for place, card in enumerate(shuffled(number.to_bytes(8, "big"), 52)):
            counts[place][card] += 1
    expected = rounds / 52
    assert sum((seen - expected) ** 2 / expected for row in counts for seen in row) < 2601 + 5 * 72


def test_seeds_of_deals_and_bots_are_all_different() -> None:
    seeds = [deal_seed(b"seed", number) for number in range(500)]
    bots = [bot_seed(b"seed", leg, seat) for leg in range(6) for seat in range(6)]
    assert len(set(seeds)) == 500
    assert len(set(bots)) == 36
    assert all(0 <= bot < 1 << 64 for bot in bots)
