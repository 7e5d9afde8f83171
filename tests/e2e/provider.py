"""A small OpenID Connect provider on a free port: it asks who one wants to be, and vouches for it.

What it does is what OpenID Connect Core 1.0 asks of the code flow (section 3.1), with PKCE (RFC 7636) and signing out:
codes work once, the client must know its secret and answer the challenge, and identity tokens are signed with RS256.
"""

from __future__ import annotations

import base64
import hashlib
import html
import secrets
import threading
import time
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.e2e.server import PATIENCE, free_port

CLIENT, SECRET = "rulerank", "the secret of the client"


class Provider:
    """The provider; `people` maps the words on a button to the claims of who presses it."""

    def __init__(self, people: dict[str, dict[str, Any]]) -> None:
        self.people = people
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.metadata_url = f"{self.url}/.well-known/openid-configuration"
        self.age = 0.0  # seconds since when its tokens pretend to have been issued
        self.asked: list[dict[str, str]] = []  # what clients asked for
        self._key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"})
        self._codes: dict[str, tuple[dict[str, str], str]] = {}
        routes = [
            Route("/.well-known/openid-configuration", self._metadata),
            Route("/keys", self._keys),
            Route("/authorize", self._authorize),
            Route("/token", self._token, methods=["POST"]),
            Route("/userinfo", self._userinfo),
            Route("/leave", self._leave),
        ]
        settings = uvicorn.Config(Starlette(routes=routes), host="localhost", port=self.port, log_level="warning")
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def __enter__(self) -> Provider:
        self._thread.start()
        end = time.monotonic() + PATIENCE
        while not self._server.started:
            assert time.monotonic() < end, "the provider did not start"
            time.sleep(0.02)
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)

    def secrets(self, redirect_uri: str, **other: str) -> str:
        """Return a secrets file for an app that signs in here."""
        values = {
            "redirect_uri": redirect_uri,
            "cookie_secret": secrets.token_hex(32),
            "client_id": CLIENT,
            "client_secret": SECRET,
            "server_metadata_url": self.metadata_url,
            **other,
        }
        return "\n".join(["[auth]", *(f'{key} = "{value}"' for key, value in values.items()), ""])

    async def _metadata(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/keys",
                "end_session_endpoint": f"{self.url}/leave",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def _keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})

    async def _authorize(self, request: Request) -> Response:
        """Ask who one wants to be; then send them back with a code, or without their consent."""
        asked = dict(request.query_params)
        name = asked.pop("as", None)
        if name is None:
            self.asked.append(asked)
            links = [
                f'<p><a href="?{html.escape(urlencode({**asked, "as": each}))}">{html.escape(each)}</a></p>'
                for each in [*self.people, "Nobody"]
            ]
            return HTMLResponse("<title>Provider</title><h1>Who are you?</h1>" + "".join(links))
        if name == "Nobody":
            answer = {"error": "access_denied", "state": asked["state"]}
        else:
            code = secrets.token_urlsafe(16)
            self._codes[code] = (asked, name)
            answer = {"code": code, "state": asked["state"]}
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(answer)}")

    async def _token(self, request: Request) -> Response:
        """Change a code into tokens."""
        form = await request.form()
        login = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        known = request.headers.get("authorization") == f"Basic {login}" or form.get("client_secret") == SECRET
        if not known:
            return JSONResponse({"error": "invalid_client"}, status_code=401)
        asked, name = self._codes.pop(str(form.get("code")), ({}, ""))
        digest = hashlib.sha256(str(form.get("code_verifier")).encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if not asked or challenge != asked["code_challenge"] or form.get("redirect_uri") != asked["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "sub": name,
            "iat": int(now - self.age),
            "exp": now + 600,
            "nonce": asked["nonce"],
            **self.people[name],
        }
        token = jwt.encode({"alg": "RS256", "kid": "1"}, claims, self._key)
        return JSONResponse({"access_token": name, "token_type": "Bearer", "expires_in": 600, "id_token": token})

    async def _userinfo(self, request: Request) -> Response:
        name = request.headers.get("authorization", "").removeprefix("Bearer ")
        return JSONResponse({"sub": name, **self.people.get(name, {})})

    async def _leave(self, request: Request) -> Response:
        return RedirectResponse(request.query_params["post_logout_redirect_uri"])
