"""Sign-in through a provider (OpenID Connect): whom its word lets in, and with which role.

People are known by their e-mail address, so an address counts only if the provider says that it has verified it:
otherwise anybody could name somebody else's and take over their account.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from db.people.accounts import People
from db.people.person import Person, check_email
from db.people.sessions import HOURS
from rulerank.audit import audit
from rulerank.errors import InputError, RulerankError


class NotAdmittedError(RulerankError):
    """Somebody is not let in; the message tells them why and what to do."""


@dataclass(frozen=True)
class Welcome:
    """Whom the operator lets in who was not added under People: addresses, and for annotators @domains too."""

    admins: frozenset[str] = field(default_factory=frozenset)
    annotators: frozenset[str] = field(default_factory=frozenset)
    trust_email: bool = False  # take the word of a provider that does not say whether it has verified an address

    @classmethod
    def read(cls, admins: str = "", annotators: str = "", trust_email: str = "") -> Welcome:
        """Read the settings RULERANK_ADMINS, RULERANK_ANNOTATORS and RULERANK_TRUST_EMAIL."""
        trust = trust_email.strip().lower()
        if trust not in ("", "0", "1"):
            raise InputError(f"RULERANK_TRUST_EMAIL must be 0 or 1, not {trust_email!r}")
        return cls(
            _addresses("RULERANK_ADMINS", admins, domains=False),
            _addresses("RULERANK_ANNOTATORS", annotators, domains=True),
            trust == "1",
        )

    def role(self, email: str) -> str | None:
        """Return the role with which an address may join, or None."""
        if email in self.admins:
            return "admin"
        domain = "@" + email.rpartition("@")[2]
        return "annotator" if email in self.annotators or domain in self.annotators else None


class Admission:
    """Lets in whom the provider knows and the operator or an administrator wants."""

    def __init__(
        self, people: People, welcome: Welcome | None = None, *, clock: Callable[[], float] = time.time
    ) -> None:
        self.people = people
        self.welcome = welcome or Welcome()
        self.clock = clock

    def admit(self, claims: Mapping[str, object]) -> Person:
        """Return the person behind an identity token's claims (OpenID Connect Core 1.0, section 5.1).

        Streamlit has checked the token's signature when it came; one that was written long ago does not count. An admin
        by the operator's word is one whatever was set under People; who was deactivated there stays out.
        """
        email = self._address(claims)
        issued = claims.get("iat")
        if not isinstance(issued, int | float) or self.clock() - issued > 3600 * HOURS:
            raise NotAdmittedError(f"You signed in more than {HOURS:g} hours ago. Please sign in again.")
        person, role = self.people.by_email(email, inactive=True), self.welcome.role(email)
        if person is None:
            if role is None:
                raise NotAdmittedError(self._unknown(email))
            person = self.people.join(str(claims.get("name") or ""), role, email)
            audit("person-added", by="the sign-in provider", person=person.name, role=person.role, email=email)
        if not person.active:
            raise NotAdmittedError(f"The account of {email} was deactivated here. Ask an administrator.")
        if role == "admin" and person.role != "admin":
            audit("role-changed", by="RULERANK_ADMINS", person=person.name, role="admin", was=person.role)
            person = self.people.set_role(person.id, "admin")
        return person

    def _address(self, claims: Mapping[str, object]) -> str:
        given = claims.get("email")
        email = check_email(given) if isinstance(given, str) else None
        if email is None:
            raise NotAdmittedError(
                "The sign-in provider knows you, but does not pass on your e-mail address, by which people are known "
                "here. Add an address to your account there, or ask an administrator."
            )
        verified = claims.get("email_verified")
        if verified is None and not self.welcome.trust_email:
            raise NotAdmittedError(
                f"The sign-in provider does not say whether it has verified the address {email}, so it does not count "
                "here. Ask whoever runs this installation: RULERANK_TRUST_EMAIL is about that."
            )
        if verified is not None and verified is not True and str(verified).lower() != "true":
            raise NotAdmittedError(
                f"The sign-in provider has not verified the address {email}, so it does not count here. Verify it "
                "there, then sign in again."
            )
        return email

    def _unknown(self, email: str) -> str:
        if not self.people.somebody_administers():
            return (
                f"You are {email}, but nobody looks after this installation yet. If you run it, start it with "
                f"RULERANK_ADMINS={email}."
            )
        return f"You are {email}, but nobody has added you here yet. Ask an administrator to add this address."


def _addresses(setting: str, text: str, *, domains: bool) -> frozenset[str]:
    """Read addresses parted by commas or spaces; `@example.org` means everybody there."""
    found = set()
    for each in text.replace(",", " ").split():
        whole = each if not (domains and each.startswith("@")) else "anybody" + each
        try:
            check_email(whole)
        except InputError as error:
            form = "name@example.org" + (" or @example.org" if domains else "")
            raise InputError(f"{setting} holds {each!r}, which is no address; write {form}") from error
        found.add(each.lower())
    return frozenset(found)
