"""How the parts of the app do, as `/health` tells it to whoever watches the server."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from rulerank.errors import RulerankError, StoreError

Check = Callable[[], str | RulerankError | None]
"""Returns what is wrong with a part, in words that anybody may read, or None."""

_log = logging.getLogger("rulerank")


class Health:
    """The parts of the app by name, each with a check; whoever adds a part adds its check to `checks`."""

    def __init__(self, checks: dict[str, Check]) -> None:
        self.checks = checks

    def state(self) -> dict[str, Any]:
        """Return "ok" or "trouble" as the `status` of the whole and of each part, and what is wrong with the part."""
        parts = {name: _part(name, check) for name, check in self.checks.items()}
        well = all(part["status"] == "ok" for part in parts.values())
        return {"status": "ok" if well else "trouble", "parts": parts}


def _part(name: str, check: Check) -> dict[str, str]:
    try:
        found = check()
    except Exception:
        _log.exception("the health of %s cannot be told", name)
        found = "its check failed; the server's log says more"
    if found is None:
        return {"status": "ok"}
    kind = {"kind": found.kind} if isinstance(found, StoreError) else {}
    return {"status": "trouble", **kind, "problem": str(found)}
