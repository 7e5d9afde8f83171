"""Items, the rule index and its counts, confidence sums, explanations and the rule cache."""

from rulerank.rules.cache import CachedMiner, RuleCache
from rulerank.rules.index import RuleIndex
from rulerank.rules.pool_scores import PoolScores
from rulerank.rules.rule import Explanation, Rule, mine_document

__all__ = ["CachedMiner", "Explanation", "PoolScores", "Rule", "RuleCache", "RuleIndex", "mine_document"]
