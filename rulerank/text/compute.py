"""Features of query-document pairs, computed from their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError
from rulerank.progress import Progress, silent
from rulerank.strategy import Strategy
from rulerank.text.analyser import Words
from rulerank.text.corpus import FIELDS, Corpus
from rulerank.text.features import SETTLED, text_features
from rulerank.text.matches import Floats, match
from rulerank.text.texts import QueryText, Texts
from rulerank.text.tokens import Identifiers

ENTRIES_AT_ONCE = 1 << 22  # words of the documents that are matched at the same time: bounds the memory


def compute_features(
    texts: Texts, pairs: Iterable[tuple[str, str]], *, analyser: Words | None = None, features: Sequence[str] = ()
) -> tuple[Floats, tuple[str, ...]]:
    """Return a matrix [pairs, features] for pairs (qid, docid), and the features' names, such as "BM25(title)".

    Every registered text feature (or those in `features`, also as `bm25:k1=0.9`) is computed for the title, for the
    body, and for both as one text. A query is its text and its need together, as LETOR has it for OHSUMED (title and
    description), and says each of its terms once. How rare a term is, and how long a text usually is, is taken from all
    documents in `texts`, not from those in the pairs alone. Without an analyser, texts are taken to be about programs:
    identifiers are split, English is stemmed.
    """
    chosen = list(pairs)
    for qid, docid in chosen:
        if qid not in texts.queries:
            raise InputError(f"query {qid!r} has no text; add it to the texts' queries, or leave its pairs out")
        if docid not in texts.documents:
            raise InputError(f"document {docid!r} has no text; add it to the texts' documents, or leave it out")
    words = analyser or Identifiers()
    asked = {
        qid: tuple(dict.fromkeys(words.query_words(whole_query(texts.queries[qid]))))
        for qid in dict.fromkeys(q for q, _ in chosen)
    }
    return features_of(Corpus.build(texts.documents, words), asked, chosen, features=features)


def whole_query(query: QueryText) -> str:
    """Return what a query asks in one text: what it says, and the need behind it."""
    return f"{query.text}\n{query.need}"


def features_of(
    corpus: Corpus,
    queries: Mapping[str, Sequence[str]],
    pairs: Sequence[tuple[str, str]],
    *,
    features: Sequence[str] = (),
    fields: Sequence[str] = FIELDS,
    progress: Progress = silent,
) -> tuple[Floats, tuple[str, ...]]:
    """Return the features of pairs (qid, docid), for documents of a corpus and the terms of queries (repeats count).

    `progress(done, total)` counts pairs and may raise to stop.
    """
    places = {qid: place for place, qid in enumerate(queries)}
    terms = list(queries.values())
    query = np.array([places[qid] for qid, _ in pairs], np.int64)
    document = np.array([corpus.places[docid] for _, docid in pairs], np.int64)
    columns = _columns(features, fields)
    names = tuple(f"{feature.label(text_features)}({field})" for field, feature in columns)
    matrix = np.empty((len(pairs), len(names)))
    longest = max(map(len, terms), default=1)
    words = np.diff(corpus.starts)[document]
    for some in _batches(np.maximum(words, longest)):
        progress(some.start, len(pairs))
        for field in fields:
            matches = match(corpus, field, terms, query[some], document[some])
            for column, (of, feature) in enumerate(columns):
                if of == field:
                    matrix[some, column] = text_features[feature.name](matches, **feature.params)
    return matrix, names


def _batches(sizes: npt.NDArray[np.int64]) -> Iterator[slice]:
    """Divide pairs into runs whose sizes add up to a bounded number; a pair that is larger comes alone."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + ENTRIES_AT_ONCE, side="right")), start + 1)
        yield slice(start, stop)
        start = stop


def _columns(keys: Sequence[str], fields: Sequence[str]) -> list[tuple[str, Strategy]]:
    """Return the field and feature of every column, for the features asked for by name or key (none: all).

    First the settled ones, field by field, then all others: a feature that is added moves no number of the others. One
    with other parameters than the usual ones is another feature, and comes behind.
    """
    chosen = {each.key: each for each in map(text_feature, keys or text_features.names())}
    settled = [chosen[name] for name in SETTLED if name in chosen]
    others = [chosen[key] for key in sorted(chosen) if key not in SETTLED]
    return [(field, feature) for some in (settled, others) for field in fields for feature in some]


def text_feature(text: str | Strategy) -> Strategy:
    """Read a text feature, such as `bm25` or `bm25:k1=0.9`; parameters with their usual values are left out.

    >>> text_feature("bm25:b=0.75:k1=0.9").key
    'bm25:k1=0.9'
    """
    asked = Strategy.from_dict(text).check(text_features)
    if asked.seeds is not None:
        raise InputError(f"{asked.name}: a text feature has no seeds")
    usual = Strategy(asked.name).values(text_features)
    return Strategy(asked.name, {name: value for name, value in asked.params.items() if value != usual[name]})
