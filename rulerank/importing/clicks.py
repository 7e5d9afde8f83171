"""Click logs that somebody uploaded: read with a way to stop, and kept in a folder between two processes."""

from __future__ import annotations

import io
import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from rulerank.clicks import ClickLog, ClickLogError, read_log
from rulerank.clicks.log import LogReading
from rulerank.clicks.source import BadRow
from rulerank.errors import InputError
from rulerank.importing.files import Upload
from rulerank.progress import Progress

LINES = 2_000
"""So many lines are read between two moments at which the reading can be stopped."""

ARRAYS = ("query", "document", "language", "grade", "row_config", "row_pattern", "count")
NAMES, NUMBERS = "log.json", "log.npz"


class WatchedFile(io.BufferedIOBase):
    """A file that reports how far it was read; a progress that raises ends the reading."""

    def __init__(self, stream: IO[bytes], name: str, size: int, progress: Progress) -> None:
        self.name = name
        self._stream, self._size, self._progress, self._lines = stream, size, progress, 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """Parquet is read from its end."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to another place."""
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """Return the place."""
        return self._stream.tell()

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes, as packed files and parquet are read."""
        self._progress(self.tell(), self._size)
        return self._stream.read(-1 if size is None else size)

    def readline(self, size: int | None = -1, /) -> bytes:
        """Read a line, as the others are read."""
        self._lines += 1
        if self._lines % LINES == 1:
            self._progress(self.tell(), self._size)
        return self._stream.readline(-1 if size is None else size)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        super().close()


def read_clicks(log: Upload, progress: Progress, *, grades: Upload | None = None, **options: Any) -> ClickLog:
    """Read an uploaded log; with `grades` (the table of grades) it has the layout of CLARA2."""
    with ExitStack() as stack:
        file = stack.enter_context(_watched(log, progress))
        if grades is None:
            found = read_log(file, **options)
        else:
            table = stack.enter_context(_watched(grades, progress))
            found = read_log(file, layout="clara2", grades=table, **options)
    if not found.sessions:
        raise InputError("the log has no session that can be used: every row is bad, or shows a result without a grade")
    return found


def _watched(upload: Upload, progress: Progress) -> IO[bytes]:
    return cast(IO[bytes], WatchedFile(upload.open(), upload.name, upload.size, progress))


def keep_log(log: ClickLog, folder: Path) -> None:
    """Write a log into a folder; one that is there is replaced."""
    names = {name: getattr(log, name) for name in ("queries", "documents", "languages", "max_grade")}
    (folder / NAMES).write_text(json.dumps({**names, "reading": asdict(log.reading)}), encoding="utf-8")
    with (folder / NUMBERS).open("wb") as file:
        np.savez_compressed(file, **{name: getattr(log, name) for name in ARRAYS})


def load_log(folder: Path) -> ClickLog:
    """Read what `keep_log` wrote."""
    try:
        names = json.loads((folder / NAMES).read_text(encoding="utf-8"))
        with np.load(folder / NUMBERS, allow_pickle=False) as found:
            arrays = {name: found[name] for name in ARRAYS}
    except OSError as error:
        raise InputError("the log is not kept any more; choose the file again") from error
    saved = names.pop("reading")
    reading = LogReading(**{**saved, "bad_rows": bad_rows(saved["bad_rows"]), "notes": tuple(saved["notes"])})
    queries, documents, languages = (tuple(names[name]) for name in ("queries", "documents", "languages"))
    return ClickLog(queries, documents, languages, names["max_grade"], **arrays, reading=reading)


def bad_rows(saved: list[dict[str, Any]]) -> tuple[BadRow, ...]:
    """Return bad rows that were written as plain values."""
    return tuple(BadRow(**row) for row in saved)


def error_to_dict(error: ClickLogError) -> dict[str, Any]:
    """Return what is wrong with a log as plain values."""
    return {"source": error.source, "rows": [asdict(row) for row in error.rows], "total": error.total}


def error_from_dict(saved: dict[str, Any]) -> ClickLogError:
    """Return what `error_to_dict` described."""
    return ClickLogError(saved["source"], list(bad_rows(saved["rows"])), saved["total"])
