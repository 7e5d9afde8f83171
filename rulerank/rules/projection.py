"""A document's rules, mined on demand from its projection (Algorithm 2 of Learning to Rank at Query-Time)."""

from __future__ import annotations

import numpy as np

from rulerank.rules.items import Ints, Items, as_document, as_grades, as_items
from rulerank.rules.rule import Rule


def mine_document(
    document: Items,
    items: Items,
    grades: Ints,
    *,
    max_antecedent: int = 2,
    min_support: int = 1,
    min_confidence: float = 0.001,
) -> list[Rule]:
    """Return every rule whose antecedent lies within `document`, from the labelled `items` and `grades`.

    The projection keeps, of each labelled document, the features on which it equals `document`; the supports of all
    pairs of features are one matrix product a grade, and those of all triples one product a feature and grade.
    """
    items = as_items(items)
    document = as_document(document, features=items.shape[1])
    grades = as_grades(grades, len(items))
    shared = items == document
    levels = np.unique(grades)
    parts = [shared[grades == level].astype(np.float32) for level in levels]
    pairs = np.stack([part.T @ part for part in parts]) if parts else np.zeros((0, document.size, document.size))
    rules: list[Rule] = []

    def enter(features: tuple[int, ...], supports: np.ndarray) -> None:
        total = int(supports.sum())
        for level, support in zip(levels, supports.astype(np.int64), strict=True):
            if support >= max(1, min_support) and support / total >= min_confidence:
                held = tuple((feature, int(document[feature])) for feature in features)
                rules.append(Rule(held, int(level), int(support), int(support) / total))

    width = document.size
    for i in range(width):
        if not (pairs[:, i, i].any() if len(levels) else False):
            continue
        enter((i,), pairs[:, i, i])
        if max_antecedent < 2:
            continue
        thirds = None
        if max_antecedent >= 3:
            held = [part[part[:, i] > 0] for part in parts]
            thirds = np.stack([part.T @ part for part in held])
        for j in range(i + 1, width):
            if not pairs[:, i, j].any():
                continue
            enter((i, j), pairs[:, i, j])
            if thirds is not None:
                for k in range(j + 1, width):
                    if thirds[:, j, k].any():
                        enter((i, j, k), thirds[:, j, k])
    return rules
