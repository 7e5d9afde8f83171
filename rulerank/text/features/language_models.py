"""Query likelihood under a document's language model, with three ways of smoothing.

C. Zhai and J. Lafferty, "A Study of Smoothing Methods for Language Models Applied to Information Retrieval" (TOIS
2004), table 1. Each is the mean over the query's terms of ln p(term | document), so that long and short queries
compare; a term that no document holds has no probability and is left out. An empty field has the collection's
probabilities.
"""

from __future__ import annotations

import numpy as np

from rulerank.strategy import Param
from rulerank.text.features import text_features
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


@text_features.register(
    "lm_jelinek_mercer",
    "LM Jelinek-Mercer",
    params=(Param("weight", float, LAMBDA, "Lambda: weight of the collection beside the text.", above=0, high=1),),
)
def lm_jelinek_mercer(matches: Matches, weight: float = LAMBDA) -> Floats:
    """Mean of ln((1 - lambda) tf / length + lambda p(term | collection)), lambda = 0.1."""
    share = matches.tf / np.maximum(matches.term_length, 1)
    mixed = (1 - weight) * share + weight * matches.background
    return _mean_log(matches, _or_background(matches, mixed))


@text_features.register(
    "lm_dirichlet",
    "LM Dirichlet",
    params=(Param("mu", float, MU, "Words of the collection that are added to every text.", above=0),),
)
def lm_dirichlet(matches: Matches, mu: float = MU) -> Floats:
    """Mean of ln((tf + mu p(term | collection)) / (length + mu)), mu = 2000."""
    return _mean_log(matches, (matches.tf + mu * matches.background) / (matches.term_length + mu))


@text_features.register(
    "lm_absolute_discounting",
    "LM absolute discounting",
    params=(Param("delta", float, DELTA, "What every count loses to words that are missing.", above=0, high=1),),
)
def lm_absolute_discounting(matches: Matches, delta: float = DELTA) -> Floats:
    """Mean of ln((max(tf - delta, 0) + delta u p(term | collection)) / length), delta = 0.7, u distinct terms."""
    freed = delta * matches.distinct[matches.pair] * matches.background
    left = np.maximum(matches.tf - delta, 0) + freed
    return _mean_log(matches, _or_background(matches, left / np.maximum(matches.term_length, 1)))
