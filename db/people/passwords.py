"""Passwords: hashed with argon2, and never checked quicker for an unknown name."""

from __future__ import annotations

import threading
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from rulerank.errors import InputError

SHORTEST = 8
LONGEST = 1000
# A flood of sign-ins must not take all memory: each one works with 64 MB.
AT_ONCE = 2


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
