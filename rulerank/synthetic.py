"""Made-up collections with the answer planted in them, for the demo, the benchmarks and tests."""

from __future__ import annotations

import numpy as np

from rulerank.collection import Collection, normalise_by_query
from rulerank.rules.items import Items


def planted_collection(queries: int = 60, documents: int = 80, features: int = 20, seed: int = 0) -> Collection:
    """Return a collection in which a few features carry the grade and the others are noise.

    A document has a hidden relevance; features 1 to 5 show it with growing noise, features 6 to 10 are functions of
    those (as BM25 is of tf and idf), and the rest say nothing. About 4% of the documents have grade 2, 12% grade 1.
    """
    rng = np.random.default_rng(seed)
    rows = queries * documents
    hidden = rng.normal(size=rows) + np.repeat(rng.normal(scale=0.5, size=queries), documents)
    values = rng.random((rows, features))
    for feature in range(min(5, features)):
        values[:, feature] = hidden + rng.normal(scale=0.6 + 0.4 * feature, size=rows)
    for feature in range(5, min(10, features)):
        values[:, feature] = values[:, feature - 5] * rng.uniform(0.8, 1.2, size=rows)
    grades = np.zeros(rows, np.int64)
    grades[hidden > np.quantile(hidden, 0.84)] = 1
    grades[hidden > np.quantile(hidden, 0.96)] = 2
    qids = np.repeat([str(number) for number in range(1, queries + 1)], documents)
    values = np.round(normalise_by_query(values, np.repeat(np.arange(queries), documents)), 6)
    return Collection.from_arrays(values, qids, grades, docids=(f"d{row}" for row in range(rows)))


def random_items(rows: int, features: int, bins: int = 10, seed: int = 0) -> Items:
    """Return items drawn evenly, documents by features."""
    return np.random.default_rng(seed).integers(0, bins, (rows, features)).astype(np.uint8)
