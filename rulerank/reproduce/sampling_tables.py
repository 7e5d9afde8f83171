"""Tables 1 to 5 of Rule-Based Active Sampling for Learning to Rank, from what was run on the folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rulerank.reproduce.figures import OVER_QUERIES, OVER_RUNS, Figure, PaperTable, count_figure, metric_figure, quoted
from rulerank.reproduce.published import SAMPLING, Printed, printed
from rulerank.reproduce.query_level import FoldOutcome
from rulerank.reproduce.selections import METRICS, SampleColumns, Trained, gain_percent, selected_percent
from rulerank.statistics import resampled_means, t_interval

TITLES = {
    "1": "SSAR: MAP and what was selected",
    "2": "SSARP: MAP and what was selected",
    "3": "SVMRank on the selected samples, MAP",
    "4": "SSARP beside LETOR's baselines, MAP",
    "5": "SSARP beside LETOR's baselines, NDCG",
}


def selection_table(number: str, collection: str, folds: Sequence[SampleColumns], full: FoldOutcome) -> PaperTable:
    """Return table 1 or 2; `full` is LRAR with all labels and supervised bins."""
    said = printed(number, collection)
    name = "SSAR" if number == "1" else "SSARP"
    ours, bm25 = [fold.ours for fold in folds], [fold.bm25 for fold in folds]
    random = [fold.random for fold in folds]
    pools, chosen = [fold.pool for fold in folds], [each.selected for each in ours]
    shares = [selected_percent(count, pool) for count, pool in zip(chosen, pools, strict=True)]
    share = selected_percent(float(np.mean(chosen)), float(np.mean(pools)))
    return PaperTable(
        SAMPLING,
        number,
        TITLES[number],
        (
            _metric(name, ours, said),
            metric_figure("LRAR", full.queries, full.expected, said.get("LRAR")),
            _metric("LBM25", bm25, said),
            _random(random, said),
            _gain(ours, bm25, random, said),
            count_figure("Sel", chosen, said.get("Sel"), digits=0),
            _given("Utot", pools, said, digits=0),
            count_figure("Sel%", shares, said.get("Sel%"), share),
            count_figure("RSel%", [each.relevant for each in ours], said.get("RSel%")),
            _given("R%", [fold.relevant for fold in folds], said),
            count_figure("R25%", [each.relevant for each in bm25], said.get("R25%")),
        ),
    )


def svm_table(collection: str, folds: Sequence[SampleColumns]) -> PaperTable:
    """Return table 3, of SSARP's columns that were run with SVMRank."""
    said = printed("3", collection)
    ours = [fold.svm_ours for fold in folds if fold.svm_ours is not None]
    bm25 = [fold.svm_bm25 for fold in folds if fold.svm_bm25 is not None]
    random = [fold.svm_random for fold in folds]
    figures = (
        _metric("SSARP", [fold.ours for fold in folds], said),
        _metric("SVMS", ours, said),
        _metric("SBM25", bm25, said),
        _random(random, said),
        _gain(ours, bm25, random, said),
    )
    note = "SVMRank is scikit-learn's linear SVM on pairs, its cost chosen by cross-validation on the sample"
    return PaperTable(SAMPLING, "3", TITLES["3"], figures, (note,))


def baseline_tables(collection: str, folds: Sequence[SampleColumns]) -> list[PaperTable]:
    """Return tables 4 and 5: SSARP's MAP and NDCG, and the printed figures of LETOR's baselines beside them."""
    ours = [fold.ours for fold in folds]
    tables = []
    for number, names in (("4", {"SSARP": "map"}), ("5", {f"SSARP@{cut}": f"ndcg@{cut}" for cut in (1, 5, 10)})):
        said = printed(number, collection)
        figures = [_metric(name, ours, said, metric) for name, metric in names.items()]
        figures += [quoted(name, value, 4) for name, value in said.items() if name not in names]
        tables.append(PaperTable(SAMPLING, number, TITLES[number], tuple(figures)))
    return tables


def _metric(name: str, folds: Sequence[Trained], said: dict[str, Printed], metric: str = "map") -> Figure:
    place = METRICS.index(metric)
    values, expected = [each.values[place] for each in folds], [each.expected[place] for each in folds]
    return metric_figure(name, values, expected, said.get(name))


def _random(folds: Sequence[Sequence[Trained]], said: dict[str, Printed]) -> Figure:
    """Return Random: the mean of all draws of all folds, and the interval that the paper's words describe."""
    runs = [[each.map for each in draws] for draws in folds]
    means = tuple(float(np.mean(draws)) for draws in runs)
    around = t_interval(np.concatenate(runs))
    expected = float(np.mean([np.mean([each.expected[0].mean() for each in draws]) for draws in folds]))
    bounds = (around.low, around.high)
    return Figure("Random", means, around.mean, bounds, OVER_RUNS, (), expected, said.get("Random"))


def _gain(
    ours: Sequence[Trained], bm25: Sequence[Trained], random: Sequence[Sequence[Trained]], said: dict[str, Printed]
) -> Figure:
    """Return G%, of the means over folds and of each fold, with a bootstrap over the queries that all three share."""
    by_query = [
        np.stack([own.values[0], base.values[0], np.mean([each.values[0] for each in draws], axis=0)], axis=1)
        for own, base, draws in zip(ours, bm25, random, strict=True)
    ]
    folds = tuple(float(_gain_of(values.mean(axis=0))) for values in by_query)
    mean = float(_gain_of(np.mean([values.mean(axis=0) for values in by_query], axis=0)))
    drawn = _gain_of(resampled_means(by_query).T)
    drawn = drawn[np.isfinite(drawn)]
    bounds = tuple(float(bound) for bound in np.quantile(drawn, (0.025, 0.975))) if drawn.size else (np.nan, np.nan)
    return Figure("G%", folds, mean, (bounds[0], bounds[1]), OVER_QUERIES, printed=said.get("G%"), digits=2)


def _gain_of(columns: np.ndarray) -> np.ndarray:
    return np.asarray(gain_percent(columns[0], columns[1:]))


def _given(name: str, folds: Sequence[float], said: dict[str, Printed], digits: int = 2) -> Figure:
    """Return a figure that the data alone decide: no interval, so it must agree with the printed one to rounding."""
    values = tuple(float(value) for value in folds)
    return Figure(name, values, float(np.mean(values)), printed=said.get(name), digits=digits)
