"""Fixtures in play for pages that are open: what the arbiter tells spectators, asked once however many pages look on.

It asks as anybody may, on the bots' port and without a credential, so nothing is known here that a page may not show.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import grpc.aio

from rummy.errors import NotFound, RummyError, TooMany
from rummy.rules.cards import cards_text
from rummy.rules.game import Phase, View
from rummy.rules.narrate import sentence
from rummy.wire import codec
from rummy.wire.dial import aio_channel
from rummy.wire.status import error_of
from rummy.wire.v1 import watch_pb2, watch_pb2_grpc

log = logging.getLogger(__name__)

MAX_FIXTURES = 64
"""Fixtures that are followed at once: each is one call at an arbiter."""
MAX_SPECTATORS = 500
MAX_SAID = 200
"""Sentences that are kept of a fixture, the newest, for pages that open later."""
UNREACHED = "The arbiter that plays this fixture cannot be reached from here."


class Story:
    """What has been told of one fixture: the newest of each part, with the version at which it came."""

    def __init__(self) -> None:
        self.version = 0
        self.over = False
        self._parts: dict[str, tuple[int, object]] = {}
        self._said: deque[tuple[int, str]] = deque(maxlen=MAX_SAID)
        self._names: Sequence[str] = ()
        self._game = ""

    def tell(self, update: watch_pb2.FollowUpdate) -> None:
        """Takes in an update. Raises `BadInput` where it makes no sense."""
        self.version += 1
        if update.HasField("start"):
            self._begin(update.start)
        if update.HasField("progress"):
            self._set("progress", {"legs": update.progress.legs_done, "deals": update.progress.deals_done})
        for event in codec.read_events(update.events):
            self._said.append((self.version, sentence(event, self._names)))
        if update.HasField("table"):
            self._set("table", _table(codec.read_view(update.table, self._game, Phase.START)))
        if update.results:
            self._end("results", [_result(leg, result, self._names) for leg, result in enumerate(update.results)])
        if update.void:
            self._end("void", update.void)

    def break_off(self, text: str) -> None:
        """There is no more of it, because of *text*."""
        self.version += 1
        self._end("broken", text)

    def since(self, version: int) -> dict[str, object]:
        """What is newer than *version*, by part; `said` are sentences, the oldest first."""
        news = {name: value for name, (at, value) in self._parts.items() if at > version}
        said = [text for at, text in self._said if at > version]
        return {**news, "said": said} if said else news

    def _begin(self, start: watch_pb2.FollowStart) -> None:
        self._names, self._game = list(start.bots), start.game
        self._set("start", {"bots": list(start.bots), "legs": start.legs, "open": start.open,
                            "delay": start.delay_seconds})  # fmt: skip

    def _end(self, name: str, value: object) -> None:
        self._set(name, value)
        self.over = True

    def _set(self, name: str, value: object) -> None:
        self._parts[name] = self.version, value


class Following:
    """One fixture that is followed for as long as somebody looks on."""

    def __init__(self, fixture_id: int, dial: Callable[[], grpc.aio.Channel]) -> None:
        self.story = Story()
        self.spectators = 0
        self._changed = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._follow(fixture_id, dial))

    async def news(self) -> AsyncIterator[str]:
        """What there is to tell as JSON objects, to the end of the story; who is slow is told the newest."""
        version = 0
        while True:
            changed = self._changed
            if self.story.version > version:
                news, version = self.story.since(version), self.story.version
                yield json.dumps(news)
            elif self.story.over:
                return
            else:
                await changed.wait()

    def close(self) -> None:
        """Tells everybody that the service stops."""
        self.story.break_off("The dashboard is being stopped.")
        self._wake()

    async def end(self) -> None:
        """Nobody looks on any longer."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _follow(self, fixture_id: int, dial: Callable[[], grpc.aio.Channel]) -> None:
        try:
            async with dial() as channel:
                async for update in watch_pb2_grpc.WatchStub(channel).Follow(
                    watch_pb2.FollowRequest(fixture=fixture_id)
                ):
                    self.story.tell(update)
                    self._wake()
            if not self.story.over:
                self.story.break_off(UNREACHED)
        except grpc.aio.AioRpcError as error:
            self._break_off(error_of(error))
        except RummyError as error:
            self._break_off(error)
        except Exception:
            log.exception("fixture %d cannot be followed", fixture_id)
            self.story.break_off(UNREACHED)
        finally:
            self._wake()

    def _break_off(self, error: RummyError) -> None:
        """The end of a call; of what lies between dashboard and arbiter no page is told."""
        log.info("a fixture is no longer followed: %s", error)
        self.story.break_off(str(error) if isinstance(error, NotFound | TooMany) else UNREACHED)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class Spectating:
    """All fixtures that are followed. Lives in the service's event loop.

    *address*: where the arbiter is reached from here, in plain text, if not where and as bots dial it.
    """

    def __init__(self, address: str = "") -> None:
        self._address = address
        self._followed: dict[tuple[int, str], Following] = {}
        self._closed = False

    def check_room(self, fixture_id: int) -> None:
        """Raises `TooMany` where no more pages, or no more fixtures, can be followed."""
        if sum(following.spectators for following in self._followed.values()) >= MAX_SPECTATORS:
            raise TooMany(f"{MAX_SPECTATORS} spectators are here already; try again later.")
        if len(self._followed) >= MAX_FIXTURES and all(known != fixture_id for known, _ in self._followed):
            raise TooMany(f"{MAX_FIXTURES} fixtures are being followed already; try again later.")

    @contextlib.asynccontextmanager
    async def following(self, fixture_id: int, address: str) -> AsyncIterator[Following]:
        """The fixture, as the arbiter that bots dial at *address* tells it, for as long as a page looks on."""
        key = fixture_id, address
        following = self._followed.get(key)
        if following is None or following.story.over:
            following = self._followed[key] = Following(fixture_id, partial(self._dial, address))
        following.spectators += 1
        if self._closed:
            following.close()
        try:
            yield following
        finally:
            following.spectators -= 1
            if not following.spectators:
                if self._followed.get(key) is following:
                    del self._followed[key]
                await following.end()

    def close(self) -> None:
        """Ends every open stream, so that the service can stop at once."""
        self._closed = True
        for following in self._followed.values():
            following.close()

    def _dial(self, address: str) -> grpc.aio.Channel:
        return grpc.aio.insecure_channel(self._address) if self._address else aio_channel(address)


def _table(view: View) -> dict[str, Any]:
    return {
        "hands": list(view.hand_sizes), "stock": view.stock, "pile": cards_text(view.pile),
        "melds": [{"seat": meld.seat, "cards": cards_text(meld.cards)} for meld in view.melds],
        "scores": list(view.scores), "status": list(view.status), "turn": view.turn, "dealer": view.dealer,
        "wild": "" if view.wild is None else cards_text((view.wild,)),
    }  # fmt: skip


def _result(leg: int, result: watch_pb2.FollowResult, names: Sequence[str]) -> str:
    """A leg's end in words; in leg k each sits k seats before."""
    seated = [names[(seat + leg) % len(names)] for seat in range(len(names))]
    places = sorted(zip(result.placements, seated, result.scores, strict=True))
    told = ", ".join(f"{place}. {name} ({score})" for place, name, score in places)
    return f"Leg {leg + 1} has ended ({result.reason}): {told}."
