"""Mean average precision (MAP) of a ranking of evaluation.txt, as rulerank's Progress page states it.

    python measure.py [scores.txt [evaluation.txt]]

scores.txt holds one number per line of evaluation.txt, in its order, from any trainer; higher is better. Without it,
the scores of the campaign's own ranker are measured: evaluation-scores.txt, if the bundle has it. Needs numpy.
A grade of 1 or more is relevant, and a query without a relevant document counts as 0.
"""

import os
import sys

import numpy as np

CONVENTION = "letor"  # of the campaign: "trec" is trec_eval; the others (letor, letor3, letor4) are LETOR's scripts


def read_evaluation(path: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the grade and the query of each line of a LETOR file."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        words = [line.split(None, 2)[:2] for line in file]
    return np.array([int(grade) for grade, _ in words]), np.array([query for _, query in words], dtype=object)


def average_precision(grades: np.ndarray) -> float:
    """Return the mean, over the relevant documents, of the precision at their places; `grades` in ranked order."""
    hits, total = 0, 0.0
    for place, grade in enumerate(grades, 1):
        if grade > 0:
            hits += 1
            total += hits / place
    return total / hits if hits else 0.0


def mean_average_precision(grades: np.ndarray, queries: np.ndarray, scores: np.ndarray) -> float:
    """Return the mean over the queries of the average precision."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape != grades.shape or not np.isfinite(scores).all():
        raise SystemExit(f"{len(grades)} finite scores are needed, one per line of the evaluation set")
    rows = np.arange(len(scores))
    if CONVENTION == "trec":  # it keeps 32 bits of a score, and puts the later of equal ones first
        scores, rows = scores.astype(np.float32), -rows
    found = []
    for query in dict.fromkeys(queries):
        own = np.flatnonzero(queries == query)
        found.append(average_precision(grades[own[np.lexsort((rows[own], -scores[own]))]]))
    return float(np.mean(found))


if __name__ == "__main__":
    files = [*sys.argv[1:], *("evaluation-scores.txt", "evaluation.txt")[len(sys.argv) - 1 :]]
    if len(files) != 2 or not os.path.exists(files[0]):
        raise SystemExit(__doc__)
    given = np.loadtxt(files[0], ndmin=1)
    print(f"MAP {mean_average_precision(*read_evaluation(files[1]), given):.10f} ({CONVENTION})")
