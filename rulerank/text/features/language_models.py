"""Query likelihood under a document's language model, with three ways of smoothing.

C. Zhai and J. Lafferty, "A Study of Smoothing Methods for Language Models Applied to Information Retrieval" (TOIS
2004), table 1. Each is the mean over the query's terms of ln p(term | document), so that long and short queries
compare; a term that no document holds has no probability and is left out. An empty field has the collection's
probabilities.
"""

from __future__ import annotations

import numpy as np

from rulerank.text.features.registry import text_features
from rulerank.text.matches import Floats, Matches

LAMBDA = 0.1
MU = 2000.0
DELTA = 0.7


def _mean_log(matches: Matches, probability: Floats) -> Floats:
    known = matches.cf > 0
    seen = np.where(known, probability, 1.0)
    return matches.total(np.log(seen)) / np.maximum(matches.total(known.astype(np.float64)), 1)


def _or_background(matches: Matches, probability: Floats) -> Floats:
    return np.where(matches.term_length > 0, probability, matches.background)


@text_features.register("lm_jelinek_mercer", "LM Jelinek-Mercer")
def lm_jelinek_mercer(matches: Matches) -> Floats:
    """Mean of ln((1 - lambda) tf / length + lambda p(term | collection)), lambda = 0.1."""
    share = matches.tf / np.maximum(matches.term_length, 1)
    mixed = (1 - LAMBDA) * share + LAMBDA * matches.background
    return _mean_log(matches, _or_background(matches, mixed))


@text_features.register("lm_dirichlet", "LM Dirichlet")
def lm_dirichlet(matches: Matches) -> Floats:
    """Mean of ln((tf + mu p(term | collection)) / (length + mu)), mu = 2000."""
    return _mean_log(matches, (matches.tf + MU * matches.background) / (matches.term_length + MU))


@text_features.register("lm_absolute_discounting", "LM absolute discounting")
def lm_absolute_discounting(matches: Matches) -> Floats:
    """Mean of ln((max(tf - delta, 0) + delta u p(term | collection)) / length), delta = 0.7, u distinct terms."""
    freed = DELTA * matches.distinct[matches.pair] * matches.background
    left = np.maximum(matches.tf - DELTA, 0) + freed
    return _mean_log(matches, _or_background(matches, left / np.maximum(matches.term_length, 1)))
