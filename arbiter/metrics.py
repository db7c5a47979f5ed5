"""What the arbiter tells Prometheus: how much, and not of whom. Nothing is named by bot or match."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from prometheus_client import ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry

from rummy.errors import SettingsError

PATIENCE = 5.0
"""Seconds after which a scrape fails because the arbiter does not get round to it."""


@dataclass(slots=True)
class Counts:
    """What has happened since the arbiter began, by cause or outcome."""

    matches: Counter[str] = field(default_factory=Counter)
    strikes: Counter[str] = field(default_factory=Counter)
    forfeits: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Reading:
    """All figures at one moment."""

    gauges: dict[str, tuple[str, float]]  # By name: what it is, and how much.
    totals: dict[str, tuple[str, float]]
    counts: dict[str, tuple[str, str, dict[str, int]]]  # By name: what it is, its label, and how many by label.

    def families(self) -> Iterator[Metric]:
        """The same in Prometheus' words."""
        for name, (what, value) in self.gauges.items():
            yield GaugeMetricFamily(f"arena_{name}", what, value)
        for name, (what, value) in self.totals.items():
            yield CounterMetricFamily(f"arena_{name}", what, value)
        for name, (what, label, values) in self.counts.items():
            family = CounterMetricFamily(f"arena_{name}", what, labels=[label])
            for text, count in sorted(values.items()):
                family.add_metric([text], count)
            yield family


class _Scrape(Collector):
    """Asks the loop in which the figures live; scrapes come in threads of their own."""

    def __init__(self, read: Callable[[], Reading], loop: asyncio.AbstractEventLoop) -> None:
        self._read = read
        self._loop = loop

    def collect(self) -> Iterator[Metric]:
        async def reading() -> Reading:
            return self._read()

        return asyncio.run_coroutine_threadsafe(reading(), self._loop).result(PATIENCE).families()


@contextmanager
def exposed(address: str, read: Callable[[], Reading]) -> Iterator[int]:
    """Answers scrapes at *address*, HOST:PORT, meanwhile; gives the port. Raises `SettingsError`."""
    host, _, port = address.rpartition(":")
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    try:
        server, thread = start_http_server(int(port), host.strip("[]"), registry)
    except OSError as error:
        raise SettingsError(
            f"ARENA_METRICS_LISTEN is {address}, where nothing can listen ({error.strerror}); name another."
        ) from None
    registry.register(_Scrape(read, asyncio.get_running_loop()))
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
