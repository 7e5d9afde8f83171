"""The command `simulate`: compare samplers and rankers on known grades, with numbers that stand up in a review."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Literal

import typer

from rulerank.cli.output import complain, note, print_json, progress, say, table
from rulerank.cli.source import AsJson, ConventionName, Method, named, read_text
from rulerank.errors import InputError
from rulerank.foreign.decoding import parse_json
from rulerank.foreign.numbers import NumberError, finite_number, is_whole, whole_number
from rulerank.metrics.measure import offered
from rulerank.ranking import RECOMMENDED
from rulerank.registry import discretizers
from rulerank.registry import samplers as known_samplers
from rulerank.simulate import Dataset, Plan, Results, Strategy, all_rankers, merge, run
from rulerank.simulate.data import is_folder_of_folds
from rulerank.simulate.plan import GEOMETRIC, usual_baseline
from rulerank.simulate.runner import SimulationStoppedError
from rulerank.simulate.store import About, failure_path
from rulerank.simulate.tasks import tasks_of

EVERYTHING = "all labels"
MOST_LISTED = 10
"""Failed runs that are listed one by one."""

KNOWN = ", ".join(each.name for each in offered([10]))


def simulate(
    data: Annotated[
        list[Path],
        typer.Argument(
            help="A folder with S1.txt ... S5.txt or Fold1 ... Fold5; or LETOR files, cut into folds by query.",
            show_default=False,
        ),
    ],
    samplers: Annotated[
        str, typer.Option(help=f"Samplers, by comma: {', '.join(known_samplers.names())}.")
    ] = "ssar,ssarp,random",
    rankers: Annotated[str, typer.Option(help=f"Rankers, by comma: {', '.join(all_rankers.names())}.")] = RECOMMENDED,
    seeds: Annotated[int, typer.Option(help="Runs of samplers that draw at random; the others run once.", min=1)] = 20,
    budget: Annotated[str, typer.Option(help="Labels (300), or a share of the smallest pool (5%).")] = "5%",
    every: Annotated[str, typer.Option(help="Measure after so many labels; or: geometric.")] = "25",
    out: Annotated[Path, typer.Option(help="Folder for the results; a cut run goes on there.")] = Path("simulation"),
    jobs: Annotated[
        int | None, typer.Option(help="Processes at the same time (default: one per core).", min=1, show_default=False)
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="Sampler that the others are tested against (default: random, if it is there)."),
    ] = None,
    metrics: Annotated[
        str, typer.Option(help=f"Metrics, by comma; the table shows the first. Known: {KNOWN}.")
    ] = "map,ndcg@10,precision@10",
    convention: ConventionName = "letor",
    method: Method = "tube",
    bins: Annotated[int | None, typer.Option(help="Number of bins, where the discretizer takes one.", min=2)] = None,
    folds: Annotated[int, typer.Option(help="Folds of a collection that does not bring its own.", min=2)] = 5,
    split_seed: Annotated[int, typer.Option(help="Of the dealing of queries to those folds.", min=0)] = 0,
    natural_stop: Annotated[
        bool, typer.Option("--natural-stop", help="End samplers at their natural stop, not at the budget.")
    ] = False,
    plan: Annotated[
        Path | None,
        typer.Option(help="Take all of this from a JSON file (as in simulation.json) instead.", show_default=False),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Compare samplers: replay them on known grades, train rankers along the way, measure on test queries.

    Parameters follow a name after colons; `seeds` among them is that sampler's own number of runs. Results are kept in
    a folder, with everything as tables (`results.csv`, and parquet where pyarrow is installed).

    - `rulerank simulate letor3-ohsumed --samplers ssar,ssarp,random --seeds 20 --budget 5% --out ohsumed`
    - `rulerank simulate train.txt --folds 3 --samplers ssarp:partitions=8,committee:seeds=5 --rankers lrar,ridge`
    """
    wanted = (
        _read_plan(plan)
        if plan
        else Plan(
            samplers=_listed(samplers),
            rankers=_listed(rankers),
            discretizer=named(discretizers, method, bins=bins),
            seeds=seeds,
            folds=folds,
            split_seed=split_seed,
            budget=_amount(budget),
            every=_step(every),
            metrics=tuple(metrics.split(",")),
            convention=convention,
            beyond_stop=not natural_stop,
        )
    )
    if baseline is not None and Strategy.parse(baseline).key not in [each.key for each in wanted.samplers]:
        raise InputError(f"the baseline {baseline!r} is not among the samplers")
    if is_folder_of_folds(data):
        source = Dataset.from_folder(data[0])
    else:
        source = Dataset.from_files(data, wanted.folds, wanted.split_seed)
    if not json_:
        for each in source.notes:
            note(each)
    _warn_of_another(out, wanted, source)
    results = _run(wanted, source, out, jobs, quiet=json_)
    written = merge(out)
    against = _baseline(results, baseline)
    if json_:
        print_json(results.to_dict(against))
    else:
        if results.samplers_done():
            _print(results, against)
        if written:
            say(f"written: {', '.join(str(path) for path in written)}")
    if results.failures:
        complain(_failed(results, out))
        raise typer.Exit(1)


def _warn_of_another(out: Path, plan: Plan, data: Dataset) -> None:
    """Say so if the folder holds the tables of another simulation, which this one's will take the place of."""
    try:
        before = About.read(out)
    except InputError:
        return  # none, or none that can be read; what cannot be used is refused later
    if (before.plan, before.data_hash) != (plan, data.hash):
        note(
            f"{out} holds another simulation, on {before.dataset}; its tables are replaced, its finished runs kept. "
            "Give another --out to keep both."
        )


def _run(plan: Plan, data: Dataset, out: Path, jobs: int | None, *, quiet: bool) -> Results:
    finished = 0
    total = len(tasks_of(plan, data))
    try:
        with progress("simulating", total, quiet=quiet) as bar, _noticing_ctrl_c() as pressed:

            def report(done: int, total: int | None = None, what: str = "", /) -> None:
                nonlocal finished
                finished = done
                bar(done, total, what)

            return run(plan, data, out, jobs=jobs, progress=report, cancelled=pressed)
    except (KeyboardInterrupt, SimulationStoppedError):
        complain(
            f"stopped after {finished} of {total} runs; they are kept in {out}, and the same command goes on from there"
        )
        raise typer.Exit(130) from None


@contextmanager
def _noticing_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether Ctrl-C was pressed.

    `KeyboardInterrupt` alone is not enough: where it is raised inside a callback of an extension (numba's, the garbage
    collector's), Python prints it and goes on.
    """
    came = False

    def note_and_raise(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True
        signal.default_int_handler(number, frame)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: came
        return
    before = signal.signal(signal.SIGINT, note_and_raise)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGINT, before)


def _failed(results: Results, out: Path) -> str:
    """List what failed, the first of it in full, and say what to do."""
    failures = results.failures
    left = f"\n  and {len(failures) - MOST_LISTED} more" if len(failures) > MOST_LISTED else ""
    return (
        f"{len(failures)} of {len(results.about.tasks)} runs failed; the others are kept, and tables rest on them:\n"
        + "\n".join(f"  {each.message}" for each in failures[:MOST_LISTED])
        + f"{left}\nThe same command tries only these again. Tracebacks: {failure_path(out, failures[0].task)}"
        + (" and the others beside it" if len(failures) > 1 else "")
    )


def _listed(text: str) -> tuple[Strategy, ...]:
    return tuple(Strategy.parse(part) for part in text.split(","))


def _read_plan(path: Path) -> Plan:
    try:
        saved = parse_json(read_text(path))
    except InputError as error:
        raise InputError(f"{path} is not a plan in JSON: {error}") from error
    inside = saved.get("plan", saved) if isinstance(saved, dict) else saved
    return Plan.from_dict(inside)


def _amount(text: str) -> float:
    """Read a number of labels, or a share written as 5% or 0.05."""
    try:
        if not text.strip().endswith("%"):
            return finite_number(text) if "." in text else whole_number(text)
        share = finite_number(text.strip()[:-1]) / 100
    except NumberError:
        raise InputError(f"the budget is a number of labels (300) or a share of the pool (5%), not {text!r}") from None
    if not 0 < share <= 1:
        raise InputError(f"a share of the pool lies above 0% and goes up to 100%; the budget is {text!r}")
    return share


def _step(text: str) -> int | Literal["geometric"]:
    if is_whole(text, least=0):
        return whole_number(text)
    if text != GEOMETRIC:
        raise InputError(f"every is a number of labels, or {GEOMETRIC}, not {text!r}")
    return "geometric"


def _baseline(results: Results, wanted: str | None) -> str | None:
    done = results.samplers_done()
    if wanted is not None:
        key = Strategy.parse(wanted).key
        return key if key in done else None  # its runs failed, which is reported
    return usual_baseline(done) if len(done) > 1 else None


def _print(results: Results, baseline: str | None) -> None:
    measure = results.plan.measures[0]
    name = str(measure)
    several = len(results.plan.rankers) > 1
    heads = ["sampler", *(["ranker"] if several else []), name, "95% interval", "over ties", "area", "to 95%", "found"]
    heads += ["labels", "stop"]
    share = results.labels / (sum(results.about.pools) / len(results.about.pools))
    most = "" if results.plan.beyond_stop else "at most "
    title = f"{results.about.dataset}: {name} after {most}{results.labels} labels ({share:.1%} of the pool)"
    rows = [_shown(row, several, baseline) for row in _rows(results, baseline)]
    tested = [f"against {baseline}", "p (Holm)"] if baseline else []
    table(title, [*heads, *tested], rows, text=1 + several, caption=_caption(results, baseline))
    if measure.metric == "map" and results.references():
        best = sorted(results.references(), key=lambda each: -each.map)
        say("Published, all labels: " + ", ".join(f"{each.method} {each.map:.3f}" for each in best))


def _rows(results: Results, baseline: str | None) -> Iterator[dict[str, Any]]:
    """Yield the rows of the summary with the expectation over ties beside them, and what all labels give at the end."""
    summary = results.summary(baseline)
    ties = results.summary(expected=True)
    for ranker in (each.key for each in results.plan.rankers):
        for place in summary.index[summary["ranker"] == ranker]:
            yield {**summary.loc[place].to_dict(), "over_ties": ties.loc[place, "mean"]}
        top = {"mean": results.ceiling(ranker), "over_ties": results.ceiling(ranker, expected=True)}
        yield {"sampler": EVERYTHING, "ranker": ranker, "relevant_found": 1.0, **top}


def _shown(row: dict[str, Any], several: bool, baseline: str | None) -> tuple[object, ...]:
    def figure(name: str, form: str) -> str:
        value = row.get(name)
        return "-" if value is None or value != value else format(value, form)  # noqa: PLR0124 (NaN)

    interval = f"{figure('low_queries', '.4f')} to {figure('high_queries', '.4f')}" if "low_queries" in row else "-"
    shown: list[object] = [row["sampler"], *([row["ranker"]] if several else [])]
    shown += [
        figure("mean", ".4f"),
        interval,
        figure("over_ties", ".4f"),
        figure("area", ".4f"),
        figure("to_95", ".0f"),
    ]
    shown += [figure("relevant_found", ".1%"), figure("used", ".0f"), figure("stop", ".0f")]
    if baseline:
        shown += [figure("difference", "+.4f") + ("*" if row.get("mark") else ""), figure("p_flip_holm", ".4f")]
    return tuple(shown)


def _caption(results: Results, baseline: str | None) -> str:
    folds, queries = len(results.folds), sum(len(names) for names in results.about.queries.values())
    text = (
        f"Means over {folds} folds ({queries} test queries), seeds averaged; interval: bootstrap over queries. "
        "area: mean height of the learning curve. to 95%: labels to reach 95% of what all labels give. "
        "found: share of the relevant documents. labels: really spent, on average. stop: labels at the natural stop."
    )
    if baseline:
        text += f" against {baseline}: mean over queries."
        if not results.plan.beyond_stop:
            text += " Samplers that stopped spent fewer labels than it, so this is no comparison at equal budget."
        text += " *: differs at 5% (sign-flip test on queries, Holm's correction over the table)."
    return text
