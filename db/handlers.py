"""What the worker can do, by kind of job; the module of a kind is loaded when its first job comes.

Two workers stand beside every server, idle most of the time: neither loads what it may never need.
"""

from __future__ import annotations

import importlib
from typing import Any

from db.engine import Database
from db.jobs import HANDLERS, Handler, Progress

WHERE = {
    "replay": "db.replay:replay",
    "simulate": "db.simulating:simulate",
    "look": "db.reading:look",
    "heads": "db.reading:heads",
    "read": "db.reading:read",
    "import": "db.reading:store",
    "read_clicks": "db.reading_clicks:read",
}


def later(where: str) -> Handler:
    """Return a handler that is found in its module (`module:function`) when it is first called."""
    module, _, name = where.partition(":")

    def handler(database: Database, arguments: dict[str, Any], progress: Progress) -> Any:
        return getattr(importlib.import_module(module), name)(database, arguments, progress)

    return handler


HANDLERS.update({kind: later(where) for kind, where in WHERE.items()})
