"""Small collections with everything that is awkward to write, and the pieces of an export that tests look at."""

from __future__ import annotations

import io
import zipfile

import numpy as np
from hypothesis import strategies as st

from rulerank.collection import Collection
from rulerank.letor import read_letor

AWKWARD = """\
0 qid:10 1:0.5 2:NULL 4:-0 #docid = d1 rest
2 qid:10 1:1e-07 2:3 3:0.1 4:7
-1 qid:10 1:1 2:2 3:3 4:4 #docid = skipped
1 qid:q,"x 1:0.30000000000000004 3:2 #docid = d,"1 # more
0 qid:q,"x #docid = nothing
-1 qid:only-unlabelled 1:5 #x
1 qid:7 2:1e+300 4:NULL
1 qid:8 1:2 2:2 3:2 4:2 #docid = d1
"""
NAMES = ("BM25", 'tf, "body"', "idf", "a\tb\nc")

EVENTS = [
    {"event": "label", "document": 3, "grade": 2, "note": 'a, "b"\r\nc', "at": "2024-05-01T10:00:00"},
    {"event": "undo", "document": 3, "extra": {"why": ["x", None, 1.5]}},
    {"event": "label", "document": 4, "grade": 0, "note": "\u2028 שלום 🙂 \ud800", "sure": True},
]


def awkward() -> Collection:
    return read_letor(io.BytesIO(AWKWARD.encode())).with_feature_names(NAMES)


def plain(queries=8, documents=6, features=4, seed=0) -> Collection:
    """Whole-number qids, docids, every feature given, all graded."""
    rng = np.random.default_rng(seed)
    rows = queries * documents
    return Collection.from_arrays(
        np.round(rng.normal(size=(rows, features)), 3),
        np.repeat(np.arange(1, queries + 1), documents),
        rng.integers(0, 3, rows),
        docids=[f"d{row}" for row in range(rows)],
        feature_names=[f"f{number}" for number in range(features)],
    )


@st.composite
def collections(draw):
    """Collections with any floats, missing values, qids and docids, at least three queries of them graded."""
    width = draw(st.integers(1, 4))
    value = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.just(float("nan")), st.integers(-3, 3))
    rows = draw(st.lists(st.lists(value, min_size=width, max_size=width), min_size=3, max_size=12))
    qids = ["1", "2", "x:,é", *draw(st.lists(st.sampled_from(["1", "2", "x:,é", '"']), min_size=9, max_size=9))]
    grades = [1, 0, 2, *draw(st.lists(st.integers(-1, 3), min_size=9, max_size=9))]
    comments = draw(st.lists(st.sampled_from(["", "docid = a", "docid = b", " odd # one"]), min_size=12, max_size=12))
    size = len(rows)
    return Collection.from_arrays(np.array(rows, dtype=float), qids[:size], grades[:size], comments=comments[:size])


def unpacked(bundle: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
