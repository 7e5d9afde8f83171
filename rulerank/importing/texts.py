"""From files of texts to a collection, as people want them read: plain values that a page writes and a worker reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rulerank.importing.files import Upload, at_path, readable, uploaded, with_roles
from rulerank.importing.read import BadFilesError, Imported, Problem
from rulerank.prepare import (
    KINDS,
    BadRecordsError,
    Columns,
    DataFile,
    Options,
    Prepared,
    TableHead,
    TextReading,
    prepare,
    read_files,
)
from rulerank.progress import Progress, named


@dataclass(frozen=True)
class Bundle:
    """Files of texts that somebody brought: uploads, or what is at a path on the server."""

    uploads: tuple[Upload, ...] = ()
    path: str = ""

    def files(self) -> tuple[DataFile, ...]:
        """Return the files; a zip counts as the files in it."""
        return uploaded(self.uploads) if self.uploads else at_path(Path(self.path.strip()).expanduser())

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"uploads": [each.to_dict() for each in self.uploads], "path": self.path}

    @staticmethod
    def from_dict(saved: Mapping[str, Any]) -> Bundle:
        """Return what `to_dict` described."""
        return Bundle(tuple(map(Upload.from_dict, saved["uploads"])), saved["path"])


@dataclass(frozen=True)
class Wish:
    """How files of texts become a collection: what each file is, where that is not clear, how it is read, and options.

    Roles are names of files by role; without any, the files show what they are.
    """

    roles: tuple[tuple[str, tuple[str, ...]], ...] = ()
    how: TextReading = TextReading()  # noqa: RUF009 (frozen)
    options: Options = Options()  # noqa: RUF009 (frozen)

    def chosen(self, files: Sequence[DataFile]) -> tuple[DataFile, ...]:
        """Return the files as somebody has divided them."""
        return with_roles(files, dict(self.roles)) if self.roles else tuple(files)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"roles": dict(self.roles), "how": asdict(self.how), "options": asdict(self.options)}

    @staticmethod
    def from_dict(saved: Mapping[str, Any]) -> Wish:
        """Return what `to_dict` described."""
        how = TextReading(**_tuples(saved["how"]))
        how = replace(
            how,
            document_columns=columns_from(saved["how"]["document_columns"]),
            query_columns=columns_from(saved["how"]["query_columns"]),
            pair_columns=columns_from(saved["how"]["pair_columns"]),
        )
        roles = tuple((role, tuple(names)) for role, names in saved["roles"].items())
        return Wish(roles, how, Options(**_tuples(saved["options"])))


def columns_from(saved: Mapping[str, Any] | None) -> Columns | None:
    """Return columns that were written as plain values."""
    return None if saved is None else Columns(**_tuples(saved))


def head_from(saved: Mapping[str, Any]) -> TableHead:
    """Return the beginning of a table that was written as plain values."""
    rows = tuple(tuple(row) for row in saved["rows"])
    return TableHead(tuple(saved["names"]), rows, columns_from(saved["guess"]))


def _tuples(saved: Mapping[str, Any]) -> dict[str, Any]:
    """JSON knows lists alone, where ours never change."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in saved.items()}


# Shares of the time that the steps take, as measured with collections of some thousand documents.
_STEPS = {"reading": 0.1, "words": 0.4, "index": 0.1, "candidates": 0.1, "features": 0.25, "languages": 0.05}
_WHOLE = 1000
_MOST_NAMED = 6


def prepare_files(files: Sequence[DataFile], how: TextReading, options: Options, progress: Progress) -> Imported:
    """Read files and make a collection of them; bad records come together in one BadFilesError, and nothing is kept."""
    bar = _Bar(progress)
    try:
        with readable():
            gathered = read_files(files, how, progress=named(bar.report, "reading"))
    except BadRecordsError as error:
        found = [Problem(each.file, each.line, None, each.text, each.message) for each in error.problems]
        bad = BadFilesError(found)
        bad.truncated |= error.truncated
        raise bad from error
    prepared = prepare(gathered, options, progress=bar.report)
    collection = prepared.collection
    none = np.zeros(len(collection), bool)
    return Imported(
        collection, none, prepared.texts, (), prepared.notes, told_facts(prepared), prepared.analyser,
        left_out=prepared.left_out,
    )  # fmt: skip


def told_facts(prepared: Prepared) -> tuple[str, ...]:
    """Return in sentences what was read and done."""
    facts = prepared.facts
    lines = [
        f"Read as {KINDS[facts['format']]}: {facts['documents']:,} documents, {facts['queries']:,} queries, "
        f"{facts['judgements']:,} judgements. Encodings: {_listed(facts['encodings'])}.",
        _pairs_told(facts),
        f"Words: {facts['analyser']}. Languages of the candidates: {_listed(facts['languages'])}.",
    ]
    if "bm25_map" in facts:
        lines.append(f"BM25 alone reaches MAP {facts['bm25_map']:.3f} on {facts['bm25_queries']:,} judged queries.")
    return tuple(lines)


def _pairs_told(facts: dict[str, Any]) -> str:
    if facts["candidates"] is None:
        return f"All {facts['rows']:,} query-document pairs of the table are kept as they are."
    return (
        f"{facts['rows']:,} query-document pairs were made of {facts['documents_of_pairs']:,} documents: up to "
        f"{facts['candidates']:,} candidates for each query by BM25."
    )


def _listed(values: dict[str, Any]) -> str:
    shown = [f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in values.items()]
    more = [f"and {len(shown) - _MOST_NAMED} more"] if len(shown) > _MOST_NAMED else []
    return ", ".join([*shown[:_MOST_NAMED], *more])


class _Bar:
    """One bar for all steps, which never goes back; each call is a moment to cancel."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._highest = 0.0

    def report(self, done: int, total: int | None = None, what: str = "", /) -> None:
        """Say how far a step is."""
        names = list(_STEPS)
        # Languages are detected for all documents at the end; the first look at them has no number.
        if what in _STEPS and total:
            before = sum(_STEPS[name] for name in names[: names.index(what)])
            self._highest = max(self._highest, before + _STEPS[what] * min(1.0, done / total))
        self._progress(int(_WHOLE * self._highest), _WHOLE)
