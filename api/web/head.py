"""HEAD, which every server of HTTP answers as it would answer GET, and without the content."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadAsGet:
    """Middleware that has HEAD answered as GET. The server itself leaves the content out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on; whoever would send for ever hears after the headers that nobody reads on."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        begun = asyncio.Event()
        open_end = True

        async def note(message: Message) -> None:
            nonlocal open_end
            await send(message)
            begun.set()
            if message["type"] == "http.response.body":
                open_end = message.get("more_body", False)

        async def gone() -> Message:
            await begun.wait()
            return {"type": "http.disconnect"}

        await self._app({**scope, "method": "GET"}, gone, note)
        if open_end:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
