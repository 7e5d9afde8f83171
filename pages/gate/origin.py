"""Which pages may ask this server for something: its own, and no others.

A browser sends the cookie of this app with what any page on the same host asks for, whatever the port, and in
single-user mode there is no cookie at all. So who asks is read from what a page cannot forge: the headers `Origin`
and `Sec-Fetch-*`, which the browser itself writes.
"""

from __future__ import annotations

import re

from starlette.requests import HTTPConnection

from rulerank.errors import InputError

PORTS = {"http": ":80", "https": ":443"}  # which browsers leave out
OWN = ("same-origin", "none")  # "none": typed into the address bar, or a bookmark


def check_origin(text: str) -> str:
    """Return the setting RULERANK_ORIGIN, scheme://host[:port], in the form that browsers write."""
    origin = text.strip().rstrip("/").lower()
    if not re.fullmatch(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", origin):
        raise InputError(f"RULERANK_ORIGIN must look like https://rulerank.example.org, not {text!r}")
    return origin.removesuffix(PORTS[origin.partition(":")[0]])


def is_ours(connection: HTTPConnection, also: str = "") -> bool:
    """Say whether a request comes from a page of this app, or from no page at all (a program, the address bar).

    `also` is the address by which people reach the app where the server does not see it. Following a link from
    another site is fine: it changes nothing. A websocket has an origin, because every browser sends one.
    """
    origin = connection.headers.get("origin")
    websocket = connection.scope["type"] == "websocket"
    own = not websocket if origin is None else origin.lower() in {*_own_origins(connection), also or None}
    site = connection.headers.get("sec-fetch-site")
    if site is None or site in OWN:
        return own
    return own and not websocket and _follows_a_link(connection)


def _own_origins(connection: HTTPConnection) -> set[str]:
    """Return how browsers write the origin of the host that was asked for: name and port alike, never less secure.

    A proxy that ends TLS may leave the server thinking of http, so https counts for it.
    """
    host = connection.headers.get("host", "").lower()
    schemes = ("https",) if connection.scope.get("scheme") in ("https", "wss") else ("http", "https")
    return {f"{scheme}://{host.removesuffix(PORTS[scheme])}" for scheme in schemes} if host else set()


def _follows_a_link(connection: HTTPConnection) -> bool:
    """Say whether somebody comes here from another site, rather than that site loading something from here."""
    headers, method = connection.headers, connection.scope.get("method")
    embedded = headers.get("sec-fetch-dest") in ("object", "embed", "iframe", "frame")
    return method in ("GET", "HEAD") and headers.get("sec-fetch-mode") == "navigate" and not embedded
