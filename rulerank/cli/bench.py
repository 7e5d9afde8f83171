"""The command `bench`: speed and memory, as ratios in one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from rulerank import __version__
from rulerank.bench import clicks, others, rules
from rulerank.bench.others import bundles
from rulerank.bench.timing import Result
from rulerank.cli.output import print_json, progress, table
from rulerank.cli.source import AsJson
from rulerank.errors import InputError
from rulerank.kernels import workers

GROUPS: dict[str, Callable[[], Iterator[Result]]] = {
    "ssar": rules.rounds,
    "growth": rules.growth,
    "retrain": rules.retraining,
    "lrar": rules.scratch,
    "memory": rules.memory,
    "cache": rules.cache,
    "discretize": others.discretizers,
    "metrics": others.measuring,
    "export": bundles,
    "clicks": clicks.models,
    "import": others.importing,
}
NAMES = [*GROUPS, "letor"]
OLD_NAMES = {"discretise": "discretize"}
"""Names that 0.1.0 had for groups; they are still accepted."""


def bench(
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only this group: {', '.join(NAMES)}; give it several times.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with MQ2008's S1.txt ... S5.txt for the LETOR timings.", show_default=False),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Measure speed and memory against other tools, as ratios in one run.

    Peers (LightGBM, scikit-learn, pytrec-eval-terrier, ranx) are compared where they are installed:
    `python3 run.py bench` installs them.
    """
    wanted = [OLD_NAMES.get(name, name) for name in only or NAMES]
    for name in wanted:
        if name not in NAMES:
            raise InputError(f"no benchmark is named {name!r}; there are: {', '.join(NAMES)}")
    groups: dict[str, Callable[[], Iterator[Result]]] = {**GROUPS, "letor": partial(others.letor, data)}
    results: list[Result] = []
    with progress("measuring", len(wanted), quiet=json_) as bar:
        for done, name in enumerate(wanted, 1):
            results += groups[name]()
            bar(done)
    if json_:
        print_json({"version": __version__, "threads": workers(), "results": [asdict(result) for result in results]})
        return
    marks = {True: "met", False: "MISSED", None: ""}
    rows = [(result.what, result.value, result.goal, marks[result.good]) for result in results]
    table(f"rulerank {__version__}, {workers()} threads", ["work", "measured", "goal", ""], rows, text=3)
