"""Kernels over the terms of many documents: counts of a field, and where the terms of queries stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulerank.kernels import kernel

Array = Any


@kernel
def count_terms(tokens: Array, begins: Array, ends: Array, terms: int) -> tuple[Array, Array, Array]:
    """Return df and cf of each term, and the number of different terms of each document."""
    df = np.zeros(terms, np.int64)
    cf = np.zeros(terms, np.int64)
    distinct = np.zeros(begins.size, np.int64)
    seen = np.full(terms, -1, np.int64)
    for document in range(begins.size):
        for at in range(begins[document], ends[document]):
            term = tokens[at]
            cf[term] += 1
            if seen[term] != document:
                seen[term] = document
                df[term] += 1
                distinct[document] += 1
    return df, cf, distinct


@kernel
def vector_norms(tokens: Array, begins: Array, ends: Array, idf: Array) -> Array:
    """Return the length of each document as a vector of (1 + ln tf) idf."""
    norms = np.zeros(begins.size)
    tf = np.zeros(idf.size, np.int64)
    for document in range(begins.size):
        for at in range(begins[document], ends[document]):
            tf[tokens[at]] += 1
        total = 0.0
        for at in range(begins[document], ends[document]):
            term = tokens[at]
            if tf[term] > 0:
                total += ((1 + np.log(tf[term])) * idf[term]) ** 2
                tf[term] = 0
        norms[document] = np.sqrt(total)
    return norms


@kernel
def count_hits(
    tokens: Array, begins: Array, ends: Array, query: Array, document: Array, query_starts: Array, query_terms: Array,
    terms: int,
) -> Array:  # fmt: skip
    """Return how many words of each pair's field are terms of its query."""
    wanted = np.zeros(terms, np.bool_)
    hits = np.zeros(query.size, np.int64)
    present = -1
    for pair in range(query.size):
        if query[pair] != present:
            _mark(wanted, present, query_starts, query_terms, False)
            present = query[pair]
            _mark(wanted, present, query_starts, query_terms, True)
        for at in range(begins[document[pair]], ends[document[pair]]):
            hits[pair] += wanted[tokens[at]]
    return hits


@kernel
def _mark(wanted: Array, query: int, query_starts: Array, query_terms: Array, value: bool) -> None:
    if query < 0:
        return
    for place in range(query_starts[query], query_starts[query + 1]):
        if query_terms[place] >= 0:
            wanted[query_terms[place]] = value


@kernel
def find_hits(
    tokens: Array, begins: Array, ends: Array, query: Array, document: Array, query_starts: Array, query_terms: Array,
    terms: int, hit_starts: Array, hit_term: Array, hit_at: Array,
) -> None:  # fmt: skip
    """Write for each hit which of its query's terms it is, and how many words of the field stand before it."""
    which = np.full(terms, -1, np.int32)
    present = -1
    for pair in range(query.size):
        if query[pair] != present:
            if present >= 0:
                for place in range(query_starts[present], query_starts[present + 1]):
                    if query_terms[place] >= 0:
                        which[query_terms[place]] = -1
            present = query[pair]
            for place in range(query_starts[present], query_starts[present + 1]):
                if query_terms[place] >= 0:
                    which[query_terms[place]] = place - query_starts[present]
        begin = begins[document[pair]]
        hit = hit_starts[pair]
        for at in range(begin, ends[document[pair]]):
            term = which[tokens[at]]
            if term >= 0:
                hit_term[hit] = term
                hit_at[hit] = at - begin
                hit += 1


@kernel
def shortest_spans(hit_starts: Array, hit_term: Array, hit_at: Array, most_terms: int) -> Array:
    """Return for each pair the fewest words in a row that hold all of its query's terms that occur; 0 for none."""
    spans = np.zeros(hit_starts.size - 1, np.int64)
    inside = np.zeros(most_terms, np.int64)
    for pair in range(spans.size):
        first, last = hit_starts[pair], hit_starts[pair + 1]
        inside[:] = 0
        missing = 0
        for hit in range(first, last):
            missing += inside[hit_term[hit]] == 0
            inside[hit_term[hit]] = 1
        inside[:] = 0
        left = first
        for hit in range(first, last):
            missing -= inside[hit_term[hit]] == 0
            inside[hit_term[hit]] += 1
            while missing == 0:
                span = hit_at[hit] - hit_at[left] + 1
                if spans[pair] == 0 or span < spans[pair]:
                    spans[pair] = span
                inside[hit_term[left]] -= 1
                missing += inside[hit_term[left]] == 0
                left += 1
    return spans
