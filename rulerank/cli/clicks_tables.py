"""The commands `clicks evaluate` and `clicks correlate`: the paper's tables 2 and 3 for a log."""

from __future__ import annotations

from typing import Any

from rulerank.cli.clicks_options import (
    Depth,
    Event,
    Floor,
    Grades,
    Intents,
    Layout,
    LogFile,
    MaxGrade,
    Models,
    NoClick,
    Saved,
    Seed,
    SkipBad,
    Splits,
    Starts,
    TestShare,
    Unjudged,
    Variant,
    listed,
    models_in,
    read,
)
from rulerank.cli.options import AsJson
from rulerank.cli.output import print_json, progress, say, table
from rulerank.clicks import ONLINE, ClickLog, Comparison, compare, correlations, evaluate_clicks, load_fit
from rulerank.clicks.builder import UNJUDGED
from rulerank.clicks.evaluation import EVENTS
from rulerank.clicks.online import NO_CLICK
from rulerank.clicks.predict import FLOOR
from rulerank.metrics.users import VARIANTS


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
        caption = f"{whole.sessions:,} sessions; log-likelihood {whole.loglik / whole.sessions:.4f} a session"
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
    table(f"Perplexity on {found.sessions:,} sessions", head, shown, caption=_told(found))
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
    table("Correlation with online metrics", ["metric of", *ONLINE.values()], rows, caption=_told(found))
    for name in ONLINE:
        _closest(found, name)


def _told(found: Comparison) -> str:
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
