"""Passwords: hashed with argon2, never quicker for an unknown name, and guessed only a few times in a row."""

from __future__ import annotations

import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from rulerank.errors import InputError, RulerankError

SHORTEST = 8
LONGEST = 1000
TRIES = 5
LOCKED_SECONDS = 30.0
# A flood of sign-ins must not take all memory: each one works with 64 MB.
AT_ONCE = 2
REMEMBERED_NAMES = 10_000


class TooManyTriesError(RulerankError):
    """A name had too many wrong passwords in a row; `seconds` says how long it stays locked."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"too many wrong passwords for this name; wait {max(1, round(seconds))} seconds and try again")


def check_new(password: str) -> str:
    """Return a password in the form that is hashed, or say what is wrong with it."""
    if len(password) < SHORTEST:
        raise InputError(f"a password needs at least {SHORTEST} characters; this one has {len(password)}")
    if len(password) > LONGEST:
        raise InputError(f"a password has at most {LONGEST} characters; this one has {len(password)}")
    if not password.strip():
        raise InputError("a password of spaces alone is too easily lost; use other characters too")
    try:
        password.encode()
    except UnicodeEncodeError as error:
        raise InputError("the password holds a broken character; type it again") from error
    return _normalise(password)


def _normalise(password: str) -> str:
    """Write a password one way, whatever keyboard it came from."""
    return unicodedata.normalize("NFKC", password)


class Passwords:
    """Makes and checks hashes."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self.hasher = hasher or PasswordHasher()
        self._at_once = threading.Semaphore(AT_ONCE)
        self._nobody: str | None = None

    def hash(self, password: str) -> str:
        """Return the hash of a new password."""
        checked = check_new(password)
        with self._at_once:
            return self.hasher.hash(checked)

    def matches(self, stored: str | None, password: str) -> bool:
        """Compare a password with a hash; without a hash it takes as long, and is False."""
        if len(password) > LONGEST:
            stored, password = None, password[:LONGEST]
        against = stored if stored is not None else self._nobodys()
        with self._at_once:
            try:
                same = self.hasher.verify(against, _normalise(password))
            except (Argon2Error, InvalidHashError, UnicodeEncodeError):
                return False
        return same and stored is not None

    def outdated(self, stored: str) -> bool:
        """Say whether a hash was made with other parameters than today's."""
        return self.hasher.check_needs_rehash(stored)

    def _nobodys(self) -> str:
        if self._nobody is None:
            self._nobody = self.hasher.hash("the password of nobody at all")
        return self._nobody


@dataclass
class _Tries:
    count: int = 0
    until: float = 0.0


class Throttle:
    """Counts wrong passwords per name, in memory: after five in a row, each costs half a minute."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self._names: OrderedDict[str, _Tries] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, name: str) -> None:
        """Count a try before its password is looked at, so that many at once are not free; refuse a locked name."""
        with self._lock:
            tries = self._names.setdefault(name, _Tries())
            self._names.move_to_end(name)
            if len(self._names) > REMEMBERED_NAMES:
                self._names.popitem(last=False)
            left = tries.until - self.clock()
            if left > 0:
                raise TooManyTriesError(left)
            tries.count += 1
            if tries.count >= TRIES:
                tries.until = self.clock() + LOCKED_SECONDS

    def forgive(self, name: str) -> None:
        """Forget the wrong tries of a name after the right password."""
        with self._lock:
            self._names.pop(name, None)
