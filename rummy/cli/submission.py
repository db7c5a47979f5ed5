"""Submitting a package to an arena over gRPC."""

import hashlib
from collections.abc import Iterator

import grpc

from rummy.wire import dial
from rummy.wire.status import error_of
from rummy.wire.v1 import bots_pb2, bots_pb2_grpc

CHUNK_BYTES = 1 << 16
PATIENCE_SECONDS = 300.0


def submit(address: str, token: str, package: bytes) -> Iterator[bots_pb2.SubmitStep]:
    """Upload *package* to the arena at *address* and yield each step as the arena reports it.

    The last step has the id of the new version. Raises what the arena refused it for, or ArbiterUnavailable.
    """
    with dial.channel(address) as channel:
        call = bots_pb2_grpc.BotsStub(channel).Submit(
            _parts(package), metadata=(("authorization", f"Bearer {token}"),), timeout=PATIENCE_SECONDS
        )
        try:
            yield from call
        except grpc.RpcError as error:
            raise error_of(error) from None


def _parts(package: bytes) -> Iterator[bots_pb2.SubmitRequest]:
    head = bots_pb2.PackageHead(size=len(package), digest=hashlib.sha256(package).digest())
    yield bots_pb2.SubmitRequest(head=head)
    for start in range(0, len(package), CHUNK_BYTES):
        yield bots_pb2.SubmitRequest(chunk=package[start : start + CHUNK_BYTES])
