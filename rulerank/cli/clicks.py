"""The commands `clicks fit|evaluate|correlate|simulate`: models of users who click, and the metrics they give."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rulerank.cli import clicks_tables
from rulerank.cli.clicks_tables import (
    Depth,
    Grades,
    Intents,
    Layout,
    LogFile,
    MaxGrade,
    Seed,
    SkipBad,
    Starts,
    Unjudged,
    Variant,
    listed,
    read,
)
from rulerank.cli.output import print_json, progress, say, table
from rulerank.cli.source import AsJson
from rulerank.clicks import (
    DocumentFit,
    Fit,
    bilingual_user,
    click_models,
    load_fit,
    made_up_lists,
    read_log,
    save_fit,
    simulate_log,
    write_log,
)
from rulerank.clicks import fit as fit_model
from rulerank.clicks.builder import UNJUDGED
from rulerank.errors import InputError
from rulerank.metrics.intents import VARIANTS, IntentUser

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Click models: learn how users are satisfied from their clicks, and measure rankings by it.",
)
app.command()(clicks_tables.evaluate)
app.command()(clicks_tables.correlate)


@app.command()
def fit(
    log: LogFile,
    model: Annotated[str, typer.Option(help=f"Model: {', '.join(click_models.names())}.")] = "eia",
    layout: Layout = None,
    grades: Grades = None,
    depth: Depth = None,
    max_grade: MaxGrade = None,
    unjudged: Unjudged = UNJUDGED[0],
    skip_bad: SkipBad = False,
    intents: Intents = None,
    starts: Starts = 5,
    seed: Seed = 0,
    level: Annotated[float, typer.Option(help="Level of the confidence intervals.")] = 0.95,
    variant: Variant = VARIANTS[0],
    out: Annotated[Path | None, typer.Option(help="Write the model here, as JSON.", show_default=False)] = None,
    json_: AsJson = False,
) -> None:
    """Fit a click model to a log, and show its parameters with intervals.

    `rulerank clicks fit clicks.csv --model eia --depth 5 --out eia.json`
    """
    sessions = read(log, layout, grades, depth, max_grade, unjudged, skip_bad, json_)
    found = fit_model(model, sessions, intents=listed(intents), starts=starts, seed=seed, level=level, variant=variant)
    if out:
        save_fit(found, out)
    if json_:
        print_json({"log": sessions.summary(), "fit": found.to_dict()})
        return
    about = (
        f"{found.sessions:,} sessions of {sessions.configurations:,} configurations; "
        f"log-likelihood {found.loglik:.1f} ({found.loglik / found.sessions:.4f} per session)"
    )
    if isinstance(found, Fit):
        rows = [
            (each.name, each.status, each.value, f"{each.low:.4f} to {each.high:.4f}" if each.error else "-")
            for each in found.parameters
        ]
        head = ["parameter", "", "value", f"{level:.0%} interval"]
        table(f"{found.label}: {found.free_parameters} parameters", head, rows, text=2, caption=about)
        for note in found.notes():
            say(note)
    else:
        say(f"{found.label}: {len(found.pairs):,} documents of queries, two probabilities each. {about}")
    if out:
        say(f"written: {out}")


@app.command()
def simulate(
    out: Annotated[Path, typer.Argument(help="File to write: .csv, .jsonl or .parquet.", show_default=False)],
    sessions: Annotated[int, typer.Option(help="Number of sessions.", min=1)] = 100_000,
    saved: Annotated[
        Path | None, typer.Option(help="Users of this saved model (default: made-up bilingual users).")
    ] = None,
    lists: Annotated[
        Path | None, typer.Option(help="Show the result lists of this log (default: made-up lists).")
    ] = None,
    configurations: Annotated[int, typer.Option(help="Number of made-up lists.", min=1)] = 2_000,
    depth: Annotated[int, typer.Option(help="Results of a list.", min=1)] = 5,
    foreign: Annotated[
        float, typer.Option(help="How often a document in the other language satisfies, against one's own.")
    ] = 0.35,
    extra: Annotated[float, typer.Option(help="Chance of a click on each result that does not satisfy.")] = 0.2,
    skew: Annotated[float, typer.Option(help="Exponent of Zipf's law for how often lists are shown.")] = 0.0,
    single: Annotated[bool, typer.Option("--single", help="One row per session, not counts of equal ones.")] = False,
    seed: Seed = 0,
    json_: AsJson = False,
) -> None:
    """Make up a click log: users of a model read result lists.

    - `rulerank clicks simulate bilingual.csv --sessions 1000000`
    - `rulerank clicks simulate again.csv --saved eia.json --lists clicks.csv`
    """
    user: Fit | DocumentFit | IntentUser = load_fit(saved) if saved else bilingual_user(foreign)
    known = user.user if isinstance(user, Fit) else user
    if lists:
        shown = read_log(lists, depth=depth)
    elif isinstance(known, DocumentFit):
        raise InputError("the SDBN by document knows its own documents only: give the log whose lists to show")
    else:
        shown = made_up_lists(
            configurations, depth=depth, languages=known.languages, grades=known.max_grade + 1, seed=seed,
            pool=max(12, 2 * depth),
        )  # fmt: skip
    with progress("drawing sessions", sessions, quiet=json_) as bar:
        made = simulate_log(user, shown, sessions, seed=seed, extra=extra, skew=skew, progress=bar)
    write_log(made, out, single=single)
    if json_:
        print_json(made.summary())
        return
    summary = made.summary()
    rows = [(name.replace("_", " "), str(summary[name])) for name in ("sessions", "configurations", "clicks")]
    table("Simulated log", ["what", "value"], rows, text=2)
    say(f"written: {out}")
