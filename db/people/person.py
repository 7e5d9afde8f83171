"""A person as every part of the app sees them, what each role may do, and how names and addresses are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

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


ROLES = ("annotator", "researcher", "admin")  # each may do what the ones before it may
ACTS = {"label": "annotator", "research": "researcher", "administer": "admin"}  # what -> the least role that may


@dataclass(frozen=True)
class Person:
    """Somebody who labels, researches or administers."""

    id: int
    name: str
    role: str
    email: str | None
    active: bool
    has_password: bool
    created_at: float
    session: int = field(default=0, compare=False)  # the session that they are signed in with; 0 where there is none

    @property
    def can_sign_in(self) -> bool:
        """Say whether there is a way to sign in: a password, or an address that a sign-in provider vouches for."""
        return self.active and (self.has_password or self.email is not None)


def may(person: Person | None, act: str) -> bool:
    """Say whether a person may 'label', 'research' (campaigns, imports, exports) or 'administer' (people, backups)."""
    if act not in ACTS:
        raise InputError(f"no act is named {act!r}; there are: {', '.join(ACTS)}")
    return person is not None and person.active and ROLES.index(person.role) >= ROLES.index(ACTS[act])


def check_role(role: str) -> str:
    """Return a role if there is one of this name."""
    if role not in ROLES:
        raise InputError(f"no role is named {role!r}; there are: {', '.join(ROLES)}")
    return role


def read_person(row: sa.Row[Any], session: int = 0) -> Person:
    """Return the person of a row of the table `people`."""
    has_password = row.password_hash is not None
    return Person(row.id, row.name, row.role, row.email, row.active, has_password, row.created_at, session)
