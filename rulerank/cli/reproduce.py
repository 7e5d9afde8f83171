"""The command `reproduce`: the papers' tables, ours beside theirs."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from rulerank.cli.output import complain, print_json, progress, say, table
from rulerank.cli.source import AsJson
from rulerank.errors import InputError, RulerankError
from rulerank.reproduce import (
    KNOWN,
    QUERY_LEVEL,
    SAMPLING,
    Figure,
    Known,
    PaperTable,
    Report,
    ReportSettings,
    Tried,
    by_name,
    find_below,
    fold_folder,
    of_folder,
)
from rulerank.reproduce import reproduce as reproduce_collection
from rulerank.reproduce.query_level import FoldOutcome

FOLDS = [f"fold {number}" for number in range(1, 6)]


class Paper(StrEnum):
    """Which paper's tables are done."""

    BOTH = "both"
    SAMPLING = "sampling"
    QUERY_LEVEL = "query-level"


PAPERS = {Paper.BOTH: (SAMPLING, QUERY_LEVEL), Paper.SAMPLING: (SAMPLING,), Paper.QUERY_LEVEL: (QUERY_LEVEL,)}


def reproduce(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders with Fold1 ... Fold5, or with S1.txt ... S5.txt.", show_default=False),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option(
            help=f"Which it is, where the folder's name does not say: {', '.join(KNOWN)}.", show_default=False
        ),
    ] = None,
    all_: Annotated[
        Path | None,
        typer.Option("--all", help="Do every known collection in or below this folder.", show_default=False),
    ] = None,
    paper: Annotated[Paper, typer.Option(help="Whose tables.")] = Paper.BOTH,
    tried: Annotated[
        bool | None,
        typer.Option(
            "--tried/--no-tried",
            help="Also run the other readings of the papers, all or none (default: those of figures that differ).",
            show_default=False,
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(help="Draws of the random baseline in each fold.", min=1, max=1000)] = 20,
    bm25: Annotated[
        int | None,
        typer.Option(help="Number of the feature that holds BM25 (default: 25 in Gov, 11 in OHSUMED).", min=1),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Put our numbers beside the published ones, fold by fold, and say where they differ.

    Tables 1 to 5 of Rule-Based Active Sampling for Learning to Rank, and V to IX of Learning to Rank using Query-Level
    Rules, as far as they are about a collection that you have: LETOR 3.0, the QueryLevelNorm version, MAP and NDCG by
    LETOR's convention. Each fold's bins come from its training rows alone.

    - `rulerank reproduce letor3-ohsumed`
    - `rulerank reproduce Gov/QueryLevelNorm/2003_td_dataset`
    - `rulerank reproduce my-folder --collection td2003 --paper sampling`
    - `rulerank reproduce --all LETOR3 --json`
    """
    places, passed = _places(folders or [], collection, all_)
    settings = ReportSettings(PAPERS[paper], seeds, tried, bm25)
    if all_ is not None and not json_:
        lacking = [name for name in KNOWN if name not in [known.name for known, _ in places]]
        if lacking:
            say(f"Not found in or below {all_}: {', '.join(lacking)}")
        if passed:
            say(f"Passed over (no known name, or a second version): {', '.join(map(str, passed))}")
    reports, failed = [], []
    for known, folder in places:
        try:
            with progress(quiet=json_) as bar:
                report = reproduce_collection(known, folder, settings, bar)
        except RulerankError as error:
            message = f"{known.name} in {folder}: {error}"
            if len(places) == 1:
                raise InputError(message) from error
            # The other collections are not affected.
            failed.append({"collection": known.name, "folder": str(folder), "error": str(error)})
            complain(message)
            continue
        reports.append(report)
        if not json_:
            _print(report, settings)
    if json_:
        print_json({"reports": [report.to_dict() for report in reports], "failed": failed})
    if failed:
        raise typer.Exit(1)


def _places(
    folders: list[Path], collection: str | None, all_: Path | None
) -> tuple[list[tuple[Known, Path]], list[Path]]:
    """Return the collections to do and where they are, and the folders of folds that --all passed over."""
    if all_ is not None:
        if folders or collection:
            raise InputError("--all finds folders and collections by itself; leave the others out")
        found, passed = find_below(all_)
        if not found:
            hint = (
                f"; {', '.join(map(str, passed))} could be one, if you say which with --collection"
                if passed
                else "; such a folder holds Fold1 ... Fold5 or S1.txt ... S5.txt, as 2003_td_dataset does"
            )
            raise InputError(f"no folder in or below {all_} is named like one of {', '.join(KNOWN)}{hint}")
        return [(KNOWN[name], folder) for name, folder in found.items()], passed
    if not folders:
        raise InputError("give the folder of a collection, or --all with one that collections are in")
    if collection is not None:
        if len(folders) > 1:
            raise InputError("--collection is about one folder; give one at a time")
        return [(by_name(collection), fold_folder(folders[0]))], []
    return [(of_folder(folder), folder) for folder in map(fold_folder, folders)], []


def _print(report: Report, settings: ReportSettings) -> None:
    about = report.about
    say(
        f"{report.known.name} ({report.known.task}) in {report.folder}: {about['queries']} queries, "
        f"{about['documents']} documents, {about['features']} features"
    )
    for note in report.notes:
        say(note, lead="note:", style="yellow")
    for each in report.tables:
        _print_table(report.known, each)
    _print_differences(report, settings)
    outcomes = [each for each in report.tried if isinstance(each, FoldOutcome)]
    if outcomes:
        _print_rankers(outcomes)
    samplers = [each for each in report.tried if isinstance(each, Tried)]
    if samplers:
        _print_samplers(samplers)


def _print_table(known: Known, each: PaperTable) -> None:
    rows: list[tuple[object, ...]] = []
    for figure in each.figures:
        rows += _rows(figure)
    caption = "interval: 95%, of ours."
    if each.differing:
        caption += " *: differs from ours by more than its interval, see below."
    title = f"{known.name}, table {each.number}: {each.title} ({each.paper})"
    heads = ["", *FOLDS, "mean", "interval", "over ties", "printed"]
    kept = [place for place in range(len(heads)) if any(row[place] for row in rows)]
    shown = [[row[place] for place in kept] for row in rows]
    columns = [heads[place] for place in kept]
    table(title, columns, shown, caption=caption if "interval" in columns else None)
    for note in each.notes:
        say(f"Table {each.number}: {note}.")


def _rows(figure: Figure) -> list[tuple[object, ...]]:
    """Return a figure's line, and a second one where the paper prints the folds."""
    shown = [_text(value, figure.digits) for value in figure.folds] or [""] * len(FOLDS)
    interval = "" if figure.interval is None else " to ".join(_text(bound, figure.digits) for bound in figure.interval)
    over_ties = "" if figure.expected is None else _text(figure.expected, figure.digits)
    printed, theirs = "", figure.printed
    if theirs is not None:
        printed = _text(theirs.mean, theirs.digits)
        if theirs.plus_minus is not None:
            printed += f" ± {_text(theirs.plus_minus, theirs.digits)}"
        printed += "*" if figure.differs else ""
    mean = "" if figure.mean is None else _text(figure.mean, figure.digits)
    below = [_text(value, theirs.digits) for value in theirs.folds] if theirs is not None else []
    for number in figure.folds_that_differ:
        below[number - 1] += "*"
    if figure.mean is None:
        return [(figure.name, *(below or shown), mean, interval, over_ties, printed)]
    line = (figure.name, *shown, mean, interval, over_ties, printed)
    return [line, ("  printed", *below, "", "", "", "")] if below else [line]


def _text(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _print_differences(report: Report, settings: ReportSettings) -> None:
    lines = [_difference(each, figure) for each in report.tables for figure in each.differing]
    compared = any(figure.differs is not None for each in report.tables for figure in each.figures)
    if not compared:
        say("Nothing to compare: the paper prints no such figure about this collection.")
    elif not lines:
        say("No figure of ours differs from the printed one by more than its interval.")
    else:
        say("Ours differs from the printed figure by more than its interval here:")
        for line in lines:
            say(f"- {line}")
        if settings.tried is False and report.differing:
            say(f"Without --no-tried the other readings of {', '.join(report.differing)} are run as well.")


def _difference(each: PaperTable, figure: Figure) -> str:
    assert figure.printed is not None
    assert figure.mean is not None
    digits = figure.printed.digits
    text = f"table {each.number}, {figure.name}"
    if figure.differs:
        text += f": ours {_text(figure.mean, digits)}, printed {_text(figure.printed.mean, digits)}"
        if figure.printed.plus_minus is not None:
            text += f" ± {_text(figure.printed.plus_minus, digits)} (the printed interval)"
        elif figure.interval is None:
            text += " (the data alone decide this one, so they are not the paper's data)"
        else:
            low, high = (_text(bound, digits) for bound in figure.interval)
            text += f"; our interval {low} to {high} ({figure.interval_of})"
    if figure.folds_that_differ:
        folds = ", ".join(
            f"{number} (ours {_text(figure.folds[number - 1], digits)}, "
            f"printed {_text(figure.printed.folds[number - 1], digits)})"
            for number in figure.folds_that_differ
        )
        text += f"; fold {folds}"
    return text


def _print_rankers(outcomes: list[FoldOutcome]) -> None:
    rows: list[tuple[object, ...]] = [
        (
            outcome.setup.method,
            outcome.setup.text,
            *(f"{value:.3f}" for value in outcome.test),
            outcome.mean,
            float(np.mean(outcome.validation)),
        )
        for outcome in outcomes
    ]
    caption = "Ours first. Validation: MAP on the parts that were not tested."
    table("What was tried, MAP", ["method", "reading", *FOLDS, "mean", "validation"], rows, text=2, caption=caption)


def _print_samplers(tried: list[Tried]) -> None:
    rows: list[tuple[object, ...]] = [
        (
            each.reading.method,
            each.reading.text,
            *(f"{fold.map:.3f}" for fold in each.folds),
            each.mean,
            f"{np.mean([fold.selected for fold in each.folds]):.0f}",
            f"{np.mean([fold.relevant for fold in each.folds]):.2f}",
        )
        for each in tried
    ]
    heads = ["method", "reading", *FOLDS, "mean", "selected", "relevant %"]
    caption = "Ours first. LRAR learns from the sample, in the lines of SVMRank a linear RankSVM."
    table("What was tried, MAP on the sample", heads, rows, text=2, caption=caption)
