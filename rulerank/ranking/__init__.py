"""Associative rankers: one file each, on scikit-learn's `fit` / `predict` / `get_params`."""

from rulerank.ranking.base import RECOMMENDED, RuleRanker, Terms
from rulerank.ranking.eager import EagerRules
from rulerank.ranking.lrar import LRAR
from rulerank.ranking.lrar_items import LRARItems
from rulerank.ranking.query_level import QueryLevelRules
from rulerank.ranking.query_terms import QueryTermRules
from rulerank.ranking.smooth_items import SmoothItems
from rulerank.ranking.stable import StableRules
from rulerank.ranking.threshold_rules import Effect, ThresholdRules
from rulerank.ranking.weighted_items import WeightedItems

__all__ = [
    "LRAR",
    "RECOMMENDED",
    "EagerRules",
    "Effect",
    "LRARItems",
    "QueryLevelRules",
    "QueryTermRules",
    "RuleRanker",
    "SmoothItems",
    "StableRules",
    "Terms",
    "ThresholdRules",
    "WeightedItems",
]
