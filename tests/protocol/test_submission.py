"""Submission and registration over gRPC, against a real database and real lanes: what is accepted, and what is not."""

from __future__ import annotations

import asyncio
import hashlib
import random
import shutil
import tempfile
import tomllib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from submission_arena import GOOD, NOW, SAMPLES, Arena, Refused, a_package, head_of, open_arena, requests_for
from test_fuzz import changed, fill

from rummy.errors import Unauthenticated
from rummy.packages import pack
from rummy.store import bots, owners
from rummy.wire.v1 import bots_pb2


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that lanes of other users can pass; it keeps the runtime."""
    folder = Path(tempfile.mkdtemp(prefix="arena-test-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(params=[True])
async def arena(request: pytest.FixtureRequest, folder: Path, database_url: str) -> AsyncIterator[Arena]:
    async with open_arena(database_url, folder, trusted=request.param) as arena:
        yield arena


async def test_a_sample_bot_is_submitted_and_every_step_told(arena: Arena) -> None:
    version_id = await arena.submit(*requests_for(pack(SAMPLES / "greedy")))
    passed = [step.step for step in arena.steps if step.state == bots_pb2.SubmitStep.STATE_PASSED]
    games = tuple(tomllib.loads((SAMPLES / "greedy/bot.toml").read_text(encoding="utf-8"))["games"])
    assert passed == ["received", "unpacked", "manifest", *[f"qualifying {game}" for game in games], "stored"]
    [version] = arena.versions()
    assert version.version_id == version_id and version.hosted
    assert (version.name, version.games, version.entry) == ("greedy", games, "bot.py")


async def test_the_same_package_again_is_the_same_version(arena: Arena) -> None:
    first = await arena.submit(*requests_for(a_package()))
    assert await arena.submit(*requests_for(a_package())) == first
    assert "here already" in arena.steps[-1].text


async def test_another_package_of_the_same_version_is_refused(arena: Arena) -> None:
    await arena.submit(*requests_for(a_package()))
    with pytest.raises(Refused, match=r'ALREADY_EXISTS: Test 1 .* such as version = "2"'):
        await arena.submit(*requests_for(a_package(GOOD + "  # changed")))
    assert len(arena.versions()) == 1


FLOOD = """    import os
    for _ in range(64):
        os.write(2, bytes(1 << 20))
"""


async def test_a_bot_that_floods_its_log_plays_as_any_other(arena: Arena) -> None:
    assert await arena.submit(*requests_for(a_package(FLOOD + GOOD)))


@pytest.mark.parametrize(
    ("package", "why"),
    [
        (a_package("    return sdk_is_no_name"), "crashed.*NameError"),
        (a_package("    raise SystemExit(7)"), "status 7"),
        (a_package("    return bytes(2 << 30)"), r"\(resources\).* at a limit of its process: MemoryError\. Its"),
        (a_package(source="syntax error"), "SyntaxError"),
        (a_package(source="print('done')"), "ended by itself, with status 0.*done"),
        (a_package("    from rummy.rules.actions import EndMelds\n    return EndMelds()"), r"\(illegal\)"),
    ],
)
async def test_a_bot_with_a_fault_does_not_qualify(arena: Arena, package: bytes, why: str) -> None:
    with pytest.raises(
        Refused, match=f"(?s)(FAILED_PRECONDITION|RESOURCE_EXHAUSTED): The bot has failed its deal of gin.*{why}"
    ):
        await arena.submit(*requests_for(package))
    assert arena.steps[-1].step == "qualifying gin" and arena.steps[-1].state == bots_pb2.SubmitStep.STATE_FAILED
    assert arena.versions() == []


@pytest.mark.parametrize(
    ("requests", "why"),
    [
        (requests_for(a_package(games='["whist"]')), "NOT_FOUND: There is no game 'whist'; there are: basic, "),
        (requests_for(a_package(name='""')), "INVALID_ARGUMENT: The name in bot.toml is empty"),
        (requests_for(a_package(name='"' + "x" * 65 + '"')), "INVALID_ARGUMENT: .* 65 characters"),
        (requests_for(a_package(name='"a\\u202eb"')), "INVALID_ARGUMENT: .* format character"),
        (requests_for(a_package(language='"rust"')), "INVALID_ARGUMENT: .*'rust' is not hosted"),
        (requests_for(b"garbage"), "INVALID_ARGUMENT: The package is no zip file"),
        ([], "INVALID_ARGUMENT: A submission begins with the head"),
        ([bots_pb2.SubmitRequest(chunk=b"x")], "INVALID_ARGUMENT: A submission begins with the head"),
        ([bots_pb2.SubmitRequest()], "INVALID_ARGUMENT: A submission begins with the head"),
        ([b"\xff\xff garbage"], "INVALID_ARGUMENT: A request of 10 bytes is no"),
        ([head_of(b"x"), b"\xff\xff"], "INVALID_ARGUMENT: A request of 2 bytes is no"),
        ([head_of(b"x"), head_of(b"x")], "INVALID_ARGUMENT: After the head"),
        ([head_of(b"x", size=0)], "RESOURCE_EXHAUSTED: A package has 1 to 20000000 bytes"),
        ([head_of(b"x", size=20_000_001)], "RESOURCE_EXHAUSTED: A package has 1 to 20000000 bytes"),
        ([head_of(b"x", digest=b"short")], "INVALID_ARGUMENT: The digest in the head"),
        (requests_for(a_package())[:1], "INVALID_ARGUMENT: The package ended after 0 of"),
        ([*requests_for(a_package()), bots_pb2.SubmitRequest(chunk=b"x")], "INVALID_ARGUMENT: More arrived"),
        ([head_of(b"x"), bots_pb2.SubmitRequest(chunk=b"y")], "INVALID_ARGUMENT: What arrived does not have"),
        ([head_of(b"x"), bots_pb2.SubmitRequest(chunk=bytes(50_000_000))], "RESOURCE_EXHAUSTED: "),
    ],
)
async def test_bad_submissions_get_a_status_and_a_sentence(
    arena: Arena, requests: list[bots_pb2.SubmitRequest | bytes], why: str
) -> None:
    with pytest.raises(Refused, match=why):
        await arena.submit(*requests)
    assert arena.versions() == []


async def test_only_an_owner_submits(arena: Arena) -> None:
    live = await arena.register(live_bot())
    with arena.database.transaction() as tx:
        bob = owners.create(tx, "Bob", now=NOW)
        revoked = owners.new_token(tx, bob.owner_id, now=NOW)
        owners.revoke(tx, bob.owner_id, now=NOW)
    for token, why in (
        ("", "UNAUTHENTICATED: Show the owner's token"),
        ("wrong", "UNAUTHENTICATED: .*unknown or was revoked"),
        (revoked, "UNAUTHENTICATED: .*unknown or was revoked"),
        (live.token, "PERMISSION_DENIED: This is the token of a live bot"),
    ):
        with pytest.raises(Refused, match=why):
            await arena.submit(*requests_for(a_package()), token=token)
        with pytest.raises(Refused, match=why):
            await arena.register(live_bot(version="2"), token=token)


@pytest.mark.parametrize("arena", [False], indirect=True)
async def test_nothing_is_hosted_without_the_operators_word(arena: Arena) -> None:
    with pytest.raises(Refused, match=r"PERMISSION_DENIED: This arena does not host packages.*--trust-bots"):
        await arena.submit(*requests_for(a_package()))
    assert (await arena.register(live_bot())).version_id


def live_bot(**changes: Any) -> bots_pb2.RegisterRequest:
    said = {"name": "Live", "version": "1", "games": ["gin"], "language": "c++", **changes}
    return bots_pb2.RegisterRequest(**said)


async def test_a_live_bot_is_registered_and_gets_a_token_that_is_not_kept(arena: Arena) -> None:
    reply = await arena.register(live_bot())
    with arena.database.transaction() as tx:
        version = bots.get(tx, reply.version_id)
        shown = owners.find_by_token(tx, reply.token).version_id
        kept = tx.execute("SELECT digest FROM token WHERE version_id = %s", [reply.version_id]).fetchall()
    assert shown == reply.version_id and not version.hosted
    assert kept == [(hashlib.sha256(reply.token.encode()).digest(),)]


async def test_registering_again_replaces_the_token(arena: Arena) -> None:
    first, second = [await arena.register(live_bot()) for _ in range(2)]
    assert first.version_id == second.version_id and first.token != second.token
    with arena.database.transaction() as tx:
        with pytest.raises(Unauthenticated):
            owners.find_by_token(tx, first.token)
        assert owners.find_by_token(tx, second.token).version_id == second.version_id


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (live_bot(name=""), "INVALID_ARGUMENT: The name is empty"),
        (live_bot(name="x" * 100_000), "INVALID_ARGUMENT: .*at most 256"),
        (live_bot(version="a b"), "INVALID_ARGUMENT: The version 'a b'"),
        (live_bot(games=[]), "INVALID_ARGUMENT: The games of a bot"),
        (live_bot(games=["whist"]), "NOT_FOUND: There is no game 'whist'"),
        (live_bot(language="C sharp"), "INVALID_ARGUMENT: The language"),
        (b"\xff\xff garbage", "INVALID_ARGUMENT: A request of 10 bytes"),
        (bytes(50_000_000), "RESOURCE_EXHAUSTED"),
    ],
)
async def test_bad_registrations(arena: Arena, request_: bots_pb2.RegisterRequest | bytes, why: str) -> None:
    with pytest.raises(Refused, match=why):
        await arena.register(request_)
    assert arena.versions() == []


async def test_a_registered_version_does_not_change(arena: Arena) -> None:
    await arena.register(live_bot())
    with pytest.raises(Refused, match="ALREADY_EXISTS: Live 1 exists already and is registered differently"):
        await arena.register(live_bot(games=["one_oh_one"]))


async def test_submissions_at_once_make_one_version(arena: Arena) -> None:
    others = [Arena(arena.address, arena.database, arena.token, arena.hall) for _ in range(3)]
    made = await asyncio.gather(*(other.submit(*requests_for(a_package())) for other in others))
    assert len(set(made)) == 1 and len(arena.versions()) == 1


ODD = 150


async def test_whatever_is_submitted_or_registered_gets_a_sentence_that_means_something(arena: Arena) -> None:
    """P29: values at their limits in every field, and real messages with bytes changed."""
    rng, good = random.Random(4), requests_for(a_package(), 400)
    codes: Counter[str] = Counter()
    for _ in range(ODD):
        registering, odd = odd_message(bots_pb2.RegisterRequest(), rng), odd_message(bots_pb2.SubmitRequest(), rng)
        submitting = [
            rng.choice([part.SerializeToString(), odd, changed(part.SerializeToString(), rng)])
            for part in good[: rng.randrange(len(good) + 1)]
        ]
        for asking in (
            arena.register(rng.choice([registering, changed(live_bot().SerializeToString(), rng)])),
            arena.submit(*submitting),
        ):
            try:
                await asking
                codes["taken"] += 1
            except Refused as refused:
                code, _, sentence = str(refused).partition(": ")
                assert code in ANSWERS and sentence, refused
                codes[code] += 1
    assert codes["INVALID_ARGUMENT"] > ODD, codes
    assert (await arena.register(live_bot(name="After"))).version_id


ANSWERS = {"INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION"}


def odd_message(message: Any, rng: random.Random) -> bytes:
    """*message*, with anything in its fields."""
    fill(message, rng)
    return bytes(message.SerializeToString())
