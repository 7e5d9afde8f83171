"""What a worker can do, by kind of job; the module of a kind is loaded when its first job comes.

Two workers stand beside every server, idle most of the time: neither loads what it may never need.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from db.store.engine import Database
from rulerank.progress import Progress

Handler = Callable[[Database, dict[str, Any], Progress], Any]
"""Does a job. It returns what `json` can write, and may be started again after a crash, so it must do no harm if part
of its work is there already."""

_MODULES = {
    "replay": "db.jobs.campaign_curves:work_out",
    "simulate": "db.jobs.simulate:simulate",
    "look": "db.jobs.read_files:look",
    "heads": "db.jobs.read_files:heads",
    "read": "db.jobs.read_files:read",
    "import": "db.jobs.read_files:store",
    "read_clicks": "db.jobs.read_clicks:read",
}


def loaded_at_first_use(where: str) -> Handler:
    """Return a handler that is looked up in its module (`module:function`) when it is called."""
    module, _, name = where.partition(":")

    def handler(database: Database, arguments: dict[str, Any], progress: Progress) -> Any:
        return getattr(importlib.import_module(module), name)(database, arguments, progress)

    return handler


HANDLERS = {kind: loaded_at_first_use(where) for kind, where in _MODULES.items()}
