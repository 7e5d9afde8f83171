"""Guessing passwords is slowed by name and place together, so that nobody can lock somebody else out.

Wrong tries are counted in memory, in up to three buckets at once:

- a name from one address: a few tries are free, then each costs a growing pause;
- an address, whatever the names, because a list of names can be tried as well as a list of passwords;
- a name, from all places that are not known, because many addresses can be had.

Where somebody has signed in before, their tries count in a bucket of that place alone: an attack from elsewhere does
not slow them. Buckets leak, so that old mistakes are forgotten and steady guessing is held to the speed of the leak.
"""

from __future__ import annotations

import ipaddress
import math
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from db.people.signing import BROWSER, sign, unsign
from rulerank.errors import RulerankError

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
    """Return what distinguishes this browser from others if its notes say that a person has signed in with it."""
    for each in notes.split("~")[:MOST_NOTES]:
        match = _FORM.fullmatch(each)
        if match is None or unsign(each, secret, BROWSER) is None:
            continue
        who, since, browser = match.groups()
        if int(who) == person and now - int(since) < 86400 * DAYS:
            return browser
    return None


FIRST_PAUSE = 5.0  # seconds; each further try doubles it
MOST_BUCKETS = 20_000  # of a kind; the one that was not used for longest is forgotten


@dataclass(frozen=True)
class Limit:
    """How many tries are free, how many seconds give one back, and how long a pause becomes at most."""

    free: int
    leak: float
    longest: float


PAIR = Limit(free=5, leak=300.0, longest=900.0)
KNOWN = PAIR
ADDRESS = Limit(free=20, leak=120.0, longest=900.0)
NAME = Limit(free=50, leak=30.0, longest=60.0)


class TooManyTriesError(RulerankError):
    """There were too many wrong passwords for a name, or from a place; `seconds` says how long to wait."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"too many wrong tries; wait {max(1, round(seconds))} seconds and try again")


@dataclass
class _Bucket:
    count: float = 0.0
    at: float = 0.0
    until: float = 0.0


class Throttle:
    """Counts tries. The clock must never go back: a pause would last as long as it was set back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self._buckets: dict[Limit, OrderedDict[tuple[str, ...], _Bucket]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def guess(self, name: str, address: str, known: str | None = None) -> Iterator[Callable[[], None]]:
        """Count a try before its password is looked at, so that many at once are not free.

        Yields what is to be called if the password was right, which gives the try back. `known` is the place where
        this name has signed in before; an empty address is nobody's, and does not count.
        """
        wanted = self._wanted(name, address, known)
        with self._lock:
            now = self.clock()
            found = [(limit, self._bucket(limit, key, now)) for limit, key in wanted]
            left = max(bucket.until - now for _, bucket in found)
            if left > 0:
                raise TooManyTriesError(left)
            for limit, bucket in found:
                bucket.count += 1
                over = math.ceil(bucket.count) - limit.free  # a part that has leaked is no free try
                if over >= 0:
                    bucket.until = now + min(FIRST_PAUSE * 2.0 ** min(over, 30), limit.longest)
        yield lambda: self._forgive(found)

    def _wanted(self, name: str, address: str, known: str | None) -> list[tuple[Limit, tuple[str, ...]]]:
        if known is not None:
            return [(KNOWN, ("known", name, known))]
        by_address = [(ADDRESS, (address,))] if address else []
        return [(PAIR, ("pair", name, address)), *by_address, (NAME, (name,))]

    def _bucket(self, limit: Limit, key: tuple[str, ...], now: float) -> _Bucket:
        kind = self._buckets.setdefault(limit, OrderedDict())
        bucket = kind.setdefault(key, _Bucket(at=now))
        kind.move_to_end(key)
        if len(kind) > MOST_BUCKETS:
            kind.popitem(last=False)
        bucket.count = max(0.0, bucket.count - (now - bucket.at) / limit.leak)
        bucket.at = now
        return bucket

    def _forgive(self, found: list[tuple[Limit, _Bucket]]) -> None:
        """Take a try back. The wrong ones before it are forgotten only for this name at this place.

        Otherwise somebody with an account could guess others' passwords for ever, with a sign-in of their own between.
        """
        with self._lock:
            for limit, bucket in found:
                bucket.count = 0.0 if limit is PAIR else max(0.0, bucket.count - 1)
                if bucket.count < limit.free:
                    bucket.until = 0.0
