"""The query-document rows of one LETOR data set: immutable arrays with a content hash."""

from rulerank.collection.collection import Collection
from rulerank.collection.fields import ABSENT, NULL, PRESENT, UNLABELLED, PossiblyCutOff, RegroupedQueries
from rulerank.collection.normalise import normalise_by_query, normalised_by_query

__all__ = [
    "ABSENT",
    "NULL",
    "PRESENT",
    "UNLABELLED",
    "Collection",
    "PossiblyCutOff",
    "RegroupedQueries",
    "normalise_by_query",
    "normalised_by_query",
]
