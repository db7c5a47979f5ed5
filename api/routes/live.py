"""News for open pages as server-sent events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, cast

from fastapi import APIRouter, Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from sse_starlette import EventSourceResponse, ServerSentEvent

from api.live import RESYNC, Hub, Topic
from api.routes.parameters import Arena, Id
from api.spectating import Spectating

router = APIRouter(include_in_schema=False)

PING_SECONDS = 20
AGAIN_MS = 3000
"""After so long a page asks again whose stream has ended."""


def hub_of(request: Request) -> Hub:
    """The service's listener."""
    return cast(Hub, request.app.state.hub)


def spectating_of(request: Request) -> Spectating:
    """The fixtures that are followed."""
    return cast(Spectating, request.app.state.spectating)


News = Annotated[Hub, Depends(hub_of)]
Followed = Annotated[Spectating, Depends(spectating_of)]


@router.get("/live")
async def everything(hub: News) -> EventSourceResponse:
    """An event whenever a tournament has moved."""
    return _stream(hub, None)


@router.get("/bots/live")
async def bots(hub: News) -> EventSourceResponse:
    """An event whenever a bot was submitted, has dialled in or has gone."""
    return _stream(hub, None, only="bot")


@router.get("/tournaments/{tournament_id}/live")
async def tournament(hub: News, tournament_id: Id) -> EventSourceResponse:
    """An event whenever this tournament has moved."""
    return _stream(hub, tournament_id)


@router.get("/fixtures/{fixture_id}/live")
async def fixture(arena: Arena, followed: Followed, fixture_id: Id) -> Response:
    """A fixture in play as spectators are told of it; nothing (204) once it is done, and no page asks again."""
    found = await run_in_threadpool(arena.fixture, fixture_id)
    if found.state == "done":
        return Response(status_code=204)
    if found.arbiter is None:
        return EventSourceResponse(_waiting())
    followed.check_room(fixture_id)
    return EventSourceResponse(_told(followed, fixture_id, found.arbiter), ping=PING_SECONDS)


async def _waiting() -> AsyncIterator[ServerSentEvent]:
    yield ServerSentEvent(event="news", data=json.dumps({"waits": True}), retry=AGAIN_MS)


async def _told(followed: Spectating, fixture_id: int, arbiter: str) -> AsyncIterator[ServerSentEvent]:
    async with followed.following(fixture_id, arbiter) as following:
        async for news in following.news():
            yield ServerSentEvent(event="news", data=news, retry=AGAIN_MS)


def _stream(hub: Hub, topic: Topic, only: str | None = None) -> EventSourceResponse:
    hub.check_room()
    return EventSourceResponse(_events(hub, topic, only), ping=PING_SECONDS)


async def _events(hub: Hub, topic: Topic, only: str | None) -> AsyncIterator[ServerSentEvent]:
    with hub.reader(topic) as reader:
        yield ServerSentEvent(event="hello", data="", retry=AGAIN_MS)
        while True:
            kinds = await reader.next()
            if kinds is None:
                return
            if only is None or {only, RESYNC} & set(kinds.split(",")):
                yield ServerSentEvent(event="changed", data=kinds)
