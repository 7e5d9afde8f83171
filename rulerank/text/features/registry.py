"""The registry of text features: each takes the Matches of many pairs and returns one number a pair."""

from __future__ import annotations

from collections.abc import Callable

from rulerank.registry import Registry
from rulerank.text.matches import Floats, Matches

TextFeature = Callable[[Matches], Floats]

SETTLED = (
    "bm25", "bm25_once", "closest_pair", "cosine", "coverage", "first_match", "idf", "length",
    "lm_absolute_discounting", "lm_dirichlet", "lm_jelinek_mercer", "log_tf", "log_tf_idf", "mean_first_match",
    "normalised_tf", "normalised_tf_idf", "phrase_pairs", "shortest_span", "tf", "tf_idf", "weighted_coverage",
)  # fmt: skip
"""Features whose numbers are settled: files that were prepared hold them in this order. Others come behind, by name."""

text_features: Registry[TextFeature] = Registry("text feature", "rulerank.text.features", "rulerank.text_features")
