"""An arbiter that takes submissions, with a real database and real lanes, as a bot author meets it."""

from __future__ import annotations

import asyncio
import hashlib
import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from arbiter.hall import Hall
from arbiter.hosting.lanes import Lanes
from arbiter.hosting.reach import open_to_lanes
from arbiter.qualifying import Qualifier
from arbiter.servicers.bots import SERVICE, BotsServicer
from arbiter.servicers.registry import StoreDirectory, package_of
from arbiter.servicers.roster import Roster
from rummy.store import bots, owners
from rummy.store.db import Database
from rummy.wire.status import error_of
from rummy.wire.v1 import bots_pb2

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SAMPLES = Path(__file__).parents[1] / "sample_bots"
HEAD = "from sample_bots import sdk\n\n\ndef choose(decision):\n"
TAIL = "\n\nif __name__ == '__main__':\n    sdk.run(choose)\n"
GOOD = "    return decision.fallback"


def a_package(body: str = GOOD, *, source: str | None = None, **changes: str) -> bytes:
    """A package whose bot has *body* as its `choose`."""
    said = {"name": '"Test"', "version": '"1"', "games": '["gin"]', "language": '"python"', "entry": '"bot.py"'}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        manifest = "".join(f"{key} = {value}\n" for key, value in {**said, **changes}.items())
        file.writestr(zipfile.ZipInfo("bot.toml"), manifest)
        file.writestr(zipfile.ZipInfo("bot.py"), HEAD + body + TAIL if source is None else source)
    return packed.getvalue()


def head_of(content: bytes, **changes: Any) -> bots_pb2.SubmitRequest:
    head = {"size": len(content), "digest": hashlib.sha256(content).digest(), **changes}
    return bots_pb2.SubmitRequest(head=bots_pb2.PackageHead(**head))


def requests_for(content: bytes, size: int = 200_000) -> list[bots_pb2.SubmitRequest]:
    chunks = (content[place : place + size] for place in range(0, len(content), size))
    return [head_of(content), *(bots_pb2.SubmitRequest(chunk=chunk) for chunk in chunks)]


@dataclass
class Arena:
    """An arbiter that takes submissions, as a bot author meets it."""

    address: str
    database: Database
    token: str
    hall: Hall
    steps: list[bots_pb2.SubmitStep] = field(default_factory=list)

    async def submit(self, *requests: bots_pb2.SubmitRequest | bytes, token: str | None = None) -> int:
        """The version of the last step. Raises the arena's error; `steps` are those of this submission."""
        self.steps = []
        await asyncio.to_thread(self._submit, [*map(_bytes, requests)], token)
        return self.steps[-1].version_id

    def _submit(self, requests: list[bytes], token: str | None) -> None:
        # As the command line does. A client of grpc.aio may lose the status of a call that is refused while it writes.
        with grpc.insecure_channel(self.address) as channel:
            method: Any = channel.stream_stream(f"/{SERVICE}/Submit")
            try:
                for step in method(iter(requests), metadata=self._shown(token)):
                    self.steps.append(bots_pb2.SubmitStep.FromString(step))
            except grpc.RpcError as error:
                raise _named(error) from error

    async def register(self, request: bots_pb2.RegisterRequest | bytes, token: str | None = None) -> Any:
        async with grpc.aio.insecure_channel(self.address) as channel:
            method: Any = channel.unary_unary(f"/{SERVICE}/Register")
            try:
                reply = await method(_bytes(request), metadata=self._shown(token))
            except grpc.aio.AioRpcError as error:
                raise _named(error) from error
        return bots_pb2.RegisterReply.FromString(reply)

    def versions(self) -> list[bots.Version]:
        with self.database.transaction() as tx:
            return bots.list_versions(tx)

    def _shown(self, token: str | None) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token if token is None else token}"),)


class Refused(Exception):
    """The arena's answer: its status, and the sentence."""


def _named(error: Any) -> Refused:
    return Refused(f"{error.code().name}: {error_of(error)}")


def _bytes(request: Any) -> bytes:
    return request if isinstance(request, bytes) else bytes(request.SerializeToString())


@asynccontextmanager
async def open_arena(database_url: str, folder: Path, *, trusted: bool = True) -> AsyncIterator[Arena]:
    """An arena of its own, which ends with the block. Lanes live in *folder*, which others can pass."""
    organiser = Database(database_url)
    with organiser.transaction() as tx:
        owner = owners.create(tx, "Ann", now=NOW)
        token = owners.new_token(tx, owner.owner_id, now=NOW)
    database = Database(f"{database_url}&options=-crole%3Darena_arbiter")  # With the arbiter's rights and no others.
    socket = folder / "bots.sock"
    lanes = Lanes(
        lambda version_id: package_of(database, version_id),
        folder=folder / "hosting",
        logs=folder / "hosting" / "logs",
        address=f"unix:{socket}",
        trusted=trusted,
    )
    hall = Hall()
    hall.lobby.hosting = lanes
    lanes.on_lane_died = hall.lobby.lane_died
    servicer = BotsServicer(Roster(database, lambda _: NOW), Qualifier(hall.tables, lanes), trusted=trusted)
    directory = StoreDirectory(database, lanes)
    [address, _] = await hall.open_to_bots(directory, ["127.0.0.1:0", f"unix:{socket}"], {SERVICE: servicer.handlers()})
    open_to_lanes(socket)
    hall.start_clock()
    yield Arena(address, organiser, token, hall)
    await lanes.close()
    await hall.close()
    database.close()
    organiser.close()
