"""Advice: sampler, ranker and how many labels it takes, before the first label and from the labels of a campaign.

from rulerank.advice import PoolFacts, labels_for, recommend

facts = PoolFacts.of(collection)
recommend(facts).sentence
labels_for(facts, share=0.95).sentence
"""

from rulerank.advice.budget import Forecast, checked, labels_for
from rulerank.advice.evidence import Case, MeanCurve, PoolFacts, evidence
from rulerank.advice.later import RankersCompared, compare_rankers, forecast_now
from rulerank.advice.recommend import Recommendation, recommend

__all__ = [
    "Case",
    "Forecast",
    "MeanCurve",
    "PoolFacts",
    "RankersCompared",
    "Recommendation",
    "checked",
    "compare_rankers",
    "evidence",
    "forecast_now",
    "labels_for",
    "recommend",
]
