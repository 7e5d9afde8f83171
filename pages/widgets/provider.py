"""The sign-in provider (OpenID Connect) as the secrets file describes it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from rulerank.errors import RulerankError

SECRETS = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
SHORTEST_SECRET = 32
_ADVICE = "copy .streamlit/secrets.example.toml to .streamlit/secrets.toml and fill it in"


def check_provider() -> None:
    """Refuse a provider that is not, or only partly, described, before anybody tries to sign in with it."""
    try:
        auth = st.secrets.get("auth")
    except StreamlitSecretNotFoundError as error:
        broken = "parsing" in str(error)
        why = f"mend this: {' '.join(str(error).split())}" if broken else _ADVICE
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
