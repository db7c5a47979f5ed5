"""`arena bot`: the way of a bot author from an empty folder into the arena."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from submission_arena import Arena, open_arena

from rummy.rules.games import GAMES

ROOT = Path(__file__).parents[2]
SECONDS = 120.0


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="arena-test-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
async def arena(folder: Path, database_url: str) -> AsyncIterator[Arena]:
    async with open_arena(database_url, folder) as arena:
        yield arena


async def started(*arguments: str, **environment: str) -> Process:
    """A command of `arena bot` that knows no other arena of this machine."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    env = {**known, "ARENA_DATA": "/nonexistent", "PYTHONPATH": str(ROOT), **environment}
    command = (sys.executable, "-m", "rummy.cli", "bot", *arguments)
    return await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, env=env)


async def told(*arguments: str, **environment: str) -> Any:
    """What a command says in JSON; an error is a dictionary with its sentence."""
    process = await started(*arguments, "--json", **environment)
    out, err = await asyncio.wait_for(process.communicate(), SECONDS)
    try:
        return json.loads(out or err.splitlines()[-1])
    except (ValueError, IndexError):
        raise AssertionError(out.decode() + err.decode()) from None


async def test_from_nothing_to_a_version(arena: Arena, tmp_path: Path) -> None:
    bot = str(tmp_path / "mine")
    assert (await told("new", bot))["name"] == "mine"
    checked = await told("check", bot)
    assert checked["games"] == sorted(GAMES) and all(checked["played"].values())
    made = await told("submit", bot, "--arena", arena.address, "--token", arena.token)
    assert made["steps"][-1]["step"] == "stored"
    [version] = await told("list", ARENA_DATABASE_URL=arena.database.url)
    assert (version["version_id"], version["name"], version["hosted"]) == (made["version_id"], "mine", True)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
async def test_a_live_bot_dials_in_and_goes_with_its_command(arena: Arena, tmp_path: Path, end: signal.Signals) -> None:
    bot = str(tmp_path / "mine")
    await told("new", bot)
    process = await started("run", bot, "--json", ARENA_BOTS_LISTEN=arena.address, ARENA_OWNER_TOKEN=arena.token)
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), SECONDS)
    present, gone = asyncio.Event(), asyncio.Event()
    changed = arena.hall.lobby.changed

    def look() -> None:
        changed()
        (present if any(arena.hall.lobby.present()) else gone).set()

    arena.hall.lobby.changed = look
    await asyncio.wait_for(present.wait(), SECONDS)
    [lane] = arena.hall.lobby.present()
    assert lane.key == (json.loads(line)["version_id"], 0) and lane.name == "mine 1"
    gone.clear()
    process.send_signal(end)
    await asyncio.wait_for(gone.wait(), SECONDS)
    await asyncio.wait_for(process.communicate(), SECONDS)  # To the end of what the bot itself may write.


async def test_what_goes_wrong_is_one_sentence(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "mine"
    await told("new", str(bot))
    shown = ("--arena", arena.address)
    assert "exists already" in (await told("new", str(bot)))["sentence"]
    assert "ARENA_OWNER_TOKEN" in (await told("submit", str(bot), *shown))["sentence"]
    assert (await told("submit", str(bot), *shown, "--token", "x"))["error"] == "Unauthenticated"
    assert (await told("submit", str(tmp_path / "none"), *shown, "--token", "x"))["error"] == "BadInput"
    assert "no bot.toml" in (await told("check", str(tmp_path)))["sentence"]
    assert "larger than" in (await told("check", "/dev/zero"))["sentence"]
    assert "no UTF-8" in (await told("submit", str(bot), *shown, "--token", "\udcff"))["sentence"]
    wrapped = await told("submit", str(bot), "--arena", "127.0.0.1:99999", "--token", "x")
    assert wrapped["error"] == "SettingsError" and "--arena is '127.0.0.1:99999'" in wrapped["sentence"]
    assert (await told("run", str(bot), "--arena", "arena", "--token", "x"))["error"] == "SettingsError"
    nobody = await told("submit", str(bot), "--arena", "127.0.0.1:1", "--token", "x")
    assert nobody["error"] == "ArbiterUnavailable" and "does it run" in nobody["sentence"]


@pytest.mark.parametrize(
    ("body", "error"),
    [("    return 7", "BotIllegalAction"), ("    raise SystemExit(1)", "BotCrashed"), ("    1 / 0", "BotCrashed")],
)
async def test_check_finds_faults(tmp_path: Path, body: str, error: str) -> None:
    bot = tmp_path / "mine"
    await told("new", str(bot))
    source = (bot / "bot.py").read_text()
    (bot / "bot.py").write_text(source.replace("    return decision.random.choice(decision.legal)", body))
    assert (await told("check", str(bot)))["error"] == error
