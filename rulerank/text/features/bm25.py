"""BM25."""

from __future__ import annotations

import numpy as np

from rulerank.strategy import Param
from rulerank.text.features import text_features
from rulerank.text.matches import Floats, Matches

K1 = 1.2
B = 0.75
PARAMS = (
    Param("k1", float, K1, "How much more a term counts that occurs more often; 0: no more.", low=0, high=1000),
    Param("b", float, B, "How much a long text counts against its terms; 0: not at all.", low=0, high=1),
)


@text_features.register("bm25", "BM25", params=PARAMS)
def bm25(matches: Matches, k1: float = K1, b: float = B) -> Floats:
    """Okapi BM25: sum of idf tf (k1 + 1) / (tf + k1 (1 - b + b length / mean length)), k1 = 1.2 and b = 0.75.

    Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), eq. 3.15; idf with 1 added
    inside the logarithm, so that a term in most documents does not count against them.
    """
    return matches.total(_weights(matches, k1, b))


@text_features.register("bm25_once", "BM25 of distinct query words", params=PARAMS)
def bm25_once(matches: Matches, k1: float = K1, b: float = B) -> Floats:
    """BM25 in which a term counts once, however often the query says it."""
    return matches.once(_weights(matches, k1, b))


def _weights(matches: Matches, k1: float, b: float) -> Floats:
    saturation = k1 * (1 - b + b * matches.term_length / matches.mean_length)
    # With k1 = 0, or b = 1 and an empty field, a term that does not occur would be 0 / 0.
    weighed = matches.idf * matches.tf * (k1 + 1)
    return np.divide(weighed, matches.tf + saturation, out=np.zeros_like(weighed), where=matches.tf > 0)
