"""Sessions in words: which browser, from where, since when."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from db.people.sessions import Session

# Every browser names those before it as well, so the order counts.
BROWSERS = (
    ("Edge", r"Edg(?:e|A|iOS)?/"), ("Opera", r"OPR/|Opera"), ("Firefox", r"Firefox/|FxiOS/"),
    ("Samsung Internet", "SamsungBrowser/"), ("Chrome", r"Chrom(?:e|ium)/|CriOS/"), ("Safari", r"Safari/"),
)  # fmt: skip
SYSTEMS = (
    ("Android", "Android"), ("iOS", "iPhone|iPad|iPod"), ("Windows", "Windows"), ("macOS", "Mac OS X|Macintosh"),
    ("ChromeOS", "CrOS"), ("Linux", "Linux|X11"),
)  # fmt: skip
UNKNOWN = "Unknown browser"


def browser_name(agent: str) -> str:
    """Return the browser and the system that a user agent names, as far as it does."""
    browser, system = (
        next((name for name, words in kinds if re.search(words, agent)), "") for kinds in (BROWSERS, SYSTEMS)
    )
    return f"{browser or UNKNOWN} on {system}" if system else browser or UNKNOWN


def ago(then: float, now: float | None = None) -> str:
    """Return how long ago something was, in words."""
    seconds = max(0.0, (time.time() if now is None else now) - then)
    for unit, size in (("hour", 3600), ("minute", 60)):
        count = int(seconds // size)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def place_name(session: Session) -> str:
    """Return from where a session was begun."""
    return session.address or "unknown address"
