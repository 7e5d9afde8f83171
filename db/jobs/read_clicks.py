"""The worker's part of the Clicks page: read an uploaded log into counts, which are small, and keep those."""

from __future__ import annotations

from typing import Any

from db.jobs.queue import JobStoppedError
from db.jobs.uploads import Uploads
from db.store.engine import Database
from rulerank.clicks import ClickLogError
from rulerank.importing.clicks import error_to_dict, keep_log, read_clicks
from rulerank.importing.files import Upload
from rulerank.progress import Progress, named


def read(database: Database, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Read a log, and keep it in the folder of the upload; bad rows come back as plain values."""
    uploads, token = Uploads(database), str(arguments["token"])
    grades = None if arguments["grades"] is None else Upload.from_dict(arguments["grades"])
    try:
        found = read_clicks(
            Upload.from_dict(arguments["log"]),
            named(progress, "reading"),
            grades=grades,
            **arguments["options"],
        )
        keep_log(found, uploads.path(token))
    except ClickLogError as error:
        return {"bad": error_to_dict(error)}
    except JobStoppedError:
        uploads.remove(token)
        raise
    return {"sessions": found.sessions}
