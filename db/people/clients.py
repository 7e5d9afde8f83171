"""Where somebody signs in from: networks, and browsers that carry a signed note of an earlier sign-in."""

from __future__ import annotations

import ipaddress
import re
import secrets
from dataclasses import dataclass

from db.people.signing import BROWSER, sign, unsign

DAYS = 180
MOST_NOTES = 5  # people who share a browser and are all known in it
_FORM = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})\.([0-9a-f]{16})\.[A-Za-z0-9_-]{43}", re.ASCII)


@dataclass(frozen=True)
class Client:
    """Where a try to sign in comes from: the client's address, and what its browser has kept."""

    address: str = ""
    notes: str = ""


def network_of(address: str) -> str:
    """Return what counts as one place on the network: an IPv4 address, or the /64 of an IPv6 address.

    Whoever has one IPv6 address has at least the 2^64 of its network. What is no address is no place.
    """
    try:
        found = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


def write_note(notes: str, person: int, secret: bytes, now: float) -> str:
    """Return the notes of a browser with a fresh one about a person who has just signed in."""
    kept = [each for each in notes.split("~") if _FORM.fullmatch(each) and each.partition(".")[0] != str(person)]
    said = f"{person}.{int(now)}.{secrets.token_hex(8)}"
    return "~".join([sign(said, secret, BROWSER), *kept][:MOST_NOTES])


def read_note(notes: str, person: int, secret: bytes, now: float) -> str | None:
    """Return what tells this browser from others if its notes say that a person has signed in with it."""
    for each in notes.split("~")[:MOST_NOTES]:
        match = _FORM.fullmatch(each)
        if match is None or unsign(each, secret, BROWSER) is None:
            continue
        who, since, browser = match.groups()
        if int(who) == person and now - int(since) < 86400 * DAYS:
            return browser
    return None
