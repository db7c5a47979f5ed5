"""The arbiter put together: lobby, tables, orders, and the two servers in front of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress

import grpc
import grpc.aio

from arbiter import server
from arbiter.clock import TICK, Now, SteadyTime
from arbiter.directory import Directory
from arbiter.lobby import Lobby
from arbiter.orders import Orders
from arbiter.server import Handlers
from arbiter.servicers import arbiter as arbiter_servicer
from arbiter.servicers import table as table_servicer
from arbiter.tables import Tables


class Hall:
    """Everything that one arbiter process keeps."""

    def __init__(self, *, now: Now | None = None, grace_seconds: float = 15.0, hello_seconds: float = 10.0) -> None:
        self.lobby = Lobby(now or SteadyTime(), grace_seconds=grace_seconds, hello_seconds=hello_seconds)
        self.tables = Tables(self.lobby)
        self.orders = Orders(self.tables)
        self._servers: list[grpc.aio.Server] = []
        self._ticker: asyncio.Task[None] | None = None

    async def open_to_bots(
        self,
        directory: Directory,
        addresses: Sequence[str],
        more: Mapping[str, Handlers] | None = None,
        secret: grpc.ServerCredentials | None = None,
    ) -> list[str]:
        """Serves bots, and *more* services beside Table, on *addresses*; returns where. Raises `SettingsError`.

        With a *secret* all but sockets of this machine speak TLS.
        """
        table = table_servicer.TableServicer(self.lobby, directory)
        made = server.bots_server({table_servicer.SERVICE: table.handlers(), **(more or {})})
        return await self._open(made, addresses, secret)

    async def open_to_workers(self, credential: str, addresses: Sequence[str], incarnation: str) -> list[str]:
        """Serves workers on *addresses*; returns where. Raises `SettingsError`."""
        service = arbiter_servicer.ArbiterServicer(self.orders, self.tables, self.lobby, incarnation)
        made = server.workers_server({arbiter_servicer.SERVICE: service.handlers()}, credential)
        return await self._open(made, addresses)

    def start_clock(self) -> None:
        """From now on silence is noticed; a test that has a clock of its own calls `lobby.sweep` instead."""
        self._ticker = asyncio.get_running_loop().create_task(self._tick())

    async def close(self, seconds: float = 0.0) -> None:
        """Ends: orders have *seconds* to finish, and what is not over by then is handed back as void."""
        await self.orders.close(seconds)
        self.lobby.close("The arbiter is ending.")
        await asyncio.gather(*(made.stop(server.CLOSE_SECONDS) for made in self._servers))
        if self._ticker is not None:
            self._ticker.cancel()
            with suppress(asyncio.CancelledError):
                await self._ticker

    async def _open(
        self, made: grpc.aio.Server, addresses: Sequence[str], secret: grpc.ServerCredentials | None = None
    ) -> list[str]:
        bound = [server.listen(made, address, secret) for address in addresses]
        await made.start()
        self._servers.append(made)
        return bound

    async def _tick(self) -> None:
        while True:
            self.lobby.sweep()
            await asyncio.sleep(TICK)
