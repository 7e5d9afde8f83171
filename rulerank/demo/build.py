"""The demo collection: questions about Python, documents from its standard library, our judgements and guidelines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rulerank.collection import Collection
from rulerank.demo.questions import grades_of, read_questions
from rulerank.demo.stdlib import gather_documents
from rulerank.text import QueryText, Texts, compute_features

GRADE_NAMES = ("not relevant", "related", "answers it")

GRADE_MEANINGS = (
    "Does not help with the question, even if it shares words or a module with it.",
    "Part of the way: a step beside the main one, a close variant, the exact opposite, or the module to look into.",
    "Answers the question: calling it, perhaps in a loop, does what the need describes.",
)

GRADE_EXAMPLES = (
    '"compress a folder into a zip file": zipfile.ZipFile.printdir is about zip files, but packs nothing.',
    '"compress a folder into a zip file": zipfile.ZipFile.extractall does the exact opposite.',
    '"compress a folder into a zip file": shutil.make_archive does it in one call.',
)

GUIDELINES = """\
Each card shows a **question** about Python with the **need** behind it, and one **document**: a module, function, class
or method of the standard library, with its signature and its documentation.

Ask yourself: *if I had this need and found this document, would I be done?*

| grade | name | when |
| --- | --- | --- |
| 2 | answers it | Calling it, perhaps in a loop, does what the need describes. |
| 1 | related | A step beside the main one, a close variant, the exact opposite, or the module to look into. |
| 0 | not relevant | It does not help, even if it shares words or a module with the question. |

- Judge by **what the document says**; use what you know of Python to understand it, not to add to it.
- The **need** decides, not the wording of the question.
- Several documents may answer a question: grade each as if it were the only one found.
- A module whose text shows how to do it answers the question; one that only covers the subject is related.
- A function that newer code would avoid still answers, if it does the job.
- Between two grades, take the **lower** one.
- If the text cannot be judged, say *can't tell* rather than guess.
"""

EVERY = 3
"""Every third question, with all its documents, is kept back for the evaluation."""

SEED = 1
"""Of the demo's campaign, a typical one: of the seeds 0 to 20, the one whose run has the median (docs/demo.md)."""

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
    seed: int  # of the campaign's sampler


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
        known = grades_of(question)
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
        seed=SEED,
    )
