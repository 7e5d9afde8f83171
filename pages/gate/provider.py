"""The sign-in provider (OpenID Connect): what the secrets file must say, and what follows when it vouches for people.

Streamlit talks to the provider and checks its token. Who comes back then gets a session of this app, as after a
password; Streamlit's own cookie of who somebody is opens nothing here, and serves for signing out at the provider.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.errors import StreamlitSecretNotFoundError
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from db.people.openid import Admission
from pages.context import address
from pages.gate.routes import NEXT, PROVIDER, back, client_of, welcome
from rulerank.audit import audit
from rulerank.errors import RulerankError

SECRETS = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
SHORTEST_SECRET = 32
FAILED = "Signing in with the provider did not work. Try again; if it stays so, the server's log says more."
AWAY = "The sign-in provider does not answer as it should. Try again later; the server's log says more."
_ADVICE = "copy .streamlit/secrets.example.toml to .streamlit/secrets.toml and fill it in"

log = logging.getLogger("rulerank")


def check_provider() -> None:
    """Refuse a provider that is not, or only partly, described, before anybody tries to sign in with it."""
    try:
        auth = st.secrets.get("auth")
    except StreamlitSecretNotFoundError as error:
        broken = "parsing" in str(error)
        why = f"fix this: {' '.join(str(error).split())}" if broken else _ADVICE
        raise RulerankError(f"RULERANK_SIGN_IN=oidc needs a sign-in provider; {why}") from error
    check_section(auth if isinstance(auth, Mapping) else {})


def check_section(auth: Mapping[str, object]) -> None:
    """Check the section [auth] of a secrets file; what it holds is named, but never a secret itself."""
    given = {key: str(auth.get(key) or "").strip() for key in SECRETS}
    missing = [key for key, value in given.items() if not value]
    if missing:
        raise RulerankError(f"the section [auth] of the secrets file lacks {', '.join(missing)}; {_ADVICE}")
    for key in ("redirect_uri", "server_metadata_url"):
        parts = urlsplit(given[key])
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise RulerankError(f"{key} in the secrets file must be a whole address, https://..., not {given[key]!r}")
    if not given["redirect_uri"].endswith("/oauth2callback"):
        raise RulerankError(f"redirect_uri must end with /oauth2callback; {given['redirect_uri']!r} does not")
    if len(given["cookie_secret"]) < SHORTEST_SECRET:
        command = 'python3 -c "import secrets; print(secrets.token_hex(32))"'
        raise RulerankError(f"cookie_secret needs at least {SHORTEST_SECRET} characters; make one: {command}")


class Provider:
    """Takes over when somebody comes back from the provider; a failure leads to the sign-in page, and is explained."""

    def __init__(self, app: ASGIApp, admission: Admission) -> None:
        self.app = app
        self.admission = admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        path = scope.get("path", "")
        leaving, returning = path == address("/auth/login"), path == address("/oauth2callback")
        # After signing out the provider sends people back here as well, with neither of the two.
        returning = returning and any(key in Request(scope).query_params for key in ("state", "error"))
        if scope["type"] != "http" or not (leaving or returning):
            await self.app(scope, receive, send)
            return
        answer: list[Message] = []

        async def keep(message: Message) -> None:
            answer.append(message)

        try:
            await self.app(scope, receive, keep)
        except Exception:
            log.exception("signing in with the provider failed")
            answer.clear()
        request = Request(scope)
        target = request.cookies.get(NEXT, "")
        if not answer or answer[0]["status"] >= 400:
            await back(request, target, AWAY)(scope, receive, send)
        elif returning:
            ours = await run_in_threadpool(self._let_in, request, answer[0]["headers"], target)
            await ours(scope, receive, send)
        else:
            for message in answer:
                await send(message)

    def _let_in(self, request: Request, headers: list[tuple[bytes, bytes]], target: str) -> Response:
        """Begin a session for whom the provider vouches for, or say why not."""
        cookies = [(name, value) for name, value in headers if name.lower() == b"set-cookie"]
        claims = read_claims([value.decode("latin-1") for _, value in cookies])
        if claims is None:
            return back(request, target, FAILED)
        try:
            person = self.admission.admit(claims)
        except RulerankError as error:
            address = client_of(request).address
            audit("sign-in-refused", why="not-admitted", email=claims.get("email"), address=address)
            return back(request, target, str(error))
        answer = welcome(request, self.admission.people, person, target, PROVIDER)
        answer.raw_headers.extend(cookies)
        return answer


def read_claims(cookies: list[str]) -> dict[str, Any] | None:
    """Return what the provider says about somebody, from the cookies that Streamlit sets after a sign-in."""
    found: dict[str, str] = {}
    for cookie in cookies:
        try:
            found |= {name: morsel.value for name, morsel in SimpleCookie(cookie).items()}
        except CookieError:
            continue

    def read(name: str) -> bytes | None:
        return decode_signed_value(get_cookie_secret(), name, found[name]) if found.get(name) else None

    whole = get_cookie_with_chunks(read, USER_COOKIE_NAME)
    claims = json.loads(whole) if whole else None
    return claims if isinstance(claims, dict) and claims.get("is_logged_in") else None
