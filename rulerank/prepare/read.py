"""From a folder to documents, queries, judgements and runs that belong together."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rulerank.errors import InputError
from rulerank.foreign.numbers import is_whole
from rulerank.prepare.files import DataFile, TextLines, file_at, files_of
from rulerank.prepare.gathered import Gathered, Gatherer, LeftOut
from rulerank.prepare.layout import Layout, Named, find_layout, short_name
from rulerank.prepare.problems import EnoughProblemsError, TextProblems
from rulerank.prepare.readers import smart, table, trec
from rulerank.prepare.readers.columns import Columns
from rulerank.prepare.readers.judgements import Judgement, read_judgements, read_run
from rulerank.prepare.readers.pairs import PairTables
from rulerank.prepare.readers.sheet import lines_of
from rulerank.prepare.readers.smart import plain_id
from rulerank.progress import Progress, silent

# Cleverdon's scale, as its readme describes it: 1 is a complete answer, 4 of minimum interest; -1 stands for none.
CRANFIELD = {1: 4, 2: 3, 3: 2, 4: 1, 5: 0, -1: 0}
_CRANFIELD = re.compile(r"cran.*q?rel")


@dataclass(frozen=True)
class TextReading:
    """How files are read; what is None is detected from the files themselves."""

    kind: str | None = None
    documents: tuple[str, ...] = ()  # paths, beside or instead of what the folder's names say
    queries: tuple[str, ...] = ()
    judgements: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    document_columns: Columns | None = None
    query_columns: Columns | None = None
    pair_columns: Columns | None = None  # of one table that holds queries and documents together
    encoding: str | None = None
    grades: dict[int, int] | None = None  # what the grades of the judgements become
    unjudged: str = "auto"  # "unknown", "zero", or what the format means by it
    max_errors: int = 100


def read_collection(path: str | Path, how: TextReading = TextReading(), *, progress: Progress = silent) -> Gathered:  # noqa: B008
    """Read the folder, zip or file at `path`; all that is wrong comes together in one BadRecordsError.

    `progress(done, total)` is called with bytes and may raise to stop the reading.
    """
    return read_files(files_of(path), how, progress=progress)


def read_files(files: Sequence[DataFile], how: TextReading = TextReading(), *, progress: Progress = silent) -> Gathered:  # noqa: B008
    """Read files, wherever they came from."""
    if how.unjudged not in ("auto", "unknown", "zero"):
        raise InputError(f"unjudged is 'auto', 'unknown' or 'zero', not {how.unjudged!r}")
    kind = how.kind or ("pairs" if how.pair_columns else None)
    named = Named(kind, *(tuple(map(file_at, each)) for each in (how.documents, how.queries, how.judgements)))
    layout = find_layout(files, named)
    runs = (*layout.runs, *map(file_at, how.runs))
    reader = _Reader(layout, how, runs, progress)
    with suppress(EnoughProblemsError):
        reader.read()
    reader.problems.check()
    return reader.finished()


class _Reader:
    """Reads the files of a layout one after the other."""

    def __init__(self, layout: Layout, how: TextReading, runs: tuple[DataFile, ...], progress: Progress) -> None:
        self.problems = TextProblems(how.max_errors)
        self._layout = layout
        self._how = how
        self._runs = runs
        self._progress = progress
        self._done = 0
        everything = (*layout.documents, *layout.queries, *layout.judgements, *runs)
        self._total = sum(file.size for file in everything)
        self._into = Gatherer()
        self._judged: list[Judgement] = []

    def read(self) -> None:
        """Read everything, in the order in which the parts refer to each other."""
        how, kind = self._how, self._layout.kind
        if kind == "pairs":
            tables = PairTables(self._into, how.pair_columns, how.grades)
            for file in self._layout.documents:
                tables.read(self._open(file))
            tables.finish()
            return
        for file in self._layout.documents:
            lines = self._open(file)
            if kind == "smart":
                smart.read_documents(lines, self._into)
            elif kind == "trec":
                trec.read_documents(lines, self._into)
            else:
                table.read_documents(lines, self._into, how.document_columns)
        for file in self._layout.queries:
            lines = self._open(file)
            head = file.head(64).lstrip()
            if head.startswith(".I "):
                smart.read_queries(lines, self._into)
            elif head.startswith("<"):
                trec.read_queries(lines, self._into)
            else:
                table.read_queries(lines, self._into, how.query_columns)
        for file in self._layout.judgements:
            self._judged += self._graded(file, read_judgements(self._open(file)))
        for file in self._runs:
            self._into.gathered.runs[short_name(file.name)] = read_run(self._open(file))

    def finished(self) -> Gathered:
        """Bring the judgements to the documents and queries that they mean, and return everything."""
        found = self._into.gathered
        found.kind = self._layout.kind
        if self._into.empty:
            named = ", ".join(self._into.empty[:5])
            found.notes.append(f"{len(self._into.empty)} documents have no text and were left out ({named})")
            found.left_out.append(LeftOut.of("documents", self._into.empty, "without text nobody can judge them"))
        if self._layout.unread:
            named = ", ".join(self._layout.unread[:5]) + (", ..." if len(self._layout.unread) > 5 else "")
            found.notes.append(f"{len(self._layout.unread)} other files were not read ({named})")
            why = "names and contents do not say what they are"
            found.left_out.append(LeftOut.of("files", self._layout.unread, why))
        if not found.documents or not found.queries:
            raise InputError("there is no document or no query with a text; choose other files")
        if found.pairs:
            found.notes += [each.words for each in found.left_out if each.what != "files"]
            return found
        self._judged = self._by_position(self._judged)
        unknown: set[str] = set()
        for qid, docid, grade in self._judged:
            if qid in found.queries and docid in found.documents:
                known = found.judgements.setdefault(qid, {})
                known[docid] = max(grade, known.get(docid, 0))
            else:
                unknown.add(f"{qid} {docid}")
        self._tell_unknown(len(unknown), len(self._judged), min(unknown, default=""))
        if unknown:
            why = "the query or the document is not here"
            found.left_out.append(LeftOut.of("judgements", sorted(unknown), why))
        zero = {"auto": self._layout.kind == "smart", "zero": True, "unknown": False}[self._how.unjudged]
        found.complete = zero and bool(found.judgements)
        if found.complete and self._how.unjudged == "auto":
            found.notes.append(
                "SMART's collections list the relevant documents alone: of a query with judgements, every other "
                "document counts as judged not relevant"
            )
        return found

    def _tell_unknown(self, unknown: int, judged: int, example: str) -> None:
        if not unknown:
            return
        words = f"{unknown:,} of {judged:,} judgements name a query or document that is not here (as {example})"
        if unknown * 2 > judged:
            raise InputError(f"{words}; do these files belong together?")
        self._into.gathered.notes.append(words)

    def _by_position(self, judged: list[Judgement]) -> list[Judgement]:
        """Read numbers in SMART's judgements as places, where they plainly are places and not ids.

        Cranfield's judgements count its queries from 1 and TIME's its documents, though both are numbered with gaps.
        """
        found = self._into.gathered
        if self._layout.kind != "smart" or not judged:
            return judged
        asked = {qid for qid, _, _ in judged}
        if _are_places(asked, found.queries, len(found.queries)):
            found.queries = {str(number): text for number, text in enumerate(found.queries.values(), 1)}
            found.notes.append("queries are numbered by their places, as the judgements number them")
        docids = self._into.ids("document")
        # Two documents of TIME are missing at its end, so a few numbers may be too high.
        if _are_places({docid for _, docid, _ in judged}, docids, len(docids) * 1.02):
            found.notes.append("the judgements number documents by their places; they are brought to the ids")
            by_place = {str(number): docid for number, docid in enumerate(docids, 1)}
            return [(qid, by_place.get(number, f"place {number}"), grade) for qid, number, grade in judged]
        return judged

    def _graded(self, file: DataFile, judged: list[Judgement]) -> list[Judgement]:
        """Bring the grades of a file to 0, 1, 2...: by the map that was given, or by what the file is known for."""
        grades = self._how.grades
        if self._layout.kind == "smart":
            judged = [(plain_id(qid), plain_id(docid), grade) for qid, docid, grade in judged]
        found = {grade for _, _, grade in judged}
        if grades is None and _CRANFIELD.search(file.plain_name) and found <= CRANFIELD.keys():
            grades = CRANFIELD
            self._into.gathered.notes.append(
                f"{short_name(file.name)} has Cleverdon's scale, where 1 is best; here 4 is best, and -1 is 0"
            )
        if grades is None:
            return [(qid, docid, max(grade, 0)) for qid, docid, grade in judged]
        missing = sorted(found - grades.keys())
        if missing:
            raise InputError(f"{file.name}: the grades {missing} are in the file, but not among those to be changed")
        return [(qid, docid, grades[grade]) for qid, docid, grade in judged]

    def _open(self, file: DataFile) -> TextLines:
        lines = lines_of(file, self.problems, self._how.encoding, self._count)
        found = self._into.gathered
        found.files[file.name] = lines.format
        found.notes += lines.notes
        found.left_out += lines.left_out
        return lines

    def _count(self, size: int) -> None:
        self._done += size
        self._progress(min(self._done, self._total), self._total)


def _are_places(asked: set[str], known: Collection[str], most: float) -> bool:
    """Say whether numbers cannot be the ids of what there is, but can be their places."""
    return not asked <= set(known) and all(is_whole(each, least=1, most=int(most)) for each in asked)
