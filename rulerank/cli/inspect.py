"""Commands that look at data: `info` and `discretize`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from rulerank.cli.output import print_json, say, table
from rulerank.cli.source import AsJson, Bins, EncodingName, Files, Method, discretizer_for, load_discretizer, read
from rulerank.collection import Collection
from rulerank.files import write_whole
from rulerank.letor import write_letor

CALLED = {
    "rows": "query-document pairs",
    "documents": "different documents",
    "unlabelled": "pairs without a grade",
    "grade_counts": "pairs by grade",
    "documents_per_query": "pairs per query",
}


def info(files: Files, encoding: EncodingName = None, json_: AsJson = False) -> None:
    """Say what LETOR files hold: query-document pairs, documents, queries, grades, features, and anything odd.

    Example: `rulerank info train.txt`
    """
    collection = read(files, quiet=json_, encoding=encoding)
    summary = {"files": [str(path) for path in files], "hash": collection.content_hash, **collection.summary()}
    summary["warnings"] = [str(warning) for warning in collection.warnings]
    if json_:
        print_json(summary)
        return
    shown = {name: value for name, value in summary.items() if name != "warnings"}
    if not shown["documents"]:
        shown["documents"] = "not named (no '# docid = ...' in the lines)"
    rows = [(CALLED.get(name, name.replace("_", " ")), _short(value)) for name, value in shown.items()]
    table("Collection", ["what", "value"], rows, text=2)


def _short(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {each}" for key, each in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def discretize(
    files: Files,
    method: Method = "tube",
    bins: Bins = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the items here, as a LETOR file of bin numbers.", show_default=False)
    ] = None,
    edges: Annotated[Path | None, typer.Option(help="Write the edges here, as JSON.", show_default=False)] = None,
    apply: Annotated[
        Path | None, typer.Option(help="Use the edges of this file instead of finding new ones.", show_default=False)
    ] = None,
    encoding: EncodingName = None,
    json_: AsJson = False,
) -> None:
    """Cut features into bins, and show or keep the edges.

    Edges come from the pool or the training rows; the other parts use the same ones:

    - `rulerank discretize train.txt --edges edges.json`
    - `rulerank discretize test.txt --apply edges.json --out test.items`
    """
    collection = read(files, quiet=json_, encoding=encoding)
    fitted = load_discretizer(apply) if apply else discretizer_for(collection, method, bins)
    items = fitted.transform(collection.features)
    if edges:
        write_whole(edges, json.dumps(fitted.to_dict()).encode())
    if out:
        written = Collection.from_arrays(
            items.astype(float), collection.qids, collection.grades, comments=collection.comments
        )
        write_letor(written, out)
    if json_:
        print_json(fitted.to_dict())
        return
    rows = [
        (name, len(found) - 1, " ".join(f"{edge:g}" for edge in found))
        for name, found in zip(fitted.feature_names_, fitted.edges_, strict=True)
    ]
    table(f"{fitted.label}: {len(rows)} features", ["feature", "bins", "edges"], rows, text=3)
    for written_to in (edges, out):
        if written_to:
            say(f"written: {written_to}")
