"""What was read, kept in a folder until it is stored or thrown away; and what a page shows of it meanwhile."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rulerank.collection import UNLABELLED, Collection
from rulerank.collection.pack import pack_rows, unpack_rows
from rulerank.errors import InputError
from rulerank.importing.read import Imported
from rulerank.text import Analyser, DocumentText, QueryText, Texts

FIRST_ROWS = 50
FIRST_FEATURES = 12
FIRST_CHARACTERS = 200  # of a text: enough to see quotes, accents and columns that were taken for each other


@dataclass(frozen=True)
class ImportPreview:
    """Figures, warnings and the first rows of a collection that was read, and whether texts came with it."""

    summary: dict[str, Any]  # `Collection.summary`, with the grades' counts as a list
    feature_names: list[str]
    columns: list[str]  # of the first rows
    rows: list[list[str | float | None]]
    files: list[tuple[str, int, int]]  # name, documents, queries
    notes: list[str]  # what to look at twice
    facts: list[str]  # what was read and done
    texts: tuple[int, int] | None  # queries and documents of the collection that have one
    stored: bool  # here already, with its texts if it has some
    content_hash: str
    serious: list[str] = field(default_factory=list)  # those of the notes that harm the campaign if nobody acts
    left_out: list[tuple[str, int, str, list[str]]] = field(default_factory=list)  # of what, how many, why, names
    advice: list[str] = field(default_factory=list)  # what is missing for people to judge, and how to bring it

    @staticmethod
    def of(imported: Imported) -> ImportPreview:
        """Look at what was read."""
        collection, texts = imported.collection, imported.texts
        summary = collection.summary()
        counts = summary["grade_counts"]
        summary["grade_counts"] = [counts.get(grade, 0) for grade in range(max(counts, default=-1) + 1)]
        coverage = None
        if imported.stored and any(imported.stored_texts):
            coverage = imported.stored_texts
        elif texts is not None:
            queries = len(texts.queries.keys() & set(collection.queries))
            coverage = queries, len(texts.documents.keys() & {docid for docid in collection.docids if docid})
        return ImportPreview(
            summary=summary,
            feature_names=list(collection.feature_names),
            columns=_first_columns(collection, texts),
            rows=list(_first_rows(collection, texts)),
            files=list(imported.files),
            notes=list(imported.notes),
            facts=list(imported.facts),
            texts=coverage,
            stored=imported.stored,
            content_hash=collection.content_hash,
            serious=list(imported.serious),
            left_out=[(each.what, each.count, each.why, list(each.names)) for each in imported.left_out],
            advice=without_texts(collection, texts, imported.stored_texts if imported.stored else None),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can write it."""
        return asdict(self)

    @staticmethod
    def from_dict(saved: dict[str, Any]) -> ImportPreview:
        """Return what `to_dict` described."""
        files = [(name, documents, queries) for name, documents, queries in saved["files"]]
        texts = None if saved["texts"] is None else (int(saved["texts"][0]), int(saved["texts"][1]))
        left_out = [(what, count, why, names) for what, count, why, names in saved["left_out"]]
        return ImportPreview(**{**saved, "files": files, "texts": texts, "left_out": left_out})


def without_texts(collection: Collection, texts: Texts | None, stored: tuple[int, int] | None = None) -> list[str]:
    """Say that nobody can judge documents without their texts, and which files with which ids would bring them.

    stored: how many texts of queries and documents a collection has that is here already.
    """
    docids = [docid for docid in collection.docids if docid]
    known = stored or ((len(texts.queries), len(texts.documents)) if texts else (0, 0))
    lacks = [what for what, count in zip(("queries", "documents"), known, strict=True) if not count]
    if not lacks:
        return []
    judged = bool((collection.grades != UNLABELLED).all())
    notes = [f"There are no texts of {' and '.join(lacks)}: people would see numbers, and nobody can judge numbers."]
    if judged:
        notes.append("It is enough to replay the grades of the file, but not for people who label.")
    ways = []
    if "queries" in lacks:
        ways.append(f"a file of queries with qid and text in each line (your qids: {_some(collection.queries)})")
    if "documents" in lacks and docids:
        ways.append(f"a file of documents with docid, title and text (your docids: {_some(docids)})")
    if ways:
        where = "Under step 1, 'Add texts', bring"
        if stored is not None:
            where = "Under step 1, bring the LETOR file of this collection once more and, under 'Add texts',"
        notes.append(f"{where} {', and '.join(ways)}; as TSV or JSONL.")
    if ways and stored is not None:
        notes.append("They then belong to the collection, and all campaigns on it have them.")
    if "documents" in lacks and not docids:
        notes.append(
            "The lines of the LETOR file do not say which document they are: end each with its id, as in "
            "'# docid = D7', then bring a file of documents with the same docids, title and text. Or bring queries and "
            "texts themselves ('I have texts'): features are computed from them."
        )
    return notes


def _some(ids: Sequence[str]) -> str:
    return ", ".join(_plain(each) for each in ids[:3]) + (", ..." if len(ids) > 3 else "")


@dataclass(frozen=True)
class RowFacts:
    """Of each row its grade, its query, and whether it came from the files of the evaluation set: no features."""

    grades: np.ndarray
    query_index: np.ndarray
    second: np.ndarray

    @staticmethod
    def of(imported: Imported) -> RowFacts:
        """Return the few numbers by which rows are divided."""
        return RowFacts(imported.collection.grades, imported.collection.query_index, imported.second)

    def save(self, path: Path) -> None:
        """Write them to a file."""
        with path.open("wb") as file:
            np.savez_compressed(file, grades=self.grades, query_index=self.query_index, second=self.second)

    @staticmethod
    def load(path: Path) -> RowFacts:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as found:
            return RowFacts(found["grades"], found["query_index"], found["second"])


def _first_columns(collection: Collection, texts: Texts | None) -> list[str]:
    """Name the columns of the first rows: what people can check comes first."""
    names = [*(["query", "title", "text"] if texts else []), "grade", "qid", "docid"]
    features = map(_plain, collection.feature_names[:FIRST_FEATURES])
    return [*names, *(f"{name} (feature)" if name in names else name for name in features)]


def _first_rows(collection: Collection, texts: Texts | None) -> Iterator[list[str | float | None]]:
    """Give texts, grade, ids and first features of the first rows; a value that is missing is None."""
    for row in range(min(FIRST_ROWS, len(collection))):
        qid, docid = collection.queries[collection.query_index[row]], collection.docids[row]
        grade = int(collection.grades[row])
        values: list[float | None] = collection.features[row, :FIRST_FEATURES].tolist()
        if collection.missing is not None:
            codes = collection.missing[row, :FIRST_FEATURES].tolist()
            values = [None if code else value for code, value in zip(codes, values, strict=True)]
        said = "not yet" if grade == UNLABELLED else str(grade)
        yield [*_first_texts(texts, qid, docid), said, _plain(qid), _plain(docid or ""), *values]


def _first_texts(texts: Texts | None, qid: str, docid: str | None) -> list[str]:
    """Return the beginnings of query, title and text."""
    if texts is None:
        return []
    query, document = texts.queries.get(qid), texts.documents.get(docid or "")
    whole = (query.text if query else "", *((document.title, document.body) if document else ("", "")))
    return [_beginning(" ".join(_plain(each).split())) for each in whole]


def _beginning(text: str) -> str:
    return text if len(text) <= FIRST_CHARACTERS else f"{text[:FIRST_CHARACTERS].rstrip()}..."


def _plain(text: str) -> str:
    """Return a text as every database can keep it."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


PIECE_ROWS = 4096
FACTS = "rows.npz"
HEAD, TEXTS = "head.json", "texts.jsonl"


def keep(imported: Imported, folder: Path, *, rows: bool = True) -> None:
    """Write what was read into a folder, in place of what is there; it gets its name when it is complete.

    Without `rows`, only the few numbers by which rows are divided: the rest can be had elsewhere.
    """
    unfinished = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    collection = imported.collection
    RowFacts.of(imported).save(unfinished / FACTS)
    head: dict[str, Any] = {
        "queries": collection.queries,
        "feature_names": collection.feature_names,
        "analyser": None if imported.analyser is None else imported.analyser.to_dict(),
        "has_texts": imported.texts is not None,
    }
    (unfinished / HEAD).write_text(json.dumps(head), encoding="utf-8")
    for start in range(0, len(collection) if rows else 0, PIECE_ROWS):
        piece = pack_rows(collection, start, min(start + PIECE_ROWS, len(collection)))
        (unfinished / f"rows-{start:012d}").write_bytes(piece)
    if imported.texts is not None:
        with (unfinished / TEXTS).open("w", encoding="utf-8") as file:
            for record in _records(imported.texts):
                file.write(json.dumps(record) + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


def load(folder: Path) -> Imported:
    """Read what `keep` wrote."""
    try:
        head = json.loads((folder / HEAD).read_text(encoding="utf-8"))
        pieces = [path.read_bytes() for path in sorted(folder.glob("rows-*"))]
        second = RowFacts.load(folder / FACTS).second
        texts = _texts(folder / TEXTS) if head["has_texts"] else None
    except FileNotFoundError as error:
        raise InputError("what was read is not kept any more; choose the files again") from error
    collection = unpack_rows(pieces, head["queries"], head["feature_names"])
    analyser = None if head["analyser"] is None else Analyser.from_dict(head["analyser"])
    return Imported(collection, np.asarray(second, bool), texts, (), analyser=analyser)


def _records(texts: Texts) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for qid, query in texts.queries.items():
        yield "query", qid, asdict(query)
    for docid, document in texts.documents.items():
        yield "document", docid, asdict(document)


def _texts(path: Path) -> Texts:
    found = Texts({}, {})
    with path.open(encoding="utf-8") as file:
        for line in file:
            what, key, values = json.loads(line)
            if what == "document":
                found.documents[key] = DocumentText(**values)
            else:
                terms = values.pop("terms")
                found.queries[key] = QueryText(**values, terms=None if terms is None else tuple(terms))
    return found
