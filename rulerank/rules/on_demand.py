"""The confidence sums of a few documents, from one short pass over the labelled set for each: rules truly on demand.

`rule_sums` counts every pair of features over the whole labelled set, which pays when thousands of documents are
scored. For a single document only the antecedents within it matter: which labelled documents share each of its items is
a row of bits, and how often an antecedent occurs is the population count of its items' rows joined.
"""

from __future__ import annotations

import numpy as np

from rulerank.kernels import kernel
from rulerank.rules.bits import popcount
from rulerank.rules.confidences import fixed_confidence, scale_for
from rulerank.rules.items import Ints, Items, antecedents
from rulerank.rules.masks import ONE
from rulerank.rules.mine import RuleSums, Thresholds

FEW = 4
"""Up to so many documents one pass for each is quicker than counting all pairs once."""


@kernel
def _document_sums(
    labelled: Items,
    grades: Ints,
    document: Items,
    width: int,
    size: int,
    scale: float,
    min_count: int,
    min_confidence: float,
    sums: Ints,
    numbers: Ints,
) -> None:
    """Add to sums and numbers (by class) the rules of one document."""
    features, count = labelled.shape
    words = -(-count // 64)
    holds = np.zeros((features, words), np.uint64)  # which labelled documents share the feature's item, a bit each
    graded = np.zeros((width, words), np.uint64)
    for d in range(count):
        graded[grades[d], d >> 6] |= ONE << np.uint64(d & 63)
    for i in range(features):
        for d in range(count):
            holds[i, d >> 6] |= np.uint64(labelled[i, d] == document[i]) << np.uint64(d & 63)
    counts = np.zeros(width, np.int64)
    for i in range(features):
        for j in range(i, features if size >= 2 else i + 1):
            total = 0
            for c in range(width):
                found = np.uint64(0)
                for word in range(words):
                    found += popcount(holds[i, word] & holds[j, word] & graded[c, word])
                counts[c] = np.int64(found)
                total += counts[c]
            for c in range(width):
                value = fixed_confidence(counts[c], max(total, 1), scale, min_count, min_confidence)
                sums[c] += value
                numbers[c] += value > 0


def few_rule_sums(
    labelled: Items, grades: Ints, width: int, documents: Items, *, max_antecedent: int, thresholds: Thresholds
) -> RuleSums:
    """Return what `rule_sums` returns, to the last bit, for a few documents (both matrices: features by documents).

    Antecedents of one or two items; thresholds must be absolute (counts and confidences).
    """
    features, number = documents.shape
    # One array layout for every caller, so that the kernel is compiled once.
    labelled = np.ascontiguousarray(labelled)
    grades = np.ascontiguousarray(grades, np.int64)
    scale = scale_for(antecedents(features, max_antecedent))
    sums = np.zeros((number, width), np.int64)
    numbers = np.zeros((number, width), np.int64)
    for place in range(number):
        _document_sums(
            labelled,
            grades,
            np.ascontiguousarray(documents[:, place]),
            width,
            max_antecedent,
            float(scale),
            int(thresholds.support),
            float(thresholds.confidence),
            sums[place],
            numbers[place],
        )
    return RuleSums(sums, numbers, scale)
