"""Benchmark of the export: everything at once, read back, against one plain file of a peer."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rulerank.bench.timing import Result, turns
from rulerank.export import make_bundle
from rulerank.synthetic import planted_collection

QUERIES, DOCUMENTS, FEATURES = 625, 80, 46
MOST_SECONDS = 2.0


def bundles() -> Iterator[Result]:
    """Make a bundle of 50,000 documents in all formats, with a log of as many labels."""
    made = planted_collection(QUERIES, DOCUMENTS, FEATURES)
    values, grades, query = (part.copy() for part in (made.features, made.grades, made.query_index))
    log = [
        {"id": row + 1, "at": "2024-05-01T10:00:00+00:00", "kind": "grade", "person": "Ann", "qid": qid, "docid": docid,
         "row": row + 1, "grade": grade, "text": None, "undoes": None, "seconds": 1.5}
        for row, (qid, docid, grade) in enumerate(zip(made.qids, made.docids, grades.tolist(), strict=True))
    ]  # fmt: skip

    def ours() -> None:
        make_bundle(made, log)

    what = f"bundle of {len(made):,} x {FEATURES} in all formats with {len(log):,} events, checked"
    goal = f"under {MOST_SECONDS:g} s"
    try:
        from sklearn.datasets import dump_svmlight_file  # noqa: PLC0415  (a peer)
    except ImportError:
        (seconds,) = turns(ours, rounds=3)
        yield Result("export", what, f"{seconds:.2f} s", goal, seconds < MOST_SECONDS)
        return

    def dump() -> None:
        dump_svmlight_file(values, grades, io.BytesIO(), zero_based=False, query_id=query)

    seconds, theirs = turns(ours, dump, rounds=3)
    yield Result(
        "export",
        f"{what}: {seconds / theirs:.2f}x the time in which scikit-learn writes one svmlight file",
        f"{seconds:.2f} s",
        goal,
        seconds < MOST_SECONDS,
    )
