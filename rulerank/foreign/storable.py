"""Which texts can be kept: what every database, JSON and UTF-8 can carry, and how long an id may be."""

from __future__ import annotations

import re

LONGEST_ID = 500
"""Characters of a qid or docid: they are keys of tables."""
LONGEST_LANGUAGE = 20
"""Characters of a language's code."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def unstorable(text: str) -> str | None:
    """Say in words what of a text cannot be kept, or return None.

    PostgreSQL keeps no NUL, and half a surrogate pair (which Python makes of bytes that are no text) is no character:
    neither UTF-8 nor JSON between programs can carry it.
    """
    if text.isascii() and "\0" not in text:
        return None
    found = _UNSTORABLE.search(text)
    if not found:
        return None
    what = "a NUL" if found[0] == "\0" else f"half a surrogate pair (U+{ord(found[0]):04X})"
    return f"character {found.start() + 1} is {what}, which no database can keep"


def too_long(what: str, text: str) -> str:
    """Say that an id is too long; `what` is qid or docid."""
    return f"the {what} {text[:40]}... has {len(text)} characters; {LONGEST_ID} is the most"


def storable(text: str) -> str:
    """Return a text with U+FFFD in place of each character that cannot be kept."""
    return _UNSTORABLE.sub("\ufffd", text)


def readable(text: str) -> str:
    r"""Return a text with `\xe9` in place of a byte that was no UTF-8, and `\ud800` or `\x00` for the rest.

    File names, and texts that were kept before they were checked, may hold such bytes.
    """
    if unstorable(text) is None:
        return text
    return _UNSTORABLE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    # surrogateescape: U+DC80 to U+DCFF stand for the bytes 80 to FF
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code else "\\x00"
