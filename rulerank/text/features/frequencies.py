"""Features that add up how often, and how tellingly, a query's terms occur (the first ones of LETOR's lists)."""

from __future__ import annotations

import numpy as np

from rulerank.text.features import text_features
from rulerank.text.matches import Floats, Matches


@text_features.register("tf", "TF")
def tf(matches: Matches) -> Floats:
    """Term frequency: how often the query's terms occur, added up."""
    return matches.total(matches.tf)


@text_features.register("log_tf", "log TF")
def log_tf(matches: Matches) -> Floats:
    """Damped term frequency: sum of ln(1 + tf), so that a text does not win by repeating one term."""
    return matches.total(np.log1p(matches.tf))


@text_features.register("normalised_tf", "normalised TF")
def normalised_tf(matches: Matches) -> Floats:
    """Term frequency over length: the share of the field's words that are terms of the query."""
    return matches.total(matches.tf) / np.maximum(matches.length, 1)


@text_features.register("idf", "IDF")
def idf(matches: Matches) -> Floats:
    """Inverse document frequency of the query's terms that occur, added up."""
    return matches.total(matches.idf * (matches.tf > 0))


@text_features.register("tf_idf", "TF-IDF")
def tf_idf(matches: Matches) -> Floats:
    """Sum of tf idf over the query's terms."""
    return matches.total(matches.tf * matches.idf)


@text_features.register("log_tf_idf", "log TF-IDF")
def log_tf_idf(matches: Matches) -> Floats:
    """Sum of ln(1 + tf) idf over the query's terms."""
    return matches.total(np.log1p(matches.tf) * matches.idf)


@text_features.register("normalised_tf_idf", "normalised TF-IDF")
def normalised_tf_idf(matches: Matches) -> Floats:
    """Sum of tf idf over the query's terms, divided by the field's length."""
    return tf_idf(matches) / np.maximum(matches.length, 1)


@text_features.register("cosine", "cosine")
def cosine(matches: Matches) -> Floats:
    """Cosine of the angle between query and field as vectors: qtf idf, and (1 + ln tf) idf of the terms that occur.

    G. Salton and C. Buckley, "Term-weighting approaches in automatic text retrieval" (1988); 0 for an empty field.
    """
    damped = np.where(matches.tf > 0, 1 + np.log(np.maximum(matches.tf, 1)), 0.0)
    asked = np.sqrt(matches.once((matches.asked * matches.idf) ** 2))
    return matches.total(damped * matches.idf**2) / np.maximum(asked * matches.norm, 1e-9)
