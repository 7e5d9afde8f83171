"""Who asks: somebody who is signed in, or in single-user mode the one person there is."""

from __future__ import annotations

from dataclasses import dataclass

from db.people.person import ROLES, Person


@dataclass(frozen=True)
class Visitor:
    """Somebody who was let in."""

    person: int
    session: int
    rank: int  # the place of the role among all roles

    @classmethod
    def of(cls, person: Person) -> Visitor:
        """Return a person who is signed in as a visitor."""
        return cls(person.id, person.session, ROLES.index(person.role))


ALONE = Visitor(person=0, session=0, rank=len(ROLES) - 1)
"""The one person of the single-user mode."""
