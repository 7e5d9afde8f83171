"""The demo collection: questions about Python, documents from its standard library, and our own graded judgements."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.collection import Collection
from rulerank.demo.guidelines import GRADE_EXAMPLES, GRADE_MEANINGS, GRADE_NAMES, GUIDELINES
from rulerank.demo.stdlib import gather_documents
from rulerank.text import QueryText, Texts, compute_features

EVERY = 3
"""Every third question, with all its documents, is kept back for the evaluation."""

TITLE = "Python questions"

FEATURES = (
    "bm25", "coverage", "first_match", "idf", "length", "lm_absolute_discounting", "lm_dirichlet", "lm_jelinek_mercer",
    "log_tf", "mean_first_match", "normalised_tf", "tf", "tf_idf", "weighted_coverage",
)  # fmt: skip
"""The text features of the demo, which stays the same when there are new ones."""


@dataclass(frozen=True)
class Demo:
    """A small collection with texts, features and known grades, and what a campaign on it needs."""

    title: str
    collection: Collection  # rows of a query stand together, by docid; a docid is a dotted name
    texts: Texts  # of every question, and of every document that was gathered, pooled or not
    pool_rows: npt.NDArray[np.int64]  # may be labelled; a campaign keeps their grades to itself
    evaluation_rows: npt.NDArray[np.int64]  # every row of other questions: what rankers are measured on
    guidelines: str  # Markdown
    grade_names: tuple[str, ...]
    grade_meanings: tuple[str, ...]
    grade_examples: tuple[str, ...]


def read_questions() -> list[dict[str, Any]]:
    """Return the questions as the repository keeps them: qid, text, need, and docids by grade."""
    return json.loads(files("rulerank.demo").joinpath("questions.json").read_text(encoding="utf-8"))


def build_demo() -> Demo:
    """Gather the documents of this Python and build the collection of all judged pairs that it has.

    The same Python always gives the same collection; another version has other docstrings, and lacks some names.
    It takes about half a second.
    """
    questions = read_questions()
    documents = gather_documents()
    texts = Texts({q["qid"]: QueryText(q["text"], q["need"]) for q in questions}, documents)
    pairs, grades = [], []
    for question in questions:
        known = {docid: int(grade) for grade, docids in question["grades"].items() for docid in docids}
        # By name, so that the order of the rows says nothing about the grades.
        for docid in sorted(known.keys() & documents.keys()):
            pairs.append((question["qid"], docid))
            grades.append(known[docid])
    features, names = compute_features(texts, pairs, features=FEATURES)
    collection = Collection.from_arrays(
        features,
        [qid for qid, _ in pairs],
        grades,
        docids=[docid for _, docid in pairs],
        feature_names=names,
    )
    kept_back = collection.query_index % EVERY == EVERY - 1
    return Demo(
        title=TITLE,
        collection=collection,
        texts=texts,
        pool_rows=np.flatnonzero(~kept_back),
        evaluation_rows=np.flatnonzero(kept_back),
        guidelines=GUIDELINES,
        grade_names=GRADE_NAMES,
        grade_meanings=GRADE_MEANINGS,
        grade_examples=GRADE_EXAMPLES,
    )
