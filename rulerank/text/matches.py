"""How the terms of queries occur in the fields of documents: the numbers that every text feature is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rulerank.text.corpus import Corpus, count_hits, find_hits, idf_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Matches:
    """Counts of one field for many query-document pairs; arrays have one entry per pair, or per pair and query term.

    The terms of a query are distinct: one that it repeats has one entry, and `asked` says how often. In every sum a
    term counts as often as the query says it, as in Lucene: long queries repeat what they are about. Hits are the words
    of the field that are terms of the query, in the order of pairs, and of words within a pair.
    """

    pair: Ints  # of each pair and term: the pair's place
    tf: Floats  # of each pair and term: how often the term occurs in the field
    asked: Floats  # of each pair and term: how often the query says the term
    first: Floats  # of each pair and term: words before its first occurrence; infinite if there is none
    df: Floats  # of each pair and term: number of documents whose field holds the term
    cf: Floats  # of each pair and term: how often the term occurs in the field of all documents
    length: Floats  # of each pair: words in the field
    distinct: Floats  # of each pair: different terms in the field
    norm: Floats  # of each pair: length of the field as a vector of (1 + ln tf) idf
    hit_starts: Ints  # of each pair: its first hit; and the number of hits at the end
    hit_term: npt.NDArray[np.int32]  # of each hit: which of the query's terms it is, from 0
    hit_at: npt.NDArray[np.int32]  # of each hit: words before it
    documents: int  # of the whole collection
    all_words: int  # in the field of all documents

    def total(self, values: Floats) -> Floats:
        """Return the sum over the words of each pair's query."""
        return self.once(self.asked * values)

    def once(self, values: Floats) -> Floats:
        """Return the sum over the different terms of each pair's query."""
        sums: Floats = np.bincount(self.pair, weights=values, minlength=len(self.length)).astype(np.float64)
        return sums

    @cached_property
    def terms(self) -> Floats:
        """Number of words of each pair's query."""
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
        return idf_of(self.df, self.documents)

    @cached_property
    def background(self) -> Floats:
        """p(term | collection): the term's share of all words of the field."""
        return self.cf / max(self.all_words, 1)

    @cached_property
    def neighbours(self) -> tuple[Ints, Ints, Ints]:
        """Each two hits of a pair with no other between them: the pair, the first hit's number, the words apart.

        A distance of 1 means that one word follows the other at once.
        """
        of_hit = np.repeat(np.arange(len(self.length)), np.diff(self.hit_starts))
        left = np.flatnonzero(of_hit[1:] == of_hit[:-1])
        return of_hit[left], left, (self.hit_at[left + 1] - self.hit_at[left]).astype(np.int64)


def match(corpus: Corpus, field: str, queries: Sequence[Sequence[str]], query: Ints, document: Ints) -> Matches:
    """Count the terms of `queries` in one field, for pairs of places in `queries` and in the corpus."""
    begins, ends = corpus.bounds(field)
    counts = corpus.counts(field)
    distinct = [Counter(terms) for terms in queries]
    asked = np.array([often for terms in distinct for often in terms.values()], np.float64)
    sizes = np.array([len(terms) for terms in distinct], np.int64)
    query_starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    numbers = corpus.numbers(tuple(term for terms in distinct for term in terms))
    where = (corpus.tokens, begins, ends, query, document, query_starts, numbers, len(corpus.vocabulary))
    hit_starts = np.concatenate([[0], np.cumsum(count_hits(*where))]).astype(np.int64)
    hit_term = np.empty(int(hit_starts[-1]), np.int32)
    hit_at = np.empty_like(hit_term)
    find_hits(*where, hit_starts, hit_term, hit_at)

    # One entry per pair and term: the entries of a pair stand together, in the order of its query's terms.
    widths = sizes[query]
    entry_starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    pair = np.repeat(np.arange(query.size), widths)
    term = np.arange(int(entry_starts[-1])) - entry_starts[pair]
    place = query_starts[query[pair]] + term
    number = numbers[place]
    known = number >= 0
    entry = np.repeat(entry_starts[:-1], np.diff(hit_starts)) + hit_term
    first = np.full(pair.size, np.inf)
    np.minimum.at(first, entry, hit_at.astype(np.float64))
    df, cf = np.zeros(pair.size), np.zeros(pair.size)
    df[known], cf[known] = counts.df[number[known]], counts.cf[number[known]]
    return Matches(
        pair=pair,
        tf=np.bincount(entry, minlength=pair.size).astype(np.float64),
        asked=asked[place],
        first=first,
        df=df,
        cf=cf,
        length=counts.length[document].astype(np.float64),
        distinct=counts.distinct[document].astype(np.float64),
        norm=counts.norm[document],
        hit_starts=hit_starts,
        hit_term=hit_term,
        hit_at=hit_at,
        documents=len(corpus),
        all_words=int(counts.length.sum()),
    )
