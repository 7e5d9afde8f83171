"""Samplers: which document to label next. One file each, all on the interface of `Sampler`."""

from rulerank.sampling.base import FOR_PAIRS, RECOMMENDED, Sampler
from rulerank.sampling.cover import Cover
from rulerank.sampling.elo_dcg import ELODCG
from rulerank.sampling.fewest_occurrences import FewestOccurrences
from rulerank.sampling.k_center import KCenter
from rulerank.sampling.model_based import Committee, Uncertainty
from rulerank.sampling.random_order import QueryStratifiedRandom, Random
from rulerank.sampling.selection import Run, Selection
from rulerank.sampling.ssar import SSAR
from rulerank.sampling.ssar_even import SSAREven
from rulerank.sampling.ssar_queries import SSARQueries
from rulerank.sampling.ssar_turns import SSARTurns
from rulerank.sampling.ssarp import SSARP
from rulerank.sampling.top_feature import TopFeature

__all__ = [
    "ELODCG",
    "FOR_PAIRS",
    "RECOMMENDED",
    "SSAR",
    "SSARP",
    "Committee",
    "Cover",
    "FewestOccurrences",
    "KCenter",
    "QueryStratifiedRandom",
    "Random",
    "Run",
    "SSAREven",
    "SSARQueries",
    "SSARTurns",
    "Sampler",
    "Selection",
    "TopFeature",
    "Uncertainty",
]
