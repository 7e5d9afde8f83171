"""Commands that rank and measure: `rank` and `evaluate`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rulerank.cli.output import print_json, say, table
from rulerank.cli.source import (
    Antecedent,
    AsJson,
    Bins,
    ConventionName,
    EncodingName,
    Files,
    Method,
    RankerName,
    discretizer_for,
    named,
    read,
    read_text,
)
from rulerank.collection import Collection
from rulerank.discretize import items_of, useful_items
from rulerank.errors import InputError
from rulerank.files import write_whole
from rulerank.foreign.numbers import NumberError, finite_number
from rulerank.metrics import conventions
from rulerank.metrics import evaluate as measured
from rulerank.metrics.measure import Measure, at_cut_offs, offered
from rulerank.registry import metrics, rankers
from rulerank.strategy import Strategy


def rank(
    train: Annotated[list[Path], typer.Option(help="Labelled LETOR files to learn from; give it several times.")],
    test: Annotated[list[Path], typer.Option(help="LETOR files to rank; give it several times.")],
    ranker: RankerName = "lrar",
    method: Method = "mdlp",
    bins: Bins = None,
    max_antecedent: Antecedent = None,
    out: Annotated[
        Path | None, typer.Option(help="Write one score per line here, in the order of the test rows.")
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
    model = named(rankers, ranker, max_antecedent=max_antecedent).make(rankers)
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
    scores: Annotated[Path, typer.Option(help="One score per line, in the order of the rows.")],
    convention: ConventionName = "letor",
    others: Annotated[
        str | None,
        typer.Option("--metrics", help="Metrics with other parameters to measure too, by comma: name:parameter=value."),
    ] = None,
    per_query: Annotated[bool, typer.Option(help="Show every query.")] = False,
    encoding: EncodingName = None,
    json_: AsJson = False,
) -> None:
    """Measure a ranking: MAP, NDCG, P, MRR and ERR, in file order and expected over ties.

    `rulerank evaluate S5.txt --scores scores.txt --convention letor`
    """
    collection = read(files, quiet=json_, encoding=encoding)
    asked = [_metric(text) for text in others.split(",")] if others else []
    found = _measure(collection, _read_scores(scores, len(collection)), convention, asked)
    _report(found, json_, {}, per_query=per_query)


def _metric(text: str) -> str:
    """Read a metric's name and parameters; a cut-off may stand there, but all of them are shown."""
    name = text.partition(":")[0].partition("@")[0].strip()
    has_cut_offs = name in metrics and metrics[name].cutoffs and "@" not in text
    return Measure.parse(f"{text.strip()}@10" if has_cut_offs else text).metric


def _read_scores(path: Path, rows: int) -> np.ndarray:
    lines = read_text(path).split()
    values = np.empty(len(lines))
    for number, text in enumerate(lines, 1):
        try:
            values[number - 1] = finite_number(text)
        except NumberError as error:
            raise InputError(f"{path}:{number}: {error}; write one score per line") from None
    if len(values) != rows:
        raise InputError(f"{path} has {len(values)} scores for {rows} rows; write one for each row")
    return values


def _measure(collection: Collection, scores: np.ndarray, convention: str, others: Iterable[str] = ()) -> dict[str, Any]:
    """Measure; LETOR's ties keep the order of the file, which is the collection's."""
    by_name = conventions[convention].docids_break_ties and all(collection.docids)
    docids = collection.docids if by_name else None
    return measured(collection.grades, scores, collection.qids, convention, docids=docids, others=others)


def _report(found: dict[str, Any], as_json: bool, more: dict[str, Any], *, per_query: bool = False) -> None:
    queries = found.pop("per_query")
    if as_json:
        print_json({**more, **found, **({"per_query": queries} if per_query else {})})
        return
    rows: list[tuple[object, ...]] = []
    for key, expected in found["expected"].items():
        value, label = found[key], Strategy.parse(key).label(metrics)
        if isinstance(value, list):
            rows += [(f"{label} @{k}", value[k - 1], expected[k - 1]) for k in (1, 3, 5, 10) if k <= len(value)]
        else:
            rows.append((label, value, expected))
    caption = f"{found['documents']} documents, {found['queries']} queries"
    if found["queries_without_relevant"]:
        caption += f"; {found['queries_without_relevant']} have no relevant document and count as 0"
    if found["unlabelled"]:
        caption += f"; {found['unlabelled']} documents have no grade and count as not relevant"
    table(found["convention_label"], ["metric", "file order", "expected over ties"], rows, caption=caption)
    if per_query:
        given = [key for key in found["expected"] if key not in metrics]
        shown = offered([found["k"]]) + [each for key in given for each in at_cut_offs(key, [found["k"]])]
        columns = [queries[each.metric] for each in shown]
        values = [column if column.ndim == 1 else column[:, -1] for column in columns]
        each = [(str(qid), *(float(value[n]) for value in values)) for n, qid in enumerate(queries["qids"])]
        table("Queries", ["query", *(measure.of_one_query for measure in shown)], each)
