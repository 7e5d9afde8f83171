"""The jobs of New campaign: the worker looks at files, reads them and stores the campaign; the page hands over words.

Uploaded bytes go into a folder that the worker sees too, everything else as plain values. What was read never comes
back here but for what is shown of it, and the few numbers by which rows are divided.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages import context
from pages.shared.task import JobTask
from rulerank.campaign import Settings
from rulerank.errors import InputError
from rulerank.importing.files import Upload
from rulerank.importing.kept import FACTS
from rulerank.importing.preview import Preview, RowFacts
from rulerank.importing.read import BadFilesError
from rulerank.importing.rows import Division

READING = "import-task"


@dataclass(frozen=True)
class Given:
    """A file that somebody gave: uploaded to the page, or at a path on the server."""

    name: str
    stamp: Hashable  # tells it from another of the same name
    file: Any = None  # what the browser sent
    path: Path | None = None

    @staticmethod
    def sent(file: Any) -> Given:
        """Return an uploaded file."""
        return Given(file.name, (file.name, file.size, file.file_id), file)

    @staticmethod
    def here(upload: Upload) -> Given:
        """Return a file at a path on the server."""
        assert upload.path is not None
        found = upload.path.stat()
        return Given(upload.name, (upload.name, found.st_size, found.st_mtime_ns), path=upload.path)

    def placed(self, token: str) -> Upload:
        """Put it where the worker finds it: an upload is written into the folder of this token."""
        if self.path is not None:
            return Upload(self.name, path=self.path)
        return context.workspace().uploads.put(token, self.name, self.file)


@dataclass(frozen=True)
class Choice:
    """What somebody chose to import: what tells it from another choice, a name, and what the worker is told.

    arguments: called once, with the token of a new folder, when the reading begins.
    """

    key: Hashable
    called: str
    arguments: Callable[[str], dict[str, Any]]
    words: str = "Reading the files"


@dataclass(frozen=True)
class ReadFiles:
    """What the worker has read, as far as the page needs it."""

    preview: Preview
    rows: RowFacts
    source: dict[str, Any]  # where the worker finds it again


def reading(choice: Choice, person: int) -> JobTask[ReadFiles]:
    """Return the task that reads a choice, started the first time it is asked for; an older one is ended."""
    kept: tuple[Hashable, JobTask[ReadFiles]] | None = st.session_state.get(READING)
    if kept is not None and kept[0] == choice.key:
        return kept[1]
    end_reading()
    uploads = context.workspace().uploads
    token = uploads.begin()
    try:
        arguments = choice.arguments(token)
    except BaseException:
        uploads.remove(token)
        raise
    source = {name: arguments[name] for name in ("collection",) if name in arguments}

    def finish(result: dict[str, Any]) -> ReadFiles:
        if "bad" in result:
            raise BadFilesError.from_dict(result["bad"])
        try:
            rows = RowFacts.load(uploads.path(token) / "read" / FACTS)
        except OSError as error:
            raise InputError("what was read is not kept any more; choose the files again") from error
        return ReadFiles(Preview.from_dict(result["preview"]), rows, {"token": token, **source})

    given = {**arguments, "token": token, "called": choice.called}
    task = JobTask("read", given, choice.words, finish=finish, token=token, person=person)
    st.session_state[READING] = (choice.key, task)
    return task


def end_reading() -> None:
    """End the task that reads, if there is one, and remove what it has read: somebody has changed their mind."""
    kept = st.session_state.pop(READING, None)
    if kept is not None:
        kept[1].close()


def store(
    person: int, found: ReadFiles, called: str, name: str, settings: Settings, division: Division, use: str | None
) -> JobTask[int]:
    """Begin to store the collection and the campaign, all of it or nothing."""
    arguments = {
        **found.source,
        "called": called,
        "name": name,
        "settings": settings.to_dict(),
        "division": division.to_dict(),
        "use": use,
        "person": person,
    }
    return JobTask("import", arguments, "Storing the campaign", finish=int, person=person)
