"""Features of a query and one field of a document; a new one is a function that `text_features.register` decorates.

Each takes the Matches of many pairs, and its parameters by name if it has some, and returns one number per pair.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerank.registry import Registry
from rulerank.text.matches import Floats

TextFeature = Callable[..., Floats]

SETTLED = (
    "bm25", "bm25_once", "closest_pair", "cosine", "coverage", "first_match", "idf", "length",
    "lm_absolute_discounting", "lm_dirichlet", "lm_jelinek_mercer", "log_tf", "log_tf_idf", "mean_first_match",
    "normalised_tf", "normalised_tf_idf", "phrase_pairs", "shortest_span", "tf", "tf_idf", "weighted_coverage",
)  # fmt: skip
"""Features whose numbers are settled: files that were prepared hold them in this order. Others come behind, by name."""

text_features: Registry[TextFeature] = Registry("text feature", "rulerank.text.features", "rulerank.text_features")
