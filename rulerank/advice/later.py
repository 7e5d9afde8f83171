"""Advice from the labels of a campaign that runs: how many more it may take, and which ranker does most with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rulerank.advice.budget import Forecast, labels_for
from rulerank.advice.evidence import PoolFacts
from rulerank.curves import Documents, Evaluation, Floats, Label, Make, fitted_scores, out_of_fold
from rulerank.metrics import Measure

CLEAR = 2.0
"""Standard errors, over queries, by which a ranker must be ahead."""

LEAST_QUERIES = 10
"""Queries with a relevant document that rankers are compared on."""

MEASURE = Measure("map", expected=True)


def forecast_now(
    facts: PoolFacts, grades: Sequence[int], share: float = 0.95, *, sampler: str, ranker: str
) -> Forecast | None:
    """Forecast anew, with the labels so far telling how rare relevant pairs are; None where nothing is said of the two.

    Samplers that look for new documents find more relevant ones than there are on average, so the share is one of the
    labels, not of the pool.
    """
    relevant = float(np.mean(np.asarray(grades) > 0)) if len(grades) else 0.0
    return labels_for(replace(facts, relevant=relevant or None), share, sampler=sampler, ranker=ranker)


@dataclass(frozen=True)
class RankersCompared:
    """MAP of each ranker from the labels so far, and the one that is clearly ahead of `used`, if there is one.

    queries: with a relevant document. held_out: measured on the evaluation set; if not, cross-validated on the labels.

    >>> RankersCompared("lrar", "weighted_items", {"lrar": 0.31, "weighted_items": 0.35}, 40, held_out=True).ahead
    'weighted_items'
    """

    used: str
    ahead: str | None
    values: Mapping[str, float]
    queries: int
    held_out: bool


def compare_rankers(
    makes: Mapping[str, Make], used: str, pool: Documents, labels: Sequence[Label], evaluation: Evaluation | None
) -> RankersCompared | None:
    """Teach each ranker the labels, and compare them with `used` query by query; None with too few queries to tell.

    A choice among many by the same queries would pick what suits them by chance, so few rankers should be asked for.
    """
    rows = np.array([row for row, _ in labels], np.int64)
    grades = np.array([grade for _, grade in labels], np.int64)
    shown = evaluation
    if shown is None:
        shown = Evaluation(pool.items[rows], grades, np.array(pool.queries(rows)))
    telling = np.array([bool((shown.grades[shown.qids == qid] > 0).any()) for qid in np.unique(shown.qids)])
    if telling.sum() < LEAST_QUERIES:
        return None
    found: dict[str, Floats] = {}
    for name, make in makes.items():
        if evaluation is None:
            scores = out_of_fold(make, shown.items, grades, shown.qids)
        else:
            scores = fitted_scores(make, pool, labels, shown.documents)
        if scores is None:
            return None
        found[name] = shown.per_query(scores, [MEASURE])[1][0][telling]
    best, furthest = None, 0.0
    for name, values in found.items():
        ahead = values - found[used]
        error = float(np.std(ahead, ddof=1) / np.sqrt(ahead.size))
        if ahead.mean() > max(furthest, CLEAR * error):
            best, furthest = name, float(ahead.mean())
    means = {name: float(values.mean()) for name, values in found.items()}
    return RankersCompared(used, best, means, int(telling.sum()), evaluation is not None)
