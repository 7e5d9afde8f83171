"""Options that the commands `clicks ...` share, and how they read a log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rulerank.cli.output import note as tell
from rulerank.clicks import PAPER, ClickLog, click_models, read_log
from rulerank.clicks.builder import UNJUDGED
from rulerank.clicks.evaluation import EVENTS
from rulerank.clicks.online import NO_CLICK
from rulerank.clicks.read import LAYOUTS
from rulerank.metrics.users import VARIANTS

LogFile = Annotated[
    Path,
    typer.Argument(help="A click log: .csv, .jsonl or .parquet, or a folder in CLARA2's layout.", show_default=False),
]
Layout = Annotated[str | None, typer.Option(help=f"Layout, if the name does not tell it: {', '.join(LAYOUTS)}.")]
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
    """Read a log, and tell what had to be left out."""
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
