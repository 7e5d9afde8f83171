"""Thinned copies: only relevant documents go, as many as were asked for, and the same ones from every fold."""

from __future__ import annotations

import numpy as np
import pytest

from rulerank.errors import InputError
from rulerank.simulate import Dataset
from rulerank.simulate.thin import thinned
from rulerank.synthetic import planted_collection


def planted(queries=8, documents=60, seed=3):
    return Dataset.from_collection(planted_collection(queries, documents, 5, seed=seed), 4, name="planted")


def by_query(part):
    """Every query's documents, as sorted rows of features and grade."""
    rows = np.column_stack([part.features, part.grades])
    return {name: sorted(map(tuple, rows[part.query_index == n])) for n, name in enumerate(part.queries)}


@pytest.mark.parametrize("one_in", [15, 40, 120])
def test_the_density_is_what_was_asked_for(one_in):
    data = thinned(planted(), one_in)
    grades = np.concatenate([split.test.grades for split in data.splits])
    others = (np.concatenate([split.test.grades for split in planted().splits]) == 0).sum()
    assert (grades == 0).sum() == others
    assert (grades > 0).sum() == round(others / (one_in - 1))
    assert data.name == f"planted (1 in {one_in})"
    assert f"{(grades > 0).sum()} of" in data.notes[-1]


def test_every_fold_loses_the_same_documents():
    before, data = planted(), thinned(planted(), 30)
    tests = {}
    for split in data.splits:
        tests |= by_query(split.test)
    for old, split in zip(before.splits, data.splits, strict=True):
        assert split.number == old.number
        for name, rows in by_query(split.pool).items():
            assert rows == tests[name]
            assert set(rows) <= set(by_query(old.pool)[name])


def test_a_thinner_copy_is_part_of_a_thicker_one_and_seeds_differ():
    thick, thin = (thinned(planted(), one_in) for one_in in (20, 60))
    for wide, narrow in zip(thick.splits, thin.splits, strict=True):
        for name, rows in by_query(narrow.test).items():
            assert set(rows) <= set(by_query(wide.test)[name])
    assert thinned(planted(), 20).hash == thick.hash
    assert thinned(planted(), 20, seed=1).hash != thick.hash


def test_what_cannot_be_thinned_is_refused():
    with pytest.raises(InputError, match="2 or more, not in 1"):
        thinned(planted(), 1)
    with pytest.raises(InputError, match="already; it cannot be thinned to one in 2"):
        thinned(planted(), 2)
    with pytest.raises(InputError, match="no relevant document would be left; thin to one in"):
        thinned(planted(), 100_000)
