"""Features of a field's length, and of how much of the query it covers and where."""

from __future__ import annotations

import numpy as np

from rulerank.text.features import text_features
from rulerank.text.matches import Floats, Matches


@text_features.register("length", "length")
def length(matches: Matches) -> Floats:
    """Number of words of the field (an identifier counts with its parts)."""
    return matches.length


@text_features.register("coverage", "coverage")
def coverage(matches: Matches) -> Floats:
    """Share of the query's terms that occur in the field."""
    return matches.total((matches.tf > 0).astype(np.float64)) / np.maximum(matches.terms, 1)


@text_features.register("weighted_coverage", "weighted coverage")
def weighted_coverage(matches: Matches) -> Floats:
    """Share of the query's terms that occur in the field, each term weighed by its idf."""
    return matches.total(matches.idf * (matches.tf > 0)) / np.maximum(matches.total(matches.idf), 1e-9)


@text_features.register("first_match", "first match")
def first_match(matches: Matches) -> Floats:
    """Earliness of the first match: 1 / (1 + words before it), and 0 if no term of the query occurs."""
    earliest = np.full(len(matches.length), np.inf)
    np.minimum.at(earliest, matches.pair, matches.first)
    return 1 / (1 + earliest)


@text_features.register("mean_first_match", "mean first match")
def mean_first_match(matches: Matches) -> Floats:
    """Mean over the query's terms of 1 / (1 + words before the term's first occurrence), 0 for one that is missing."""
    return matches.total(1 / (1 + matches.first)) / np.maximum(matches.terms, 1)
