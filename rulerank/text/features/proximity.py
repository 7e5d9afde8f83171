"""Features of how near the terms of a query stand to each other (T. Tao and C. Zhai, "An Exploration of Proximity
Measures in Information Retrieval", SIGIR 2007)."""

from __future__ import annotations

import numpy as np

from rulerank.text.corpus import shortest_spans
from rulerank.text.features import text_features
from rulerank.text.matches import Floats, Matches


@text_features.register("closest_pair", "closest pair")
def closest_pair(matches: Matches) -> Floats:
    """Nearness of two different terms of the query: 1 / (least number of words apart), 1 for neighbours, 0 for none."""
    pair, left, apart = matches.neighbours
    different = matches.hit_term[left] != matches.hit_term[left + 1]
    least = np.full(len(matches.length), np.inf)
    # Two different terms with hits between them have nearer ones among these, so neighbours suffice.
    np.minimum.at(least, pair[different], apart[different].astype(np.float64))
    return 1 / least


@text_features.register("shortest_span", "shortest span")
def shortest_span(matches: Matches) -> Floats:
    """Density of the shortest stretch that holds every term of the query that occurs: those terms / its words.

    1 if they stand side by side (or if there is one alone), 0 if none occurs.
    """
    found = matches.once((matches.tf > 0).astype(np.float64))
    most = int(matches.hit_term.max(initial=0)) + 1
    spans = shortest_spans(matches.hit_starts, matches.hit_term, matches.hit_at, most)
    return found / np.maximum(spans, 1)


@text_features.register("phrase_pairs", "phrase pairs")
def phrase_pairs(matches: Matches) -> Floats:
    """How often two terms that follow each other in the query stand side by side in the same order: ln(1 + count)."""
    pair, left, apart = matches.neighbours
    together = (apart == 1) & (matches.hit_term[left + 1] - matches.hit_term[left] == 1)
    return np.log1p(np.bincount(pair[together], minlength=len(matches.length)).astype(np.float64))
