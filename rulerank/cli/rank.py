"""Commands that rank and measure: `rank` and `evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rulerank.cli.options import AsJson, Bins, ConventionName, EncodingName, Files, Method, OwnAntecedent, RankerName
from rulerank.cli.output import print_json, say, table
from rulerank.cli.source import discretizer_for, make, read, read_text
from rulerank.collection import Collection
from rulerank.discretize import items_of, useful_items
from rulerank.errors import InputError
from rulerank.files import write_whole
from rulerank.foreign.numbers import NumberError, finite_number
from rulerank.metrics import evaluate as measure
from rulerank.registry import metrics, rankers


def rank(
    train: Annotated[list[Path], typer.Option(help="Labelled LETOR files to learn from; give it several times.")],
    test: Annotated[list[Path], typer.Option(help="LETOR files to rank; give it several times.")],
    ranker: RankerName = "lrar",
    method: Method = "mdlp",
    bins: Bins = None,
    max_antecedent: OwnAntecedent = None,
    out: Annotated[
        Path | None, typer.Option(help="Write one score a line here, in the order of the test rows.")
    ] = None,
    convention: ConventionName = "letor",
    encoding: EncodingName = None,
    json_: AsJson = False,
) -> None:
    """Learn from labelled rows, rank others, and measure the ranking where they have grades.

    `rulerank rank --train S1.txt --train S2.txt --train S3.txt --test S5.txt --out scores.txt`
    """
    learn, others = (read(paths, quiet=json_, encoding=encoding) for paths in (train, test))
    known = np.flatnonzero(learn.grades >= 0)
    if not known.size:
        raise InputError("no training row has a grade, so there is nothing to learn from")
    learn = learn.select(known)
    if others.features.shape[1] > learn.features.shape[1]:
        raise InputError(
            f"the test rows have {others.features.shape[1]} features, the training rows {learn.features.shape[1]}"
        )
    fitted = discretizer_for(learn, method, bins)
    items, useful = useful_items(fitted, learn.features, "the training rows")
    model = make(rankers, ranker, max_antecedent=max_antecedent)
    model.fit(items, learn.grades, learn.qids)
    wide = np.zeros((len(others), learn.features.shape[1]))
    wide[:, : others.features.shape[1]] = others.features
    scores = model.predict(items_of(fitted, wide, useful), others.qids)
    if out:
        write_whole(out, "".join(f"{score!r}\n" for score in scores.tolist()).encode())
    if (others.grades >= 0).any():
        _report(_measure(others, scores, convention), json_, {"ranker": model.name, "settings": _plain(model)})
    elif json_:
        print_json({"ranker": model.name, "settings": _plain(model), "scores": scores})
    else:
        say(f"ranked {len(others)} documents; they have no grades, so there is nothing to measure")
    if out and not json_:
        say(f"written: {out}")


def _plain(model: Any) -> dict[str, Any]:
    return {name: value for name, value in model.get_params().items() if isinstance(value, int | float | str)}


def evaluate(
    files: Files,
    scores: Annotated[Path, typer.Option(help="One score a line, in the order of the rows.")],
    convention: ConventionName = "letor",
    per_query: Annotated[bool, typer.Option(help="Show every query.")] = False,
    encoding: EncodingName = None,
    json_: AsJson = False,
) -> None:
    """Measure a ranking: MAP, NDCG, P, MRR and ERR, in file order and expected over ties.

    `rulerank evaluate S5.txt --scores scores.txt --convention letor`
    """
    collection = read(files, quiet=json_, encoding=encoding)
    found = _measure(collection, _read_scores(scores, len(collection)), convention)
    _report(found, json_, {}, per_query=per_query)


def _read_scores(path: Path, rows: int) -> np.ndarray:
    lines = read_text(path).split()
    values = np.empty(len(lines))
    for number, text in enumerate(lines, 1):
        try:
            values[number - 1] = finite_number(text)
        except NumberError as error:
            raise InputError(f"{path}:{number}: {error}; write one score a line") from None
    if len(values) != rows:
        raise InputError(f"{path} has {len(values)} scores for {rows} rows; write one for each row")
    return values


def _measure(collection: Collection, scores: np.ndarray, convention: str) -> dict[str, Any]:
    """Measure; LETOR's ties keep the order of the file, which is the collection's."""
    docids = collection.docids if convention == "trec" and all(collection.docids) else None
    return measure(collection.grades, scores, collection.qids, convention, docids=docids)


def _report(found: dict[str, Any], as_json: bool, more: dict[str, Any], *, per_query: bool = False) -> None:
    queries = found.pop("per_query")
    if as_json:
        print_json({**more, **found, **({"per_query": queries} if per_query else {})})
        return
    rows: list[tuple[object, ...]] = []
    for entry in metrics:
        value, expected = found[entry.name], found["expected"][entry.name]
        if isinstance(value, list):
            rows += [(f"{entry.label} @{k}", value[k - 1], expected[k - 1]) for k in (1, 3, 5, 10) if k <= len(value)]
        else:
            rows.append((entry.label, value, expected))
    told = f"{found['documents']} documents, {found['queries']} queries"
    if found["queries_without_relevant"]:
        told += f"; {found['queries_without_relevant']} have no relevant document and count as 0"
    if found["unlabelled"]:
        told += f"; {found['unlabelled']} documents have no grade and count as not relevant"
    table(found["convention_label"], ["metric", "file order", "expected over ties"], rows, caption=told)
    if per_query:
        each = [
            (str(qid), float(queries["map"][n]), float(queries["ndcg"][n][-1]), float(queries["mrr"][n]))
            for n, qid in enumerate(queries["qids"])
        ]
        table("Queries", ["query", "average precision", f"NDCG@{found['k']}", "reciprocal rank"], each)
