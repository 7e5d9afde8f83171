"""BM25."""

from __future__ import annotations

from rulerank.text.features.registry import text_features
from rulerank.text.matches import Floats, Matches

K1 = 1.2
B = 0.75


@text_features.register("bm25", "BM25")
def bm25(matches: Matches) -> Floats:
    """Okapi BM25: sum of idf tf (k1 + 1) / (tf + k1 (1 - b + b length / mean length)), k1 = 1.2 and b = 0.75.

    Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), eq. 3.15; idf with 1 added
    inside the logarithm, so that a term in most documents does not count against them.
    """
    return matches.total(_weights(matches))


@text_features.register("bm25_once", "BM25 once a term")
def bm25_once(matches: Matches) -> Floats:
    """BM25 in which a term counts once, however often the query says it."""
    return matches.once(_weights(matches))


def _weights(matches: Matches) -> Floats:
    saturation = K1 * (1 - B + B * matches.term_length / matches.mean_length)
    return matches.idf * matches.tf * (K1 + 1) / (matches.tf + saturation)
