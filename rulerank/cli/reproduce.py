"""The command `reproduce`: the papers' tables, ours beside theirs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rulerank.cli.options import AsJson
from rulerank.cli.output import print_json, progress, say, table
from rulerank.folds import read_folds
from rulerank.reproduce import DEFAULTS, PRINTED_MEAN, PUBLISHED, TRIED, Bench, Outcome, chosen_by_validation, run_all


class Dataset(StrEnum):
    """Data sets whose published numbers can be put beside ours."""

    OHSUMED = "ohsumed"


def reproduce(
    dataset: Annotated[Dataset, typer.Argument(help="Which data set.")],
    data: Annotated[Path, typer.Option(help="Folder with S1.txt ... S5.txt, or with Fold1 ... Fold5.")],
    tried: Annotated[bool, typer.Option("--tried", help="Also run the other readings of the papers.")] = False,
    json_: AsJson = False,
) -> None:
    """Put our numbers beside the published ones, fold by fold.

    OHSUMED: Table V of Learning to Rank using Query-Level Rules (MAP, LETOR's convention). Each fold's edges come from
    its training rows alone.

    `rulerank reproduce ohsumed --data letor3-ohsumed`
    """
    bench = Bench(read_folds(data))
    setups = (*DEFAULTS, *TRIED) if tried else DEFAULTS
    with progress("folds", len(setups) * len(bench.folds), quiet=json_) as advance:
        outcomes = list(run_all(bench, setups, lambda: advance(1)))
    ours, others = outcomes[: len(DEFAULTS)], outcomes[len(DEFAULTS) :]
    picked = [chosen_by_validation(_of(method, ours + others)) for method in PUBLISHED] if tried else []
    if json_:
        print_json({"dataset": dataset.value, "outcomes": [_plain(outcome) for outcome in [*outcomes, *picked]]})
        return
    _print_published(ours)
    if tried:
        _print_tried([*ours, *others], picked)


def _of(method: str, outcomes: list[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.setup.method == method]


def _plain(outcome: Outcome) -> dict[str, Any]:
    return {
        "method": outcome.setup.method,
        "setting": outcome.setup.text,
        "map": outcome.test,
        "mean": outcome.mean,
        "expected_over_ties": outcome.expected,
        "validation_map": outcome.validation,
        "interval": outcome.interval() if outcome.per_query.size else None,
        "published": PUBLISHED[outcome.setup.method],
        "published_mean": PRINTED_MEAN[outcome.setup.method],
    }


def _print_published(outcomes: list[Outcome]) -> None:
    rows: list[tuple[object, ...]] = []
    for outcome in outcomes:
        theirs = PUBLISHED[outcome.setup.method]
        rows.append(
            (f"{outcome.setup.method} ours", *(f"{value:.3f}" for value in outcome.test), f"{outcome.mean:.3f}")
        )
        rows.append(("  published", *(f"{value:.3f}" for value in theirs), f"{PRINTED_MEAN[outcome.setup.method]:.3f}"))
        rows.append(
            (
                "  expected over ties",
                *(f"{value:.3f}" for value in outcome.expected),
                f"{np.mean(outcome.expected):.3f}",
            )
        )
    table("OHSUMED, MAP, LETOR's convention (Table V)", ["", *(f"fold {n}" for n in range(1, 6)), "mean"], rows)
    for outcome in outcomes:
        low, high = outcome.interval()
        published = PRINTED_MEAN[outcome.setup.method]
        inside = "lies within" if low <= published <= high else "lies OUTSIDE"
        say(
            f"{outcome.setup.method} ({outcome.setup.text}): the published mean {published:.3f} {inside} "
            f"the 95% interval of ours over queries, {low:.3f} to {high:.3f}"
        )


def _print_tried(outcomes: list[Outcome], picked: list[Outcome]) -> None:
    rows: list[tuple[object, ...]] = []
    for method in PUBLISHED:
        for outcome in [*_of(method, outcomes), *_of(method, picked)]:
            values = (f"{value:.3f}" for value in outcome.test)
            rows.append(
                (method, outcome.setup.text, *values, f"{outcome.mean:.4f}", f"{np.mean(outcome.validation):.4f}")
            )
    heads = ["method", "reading", *(f"fold {n}" for n in range(1, 6)), "mean", "validation"]
    table(
        "What was tried",
        heads,
        rows,
        text=2,
        caption="Defaults first. Validation: MAP on the parts that were not tested.",
    )
