"""How an arbiter is dialled: plain text where it cannot leave this machine, TLS everywhere else."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path

import grpc
import grpc.aio

from rummy.errors import SettingsError

AUTHORITY = "ARENA_CA"
"""The variable that names a file of certificates to trust in place of the system's."""


def is_local(address: str) -> bool:
    """Whether *address* (HOST:PORT or unix:PATH) cannot be reached from, or leave, another machine than this."""
    if address.startswith("unix:"):
        return True
    host = address.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def credentials(address: str, authority: Path | None = None) -> grpc.ChannelCredentials | None:
    """What to dial *address* with: None for plain text, else TLS that trusts *authority*. Raises `SettingsError`."""
    if is_local(address):
        return None
    try:
        return grpc.ssl_channel_credentials(authority.read_bytes() if authority else None)
    except OSError as error:
        raise SettingsError(f"{AUTHORITY} is {authority}, which cannot be read: {error.strerror}.") from None


def channel(address: str) -> grpc.Channel:
    """A channel to the bots' port of an arbiter. Raises `SettingsError`."""
    secret = _secret(address)
    return grpc.insecure_channel(address) if secret is None else grpc.secure_channel(address, secret)


def aio_channel(address: str) -> grpc.aio.Channel:
    """The same for asyncio."""
    secret = _secret(address)
    return grpc.aio.insecure_channel(address) if secret is None else grpc.aio.secure_channel(address, secret)


def _secret(address: str) -> grpc.ChannelCredentials | None:
    authority = os.environ.get(AUTHORITY)
    return credentials(address, Path(authority) if authority else None)
