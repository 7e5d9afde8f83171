"""What a labelling panel asks for, checked for its form before anything is done."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from rulerank.errors import RulerankError

LONGEST_NOTE = 20_000
_TOKEN = re.compile("[0-9a-f]{32}", re.ASCII)


class RefusedError(RulerankError):
    """A panel that may not (or no longer) do this. `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class View:
    """How a person looks at their documents: past the natural stop, all of a long text, the reason for the last one.

    `raw` shows texts with the line breaks they came with; `since` is when the person's day began (seconds since 1970).
    """

    beyond: bool = False
    whole: str = ""
    why: bool = False
    raw: bool = False
    since: int | None = None

    @classmethod
    def read(cls, asked: dict[str, Any]) -> View:
        """Return how the panel of a question looks at its documents."""
        beyond, why, raw = (bool(asked.get(name)) for name in ("beyond", "why", "raw"))
        return cls(beyond, _text(asked, "whole"), why, raw, _number(asked, "since"))


def day_began(now: float, offset: int | None) -> int:
    """Return when the day of a browser began, which is so many minutes behind UTC, in seconds since 1970.

    >>> day_began(90_000.0, 0), day_began(90_000.0, 120)
    (86400, 7200)
    """
    behind = 60 * (offset or 0)
    return int((now - behind) // 86_400 * 86_400 + behind)


@dataclass(frozen=True)
class ActRequest:
    """One question of a panel.

    `act` is the token of what a person does with one press of a key (`press`, where the panel gave one); sent again, it
    is the same, and `again` says so. `of` is the number of the act that the panel showed as the last one, `after` that
    of the draft it showed.
    """

    kind: str
    ticket: str
    view: View
    act: str
    press: str | None = None
    note: str = ""
    grade: Any = None
    reason: int | None = None
    of: int | None = None
    after: int | None = None
    again: bool = False

    @classmethod
    def read(cls, asked: dict[str, Any]) -> ActRequest:
        """Return what was asked for; what no panel sends is refused."""
        return cls(
            kind=_text(asked, "kind"),
            ticket=str(asked.get("ticket", "")),
            view=View.read(asked),
            act=_token(asked),
            press=asked.get("act"),
            note=_text(asked, "note").strip()[:LONGEST_NOTE],
            grade=asked.get("grade"),
            reason=_number(asked, "reason"),
            of=_number(asked, "of"),
            after=_number(asked, "after"),
            again=bool(asked.get("again")),
        )


def _token(asked: dict[str, Any]) -> str:
    given = asked.get("act")
    if given is None:
        # A panel that gives its acts no token sends the same words when it sends one again.
        said = json.dumps(asked, sort_keys=True).encode("utf-8", "surrogatepass")
        return hashlib.sha256(said).hexdigest()[:32]
    if not isinstance(given, str) or not _TOKEN.fullmatch(given):
        raise _unreadable("act")
    return given


def _text(asked: dict[str, Any], name: str) -> str:
    given = asked.get(name)
    if given is not None and not isinstance(given, str):
        raise _unreadable(name)
    return given or ""


def _number(asked: dict[str, Any], name: str) -> int | None:
    given = asked.get(name)
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < 2**63:
        raise _unreadable(name)
    return given


def _unreadable(name: str) -> RefusedError:
    return RefusedError(400, f"This question cannot be read (its “{name}”); reload the page.")
