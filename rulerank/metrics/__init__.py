"""Ranking metrics under named conventions: LETOR's scripts and trec_eval, with expected values over ties."""

from rulerank.metrics.conventions import Convention, conventions
from rulerank.metrics.evaluation import evaluate
from rulerank.metrics.metric import Metric, metric
from rulerank.metrics.rankings import Rankings, rank

__all__ = ["Convention", "Metric", "Rankings", "conventions", "evaluate", "metric", "rank"]
