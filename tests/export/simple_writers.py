"""Every format written the plain way, one document after the other, with nothing of the export's own code."""

from __future__ import annotations

import csv
import io
import json

import numpy as np

from rulerank.collection import ABSENT, NULL


def number(value) -> str:
    return repr(float(value)).removesuffix(".0")


def documents(collection):
    """Row in the collection, qid, docid, grade, comment, and the features: a text, "NULL", or None where absent."""
    for row in np.flatnonzero(collection.grades >= 0).tolist():
        cells = [number(value) for value in collection.features[row]]
        if collection.missing is not None:
            codes = collection.missing[row].tolist()
            cells = [{ABSENT: None, NULL: "NULL"}.get(code, cell) for cell, code in zip(cells, codes, strict=True)]
        qid = collection.queries[collection.query_index[row]]
        docid = collection.docids[row] or f"row{row + 1}"
        yield qid, docid, int(collection.grades[row]), collection.comments[row], cells


def letor_line(document) -> str:
    qid, _, grade, comment, cells = document
    pairs = [f" {place}:{cell}" for place, cell in enumerate(cells, 1) if cell is not None]
    return f"{grade} qid:{qid}{''.join(pairs)}" + (f" #{comment}" if comment else "") + "\n"


def letor(collection) -> str:
    return "".join(map(letor_line, documents(collection)))


def folds(collection, count, seed) -> dict[str, str]:
    lines: dict[str, list[str]] = {}
    for document in documents(collection):
        lines.setdefault(document[0], []).append(letor_line(document))
    texts = ["".join(each) for each in lines.values()]
    order = np.random.default_rng(seed).permutation(len(texts))
    parts = ["".join(texts[query] for query in sorted(part)) for part in np.array_split(order, count)]
    found = {}
    for fold in range(count):
        turn = [parts[(fold + step) % count] for step in range(count)]
        for name, text in (("train", "".join(turn[:-2])), ("vali", turn[-2]), ("test", turn[-1])):
            found[f"Fold{fold + 1}/{name}.txt"] = text
    return found


def lightgbm(collection) -> dict[str, str]:
    lines, sizes = [], {}
    for qid, _, grade, _, cells in documents(collection):
        pairs = [f" {place}:{cell}" for place, cell in enumerate(cells, 1) if cell not in (None, "NULL")]
        lines.append(f"{grade}{''.join(pairs)}\n")
        sizes[qid] = sizes.get(qid, 0) + 1
    return {
        "lightgbm.txt": "".join(lines),
        "lightgbm.txt.query": "".join(f"{size}\n" for size in sizes.values()),
    }


def qrels(collection) -> str:
    return "".join(f"{qid} 0 {docid} {grade}\n" for qid, docid, grade, _, _ in documents(collection))


def table(collection) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["qid", "docid", "grade", *collection.feature_names])
    for qid, docid, grade, _, cells in documents(collection):
        writer.writerow([qid, docid, grade, *("" if cell in (None, "NULL") else cell for cell in cells)])
    return out.getvalue()


def events(rows) -> dict[str, str]:
    """Flat events of the same keys only."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {key: json.dumps(value) if isinstance(value, bool) else value for key, value in row.items()} for row in rows
    )
    return {"events-for-machines.csv": out.getvalue(), "events-for-spreadsheets.csv": "\ufeff" + out.getvalue()}


def everything(collection, rows, folds_count, seed) -> dict[str, bytes]:
    """All files whose text does not depend on the rest of the bundle."""
    texts = {
        "letor.txt": letor(collection),
        **folds(collection, folds_count, seed),
        **lightgbm(collection),
        "qrels.txt": qrels(collection),
        "documents-for-machines.csv": table(collection),
        "documents-for-spreadsheets.csv": "\ufeff" + table(collection),
        **events(rows),
    }
    return {name: text.encode("utf-8", "surrogateescape") for name, text in texts.items()}
