"""Kernels of least variance: items shared in the pool, quadratic forms over documents, and what a label changes."""

from __future__ import annotations

from rulerank.kernels import kernel


@kernel
def fill_shared(places, moment):
    """Fill moment[i, j]: the share of the pool's documents that hold both items."""
    rows, features = places.shape
    for row in range(rows):
        for first in range(features):
            for second in range(features):
                moment[places[row, first], places[row, second]] += 1.0 / rows


@kernel
def quadratic(places, start, stop, matrix, values):
    """Fill values[d] = x_d' matrix x_d, where x_d marks the items of document d."""
    features = places.shape[1]
    for row in range(start, stop):
        total = 0.0
        for first in range(features):
            for second in range(features):
                total += matrix[places[row, first], places[row, second]]
        values[row] = total


@kernel
def follow_label(places, start, stop, toward, spread, share, left, variance, effect):
    """Take a label into the variances of documents start..stop, and into the effects that their own labels would have.

    share: 1 / (noise + variance of the labelled document), negative for a label that is taken back.
    """
    features = places.shape[1]
    for row in range(start, stop):
        common, wide = 0.0, 0.0
        for feature in range(features):
            common += toward[places[row, feature]]
            wide += spread[places[row, feature]]
        variance[row] -= share * common * common
        effect[row] += share * common * (share * common * left - 2.0 * wide)
