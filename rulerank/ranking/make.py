"""A new ranker from its strategy, with the terms of queries where it takes them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping

from rulerank.ranking.base import RuleRanker
from rulerank.registry import rankers
from rulerank.strategy import Strategy

Terms = Mapping[Hashable, Collection[str]]

RECOMMENDED = "weighted_items"
"""The ranker to begin with: of all that were compared it ranks best from few labels (docs/samplers.md)."""


def takes_terms(ranker: str) -> bool:
    """Say whether a ranker, given by the key of its strategy, uses the terms of queries."""
    return bool(rankers[Strategy.parse(ranker).name].takes_terms)


def is_incremental(ranker: str) -> bool:
    """Say whether a ranker learns and forgets label by label at little cost (`RuleRanker.incremental`)."""
    return bool(rankers[Strategy.parse(ranker).name].incremental)


def make_ranker(ranker: str, terms: Terms | None = None) -> RuleRanker:
    """Return a new ranker from the key of its strategy; `terms` by query go to one that uses them (AR(R_q_d))."""
    given = {"terms": terms} if terms and takes_terms(ranker) else {}
    made: RuleRanker = Strategy.parse(ranker).make(rankers, **given)
    return made
