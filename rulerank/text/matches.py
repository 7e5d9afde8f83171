"""How the terms of queries occur in the fields of documents: the numbers that every text feature is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Matches:
    """Counts of one field for many query-document pairs; arrays have one entry a pair, or one a pair and query term.

    The terms of a query are distinct, so a term that a query repeats counts once.
    """

    pair: Ints  # of each pair and term: the pair's place
    tf: Floats  # of each pair and term: how often the term occurs in the field
    first: Floats  # of each pair and term: words before its first occurrence; infinite if there is none
    df: Floats  # of each pair and term: number of documents whose field holds the term
    cf: Floats  # of each pair and term: how often the term occurs in the field of all documents
    length: Floats  # of each pair: words in the field
    distinct: Floats  # of each pair: different terms in the field
    documents: int  # of the whole collection
    all_words: int  # in the field of all documents

    def total(self, values: Floats) -> Floats:
        """Return the sum over the query's terms of each pair."""
        sums: Floats = np.bincount(self.pair, weights=values, minlength=len(self.length)).astype(np.float64)
        return sums

    @cached_property
    def terms(self) -> Floats:
        """Number of query terms of each pair."""
        return self.total(np.ones(len(self.pair)))

    @cached_property
    def term_length(self) -> Floats:
        """`length`, for each pair and term."""
        return self.length[self.pair]

    @property
    def mean_length(self) -> float:
        """Mean number of words of the field over all documents (above 0, so that it can be divided by)."""
        return max(self.all_words, 1) / max(self.documents, 1)

    @cached_property
    def idf(self) -> Floats:
        """Inverse document frequency of each term, ln(1 + (N - df + 0.5) / (df + 0.5)): above 0 for every term."""
        return np.log1p((self.documents - self.df + 0.5) / (self.df + 0.5))

    @cached_property
    def background(self) -> Floats:
        """p(term | collection): the term's share of all words of the field."""
        return self.cf / max(self.all_words, 1)


def match(
    queries: Sequence[tuple[str, ...]], documents: Mapping[str, list[str]], pairs: Sequence[tuple[int, str]]
) -> Matches:
    """Count the terms of `queries` in one field of `documents` (terms by docid), for pairs (query's place, docid)."""
    wanted = {term for terms in queries for term in terms}
    df, cf = dict.fromkeys(wanted, 0), dict.fromkeys(wanted, 0)
    tfs: dict[str, Counter[str]] = {}
    for docid, terms in documents.items():
        tfs[docid] = tf = Counter(terms)
        for term in tf.keys() & wanted:
            df[term] += 1
            cf[term] += tf[term]
    rows = [
        (
            place,
            tfs[docid].get(term, 0),
            documents[docid].index(term) if term in tfs[docid] else np.inf,
            df[term],
            cf[term],
        )
        for place, (query, docid) in enumerate(pairs)
        for term in queries[query]
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    widths = [(len(documents[docid]), len(tfs[docid])) for _, docid in pairs]
    length, distinct = np.array(widths, dtype=np.float64).reshape(-1, 2).T
    return Matches(
        pair=table[0].astype(np.int64),
        tf=table[1],
        first=table[2],
        df=table[3],
        cf=table[4],
        length=length,
        distinct=distinct,
        documents=len(documents),
        all_words=sum(map(len, documents.values())),
    )
