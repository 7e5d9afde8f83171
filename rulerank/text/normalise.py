"""Query-level normalisation: features of a query's documents brought to 0..1, as in LETOR's QueryLevelNorm."""

from __future__ import annotations

import numpy as np

from rulerank.text.matches import Floats, Ints


def normalise_by_query(features: Floats, query_index: Ints) -> Floats:
    """Return (x - min) / (max - min), with the extremes of each feature within each query; 0 where they are equal.

    Qin, Liu, Xu and Li, "LETOR: A Benchmark Collection for Research on Learning to Rank for Information Retrieval"
    (2010), section 4. Scores of different queries compare only so: a rule that holds for one says something of others.
    """
    if not len(features):
        return features.copy()
    order = np.argsort(query_index, kind="stable")
    starts = np.flatnonzero(np.diff(query_index[order], prepend=-1))
    sorted_features = features[order]
    counts = np.diff([*starts, len(order)])
    least = np.repeat(np.minimum.reduceat(sorted_features, starts), counts, axis=0)
    span = np.repeat(np.maximum.reduceat(sorted_features, starts), counts, axis=0) - least
    scaled = np.empty_like(features)
    scaled[order] = np.where(span > 0, (sorted_features - least) / np.where(span > 0, span, 1.0), 0.0)
    return scaled
