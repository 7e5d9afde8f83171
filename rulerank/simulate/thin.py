"""Thinned copies of a dataset: relevant documents are taken out until they are as rare as in collections of the web."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rulerank.collection import Collection
from rulerank.errors import InputError
from rulerank.simulate.data import Dataset, Split


def thinned(data: Dataset, one_in: int, seed: int = 0) -> Dataset:
    """Take relevant documents out at random, from pools and test parts alike, until one document in `one_in` is left.

    Samplers that look for what is new are said to gain most where relevant documents are rare; this makes them rare in
    a collection whose other documents stay as they are. A document that is in several folds is taken out of all of them
    or of none, and the draw depends on the queries' names and `seed` alone. Queries may lose all relevant documents:
    metrics then count them 0, whatever the ranker.

    >>> from rulerank.synthetic import planted_collection
    >>> data = Dataset.from_collection(planted_collection(queries=6, documents=50), folds=3)
    >>> thin = thinned(data, one_in=30)
    >>> sum(int((split.test.grades > 0).sum()) for split in thin.splits), thin.notes[-1]
    (9, 'relevant documents thinned to 1 in 30 with seed 0: 9 of 48 are left')
    """
    if one_in < 2:
        raise InputError(f"thin to one relevant document in 2 or more, not in {one_in}")
    draws = _draws(data, seed)
    known = np.concatenate(list(draws.values()))
    relevant, others = int(np.isfinite(known).sum()), int(np.isinf(known).sum())
    kept = round(others / (one_in - 1))
    if kept > relevant:
        density = f"one relevant document in {(relevant + others) / max(relevant, 1):.0f}"
        raise InputError(f"{data.name} has {density} already; it cannot be thinned to one in {one_in}")
    if not kept:
        raise InputError(f"of {data.name} no relevant document would be left; thin to one in {others // 2} at most")
    limit = np.sort(known)[kept - 1]
    splits = [
        Split(each.number, _left(each.pool, draws, limit), _left(each.test, draws, limit)) for each in data.splits
    ]
    if not any((split.test.grades > 0).any() for split in splits):
        raise InputError(f"{data.name}: no test part has a relevant document left; thin it less, or with another seed")
    note = f"relevant documents thinned to 1 in {one_in} with seed {seed}: {kept} of {relevant} are left"
    return replace(data, name=f"{data.name} (1 in {one_in})", splits=tuple(splits), notes=(*data.notes, note))


def _draws(data: Dataset, seed: int) -> dict[str, npt.NDArray[np.float64]]:
    """Return a random number for each relevant document, query by query in the order of rows; infinite for the rest."""
    grades: dict[str, npt.NDArray[np.bool_]] = {}
    for part in (part for split in data.splits for part in (split.test, split.pool)):
        for number, name in enumerate(part.queries):
            if name not in grades:
                grades[name] = part.grades[part.query_index == number] > 0
    rng = np.random.default_rng(seed)
    return {name: np.where(grades[name], rng.random(grades[name].size), np.inf) for name in sorted(grades)}


def _left(part: Collection, draws: dict[str, npt.NDArray[np.float64]], limit: float) -> Collection:
    kept = np.empty(len(part), bool)
    for number, name in enumerate(part.queries):
        drawn = draws[name]
        kept[part.query_index == number] = np.isinf(drawn) | (drawn <= limit)
    return part.select(kept)
