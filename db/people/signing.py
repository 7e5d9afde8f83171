"""Signed text: what a browser keeps for the server comes back as it was written, or counts as nothing.

Signed by itsdangerous with HMAC-SHA256. One secret serves several uses, each with a key of its own: what was signed for
one use is worth nothing in another.
"""

from __future__ import annotations

import hashlib

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
