"""The query-document rows of one LETOR data set: immutable arrays with a content hash."""

from rulerank.collection.codes import ABSENT, NULL, PRESENT, UNLABELLED
from rulerank.collection.collection import Collection
from rulerank.collection.normalise import normalise_by_query
from rulerank.collection.warnings import PossiblyCutOff, RegroupedQueries

__all__ = [
    "ABSENT",
    "NULL",
    "PRESENT",
    "UNLABELLED",
    "Collection",
    "PossiblyCutOff",
    "RegroupedQueries",
    "normalise_by_query",
]
