"""Seeds follow from master and nonces alone, in the stated way."""

import hashlib
import hmac
import json
import re
from itertools import product
from pathlib import Path

from rummy.league.schedule import commitment, fixture_seed, practice_master, practice_nonce

MASTER = bytes(range(32))
DOCUMENT = Path(__file__).parents[3] / "docs/reference/replay-format.md"


def test_the_stated_formula() -> None:
    message = b"rummy-arena fixture 1" + bytes([0, 0, 0, 2, 0, 0, 0, 1]) + b"a" + bytes([0, 0, 0, 2]) + b"bc"
    message += bytes([0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0])
    assert fixture_seed(MASTER, [b"a", b"bc"], 7, 1, 0) == hmac.new(MASTER, message, hashlib.sha256).digest()


def test_every_part_matters() -> None:
    seeds = {
        fixture_seed(MASTER, nonces, *place)
        for nonces in ([b"a", b"bc"], [b"ab", b"c"], [b"bc", b"a"], [b"abc"])
        for place in product(range(3), repeat=3)
    }
    assert len(seeds) == 4 * 27


def test_commitment_and_practice() -> None:
    assert commitment(MASTER) == hashlib.sha256(MASTER).digest()
    assert practice_master("7") == practice_master("7") != practice_master("8")
    assert len({practice_nonce(n) for n in range(100)}) == 100


def test_the_vectors_of_the_document() -> None:
    [block] = re.findall(r"```json fixture-seed-vectors\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    said = json.loads(block)
    master, nonces = bytes.fromhex(said["master"]), [bytes.fromhex(nonce) for nonce in said["nonces"]]
    assert commitment(master).hex() == said["commitment"]
    for fixture in said["fixtures"]:
        place = fixture["round"], fixture["table"], fixture["generation"]
        assert fixture_seed(master, nonces, *place).hex() == fixture["seed"]
