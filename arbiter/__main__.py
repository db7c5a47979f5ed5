"""`python -m arbiter`: the arbiter as a service, set by its environment (docs/reference/settings.md).

At SIGTERM it takes no more orders, gives those in play ARENA_DRAIN_SECONDS to finish, and hands back the rest as void;
a second SIGTERM has it hand back at once.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import secrets
import signal
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import uvloop

from arbiter import server
from arbiter.hall import Hall, freeze_loaded
from arbiter.hosting.lanes import Lanes
from arbiter.hosting.reach import open_to_lanes
from arbiter.hosting.trust import check_trust
from arbiter.metrics import exposed
from arbiter.qualifying import Qualifier
from arbiter.servicers import bots as bots_servicer
from arbiter.servicers.registry import Announcement, StoreDirectory, open_database, package_of
from arbiter.servicers.roster import Roster
from rummy import logs
from rummy.errors import RummyError, SettingsError
from rummy.settings import Settings
from rummy.wire.dial import is_local

_log = logging.getLogger(__name__)
MOST_FILES = 65_536


async def serve(settings: Settings) -> None:
    """Serves until SIGTERM or SIGINT. Raises `SettingsError` and `StoreUnavailable` where it cannot begin."""
    ended, hurried = asyncio.Event(), asyncio.Event()

    def end() -> None:
        (hurried if ended.is_set() else ended).set()

    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, end)
    async with _running(settings) as (hall, announcement):
        print("arbiter ready", flush=True)  # noqa: T201
        await ended.wait()
        await announcement.drain()
        await hall.drain(settings.drain_seconds, hurried)


@asynccontextmanager
async def _running(settings: Settings) -> AsyncIterator[tuple[Hall, Announcement]]:
    """Everything, started in the order in which each part needs the ones before, and ended the other way round."""
    _make_folder(settings.run_dir)
    incarnation = secrets.token_hex(8)
    async with AsyncExitStack() as stack:
        database = stack.enter_context(open_database(settings.database_url))
        hall = Hall(watch_delay=settings.watch_delay)
        lanes = Lanes(
            partial(package_of, database), folder=settings.run_dir / "hosting", logs=Path(settings.bot_logs),
            trusted=settings.trust_bots, address=f"unix:{settings.bots_socket}", on_lane_died=hall.lobby.lane_died,
        )  # fmt: skip
        hall.lobby.hosting = lanes
        stack.push_async_callback(lanes.close)
        roster = Roster(database)
        submission = bots_servicer.BotsServicer(roster, Qualifier(hall.tables, lanes), trusted=settings.trust_bots)
        stack.push_async_callback(hall.close)
        bots_at, _ = await hall.open_to_bots(
            StoreDirectory(database, lanes),
            [settings.bots_listen, f"unix:{settings.bots_socket}"],
            {bots_servicer.SERVICE: submission.handlers()},
            server.tls(settings.tls_certificate, settings.tls_key),
        )
        if settings.trust_bots:
            open_to_lanes(Path(settings.bots_socket))
        [workers_at] = await hall.open_to_workers(settings.arbiter_token, [settings.arbiter_listen], incarnation)
        hall.start_clock()
        if settings.metrics_listen:
            stack.enter_context(exposed(settings.metrics_listen, hall.reading))
        own = settings.arbiter_address == settings.arbiter_listen
        announcement = Announcement(
            database, hall, address=workers_at if own else settings.arbiter_address,
            bots_address=settings.bots_address or bots_at, incarnation=incarnation,
        )  # fmt: skip
        await announcement.begin()
        stack.push_async_callback(announcement.end)
        keeping = asyncio.create_task(announcement.keep())
        stack.push_async_callback(_stop, keeping)
        yield hall, announcement


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise SettingsError(f"The run folder {folder} cannot be made ({error.strerror}); set ARENA_RUN_DIR.") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise SettingsError(
            f"The run folder {folder} is not ours alone, and whoever may write there could answer in our place: "
            "set ARENA_RUN_DIR to a folder of your own."
        )


def _take_files() -> None:
    """Lets this process have as many files open as it may: connections of a crowd are files too."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, MOST_FILES) if most > 0 else MOST_FILES, most))


def _check_plain_text(settings: Settings) -> None:
    """Tokens in plain text leave this machine only by the operator's word. Raises `SettingsError`."""
    if not (settings.tls_key or settings.plain_bots or is_local(settings.bots_listen)):
        raise SettingsError(
            f"ARENA_BOTS_LISTEN is {settings.bots_listen}, which other machines reach, and bots there dial with TLS: "
            "set ARENA_TLS_CERTIFICATE and ARENA_TLS_KEY. Where something before that port speaks TLS, or the port is "
            "published on this machine alone, ARENA_PLAIN_BOTS=1 allows plain text."
        )


def main() -> int:
    """Returns the exit status: 2 with a sentence where a setting, or the database, does not allow to begin."""
    try:
        settings = Settings.from_environment().need("database_url", "arbiter_token")
        logs.configure(settings.log_format)
        check_trust(trust_bots=settings.trust_bots, bots_listen=settings.bots_listen)
        _check_plain_text(settings)
        _take_files()
        freeze_loaded()
        uvloop.run(serve(settings))
    except RummyError as error:
        print(f"arbiter: {error}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
