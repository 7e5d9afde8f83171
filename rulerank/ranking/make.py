"""A new ranker by its machine name, with the terms of queries where it takes them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping

from rulerank.ranking.base import RuleRanker
from rulerank.registry import rankers

Terms = Mapping[Hashable, Collection[str]]

RECOMMENDED = "weighted_items"
"""The ranker to begin with: of all that were compared it ranks best from few labels (docs/samplers.md)."""


def takes_terms(name: str) -> bool:
    """Say whether a ranker uses the terms of queries."""
    return "terms" in rankers[name]().get_params()


def is_incremental(name: str) -> bool:
    """Say whether a ranker learns and forgets label by label at little cost (`RuleRanker.incremental`)."""
    return bool(rankers[name].incremental)


def make_ranker(name: str, terms: Terms | None = None) -> RuleRanker:
    """Return a new ranker; `terms` by query go to one that uses them (AR(R_q_d)), and nowhere else."""
    made: RuleRanker = rankers[name](terms=terms) if terms and takes_terms(name) else rankers[name]()
    return made
