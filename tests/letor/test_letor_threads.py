"""The writer's text does not depend on how many threads write it, nor on how the rows are dealt to them."""

from __future__ import annotations

import io

import numpy as np
import pytest

from rulerank.collection import Collection
from rulerank.letor import read_letor, write, write_letor


@pytest.mark.parametrize("threads", ["1", "2", "3"])
@pytest.mark.parametrize(("values", "steps"), [(1 << 14, 64), (64, 2), (1, 5)])
def test_rows_stay_in_order(threads, values, steps, monkeypatch):
    monkeypatch.setenv("RULERANK_THREADS", threads)
    monkeypatch.setattr(write, "VALUES_AT_ONCE", values)
    monkeypatch.setattr(write, "STEPS_AT_ONCE", steps)
    rng = np.random.default_rng(0)
    features = rng.normal(size=(301, 5))
    features[::7, 2] *= 1e-200  # left to Python
    features[::11, 3] = np.nan
    qids = np.repeat(np.arange(43), 7)
    collection = Collection.from_arrays(features, qids, rng.integers(-1, 3, 301), docids=map(str, range(301)))
    out = io.BytesIO()
    write_letor(collection, out)
    lines = []
    for row in range(301):
        cells = ["NULL" if np.isnan(value) else repr(float(value)) for value in features[row]]
        pairs = " ".join(f"{number}:{cell}" for number, cell in enumerate(cells, 1))
        lines.append(f"{collection.grades[row]} qid:{qids[row]} {pairs} #docid = {row}\n")
    assert out.getvalue().decode() == "".join(lines)
    assert read_letor(io.BytesIO(out.getvalue())) == collection
