"""Documents as numbers: every term of every document in one array, and the kernels that read it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError
from rulerank.kernels import kernel
from rulerank.memory import check_memory
from rulerank.progress import Progress, silent
from rulerank.text.analyser import Words
from rulerank.text.texts import DocumentText

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


Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FIELDS = ("title", "body", "whole")
AT_ONCE = 256  # documents between two calls of `progress`
BYTES_PER_WORD = 36  # of a text, with what an index needs at its peak
BYTES_PER_TERM = 500  # of the vocabulary, in every table that has it


@dataclass(frozen=True)
class FieldCounts:
    """What is known of one field over all documents."""

    df: Ints  # of each term: number of documents whose field holds it
    cf: Ints  # of each term: how often it occurs
    length: Ints  # of each document: terms in the field
    distinct: Ints  # of each document: different terms in the field
    norm: Floats  # of each document: its length as a vector of (1 + ln tf) idf


@dataclass(frozen=True)
class Corpus:
    """The terms of documents, as numbers, with the title's before the body's.

    >>> from rulerank.text import Analyser
    >>> corpus = Corpus.build({"d1": DocumentText("Wings", "Lift of a wing")}, Analyser())
    >>> corpus.docids, sorted(corpus.vocabulary)
    (('d1',), ['a', 'lift', 'of', 'wing'])
    """

    places: dict[str, int]  # of each docid
    vocabulary: dict[str, int]  # number of each term
    tokens: npt.NDArray[np.int32]  # of all documents, one after the other
    starts: Ints  # of each document, and the end of the last
    bodies: Ints  # of each document: where its body begins
    _counts: dict[str, FieldCounts] = field(default_factory=dict)

    @classmethod
    def build(cls, documents: Mapping[str, DocumentText], analyser: Words, *, progress: Progress = silent) -> Corpus:
        """Number the terms of documents; `progress(done, total)` counts documents and may raise to stop."""
        vocabulary = _Numbers()
        tokens = array("i")
        starts, bodies = array("q", [0]), array("q")
        for done, document in enumerate(documents.values()):
            if done % AT_ONCE == 0:
                _check_size(len(tokens), len(vocabulary))
                progress(done, len(documents))
            tokens.extend([vocabulary[term] for term in analyser.terms(document.title)])
            bodies.append(len(tokens))
            tokens.extend([vocabulary[term] for term in analyser.terms(document.body)])
            starts.append(len(tokens))
        _check_size(len(tokens), len(vocabulary))
        return cls(
            places={docid: place for place, docid in enumerate(documents)},
            vocabulary=dict(vocabulary),
            tokens=np.frombuffer(tokens, np.int32) if tokens else np.zeros(0, np.int32),
            starts=np.array(starts, np.int64),
            bodies=np.array(bodies, np.int64),
        )

    def __len__(self) -> int:
        return len(self.bodies)

    @cached_property
    def docids(self) -> tuple[str, ...]:
        """The documents' ids, in order."""
        return tuple(self.places)

    def bounds(self, name: str) -> tuple[Ints, Ints]:
        """Return where a field begins and ends in `tokens`, for each document."""
        if name not in FIELDS:
            raise InputError(f"no field is named {name!r}; there are: {', '.join(FIELDS)}")
        return {
            "title": (self.starts[:-1], self.bodies),
            "body": (self.bodies, self.starts[1:]),
            "whole": (self.starts[:-1], self.starts[1:]),
        }[name]

    def counts(self, name: str) -> FieldCounts:
        """Return the counts of a field, made once."""
        if name not in self._counts:
            begins, ends = self.bounds(name)
            df, cf, distinct = count_terms(self.tokens, begins, ends, len(self.vocabulary))
            norm = vector_norms(self.tokens, begins, ends, idf_of(df, len(self)))
            self._counts[name] = FieldCounts(df, cf, ends - begins, distinct, norm)
        return self._counts[name]

    def numbers(self, terms: Sequence[str]) -> Ints:
        """Return the numbers of terms, -1 for one that no document holds."""
        return np.array([self.vocabulary.get(term, -1) for term in terms], np.int64)


def _check_size(words: int, terms: int) -> None:
    """Refuse texts whose index would need too much: measured, it takes several times what the numbers here do."""
    needed = BYTES_PER_WORD * words + BYTES_PER_TERM * terms
    check_memory(needed, f"the index of {words:,} or more words", "bring fewer or shorter documents")


def idf_of(df: npt.NDArray[Any], documents: int) -> Floats:
    """Return the inverse document frequency of terms, ln(1 + (N - df + 0.5) / (df + 0.5)): above 0 for every term."""
    rarity: Floats = np.log1p((documents - df + 0.5) / (df + 0.5))
    return rarity


class _Numbers(dict[str, int]):
    """Numbers terms as they are first asked for."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number
