"""Features of query-document pairs, computed from their texts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rulerank.errors import InputError
from rulerank.text.features.registry import text_features
from rulerank.text.matches import Floats, match
from rulerank.text.tokens import query_terms, tokenise
from rulerank.texts import Texts

FIELDS = ("title", "body", "whole")


def compute_features(texts: Texts, pairs: Iterable[tuple[str, str]]) -> tuple[Floats, tuple[str, ...]]:
    """Return a matrix [pairs, features] for pairs (qid, docid), and the features' names, such as "BM25(title)".

    Every registered text feature is computed for the title, for the body, and for both as one text. A query is its text
    and its need together, as LETOR has it for OHSUMED (title and description). How rare a term is, and how long a text
    usually is, is taken from all documents in `texts`, not from those in the pairs alone.
    """
    chosen = list(pairs)
    for qid, docid in chosen:
        if qid not in texts.queries:
            raise InputError(f"query {qid!r} has no text; add it to the texts' queries, or leave its pairs out")
        if docid not in texts.documents:
            raise InputError(f"document {docid!r} has no text; add it to the texts' documents, or leave it out")
    places = {qid: place for place, qid in enumerate(dict.fromkeys(qid for qid, _ in chosen))}
    asked = [texts.queries[qid] for qid in places]
    queries = [query_terms(f"{query.text}\n{query.need}") for query in asked]
    numbered = [(places[qid], docid) for qid, docid in chosen]

    titles = {docid: tokenise(document.title) for docid, document in texts.documents.items()}
    bodies = {docid: tokenise(document.body) for docid, document in texts.documents.items()}
    wholes = {docid: titles[docid] + bodies[docid] for docid in titles}
    # The order of registration depends on which file was imported first; columns must not.
    entries = sorted(text_features, key=lambda entry: entry.name)
    columns, names = [], []
    for field, documents in zip(FIELDS, (titles, bodies, wholes), strict=True):
        matches = match(queries, documents, numbered)
        for entry in entries:
            columns.append(entry.value(matches))
            names.append(f"{entry.label}({field})")
    return np.column_stack(columns).astype(np.float64), tuple(names)
