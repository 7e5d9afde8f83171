"""Deal features to partitions by how well they predict one another (Rule-Based Active Sampling, section 4.2)."""

from __future__ import annotations

from typing import Literal, get_args

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


Scoring = Literal["paper", "program"]
SCORINGS: tuple[Scoring, ...] = get_args(Scoring)
"""Whose formula turns places into scores: the paper's, or that of its authors' own script."""


def place_scores(places: int, scoring: str = "paper") -> npt.NDArray[np.float64]:
    """Return what the places 1, 2, ... of a line add to a feature's score.

    `paper` (section 4.2): the first adds 1, place j adds 1 / ln(10 j). `program`, the script that the paper's authors
    ran: the first two add 1, and place j then adds 1 / ln(10 (j - 1)). It alone gives the feature order that they kept.

    >>> place_scores(4).round(3).tolist()
    [1.0, 0.334, 0.294, 0.271]
    >>> place_scores(4, "program").round(3).tolist()
    [1.0, 1.0, 0.334, 0.294]
    """
    if scoring not in SCORINGS:
        raise InputError(f"scoring must be one of {', '.join(SCORINGS)}, not {scoring!r}")
    later = 1.0 / np.log(10.0 * np.arange(2, places + 1, dtype=np.float64))
    if scoring == "program":
        return np.concatenate([np.ones(min(2, places)), later[: max(0, places - 2)]])
    return np.concatenate([np.ones(min(1, places)), later])


def feature_ranking(items: Items, scoring: str = "paper") -> list[int]:
    """Return the features, the most informative first.

    Line i of the chi-square matrix ranks the other features, and a place adds to a feature's score (`place_scores`).
    Ties, in a line and in the end, go to the lower feature number.
    """
    table = chi_squares(items)
    features = len(table)
    score = np.zeros(features)
    scores = place_scores(features - 1, scoring)
    for i in range(features):
        others = np.delete(np.arange(features), i)
        # Rounded, so that equal statistics that were added up in another order stay equal.
        ranked = others[np.argsort(-np.round(table[i, others], 6), kind="stable")]
        score[ranked] += scores
    return [int(feature) for feature in np.argsort(-np.round(score, 9), kind="stable")]


def deal_features(items: Items, partitions: int, scoring: str = "paper") -> list[list[int]]:
    """Return the features of each partition, dealt round robin in the order of `feature_ranking`."""
    if partitions < 1:
        raise InputError(f"partitions must be at least 1, not {partitions}")
    ranking = feature_ranking(items, scoring)
    return [ranking[first::partitions] for first in range(min(partitions, len(ranking)))]
