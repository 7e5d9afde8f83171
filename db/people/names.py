"""Names and addresses of people: how they are written, compared, checked, and found for newcomers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

from rulerank.errors import InputError

LOCAL = "you"  # the one person of the open single-user mode
LONGEST_NAME = 100
# Joiners are part of spelling in some scripts; other invisible characters only make names look alike.
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn")
_JOINERS = "\u200c\u200d"


def name_key(name: str) -> str:
    """Return a name as it is compared: capitals, widths and spaces make no difference."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def check_name(name: str) -> str:
    """Return a name as it is stored, or say what is wrong with it."""
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise InputError(f"a name has 1 to {LONGEST_NAME} characters; this one has {len(name)}")
    if any(_is_hidden(sign) for sign in name):
        raise InputError("a name holds visible characters only; remove control characters")
    return name


def check_email(email: str | None) -> str | None:
    """Return an address as it is stored and compared, in small letters; None for an empty one."""
    if email is None or not email.strip():
        return None
    email = email.strip().lower()
    if len(email) > 300 or not re.fullmatch(r"[^@\s\x00-\x1f]+@[^@\s\x00-\x1f]+", email):
        raise InputError(f"{email!r} is not an e-mail address; write name@example.org")
    return email


def free_name(wanted: str, email: str, taken: Container[str]) -> str:
    """Return a name for a newcomer: the wanted one, or else the address up to the @, with a number where it is taken.

    Nobody is asked, so nothing is refused: characters that a name may not hold are left out, and the rest is cut.
    `taken` holds the keys of names.
    """
    for text in (wanted, email.partition("@")[0], "newcomer"):
        shown = "".join(sign for sign in unicodedata.normalize("NFKC", text) if sign.isspace() or not _is_hidden(sign))
        name = " ".join(shown.split())[: LONGEST_NAME - 8].strip()
        if name:
            break
    number, free = 1, name
    while name_key(free) in taken or name_key(free) == LOCAL:
        number += 1
        free = f"{name} {number}"
    return free


def _is_hidden(sign: str) -> bool:
    return unicodedata.category(sign) in _HIDDEN and sign not in _JOINERS
