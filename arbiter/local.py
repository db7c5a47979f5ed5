"""`python -m arbiter.local`: an arbiter without a database, for matches on one machine and for benchmarks.

Reads one JSON object on standard input, {"tokens": {TOKEN: {"version_id": N, "name": TEXT, "lane": K}}}, prints one
line {"bots": ADDRESS, "workers": ADDRESS, "credential": TEXT}, and ends when standard input closes or at SIGTERM. Both
servers listen on loopback, at free ports, or on unix sockets in the folder "sockets" of the object. A bot with
"hosted": true may have several lanes, each a process that its caller has started.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
import sys
from pathlib import Path
from typing import Any

import uvloop

from arbiter.directory import Guest, LaneKey, MemoryDirectory
from arbiter.hall import Hall, freeze_loaded
from rummy.errors import BadInput, RummyError

LOOPBACK = "127.0.0.1:0"


def read_request(line: str) -> tuple[dict[str, Guest], str | None]:
    """The bots and the folder of the sockets. Raises `BadInput`."""
    try:
        request = json.loads(line)
        guests = {str(token): _guest(entry) for token, entry in request["tokens"].items()}
        sockets = request.get("sockets")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f'Standard input should hold {{"tokens": {{TOKEN: {{"version_id": …}}}}}}: {error!r}.') from None
    return guests, sockets if sockets is None else str(sockets)


def _guest(entry: dict[str, Any]) -> Guest:
    lane = int(entry.get("lane", 0))
    return Guest(LaneKey(int(entry["version_id"]), lane), str(entry["name"]), hosted=bool(entry.get("hosted", False)))


async def serve() -> None:
    """Serves until standard input closes or SIGTERM comes."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    lines = await _standard_input(loop)
    guests, folder = read_request((await lines.readline()).decode())
    hall, credential = Hall(), secrets.token_urlsafe(32)
    bots, workers = [LOOPBACK] * 2 if folder is None else [f"unix:{Path(folder) / name}.sock" for name in ("b", "w")]
    [bots] = await hall.open_to_bots(MemoryDirectory(guests), [bots])
    [workers] = await hall.open_to_workers(credential, [workers], secrets.token_hex(8))
    hall.start_clock()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, ended.set)
    closing = asyncio.ensure_future(_until_closed(lines, ended))
    print(json.dumps({"bots": bots, "workers": workers, "credential": credential}), flush=True)  # noqa: T201
    await ended.wait()
    closing.cancel()
    await hall.close()


async def _standard_input(loop: asyncio.AbstractEventLoop) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


async def _until_closed(lines: asyncio.StreamReader, ended: asyncio.Event) -> None:
    while await lines.readline():
        pass
    ended.set()


def main() -> int:
    """Returns the exit status."""
    freeze_loaded()
    try:
        uvloop.run(serve())
    except RummyError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
