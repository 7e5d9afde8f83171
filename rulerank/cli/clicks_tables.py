"""The commands `clicks evaluate` and `clicks correlate`, and the options that all commands `clicks ...` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rulerank.cli.output import note as tell
from rulerank.cli.output import print_json, progress, say, table
from rulerank.cli.source import AsJson
from rulerank.clicks import (
    ONLINE,
    PAPER,
    ClickLog,
    Comparison,
    click_models,
    compare,
    correlations,
    evaluate_clicks,
    load_fit,
    read_log,
)
from rulerank.clicks.builder import UNJUDGED
from rulerank.clicks.evaluation import EVENTS, NO_CLICK
from rulerank.clicks.predict import FLOOR
from rulerank.clicks.read import LAYOUTS
from rulerank.metrics.intents import VARIANTS

LogFile = Annotated[
    Path,
    typer.Argument(help="A click log: .csv, .jsonl or .parquet, or a folder in CLARA2's layout.", show_default=False),
]
Layout = Annotated[str | None, typer.Option(help=f"Layout, if the name does not show it: {', '.join(LAYOUTS)}.")]
Grades = Annotated[Path | None, typer.Option(help="Table of grades of the layout clara2, if it stands elsewhere.")]
Depth = Annotated[int | None, typer.Option(help="Count only the first so many results (the paper: 5).", min=1)]
MaxGrade = Annotated[int | None, typer.Option(help="Best grade there can be (default: the best one found).", min=1)]
Unjudged = Annotated[str, typer.Option(help=f"Sessions with a result that has no grade: {' or '.join(UNJUDGED)}.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave bad rows out instead of stopping at them.")]
Intents = Annotated[str | None, typer.Option(help="Intents, by comma (default: the log's languages).")]
Starts = Annotated[int, typer.Option(help="Places from which the search begins.", min=1)]
Seed = Annotated[int, typer.Option(help="Seed of everything drawn at random.")]
Variant = Annotated[str, typer.Option(help=f"Default parameters: {', '.join(VARIANTS)}.")]
Floor = Annotated[float, typer.Option(help="How far default parameters are kept off 0 and 1 for perplexity.")]
Event = Annotated[str, typer.Option(help=f"Which click counts for perplexity: {', '.join(EVENTS)}.")]
NoClick = Annotated[str, typer.Option(help=f"Sessions without a click in online metrics: {', '.join(NO_CLICK)}.")]
Models = Annotated[
    str, typer.Option(help=f"Models, by comma: {', '.join(click_models.names())}; or: paper, for its six.")
]
Splits = Annotated[int, typer.Option(help="Random splits to repeat (the paper: 100).", min=1)]
TestShare = Annotated[float, typer.Option(help="Share of the sessions to test on (the paper: a tenth).")]
Saved = Annotated[Path | None, typer.Option(help="Use this saved model as it is, on the whole log.")]


def read(
    log: Path, layout: str | None, grades: Path | None, depth: int | None, max_grade: int | None, unjudged: str,
    skip_bad: bool, quiet: bool,
) -> ClickLog:  # fmt: skip
    """Read a log, and report what had to be left out."""
    found = read_log(
        log, layout=layout, grades=grades, depth=depth, max_grade=max_grade, unjudged=unjudged, skip_bad=skip_bad
    )
    if not quiet:
        notes = list(found.reading.notes)
        if found.reading.bad:
            first = found.reading.bad_rows[0]
            notes.append(f"{found.reading.bad} bad rows were skipped; the first is line {first.line}: {first.message}")
        if found.reading.unjudged:
            notes.append(f"{found.reading.unjudged} sessions were left out: a result has no grade")
        for note in notes:
            tell(note)
    return found


def listed(text: str | None) -> list[str] | None:
    """Return the names in a text, which commas separate."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def models_in(text: str) -> list[str]:
    """Return the models that a text names."""
    return list(PAPER) if text == "paper" else listed(text) or []


def _compared(sessions: ClickLog, quiet: bool, models: str, **settings: Any) -> Comparison:
    names = models_in(models)
    with progress("comparing", len(names) + settings["splits"], quiet=quiet) as bar:
        return compare(sessions, names, progress=bar, **settings)


def evaluate(
    log: LogFile,
    models: Models = "paper",
    splits: Splits = 100,
    test_share: TestShare = 0.1,
    saved: Saved = None,
    layout: Layout = None,
    grades: Grades = None,
    depth: Depth = None,
    max_grade: MaxGrade = None,
    unjudged: Unjudged = UNJUDGED[0],
    skip_bad: SkipBad = False,
    intents: Intents = None,
    starts: Starts = 5,
    seed: Seed = 0,
    variant: Variant = VARIANTS[0],
    event: Event = EVENTS[0],
    floor: Floor = FLOOR,
    json_: AsJson = False,
) -> None:
    """Say how well models predict clicks: perplexity over random splits, as the paper's table 2.

    - `rulerank clicks evaluate clicks.csv --splits 100`
    - `rulerank clicks evaluate other.csv --saved eia.json`
    """
    sessions = read(log, layout, grades, depth, max_grade, unjudged, skip_bad, json_)
    if saved:
        whole = evaluate_clicks(load_fit(saved), sessions, event=event, floor=floor)
        if json_:
            print_json(whole.to_dict())
            return
        places = zip(whole.marginal, whole.conditional, strict=True)
        rows: list[tuple[object, ...]] = [(place, *pair) for place, pair in enumerate(places, 1)]
        rows.append(("mean", whole.perplexity, whole.conditional_perplexity))
        caption = f"{whole.sessions:,} sessions; log-likelihood {whole.loglik / whole.sessions:.4f} per session"
        table("Perplexity", ["position", "marginal", "conditional"], rows, caption=caption)
        return
    found = _compared(
        sessions, json_, models, splits=splits, test_share=test_share, seed=seed, intents=listed(intents),
        variant=variant, starts=starts, event=event, floor=floor,
    )  # fmt: skip
    if json_:
        print_json(found.to_dict())
        return
    shown = [
        (row["label"], row["parameters"], row["perplexity"], _percent(row["gain"]), row["conditional"], row["loglik"])
        for row in found.models_table()
    ]
    head = ["model", "parameters", "perplexity", "gain over the next", "conditional", "log-likelihood"]
    table(f"Perplexity on {found.sessions:,} sessions", head, shown, caption=_caption(found))
    by_model = {row["model"]: row for row in reversed(found.positions_table())}
    positions = [(by_model[name]["label"], *found.positions[name][0].tolist()) for name in found.models]
    table("Perplexity by position", ["model", *map(str, range(1, sessions.depth + 1))], positions)
    _closest(found, "perplexity")


def correlate(
    log: LogFile,
    models: Models = "paper",
    splits: Splits = 100,
    test_share: TestShare = 0.1,
    saved: Saved = None,
    layout: Layout = None,
    grades: Grades = None,
    depth: Depth = None,
    max_grade: MaxGrade = None,
    unjudged: Unjudged = UNJUDGED[0],
    skip_bad: SkipBad = False,
    intents: Intents = None,
    starts: Starts = 5,
    seed: Seed = 0,
    variant: Variant = VARIANTS[0],
    no_click: NoClick = NO_CLICK[0],
    json_: AsJson = False,
) -> None:
    """Correlate the models' metrics with online metrics over configurations, as the paper's table 3.

    `rulerank clicks correlate clicks.csv --splits 100`
    """
    sessions = read(log, layout, grades, depth, max_grade, unjudged, skip_bad, json_)
    if saved:
        whole = correlations(load_fit(saved).err(sessions), sessions, no_click=no_click)
        if json_:
            print_json({name: value if value == value else None for name, value in whole.items()})  # noqa: PLR0124
        else:
            table("Correlation with online metrics", list(ONLINE.values()), [tuple(whole.values())], text=0)
        return
    found = _compared(
        sessions, json_, models, splits=splits, test_share=test_share, seed=seed, intents=listed(intents),
        variant=variant, starts=starts, no_click=no_click,
    )  # fmt: skip
    if json_:
        print_json(found.to_dict())
        return
    rows = [
        (row["label"], *("-" if row[name] is None else row[name] for name in ONLINE))
        for row in found.correlations_table()
    ]
    table("Correlation with online metrics", ["metric of", *ONLINE.values()], rows, caption=_caption(found))
    for name in ONLINE:
        _closest(found, name)


def _caption(found: Comparison) -> str:
    return (
        f"Means over {found.splits} random splits, {found.share:.0%} of the sessions to test on; "
        f"{found.configurations:,} configurations."
    )


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:+.2%}"


def _closest(found: Comparison, measure: str) -> None:
    """Say how sure the least sure of the differences is."""
    tests = [row for row in found.tests_table() if row["measure"] == measure and row["p"] is not None]
    if tests:
        worst = max(tests, key=lambda row: row["p"])
        say(
            f"{ONLINE.get(measure, measure)}: the least certain difference is {worst['first']} against "
            f"{worst['second']}: p = {worst['p']:.2g} (paired t-test; {worst['p_corrected']:.2g} if corrected for "
            "splits that overlap)"
        )
