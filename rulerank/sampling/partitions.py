"""Deal features to partitions by how well they predict one another (Rule-Based Active Sampling, section 4.2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError
from rulerank.rules.items import Items


def chi_squares(items: Items) -> npt.NDArray[np.float64]:
    """Return the chi-square statistic of every feature against every other (features by features, diagonal 0)."""
    rows, features = items.shape
    out = np.zeros((features, features))
    bins = items.max(axis=0, initial=0).astype(np.int64) + 1
    columns = [np.ascontiguousarray(items[:, feature]).astype(np.int64) for feature in range(features)]
    margins = [np.bincount(column, minlength=n) for column, n in zip(columns, bins, strict=True)]
    for i in range(features):
        for j in range(i + 1, features):
            table = np.bincount(columns[i] * bins[j] + columns[j], minlength=bins[i] * bins[j]).reshape(
                bins[i], bins[j]
            )
            expected = np.outer(margins[i], margins[j])
            held = expected > 0
            # sum (O - E)^2 / E with E = outer / n is n (sum O^2 / outer - 1)
            value = rows * (float((table[held].astype(float) ** 2 / expected[held]).sum()) - 1.0)
            out[i, j] = out[j, i] = max(value, 0.0)
    return out


def feature_ranking(items: Items) -> list[int]:
    """Return the features, the most informative first.

    Line i of the chi-square matrix ranks the other features; a first place adds 1 to a feature's score, place j adds
    1 / ln(10 j). Ties, in a line and in the end, go to the lower feature number.
    """
    table = chi_squares(items)
    features = len(table)
    score = np.zeros(features)
    for i in range(features):
        others = np.delete(np.arange(features), i)
        # Rounded, so that equal statistics that were added up in another order stay equal.
        ranked = others[np.argsort(-np.round(table[i, others], 6), kind="stable")]
        places = np.arange(1, features)
        score[ranked] += np.where(places == 1, 1.0, 1.0 / np.log(10.0 * places))
    return [int(feature) for feature in np.argsort(-np.round(score, 9), kind="stable")]


def deal_features(items: Items, partitions: int) -> list[list[int]]:
    """Return the features of each partition, dealt round robin in the order of `feature_ranking`."""
    if partitions < 1:
        raise InputError(f"partitions must be at least 1, not {partitions}")
    ranking = feature_ranking(items)
    return [ranking[first::partitions] for first in range(min(partitions, len(ranking)))]
