"""The arbiter put together: lobby, tables, orders, and the two servers in front of them."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

import grpc
import grpc.aio

from arbiter import server
from arbiter.clock import BEAT, BEATS_A_SWEEP, Now, SteadyTime
from arbiter.directory import Directory
from arbiter.lobby import Lobby
from arbiter.metrics import Reading
from arbiter.orders import Orders
from arbiter.server import Handlers
from arbiter.servicers import arbiter as arbiter_servicer
from arbiter.servicers import table as table_servicer
from arbiter.servicers import watch as watch_servicer
from arbiter.servicers.standard import Health
from arbiter.tables import Tables


def freeze_loaded() -> None:
    """Takes what has been loaded out of the garbage collector's sight.

    Else it would look through all tables of the rules now and again, and every match stand still for 15 ms and more.
    """
    gc.collect()
    gc.freeze()


class Hall:
    """Everything that one arbiter process keeps."""

    def __init__(
        self, *, now: Now | None = None, grace_seconds: float = 15.0, hello_seconds: float = 10.0,
        watch_delay: float = 0.0,
    ) -> None:  # fmt: skip
        """*watch_delay* is how many seconds spectators are behind."""
        self._steady = SteadyTime()
        self.lobby = Lobby(now or self._steady, grace_seconds=grace_seconds, hello_seconds=hello_seconds)
        self.tables = Tables(self.lobby)
        self.orders = Orders(self.tables)
        self._watch_delay = watch_delay
        self._servers: list[tuple[grpc.aio.Server, Health]] = []
        self._ticker: asyncio.Task[None] | None = None

    async def open_to_bots(
        self,
        directory: Directory,
        addresses: Sequence[str],
        more: Mapping[str, Handlers] | None = None,
        secret: grpc.ServerCredentials | None = None,
    ) -> list[str]:
        """Serves bots, spectators, and *more* services, on *addresses*; returns where. Raises `SettingsError`.

        With a *secret* all but sockets of this machine speak TLS.
        """
        table = table_servicer.TableServicer(self.lobby, directory)
        watch = watch_servicer.WatchServicer(self.orders, self.lobby.now, self._watch_delay)
        own = {table_servicer.SERVICE: table.handlers(), watch_servicer.SERVICE: watch.handlers()}
        services = {**own, **(more or {})}
        return await self._open(server.bots_server(services), services, addresses, secret)

    async def open_to_workers(self, credential: str, addresses: Sequence[str], incarnation: str) -> list[str]:
        """Serves workers on *addresses*; returns where. Raises `SettingsError`."""
        service = arbiter_servicer.ArbiterServicer(self.orders, self.tables, self.lobby, incarnation)
        services = {arbiter_servicer.SERVICE: service.handlers()}
        return await self._open(server.workers_server(services, credential), services, addresses)

    def start_clock(self) -> None:
        """From now on silence is noticed; a test that has a clock of its own calls `sweep` instead."""
        self._ticker = asyncio.get_running_loop().create_task(self._tick())

    def sweep(self) -> None:
        """Finds what is late, who is gone, and what has gone past its deadline; called every TICK."""
        self.lobby.sweep()
        self.orders.sweep()

    async def drain(self, seconds: float, hurried: asyncio.Event | None = None) -> None:
        """Takes nothing new: orders have *seconds* to finish, and what is not over by then is handed back as void.

        Where *hurried* is set meanwhile, it is handed back at once.
        """
        await asyncio.gather(*(health.down() for _, health in self._servers))
        await self.orders.close(seconds, hurried)

    async def close(self, seconds: float = 0.0) -> None:
        """Ends, after *seconds* for what is in play."""
        await self.drain(seconds)
        self.lobby.close("The arbiter is ending.")
        await asyncio.gather(*(made.stop(server.CLOSE_SECONDS) for made, _ in self._servers))
        if self._ticker is not None:
            self._ticker.cancel()
            with suppress(asyncio.CancelledError):
                await self._ticker

    def reading(self) -> Reading:
        """The arbiter's figures now."""
        counts = self.tables.counts
        return Reading(
            gauges={
                "matches_running": ("Matches in play.", len(self.tables.running)),
                "matches_waiting": ("Matches that wait for a bot to come or to have room.", self.tables.waiting),
                "orders_running": ("Fixtures that workers have ordered and that are not over.", self.orders.running),
                "bots_connected": ("Streams of bots.", sum(1 for _ in self.lobby.present())),
            },
            totals={
                "decisions": ("Decisions that bots were asked.", self.tables.decisions),
                "stalled_seconds": ("Time in which the loop was behind.", self._steady.lost),
            },
            counts={
                "matches": ("Matches that are over.", "outcome", counts.matches),
                "strikes": ("Answers that were replaced by the default action.", "cause", counts.strikes),
                "forfeits": ("Seats that have forfeited their match.", "cause", counts.forfeits),
            },
        )

    async def _open(
        self,
        made: grpc.aio.Server,
        services: Iterable[str],
        addresses: Sequence[str],
        secret: grpc.ServerCredentials | None = None,
    ) -> list[str]:
        health = Health(made, services)
        bound = [server.listen(made, address, secret) for address in addresses]
        await made.start()
        await health.up()
        self._servers.append((made, health))
        return bound

    async def _tick(self) -> None:
        while True:
            self.sweep()
            for _ in range(BEATS_A_SWEEP):
                await asyncio.sleep(BEAT)
                self._steady.beat()
