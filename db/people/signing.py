"""Signed text: what a browser keeps for the server comes back as it was written; tickets of the labelling panel.

Signed by itsdangerous with HMAC-SHA256. One secret serves several uses, each with a key of its own: what was signed for
one use is worth nothing in another.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from itsdangerous import BadSignature, Signer

TICKET = "rulerank panel ticket of a session"
BROWSER = "rulerank known browser"
FIRST_ACCOUNT = "rulerank first account"


def sign(text: str, secret: bytes, use: str) -> str:
    """Return the text, a dot and its signature."""
    return _signer(secret, use).sign(text).decode()


def unsign(signed: str, secret: bytes, use: str) -> str | None:
    """Return the text without its signature, or None if it was not signed for this use; compares in constant time."""
    if not signed.isascii():
        return None
    signer = _signer(secret, use)
    try:
        text = signer.unsign(signed)
    except BadSignature:
        return None
    # Base64 has several spellings of the same bytes; only the one that was written is accepted.
    return text.decode() if signer.sign(text) == signed.encode() else None


def code(secret: bytes, use: str, digits: int) -> str:
    """Return so many hexadecimal digits that only those who know the secret can work out."""
    return _signer(secret, use).derive_key().hex()[:digits]


def _signer(secret: bytes, use: str) -> Signer:
    return Signer(secret, salt=use, key_derivation="hmac", digest_method=hashlib.sha256)


HOURS = 12
_FORM = re.compile(
    r"([0-9]{1,18})\.([0-9]{1,18})\.([0-9]{1,18})\.([0-9]{1,18})\.([0-9a-f]{0,64})\.([0-9]{1,18})", re.ASCII
)


@dataclass(frozen=True)
class Ticket:
    """What a ticket says; the token is empty where there was no document to decide about."""

    person: int
    session: int  # 0 where there is no sign-in
    campaign: int
    row: int
    token: str
    expires_at: int


def write_ticket(ticket: Ticket, secret: bytes) -> str:
    """Return a ticket as signed text."""
    said = ".".join(
        map(str, (ticket.person, ticket.session, ticket.campaign, ticket.row, ticket.token, ticket.expires_at))
    )
    return sign(said, secret, TICKET)


def read_ticket(text: str, secret: bytes, now: float) -> Ticket | None:
    """Return what a ticket says if the signature is ours and it has not expired."""
    said = unsign(text, secret, TICKET)
    match = None if said is None else _FORM.fullmatch(said)
    if match is None:
        return None
    person, session, campaign, row, token, expires_at = match.groups()
    ticket = Ticket(int(person), int(session), int(campaign), int(row), token, int(expires_at))
    return ticket if ticket.expires_at > now else None
