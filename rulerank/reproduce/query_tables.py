"""Tables V to IX of Learning to Rank using Query-Level Rules, from what was run on the folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rulerank.reproduce.figures import Figure, PaperTable, metric_figure, quoted
from rulerank.reproduce.known import Known
from rulerank.reproduce.published import QUERY_LEVEL, printed
from rulerank.reproduce.query_level import Outcome

MAP_TABLE = {"OHSUMED": "V", "TD": "VI", "HP": "VII", "NP": "VIII"}


def map_table(known: Known, outcomes: Sequence[Outcome]) -> PaperTable:
    """Return the collection's table of MAP (V, VI, VII or VIII): our three methods, and the baselines as printed."""
    number = MAP_TABLE[known.name if known.name in MAP_TABLE else known.name[:2]]
    said = printed(number, known.name)
    figures = []
    for outcome in outcomes:
        method = outcome.setup.method
        figures.append(metric_figure(method, outcome.queries, outcome.expected, said.get(method), digits=3))
    ours = [figure.name for figure in figures]
    figures += [quoted(name, value, 3) for name, value in said.items() if name not in ours]
    return PaperTable(QUERY_LEVEL, number, "MAP", tuple(figures), tuple(filter(None, [_leaning(figures)])))


def _leaning(figures: Sequence[Figure]) -> str:
    """Say in how many of the printed folds ours is lower and higher: many small differences one way are no chance."""
    lower = higher = cells = 0
    for figure in figures:
        if figure.mean is None or figure.printed is None:
            continue
        for ours, theirs in zip(figure.folds, figure.printed.folds, strict=False):
            cells += 1
            lower += round(ours, figure.printed.digits) < theirs
            higher += round(ours, figure.printed.digits) > theirs
    return f"ours is lower in {lower} and higher in {higher} of {cells} folds, to the printed digits" if cells else ""


def seconds_table(known: Known, outcomes: Sequence[Outcome]) -> PaperTable:
    """Return the collection's line of table IX: seconds a query, on this machine and on the authors'."""
    said = printed("IX", known.name)
    figures = [
        Figure(
            outcome.setup.method,
            outcome.seconds,
            float(np.mean(outcome.seconds)),
            printed=said.get(outcome.setup.method),
            digits=4,
            settles=False,
        )
        for outcome in outcomes
    ]
    ours = [figure.name for figure in figures]
    figures += [quoted(name, value, 2) for name, value in said.items() if name not in ours]
    note = "wall-clock time on this machine, many queries at once; printed: an Intel Core 2 Duo of 1.63 GHz"
    return PaperTable(QUERY_LEVEL, "IX", "seconds a query", tuple(figures), (note,))
