"""Slow and plain metrics on one ranked list of grades, written from the definitions, to compare with."""

from __future__ import annotations

import math
from itertools import groupby, permutations, product


def average_precision(ranked):
    precisions = [sum(g > 0 for g in ranked[: i + 1]) / (i + 1) for i, grade in enumerate(ranked) if grade > 0]
    return sum(precisions) / len(precisions) if precisions else 0.0


def precision_at(ranked, k, convention):
    if convention == "letor3" and k > len(ranked):
        return 0.0
    return sum(g > 0 for g in ranked[:k]) / k


def dcg(ranked, convention):
    total = 0.0
    for position, grade in enumerate(ranked, start=1):
        grade = max(grade, 0)
        if convention == "trec":
            total += grade / math.log2(position + 1)
        else:
            total += (2**grade - 1) / (1 if position <= 2 else math.log2(position))
    return total


def ndcg_at(ranked, k, convention):
    best = dcg(sorted(ranked, reverse=True)[:k], convention)
    if best == 0 or (convention != "trec" and k > len(ranked)):
        return 0.0
    return dcg(ranked[:k], convention) / best


def mean_ndcg(ranked, convention):
    return sum(ndcg_at(ranked, k, convention) for k in range(1, len(ranked) + 1)) / len(ranked)


def reciprocal_rank(ranked):
    return next((1 / position for position, grade in enumerate(ranked, start=1) if grade > 0), 0.0)


def err(ranked, max_grade):
    total = 0.0
    for i in range(len(ranked)):
        stop = [(2 ** max(g, 0) - 1) / 2**max_grade for g in ranked[: i + 1]]
        total += stop[i] * math.prod(1 - s for s in stop[:i]) / (i + 1)
    return total


def all_metrics(ranked, *, k, convention, max_grade):
    return {
        "map": average_precision(ranked),
        "ndcg": [ndcg_at(ranked, cut, convention) for cut in range(1, k + 1)],
        "mean_ndcg": mean_ndcg(ranked, convention),
        "precision": [precision_at(ranked, cut, convention) for cut in range(1, k + 1)],
        "mrr": reciprocal_rank(ranked),
        "err": err(ranked, max_grade),
    }


def by_score(grades, scores):
    """The grades, highest score first; sorted() is stable, so ties keep file order."""
    return [grades[i] for i in sorted(range(len(grades)), key=lambda i: -scores[i])]


def every_tie_break(grades, scores):
    """Each list that some order of the equal scores gives, as often as orders give it."""
    rows = sorted(zip(scores, grades, strict=True), key=lambda row: -row[0])
    groups = [[grade for _, grade in group] for _, group in groupby(rows, key=lambda row: row[0])]
    for orders in product(*(permutations(group) for group in groups)):
        yield [grade for order in orders for grade in order]


def mean_of(dictionaries):
    """The mean of each entry; lists entry by entry."""
    dictionaries = list(dictionaries)
    result = {}
    for key, first in dictionaries[0].items():
        if isinstance(first, list):
            columns = zip(*(d[key] for d in dictionaries), strict=True)
            result[key] = [math.fsum(column) / len(dictionaries) for column in columns]
        else:
            result[key] = math.fsum(d[key] for d in dictionaries) / len(dictionaries)
    return result
