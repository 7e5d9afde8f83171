"""Uploaded files to one collection: archives opened, files joined, texts read, and everything wrong in one list."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import IO, Any

import numpy as np

from rulerank.collection import Collection
from rulerank.errors import InputError, LetorFormatError, RulerankError
from rulerank.files import DAMAGED, ZIP
from rulerank.importing.files import (
    BROKEN,
    ENDINGS,
    MOST_MEMBERS,
    Files,
    Upload,
    is_data,
    one_fold,
    sorted_out,
)
from rulerank.letor import read_letor
from rulerank.prepare import LeftOut, describe_workbook, read_analyser, read_feature_names
from rulerank.progress import Progress
from rulerank.text import Analyser, DocumentText, QueryText, TextFormatError, Texts, read_documents, read_queries

MOST_PROBLEMS = 200


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a file."""

    file: str
    line: int | None
    column: int | None
    found: str
    message: str


class BadFilesError(RulerankError):
    """Some files cannot be read; `problems` says what is wrong in each, line by line."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems[:MOST_PROBLEMS]
        self.truncated = len(problems) > MOST_PROBLEMS
        count = len({problem.file for problem in problems})
        super().__init__(f"{count} {'file has' if count == 1 else 'files have'} problems; nothing was imported")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for another process to show."""
        return {"problems": [asdict(problem) for problem in self.problems], "truncated": self.truncated}

    @staticmethod
    def from_dict(saved: dict[str, Any]) -> BadFilesError:
        """Return what `to_dict` described."""
        made = BadFilesError([Problem(**each) for each in saved["problems"]])
        made.truncated |= bool(saved["truncated"])
        return made


@dataclass(frozen=True)
class Imported:
    """What was read: a collection, which of its rows came from the second upload, texts, and what to know about it."""

    collection: Collection
    second: np.ndarray  # a mask of the rows that came from the files of the evaluation set
    texts: Texts | None
    files: tuple[tuple[str, int, int], ...]  # name, documents, queries
    notes: tuple[str, ...] = field(default=())  # what to look at twice
    facts: tuple[str, ...] = field(default=())  # what was read and done
    analyser: Analyser | None = None  # what cut the texts into terms, if it is known
    stored: bool = False  # here already, with its texts if it has some
    stored_texts: tuple[int, int] = (0, 0)  # of queries and documents
    serious: tuple[str, ...] = ()  # those of the notes that harm the campaign if nobody acts
    left_out: tuple[LeftOut, ...] = ()

    @staticmethod
    def known(collection: Collection, name: str, texts: tuple[int, int]) -> Imported:
        """Return a collection that is here already, with so many texts of queries and documents."""
        files = ((name, len(collection), len(collection.queries)),)
        none = np.zeros(len(collection), bool)
        return Imported(collection, none, None, files, stored=True, stored_texts=texts)


def read_files(files: Files, progress: Progress) -> Imported:
    """Read everything; problems of all files come together in one BadFilesError."""
    files = sorted_out(files)
    reader = _Reader(files, progress)
    pool = reader.letor(files.letor)
    evaluation = reader.letor(files.evaluation)
    queries: dict[str, QueryText] = reader.texts(files.queries, read_queries)
    documents: dict[str, DocumentText] = reader.texts(files.documents, read_documents)
    names: tuple[str, ...] = reader.beside(files.features, read_feature_names) or ()
    analyser: Analyser | None = reader.beside(files.facts, read_analyser)
    if reader.problems:
        raise BadFilesError(reader.problems)
    whole = Collection.concat([*pool, *evaluation]) if len(pool) + len(evaluation) > 1 else pool[0]
    if files.features is not None:
        whole = _named(whole, names, files.features.name)
    second = rows_of_second(whole, pool, evaluation)
    texts = Texts(queries, documents) if queries or documents else None
    serious = [*_repeated(whole), *_unmatched(whole, texts)]
    notes = [*reader.notes, *map(str, whole.warnings), *_coverage(whole, texts)]
    if evaluation:
        both = {qid for part in pool for qid in part.queries} & {qid for part in evaluation for qid in part.queries}
        if both:
            serious.append(
                f"{len(both)} queries are in the pool and in the evaluation set too (as {min(both)}): "
                "the curves will flatter the ranker"
            )
    facts = (f"Words: {analyser.label}.",) if analyser is not None else ()
    said = (*notes, *serious)
    return Imported(whole, second, texts, tuple(reader.read), said, facts, analyser, serious=tuple(serious))


def rows_of_second(whole: Collection, first: Iterable[Collection], second: Iterable[Collection]) -> np.ndarray:
    """Return a mask of the joined rows that came from the second parts: within a query they stand after the first's."""
    place = {qid: number for number, qid in enumerate(whole.queries)}
    counts = np.zeros(len(whole.queries), np.int64)
    for part in first:
        numbers = np.array([place[qid] for qid in part.queries], np.int64)
        np.add.at(counts, numbers[part.query_index], 1)
    offset = np.arange(len(whole)) - whole.indptr[whole.query_index]
    return np.asarray(offset >= counts[whole.query_index])


def _named(whole: Collection, names: tuple[str, ...], file: str) -> Collection:
    """Return a collection with the names of its features, as a file has them."""
    if len(names) == len(whole.feature_names):
        return whole.with_feature_names(names)
    words = (
        f"{len(names):,} features are named here, and the LETOR files have {len(whole.feature_names):,}; "
        "bring the names that belong to them, or leave this file out"
    )
    raise BadFilesError([Problem(file, None, None, "", words)])


class _Reader:
    """Reads files one after the other, reports how far it is, and remembers what was wrong."""

    def __init__(self, files: Files, progress: Progress) -> None:
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.read: list[tuple[str, int, int]] = []
        texts = [each for each in (files.queries, files.documents) if each is not None]
        self._total = max(1, sum(each.size for each in (*files.letor, *files.evaluation, *texts)))
        self._before = 0
        self._progress = progress

    def letor(self, uploads: tuple[Upload, ...]) -> list[Collection]:
        """Read LETOR files; an archive counts as the files in it."""
        parts = []
        for upload in uploads:
            for name, stream, share in self._opened(upload):
                found = self._guarded(name, partial(read_letor, stream, progress=self._tell(share)))
                if found is not None:
                    parts.append(found)
                    self.read.append((name, len(found), len(found.queries)))
            self._before += upload.size
        return parts

    def texts(self, upload: Upload | None, read: Callable[..., Any]) -> Any:
        """Read a file of texts."""
        if upload is None:
            return {}
        found = self._guarded(upload.name, lambda: self._whole(upload, partial(read, progress=self._tell(1.0))))
        self._before += upload.size
        return found or {}

    def beside(self, upload: Upload | None, read: Callable[[IO[bytes]], Any]) -> Any:
        """Read a small file that goes with the others."""
        if upload is None:
            return None
        return self._guarded(upload.name, lambda: self._whole(upload, read))

    @staticmethod
    def _whole(upload: Upload, read: Callable[..., Any]) -> Any:
        with upload.open() as stream:
            return read(stream)

    def _opened(self, upload: Upload) -> Iterator[tuple[str, IO[bytes], float]]:
        """Give the files of an upload with the share of the upload's bytes that one of their bytes stands for."""
        with upload.open() as stream:
            if stream.read(4) not in ZIP:
                stream.seek(0)
                yield upload.name, stream, 1.0
                return
            try:
                with zipfile.ZipFile(stream) as archive:
                    members = self._members(upload.name, archive)
                    share = upload.size / max(1, sum(member.file_size for member in members))
                    for member in members:
                        with archive.open(member) as inside:
                            yield f"{upload.name}/{member.filename}", inside, share
            except BROKEN as error:
                self.note(upload.name, f"the zip cannot be unpacked ({error}); pack it again, without a password")

    def _members(self, name: str, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
        if workbook := describe_workbook(name, archive.namelist()):
            self.note(name, workbook.removeprefix(f"{name}: "))
            return []
        members = [member for member in archive.infolist() if is_data(member.filename) and not member.is_dir()]
        if not members or len(members) > MOST_MEMBERS:
            wanted = f"files ending in {', '.join(ENDINGS[:4])}, plain or compressed"
            self.note(name, f"the zip must hold 1 to {MOST_MEMBERS} {wanted}; it holds {len(members)}")
            return []
        kept, note = one_fold(name, [member.filename for member in members])
        self.notes += [note] if note else []
        return [member for member in members if member.filename in kept]

    def _guarded(self, name: str, read: Callable[[], Any]) -> Any:
        """Return what was read, or None and remember why not."""
        try:
            return read()
        except LetorFormatError as error:
            self.problems += [Problem(name, p.line, p.column, p.text, p.message) for p in error.problems]
        except TextFormatError as error:
            self.problems += [Problem(name, p.line, None, p.text, p.message) for p in error.problems]
        except InputError as error:
            self.note(name, str(error).removeprefix(f"{name}: "))
        except DAMAGED as error:
            self.note(name, f"the zip is damaged here ({error}); fetch or pack it again")
        return None

    def note(self, name: str, message: str) -> None:
        """Remember what is wrong with a file."""
        self.problems.append(Problem(name, None, None, "", message))

    def _tell(self, share: float) -> Progress:
        highest = 0

        def tell(done: int, total: int | None = None, what: str = "", /) -> None:
            nonlocal highest
            highest = max(highest, done)
            self._progress(min(self._total, self._before + int(share * highest)), self._total)

        return tell


def _repeated(collection: Collection) -> list[str]:
    """Find documents that stand twice in their query."""
    pairs = [pair for pair in zip(collection.query_index.tolist(), collection.docids, strict=True) if pair[1]]
    twice = len(pairs) - len(set(pairs))
    if not twice:
        return []
    return [f"{twice:,} documents stand more than once under the same query: were overlapping files joined?"]


def _coverage(collection: Collection, texts: Texts | None) -> list[str]:
    """Say how many ids of the texts belong to the collection, where some are missing."""
    if texts is None:
        return []
    notes = []
    docids = {docid for docid in collection.docids if docid}
    for what, given, wanted in (
        ("queries", texts.queries.keys(), set(collection.queries)),
        ("documents", texts.documents.keys(), docids),
    ):
        found = len(wanted & given)
        if given and 0 < found < len(wanted):
            notes.append(f"{found:,} of {len(wanted):,} {what} have a text")
    return notes


def _unmatched(collection: Collection, texts: Texts | None) -> list[str]:
    """Say which texts belong to nothing in the collection."""
    if texts is None:
        return []
    docids = {docid for docid in collection.docids if docid}
    notes = []
    for what, given, wanted in (
        ("queries", texts.queries.keys(), set(collection.queries)),
        ("documents", texts.documents.keys(), docids),
    ):
        if given and wanted and not wanted & given:
            words = f"as {min(wanted)} in the LETOR file and {min(given)} beside the texts"
            notes.append(
                f"0 of {len(wanted):,} {what} have a text: the ids of the two files have nothing in common ({words})"
            )
    if texts.documents and not docids:
        notes.append("the LETOR file names no documents ('# docid = X'), so no text can be matched to them")
    return notes
