"""What every gRPC server is asked by tools: whether it serves (health), and what (reflection).

Each port tells of its own services only: what workers call is no part of what a bot can reflect on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress

import grpc.aio
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import FileDescriptor
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc

PATIENCE = 1.0
"""Seconds for which watchers of the health that do not read can hold up the end of the arbiter."""


class Health:
    """Says of one server whether it serves."""

    def __init__(self, server: grpc.aio.Server, services: Iterable[str]) -> None:
        """Adds health and reflection to *server*, which has those *services*; it does not serve before `up`."""
        self._services = tuple(services)
        self._servicer = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)
        names = [*self._services, health.SERVICE_NAME, reflection.SERVICE_NAME]
        reflecting = reflection.aio.ReflectionServicer(names, pool=_pool_of(names))
        reflection_pb2_grpc.add_ServerReflectionServicer_to_server(reflecting, server)  # type: ignore[no-untyped-call]

    async def up(self) -> None:
        """From now on the server serves."""
        for service in ("", *self._services):
            await self._servicer.set(service, health_pb2.HealthCheckResponse.SERVING)

    async def down(self) -> None:
        """From now on it is not to be sent anything new."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._servicer.enter_graceful_shutdown(), PATIENCE)


def _pool_of(services: Iterable[str]) -> descriptor_pool.DescriptorPool:
    """What describes *services*, and nothing else."""
    known, pool = descriptor_pool.Default(), descriptor_pool.DescriptorPool()
    added: set[str] = set()
    for service in services:
        _add(known.FindServiceByName(service).file, pool, added)
    return pool


def _add(file: FileDescriptor, pool: descriptor_pool.DescriptorPool, added: set[str]) -> None:
    if file.name in added:
        return
    added.add(file.name)
    for needed in file.dependencies:
        _add(needed, pool, added)
    described = descriptor_pb2.FileDescriptorProto()
    file.CopyToProto(described)
    pool.Add(described)
