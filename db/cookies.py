"""Sign-in cookies: who, since which change of password, and until when, signed with HMAC-SHA256."""

from __future__ import annotations

import base64
import hmac
import re
from dataclasses import dataclass

VERSION = 1
HOURS = 12
_FORM = re.compile(r"([0-9]{1,4})\.([0-9]{1,18})\.([0-9]{1,18})\.([0-9]{1,18})\.([A-Za-z0-9_-]{43})", re.ASCII)


@dataclass(frozen=True)
class Session:
    """What a cookie says."""

    person: int
    epoch: int
    expires_at: int


def write_cookie(session: Session, secret: bytes) -> str:
    """Return a session as signed text that fits in a cookie as it is."""
    said = f"{VERSION}.{session.person}.{session.epoch}.{session.expires_at}"
    return f"{said}.{_signature(said, secret)}"


def read_cookie(cookie: str, secret: bytes, now: float) -> Session | None:
    """Return what a cookie says if the signature is ours and it has not expired."""
    match = _FORM.fullmatch(cookie)
    if match is None:
        return None
    version, person, epoch, expires_at, signature = match.groups()
    said = f"{version}.{person}.{epoch}.{expires_at}"
    genuine = hmac.compare_digest(signature, _signature(said, secret))
    if not genuine or int(version) != VERSION or int(expires_at) <= now:
        return None
    return Session(int(person), int(epoch), int(expires_at))


def _signature(said: str, secret: bytes) -> str:
    # The first words keep this use of the secret apart from any other.
    mac = hmac.digest(secret, b"rulerank sign-in cookie:" + said.encode(), "sha256")
    return base64.urlsafe_b64encode(mac).decode().rstrip("=")
