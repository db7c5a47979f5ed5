"""Lanes with bots of a few lines, which tell the test what they see through a socket."""

import asyncio
import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import Any

from arbiter.hosting.lane import LaneDeath
from arbiter.hosting.lanes import LaneKey, Lanes

SECONDS = 60.0
MANIFEST = 'name = "Test"\nversion = "1"\ngames = ["gin"]\nlanguage = "python"\nentry = "bot.py"\n'
START = """
import json, os, socket, sys
def dial():
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
    return s
def tell(s, **what):
    s.sendall(json.dumps(what).encode() + b"\\n")
"""


def a_package(source: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("bot.toml", MANIFEST)
        file.writestr("bot.py", START + source)
    return packed.getvalue()


@dataclass
class Caller:
    """One connection from a bot."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def told(self) -> dict[str, Any]:
        line = await asyncio.wait_for(self.reader.readline(), SECONDS)
        return dict(json.loads(line))

    async def gone(self) -> None:
        assert await asyncio.wait_for(self.reader.read(), SECONDS) == b""


@dataclass
class Stage:
    """Lanes, what they run, and what the test hears from them."""

    lanes: Lanes
    packages: dict[int, bytes] = field(default_factory=dict)
    callers: asyncio.Queue[Caller] = field(default_factory=asyncio.Queue)
    deaths: asyncio.Queue[tuple[LaneKey, LaneDeath]] = field(default_factory=asyncio.Queue)

    async def start(self, source: str, version_id: int = 1, lane: int = 0) -> None:
        self.packages[version_id] = a_package(source)
        await self.lanes.ensure(version_id, lane)

    async def caller(self) -> Caller:
        return await asyncio.wait_for(self.callers.get(), SECONDS)

    async def death(self) -> tuple[LaneKey, LaneDeath]:
        return await asyncio.wait_for(self.deaths.get(), SECONDS)
