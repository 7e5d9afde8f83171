"""Candidates of the demo's questions: which documents were judged, by a rule that anybody can run again.

For each question the first `DEPTH` of all gathered documents by each ranking of `RANKINGS`, and whatever was judged
before. `python -m rulerank.demo.candidates` counts the judgements, and prints the candidates that have none yet, each
with the beginning of its documentation, to be judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rulerank.demo.questions import grades_of, read_questions
from rulerank.demo.stdlib import gather_documents
from rulerank.text import DocumentText, QueryText, Texts, compute_features

RANKINGS = (("bm25", "BM25(whole)"), ("lm_dirichlet", "LM Dirichlet(whole)"), ("bm25", "BM25(title)"))
"""Text features by name, and the columns whose highest values are candidates."""

DEPTH = 50
"""Documents that each ranking contributes."""
EXCERPT = 160
"""Letters of a documentation's beginning that are printed."""


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


def report(
    questions: Sequence[Mapping[str, Any]], documents: Mapping[str, DocumentText], depth: int = DEPTH
) -> Iterator[str]:
    """Give the lines of the report: counts, then each question with its candidates that nobody has judged."""
    found = candidates(questions, documents, depth)
    judged = [grade for question in questions for grade in grades_of(question).values()]
    relevant = sum(grade > 0 for grade in judged)
    yield f"{len(judged):,d} judgements of {len(questions)} questions, {relevant} of them relevant"
    for question in questions:
        lacking = [name for name in found[question["qid"]] if name not in grades_of(question)]
        if lacking:
            yield f"\n{question['qid']}: {question['text']} ({question['need']})"
        for name in lacking:
            yield f"  {name}: {' '.join(documents[name].body.split())[:EXCERPT]}"


if __name__ == "__main__":
    print("\n".join(report(read_questions(), gather_documents())))
