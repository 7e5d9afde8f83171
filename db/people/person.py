"""A person as every part of the app sees them, and what each role may do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from rulerank.errors import InputError

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
