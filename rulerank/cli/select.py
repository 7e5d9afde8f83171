"""The command `select`: replay a sampler on known grades, or name the next document to label."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from rulerank.cli.output import print_json, progress, say, table
from rulerank.cli.source import (
    Antecedent,
    AsJson,
    Bins,
    EncodingName,
    Files,
    Method,
    SamplerName,
    Seed,
    discretizer_for,
    flag_help,
    named,
    read,
)
from rulerank.collection import Collection
from rulerank.discretize import Discretizer, useful_items
from rulerank.errors import InputError
from rulerank.letor import write_letor
from rulerank.registry import discretizers, samplers
from rulerank.sampling import Sampler, Selection
from rulerank.strategy import Strategy


def select(
    files: Files,
    sampler: SamplerName = "ssar",
    budget: Annotated[
        int | None, typer.Option(help="Spend at most this many labels (default: to the natural stop).", min=1)
    ] = None,
    next_: Annotated[
        bool, typer.Option("--next", help="Take the grades that are there as given, and name the next document.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write the selected rows here, as LETOR, in the order of the file.")
    ] = None,
    method: Method = "tube",
    bins: Bins = None,
    max_antecedent: Antecedent = None,
    partitions: Annotated[int | None, typer.Option(help=flag_help(samplers, "partitions"), min=1)] = None,
    scoring: Annotated[str | None, typer.Option(help=flag_help(samplers, "scoring"))] = None,
    feature: Annotated[
        int | None, typer.Option(help=f"A feature's number, from 1. {flag_help(samplers, 'feature')}", min=1)
    ] = None,
    seed: Seed = None,
    encoding: EncodingName = None,
    json_: AsJson = False,
) -> None:
    """Choose the documents worth labelling.

    On a labelled file the sampler is replayed: it chooses, the file gives the grade, until the natural stop or the
    budget. With **--next** (unlabelled rows have the grade -1 or none) it names one document for a person.

    - `rulerank select train.txt --sampler ssarp --out chosen.txt`
    - `rulerank select partly-labelled.txt --next`
    """
    collection = read(files, quiet=json_, encoding=encoding)
    wanted = named(
        samplers,
        sampler,
        max_antecedent=max_antecedent,
        partitions=partitions,
        scoring=scoring,
        feature=None if feature is None else feature - 1,
        seed=seed,
    )
    chooser: Sampler = wanted.make(samplers)
    cutter = discretizers[Strategy.parse(method).name]
    if cutter.needs_grades and next_:
        able = ", ".join(entry.name for entry in discretizers if not entry.value.needs_grades)
        raise InputError(f"{cutter.name} learns from grades; for --next choose one of {able}")
    fitted = discretizer_for(collection, method, bins)
    items, useful = useful_items(fitted, collection.features)
    chooser.start(items, features=collection.features, qids=collection.query_index)
    if next_:
        _name_next(chooser, collection, fitted, useful, json_)
        return
    if (collection.grades < 0).any():
        unknown = int((collection.grades < 0).sum())
        raise InputError(
            f"{unknown} rows have no grade, so there is nothing to replay; use --next to choose one of them"
        )
    chosen, stopped = _replay(chooser, collection, budget, quiet=json_)
    rows = sorted(selection.row for selection in chosen)
    if out:
        write_letor(collection.select(rows), out)
    relevant = int((collection.grades[rows] > 0).sum())
    share = len(rows) / len(collection)
    found: dict[str, Any] = {
        "sampler": chooser.name,
        "settings": {**chooser.get_params(), "discretizer": method},
        "selected": len(rows),
        "pool": len(collection),
        "selected_percent": 100 * share,
        "relevant_selected_percent": 100 * relevant / max(1, len(rows)),
        "relevant_percent": 100 * float((collection.grades > 0).mean()),
        "stopped_on": stopped.row if stopped else None,
        "selections": [_record(selection, collection) for selection in chosen],
    }
    if json_:
        print_json(found)
        return
    _print_selections(found["selections"], f"{chooser.label}: {len(rows)} of {len(collection)} documents ({share:.2%})")
    how = "the natural stop was reached" if stopped else ("the budget is spent" if budget else "the pool is used up")
    say(
        f"{how}; relevant: {found['relevant_selected_percent']:.1f}% of the selected, "
        f"{found['relevant_percent']:.1f}% of the pool"
    )
    if out:
        say(f"written: {out}")


def _replay(
    chooser: Sampler, collection: Collection, budget: int | None, *, quiet: bool
) -> tuple[list[Selection], Selection | None]:
    chosen: list[Selection] = []
    with progress("choosing", budget, quiet=quiet) as bar:
        while budget is None or len(chosen) < budget:
            selection = chooser.propose()
            if selection is None or selection.stop:
                return chosen, selection
            chosen.append(selection)
            chooser.record(selection.row, int(collection.grades[selection.row]))
            bar(len(chosen))
    return chosen, None


def _record(selection: Selection, collection: Collection) -> dict[str, Any]:
    row = selection.row
    record = {"qid": str(collection.qids[row]), "docid": collection.docids[row], "grade": int(collection.grades[row])}
    return {**asdict(selection), "keys": dict(selection.keys), **record}


def _print_selections(records: list[dict[str, Any]], title: str) -> None:
    shown = records if len(records) <= 40 else [*records[:20], *records[-20:]]
    rows: list[tuple[object, ...]] = [
        (
            r["round"],
            r["row"] + 1,
            r["qid"],
            r["docid"] or "-",
            r["grade"],
            "-" if r["rule_count"] is None else r["rule_count"],
        )
        for r in shown
    ]
    if len(shown) < len(records):
        rows.insert(20, ("...",) * 6)
    table(title, ["round", "row", "query", "document", "grade", "rules"], rows, text=0)


def _name_next(chooser: Sampler, collection: Collection, fitted: Discretizer, useful: Any, as_json: bool) -> None:
    for row in range(len(collection)):
        if collection.grades[row] >= 0:
            chooser.record(row, int(collection.grades[row]))
    selection = chooser.propose()
    if selection is None:
        raise InputError("every document has a grade; there is nothing left to choose")
    record = _record(selection, collection)
    if as_json:
        print_json(record)
        return
    if selection.stop:
        say(f"{selection.reason[0].upper()}{selection.reason[1:]}.", lead="Stop.")
        return
    say(f"row {selection.row + 1}, query {record['qid']}, document {record['docid'] or '-'}", lead="Next:")
    say(f"because {selection.reason}.")
    for place, number in list(enumerate(chooser.pool[selection.row]))[:8]:
        say(f"  {fitted.describe(int(useful[place]), int(number))}")
