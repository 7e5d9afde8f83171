"""Tells Streamlit's page where its server is, so that it need not guess.

Streamlit's script takes the address of a page, /label, for a folder that the app may live below, and asks
/label/_stcore/health and /label/_stcore/host-config first: two answers of 404 in every browser and every proxy's log,
and a round trip lost, before it asks the right ones. `window.__streamlit` is its own setting for that.
"""

from __future__ import annotations

import json

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.context import address

_HEAD = b"<head>"


def start_script() -> str:
    """Return the script that says below which address of this host the app lives."""
    base = json.dumps(address("/").rstrip("/"))
    return f"window.__streamlit = {{ BACKEND_BASE_URL: location.origin + {base} }};"


class StartScript:
    """Puts the script into Streamlit's page, before any other; the pages of our own have no use for it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        if scope["type"] != "http" or scope["method"] != "GET" or "text/html" not in _accepted(scope):
            await self.app(scope, receive, send)
            return
        # Packed, it could not be changed; and what the browser has kept is compared by the file alone.
        left_out = (b"accept-encoding", b"if-none-match", b"if-modified-since")
        kept = [each for each in scope["headers"] if each[0].lower() not in left_out]
        scope = {**scope, "headers": kept, "extensions": {}}  # no server must send the file by itself either
        start: Message | None = None
        body = b""

        async def sent(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    await _send_page(start, body, send)

        await self.app(scope, receive, sent)


async def _send_page(start: Message, body: bytes, send: Send) -> None:
    changed = body.replace(_HEAD, _HEAD + f"<script>{start_script()}</script>".encode(), 1)
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-length"] = str(len(changed))
    for name in ("etag", "last-modified"):
        if name in headers:
            del headers[name]
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": changed})


def _is_page(message: Message) -> bool:
    """Say whether an answer begins that is Streamlit's page: one of our own says itself which scripts it runs."""
    headers = Headers(raw=message["headers"])
    html = headers.get("content-type", "").startswith("text/html")
    return message["status"] == 200 and html and "content-security-policy" not in headers


def _accepted(scope: Scope) -> str:
    return Headers(scope=scope).get("accept", "")
