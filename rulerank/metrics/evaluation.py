"""Evaluate rankings: every registered metric at once, with its expected value over ties."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rulerank.metrics.inputs import check_k
from rulerank.metrics.metric import mean_over_queries
from rulerank.metrics.rankings import rank
from rulerank.registry import metrics


def evaluate(
    grades: Any,
    scores: Any,
    qids: Iterable[Any],
    convention: str = "letor",
    *,
    k: int = 10,
    docids: Iterable[Any] | None = None,
    max_grade: int | None = None,
) -> dict[str, Any]:
    """Return the mean of every metric over the queries, beside its expected value over random tie-breaks.

    `grades` are whole numbers, -1 for an unlabelled document (it counts as not relevant); `scores` are
    finite, and higher is better; `qids` are of any hashable kind, and a query's rows need not stand together.
    `docids` serve the `trec` convention alone, to order equal scores. `max_grade` is the best grade that ERR
    reckons with: the largest grade in the data unless given, so give it where two evaluations are compared.
    `rulerank.metrics.conventions` says what the conventions `letor`, `letor3`, `letor4` and `trec` mean.

    | key | value |
    | --- | --- |
    | `map`, `mrr`, `err`, `mean_ndcg` | the mean over the queries |
    | `ndcg`, `precision` | list of k means, at the cut-offs 1..k |
    | `expected` | the same keys: the exact mean over all orders of the documents with equal scores |
    | `per_query` | the same keys and `expected`, as arrays with one row a query; `qids`, first seen first |
    | `convention`, `convention_label`, `k`, `max_grade` | what the values rest on |
    | `documents`, `unlabelled`, `queries`, `queries_without_relevant` | counts |

    A query without a relevant document counts as 0 and stays in every mean, so with none in any query all
    values are 0 and `queries_without_relevant` equals `queries`. With no document at all nothing is defined,
    which is an InputError.
    """
    k = check_k(k)
    rankings = rank(grades, scores, qids, convention=convention, docids=docids, max_grade=max_grade)
    means: dict[str, Any] = {}
    expected_means: dict[str, Any] = {}
    per_query: dict[str, Any] = {"qids": rankings.qids}
    expected_per_query: dict[str, Any] = {}
    for entry in metrics:
        values, expected = entry.value.measure(rankings, k)
        per_query[entry.name], expected_per_query[entry.name] = values, expected
        means[entry.name] = mean_over_queries(values).tolist()
        expected_means[entry.name] = mean_over_queries(expected).tolist()
    return {
        "convention": convention,
        "convention_label": rankings.convention.label,
        "k": k,
        "max_grade": rankings.max_grade,
        "documents": len(rankings.grades),
        "unlabelled": rankings.unlabelled,
        "queries": len(rankings.qids),
        "queries_without_relevant": int(np.count_nonzero(rankings.relevant == 0)),
        **means,
        "expected": expected_means,
        "per_query": {**per_query, "expected": expected_per_query},
    }
