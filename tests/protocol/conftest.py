"""The stage on which the protocol is tested."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import stage as staging

from arbiter.hall import Hall


@pytest.fixture
async def stage() -> AsyncIterator[staging.Stage]:
    """An arbiter on unix sockets, with a clock that stands still until it is moved."""
    clock = staging.Clock()
    hall = Hall(now=clock, grace_seconds=staging.GRACE)
    with tempfile.TemporaryDirectory(prefix="stage-") as folder:
        [bots] = await hall.open_to_bots(staging.everybody(), [f"unix:{Path(folder) / 'bots.sock'}"])
        workers = [f"unix:{Path(folder) / 'workers.sock'}"]
        [workers_at] = await hall.open_to_workers(staging.CREDENTIAL, workers, "here and now")
        made = staging.Stage(bots, workers_at, hall, clock)
        yield made
        await made.close()
