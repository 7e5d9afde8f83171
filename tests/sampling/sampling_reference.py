"""SSAR, SSARP's dealing and k-center the slow and plain way, straight from the descriptions."""

from __future__ import annotations

from fractions import Fraction
from math import log

import brute_force
import numpy as np


def occurrences(items):
    """Total occurrence: over a document's items, the number of pool documents that hold the item."""
    return [sum(int((items[:, f] == b).sum()) for f, b in enumerate(document)) for document in items]


def ssar(items, grades, size=2):
    """(order, rule counts with the stopping one, stopped on) of SSAR on a pool with known grades."""
    occurrence = occurrences(items)
    rows = range(len(items))
    order, told = [], []
    while True:
        labelled = [(items[row], grades[row]) for row in order]
        counts = [brute_force.rule_count(document, labelled, size) for document in items]
        if order:
            row = min(rows, key=lambda r: (counts[r], occurrence[r], -r))
        else:
            row = max(rows, key=lambda r: (occurrence[r], r))
        told.append(counts[row])
        if row in order:
            return order, told, row
        order.append(row)


def chi_square(first, second):
    """Pearson's statistic of two columns, as a fraction: equal means equal."""
    first, second = first.tolist(), second.tolist()
    n, total = len(first), Fraction(0)
    for a in set(first):
        for b in set(second):
            expected = Fraction(first.count(a) * second.count(b), n)
            observed = sum(x == a and y == b for x, y in zip(first, second, strict=True))
            total += (observed - expected) ** 2 / expected
    return total


def dealt(items, partitions, scoring="paper"):
    """Each line of the chi-square matrix ranks the other features, whose places are scored; dealt round robin.

    Scores: 1, then 1/ln(10 j); by the authors' program 1, 1, then 1/ln(10 (j - 1)).
    """
    features = range(items.shape[1])
    score = [0.0] * len(features)
    for i in features:
        line = {j: chi_square(items[:, i], items[:, j]) for j in features if j != i}
        for place, j in enumerate(sorted(line, key=lambda j: (-line[j], j)), 1):
            counted = place if scoring == "paper" else max(1, place - 1)
            score[j] += 1.0 if counted == 1 else 1 / log(10 * counted)
    ranking = sorted(features, key=lambda j: (-round(score[j], 9), j))
    hands = [[] for _ in range(min(partitions, len(ranking)))]
    for n, feature in enumerate(ranking):
        hands[n % partitions].append(feature)
    return hands


def ssarp(items, grades, partitions, size=2, scoring="paper"):
    """The partitions' own SSAR orders, taken in turns, each document once."""
    orders = [ssar(items[:, part], grades, size)[0] for part in dealt(items, partitions, scoring)]
    turns = [order[n] for n in range(max(map(len, orders))) for order in orders if n < len(order)]
    return list(dict.fromkeys(turns))


def k_center(items, points, steps):
    """Greedy k-center on points; the first choice and ties by the occurrences of the items, as in SSAR."""
    occurrence = occurrences(items)
    rows = range(len(items))
    order = [max(rows, key=lambda r: (occurrence[r], r))]
    while len(order) < min(steps, len(items)):
        nearest = {r: min(np.linalg.norm(points[r] - points[o]) for o in order) for r in rows if r not in order}
        order.append(min(nearest, key=lambda r: (-nearest[r], occurrence[r], -r)))
    return order
