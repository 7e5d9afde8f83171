"""What was read, kept in a folder until it is stored or thrown away; what comes back is equal, bit for bit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rulerank.collection.pack import pack_rows, unpack_rows
from rulerank.errors import InputError
from rulerank.importing.preview import RowFacts
from rulerank.importing.read import Imported
from rulerank.text import Analyser, DocumentText, QueryText, Texts

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
