"""Rules the slow and plain way, straight from their definitions: what the library is compared with."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np


def subsets(values, size):
    """All sets of 1 to `size` of the values."""
    return [frozenset(chosen) for n in range(1, size + 1) for chosen in combinations(values, n)]


def supports(document, labelled, size):
    """{(X, grade): support} over the antecedents X within the document; `labelled` is a list of (items, grade)."""
    found = Counter()
    for items, grade in labelled:
        shared = [(f, int(b)) for f, (b, other) in enumerate(zip(document, items, strict=True)) if b == other]
        for antecedent in subsets(shared, size):
            found[antecedent, int(grade)] += 1
    return found


def rule_count(document, labelled, size):
    """RuleCount: the pairs (X, r) with X within the document and count(X, r) >= 1."""
    return len(supports(document, labelled, size))


def rules(document, labelled, size, min_support=1, min_confidence=0.001):
    """{(X, grade): (support, confidence)} of the document's rules that pass the thresholds."""
    found = supports(document, labelled, size)
    totals = Counter()
    for (antecedent, _), support in found.items():
        totals[antecedent] += support
    told = {(x, grade): (support, support / totals[x]) for (x, grade), support in found.items()}
    return {key: rule for key, rule in told.items() if rule[0] >= min_support and rule[1] >= min_confidence}


def projection(document, labelled):
    """How many labelled documents share an item with the document."""
    return sum(any(a == b for a, b in zip(document, items, strict=True)) for items, _ in labelled)


def sums(found, width):
    """Sum of confidences and number of rules for each grade 0 to width - 1."""
    total, number = np.zeros(width), np.zeros(width, int)
    for (_, grade), (_, confidence) in found.items():
        total[grade] += confidence
        number[grade] += 1
    return total, number


def shares(found, prior, offset=0):
    """p(r|d) by eq. 1 and 2: mean confidence of the rules for r, then divided by the sum; no rule: the prior."""
    total, number = sums(found, len(prior))
    means = np.array([t / (n + offset) if n else 0.0 for t, n in zip(total, number, strict=True)])
    return means / means.sum() if means.sum() > 0 else np.asarray(prior, float)


def prior_of(grades):
    """The grade distribution of a labelled set, for grades 0 to the largest."""
    counts = [sum(int(g) == level for g in grades) for level in range(max(map(int, grades)) + 1)]
    return np.array(counts) / len(grades)


def stable(found, labelled, qids, phi, agreement, error=0.0, min_documents=1):
    """The rules that are stable: `labelled` with the query of each; agreement is a share of queries, or "mean"."""
    kept = {}
    by_query = defaultdict(list)
    for (items, grade), qid in zip(labelled, qids, strict=True):
        by_query[qid].append((items, grade))
    for (antecedent, grade), rule in found.items():
        asked, within, gaps, weight = 0, 0, 0.0, 0
        for documents in by_query.values():
            holding = [g for items, g in documents if all(items[f] == b for f, b in antecedent)]
            if not holding or len(holding) < min_documents:
                continue
            theta = rule[1]
            gap = abs(theta - sum(g == grade for g in holding) / len(holding))
            gap = max(0.0, gap - error * np.sqrt(theta * (1 - theta) / len(holding)))
            asked += 1
            within += gap <= phi + 1e-12
            gaps += gap * len(holding)
            weight += len(holding)
        if agreement == "mean":
            is_stable = asked and gaps <= phi * weight + 1e-9
        else:
            is_stable = asked and within >= agreement * asked - 1e-9
        if is_stable:
            kept[antecedent, grade] = rule
    return kept
