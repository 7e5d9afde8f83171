"""The server's log of who did what: one line an act, for people and for machines (logfmt: `key=value key="a text"`).

Lines go to standard error, where a service manager keeps them, and also to the file that RULERANK_LOG names: there the
lines of servers and of commands come together. docs/security.md lists the events.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from contextlib import suppress

VARIABLE = "RULERANK_LOG"
LONGEST = 300  # characters of a value; the rest is cut off

_PLAIN = re.compile(r"[A-Za-z0-9_.:/@+,-]+")


def audit(event: str, **facts: object) -> None:
    """Write a line about an event; facts that are None or empty are left out.

    Values may come from anybody: whatever is not plain ASCII is quoted and escaped, so that no value can begin a line,
    forge a key, or steer a terminal. Passwords, tickets and cookies are never facts. A log that cannot be written
    must not keep anybody from working: it is reported on standard error.
    """
    at = time.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at * 1000) % 1000:03d}Z"
    said = {"time": stamp, "event": event, **facts}
    line = " ".join(f"{key}={_value(value)}" for key, value in said.items() if value is not None and value != "")
    with suppress(OSError, ValueError):  # nobody reads standard error any more
        sys.stderr.write(f"rulerank: {line}\n")
        sys.stderr.flush()
    path = os.environ.get(VARIABLE, "").strip()
    if path:
        _append(path, f"{line}\n")


def _append(path: str, line: str) -> None:
    """Append a line to a file that only its owner can read; one write, so that no lines mix."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line.encode("ascii"))
        finally:
            os.close(file)
    except OSError as error:
        with suppress(OSError, ValueError):
            print(f"rulerank: cannot write {VARIABLE}: {error}", file=sys.stderr)


def _value(value: object) -> str:
    """Return a value as it stands in a line.

    >>> _value("ada"), _value('a "b"'), _value("x\\ny=1"), _value(True)
    ('ada', '"a \\\\"b\\\\""', '"x\\\\ny=1"', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    if _PLAIN.fullmatch(text):
        return text
    return json.dumps(text, ensure_ascii=True).replace("\x7f", "\\u007f")
