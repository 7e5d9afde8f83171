"""Discretizers: they turn feature values into items (feature j, bin b), the words that rules are made of.

Each discretizer is one file that registers itself. All share the manners of `Discretizer`: `fit`,
`transform`, `edges_` with both outer edges, and a value that equals an edge goes to the bin on its left.
"""

from rulerank.discretize.base import Discretizer, informative_features
from rulerank.discretize.equal_bins import EqualFrequency, EqualWidth
from rulerank.discretize.items import items_of, useful_items
from rulerank.discretize.mdlp import MDLP
from rulerank.discretize.tube import Tube, log_likelihood

__all__ = [
    "MDLP",
    "Discretizer",
    "EqualFrequency",
    "EqualWidth",
    "Tube",
    "informative_features",
    "items_of",
    "log_likelihood",
    "useful_items",
]
