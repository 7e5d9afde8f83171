"""Tickets of the labelling panel: who may decide about which document under which token, as signed text.

The panel asks the server without Streamlit in between. Its ticket was written for a person who had been let in, names
the one document that they hold, and is good for nothing else, in the session that it was written in and no other; who
they are now is looked up at every use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from db.people.signing import TICKET, sign, unsign

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
