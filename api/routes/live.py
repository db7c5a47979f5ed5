"""News for open pages as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, cast

from fastapi import APIRouter, Depends, Request
from sse_starlette import EventSourceResponse, ServerSentEvent

from api.live import RESYNC, Hub, Topic
from api.routes.parameters import Id

router = APIRouter(include_in_schema=False)

PING_SECONDS = 20


def hub_of(request: Request) -> Hub:
    """The service's listener."""
    return cast(Hub, request.app.state.hub)


News = Annotated[Hub, Depends(hub_of)]


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


def _stream(hub: Hub, topic: Topic, only: str | None = None) -> EventSourceResponse:
    hub.check_room()
    return EventSourceResponse(_events(hub, topic, only), ping=PING_SECONDS)


async def _events(hub: Hub, topic: Topic, only: str | None) -> AsyncIterator[ServerSentEvent]:
    with hub.reader(topic) as reader:
        yield ServerSentEvent(event="hello", data="", retry=3000)
        while True:
            kinds = await reader.next()
            if kinds is None:
                return
            if only is None or {only, RESYNC} & set(kinds.split(",")):
                yield ServerSentEvent(event="changed", data=kinds)
