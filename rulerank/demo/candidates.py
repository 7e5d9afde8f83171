"""Candidates of the demo's questions: which documents were judged, by a rule that anybody can run again.

For each question the first `DEPTH` of all gathered documents by each of the rankings in `RANKINGS`, and whatever was judged
before. `python -m rulerank.demo.candidates` counts the judgements and names the candidates that none has a grade for; with
`--read` it prints these, with the question and the beginning of their documentation, to be judged.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rulerank.demo.questions import grades_of, read_questions
from rulerank.demo.stdlib import gather_documents
from rulerank.text import DocumentText, QueryText, Texts, compute_features

RANKINGS = (("bm25", "BM25(whole)"), ("lm_dirichlet", "LM Dirichlet(whole)"), ("bm25", "BM25(title)"))
"""Text features by name, and the columns whose highest values are candidates."""

DEPTH = 50
EXCERPT = 160


def candidates(
    questions: Sequence[Mapping[str, Any]], documents: Mapping[str, DocumentText], depth: int = DEPTH
) -> dict[str, list[str]]:
    """Return the candidates of each question by its qid, sorted by name, so that their order says nothing of grades.

    A document without any word of the question is no candidate, however few there are; equal values go by name.

    >>> pages = {name: DocumentText(name, text) for name, text in [("a", "zip a file"), ("b", "wait"), ("c", "a zip")]}
    >>> candidates([{"qid": "q", "text": "zip", "need": "", "grades": {}}], pages, depth=5)
    {'q': ['a', 'c']}
    """
    names = sorted(documents)
    texts = Texts({each["qid"]: QueryText(each["text"], each["need"]) for each in questions}, dict(documents))
    pairs = [(each["qid"], name) for each in questions for name in names]
    features = tuple(dict.fromkeys(feature for feature, _ in RANKINGS))
    values, columns = compute_features(texts, pairs, features=(*features, "coverage"))
    shape = (len(questions), len(names))
    held = values[:, columns.index("coverage(whole)")].reshape(shape) > 0
    found: dict[str, list[str]] = {}
    tables = [values[:, columns.index(column)].reshape(shape) for _, column in RANKINGS]
    for place, question in enumerate(questions):
        chosen = {name for name in grades_of(question) if name in documents}
        for table in tables:
            order = np.argsort(-table[place], kind="stable")
            chosen.update(names[document] for document in order[held[place, order]][:depth])
        found[question["qid"]] = sorted(chosen)
    return found
