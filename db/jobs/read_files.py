"""The worker's part of New campaign: look at files, read or prepare them, and store the campaign.

The page hands over where the files are and what was chosen, as plain values, and gets plain values back; what was read
stays in the folder of the upload until the campaign is stored. The server never holds it.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

import sqlalchemy as sa

from db.collections import Collections
from db.importing import import_campaign
from db.jobs.queue import JobStoppedError
from db.jobs.uploads import Uploads
from db.store.engine import Database
from db.store.tables import jobs
from rulerank.campaign import Settings
from rulerank.importing.files import ROLES, Files, Upload, has_own_format, readable, recognised
from rulerank.importing.kept import ImportPreview, keep, load
from rulerank.importing.read import BadFilesError, Imported, read_files
from rulerank.importing.rows import Division, known_labels
from rulerank.importing.texts import Bundle, Wish, prepare_files
from rulerank.prepare import table_head
from rulerank.progress import Progress, named, silent

READ = "read"
"""What was read, in the folder of an upload."""


def warm_up() -> None:
    """Read a line, so that all that reading needs is loaded."""
    one = Upload("line", b"1 qid:1 1:1 # docid = D\n")
    ImportPreview.of(read_files(Files((one,)), silent))


def look(database: Database, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Find out what each of the files of texts is; where they do not show it, say in words what is missing."""
    progress(0, None, "looking")
    files = Bundle.from_dict(arguments["bundle"]).files()
    layout = recognised(files)
    names = [file.name for file in files]
    if isinstance(layout, str):
        return {"names": names, "missing": layout, "kind": "", "roles": {}}
    roles = {role: [file.name for file in getattr(layout, role, ())] for role in ROLES}
    if layout.kind == "pairs":
        roles = {**roles, "pairs": roles["documents"], "documents": []}
    return {"names": names, "missing": "", "kind": layout.kind, "roles": roles}


def heads(database: Database, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Return the first rows of tables, by what they hold; None for a file that has a format of its own."""
    progress(0, None, "looking")
    files = {file.name: file for file in Bundle.from_dict(arguments["bundle"]).files()}
    found: dict[str, Any] = {}
    with readable():
        for what, name in arguments["tables"].items():
            if has_own_format(files[name]):
                found[what] = None
            else:
                found[what] = asdict(table_head(files[name], what, encoding=arguments["encoding"]))
    return found


def read(database: Database, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Read what somebody chose, keep it in the folder of the upload, and return what the page shows of it."""
    uploads, token = Uploads(database), str(arguments["token"])
    try:
        imported = _read(database, arguments, named(progress, "reading"))
        keep(imported, uploads.path(token) / READ, rows=not imported.stored)
    except BadFilesError as error:
        return {"bad": error.to_dict()}
    except JobStoppedError:
        uploads.remove(token)
        raise
    return {"preview": ImportPreview.of(imported).to_dict()}


def _read(database: Database, arguments: dict[str, Any], progress: Progress) -> Imported:
    if "collection" in arguments:
        progress(0, None)
        return _stored(database, arguments)
    if "wish" in arguments:
        wish = Wish.from_dict(arguments["wish"])
        files_of_texts = wish.chosen(Bundle.from_dict(arguments["bundle"]).files())
        return prepare_files(files_of_texts, wish.how, wish.options, progress)
    return read_files(Files.from_dict(arguments["files"]), progress)


def _stored(database: Database, arguments: dict[str, Any]) -> Imported:
    """Return a collection that is here already; its texts stay where they are."""
    found, number = Collections(database), int(arguments["collection"])
    return Imported.known(found.load(number), str(arguments["called"]), found.text_counts(number))


def store(database: Database, arguments: dict[str, Any], progress: Progress) -> int:
    """Store what was read as a campaign, all of it or nothing, once however often it is begun; return its number.

    The number is noted with the job in the same transaction: a worker that is killed after it has nothing left to do.
    """
    mine = jobs.c.id == arguments["job"]
    with database.read() as connection:
        done = connection.scalar(sa.select(jobs.c.result).where(mine))
    if done is not None:
        return int(done)
    uploads, token = Uploads(database), str(arguments["token"])
    imported = _stored(database, arguments) if "collection" in arguments else load(uploads.path(token) / READ)
    division = Division(**arguments["division"])
    rows = division.rows(imported.collection, imported.second)
    number = import_campaign(
        database,
        str(arguments["name"]),
        imported.collection,
        Settings.from_dict(arguments["settings"]),
        texts=imported.texts,
        analyser=imported.analyser,
        collection_name=str(arguments["called"]),
        pool_rows=rows.pool.tolist(),
        evaluation_rows=rows.evaluation.tolist(),
        labels=known_labels(imported.collection, rows) if arguments["use"] == "labels" else {},
        person=arguments["person"],
        progress=named(progress, "storing"),
        note=partial(_note, mine),
    )
    uploads.remove(token)
    return number


def _note(mine: sa.ColumnElement[bool], connection: sa.Connection, campaign: int) -> None:
    """Write a campaign's number into its job, unless somebody has given up on the job meanwhile."""
    wanted = sa.and_(mine, jobs.c.state == "running", jobs.c.stop_asked.is_(False))
    if not connection.execute(sa.update(jobs).where(wanted).values(result=campaign)).rowcount:
        raise JobStoppedError("the import was given up before it was stored; nothing was kept")
