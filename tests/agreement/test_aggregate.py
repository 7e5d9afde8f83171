"""One grade from several: majority, median, adjudication, and how ties fall."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from agreement_reference import columns, several_grades
from hypothesis import given
from hypothesis import strategies as st

from rulerank.agreement import RULES, aggregate
from rulerank.errors import InputError


def of_one(grades, rule):
    people = range(len(grades))
    return aggregate(["d"] * len(grades), people, grades, rule).get("d")


@pytest.mark.parametrize(
    ("grades", "majority", "median", "agreed"),
    [
        ([2], 2, 2, 2),
        ([1, 1, 1], 1, 1, 1),
        ([0, 2], 0, 0, None),
        ([2, 0], 0, 0, None),
        ([0, 1, 2], 1, 1, None),
        ([0, 2, 2], 2, 2, None),
        ([0, 0, 2, 2], 0, 0, None),
        ([0, 0, 1, 2, 2], 0, 1, None),
        ([0, 1, 2, 3], 1, 1, None),
        ([3, 3, 0, 1, 2], 3, 2, None),
    ],
)
def test_the_rules(grades, majority, median, agreed):
    assert of_one(grades, "majority") == majority
    assert of_one(grades, "median") == median
    assert of_one(grades, "adjudication") == agreed


@pytest.mark.parametrize("rule", RULES)
@given(rows=several_grades(), final=st.dictionaries(st.integers(0, 12), st.integers(0, 4), max_size=4))
def test_what_holds_for_every_rule(rule, rows, final):
    found = aggregate(*columns(rows), rule, final)
    given_to = {}
    for unit, _, grade in rows:
        given_to.setdefault(unit, []).append(grade)
    assert all(found[unit] == grade for unit, grade in final.items())
    for unit, grades in given_to.items():
        if unit in final:
            continue
        if len(set(grades)) == 1:
            assert found[unit] == grades[0]
        elif rule == "adjudication":
            assert unit not in found
        else:
            assert found[unit] in grades
        if rule == "majority":
            assert Counter(grades)[found[unit]] == max(Counter(grades).values())
        if rule == "median":
            assert found[unit] == np.quantile(grades, 0.5, method="lower")
    assert set(found) <= set(given_to) | set(final)
    # First seen first, then what was only adjudicated.
    assert list(found) == [u for u in [*given_to, *(u for u in final if u not in given_to)] if u in found]
    assert aggregate(*columns(sorted(rows)), rule, final) == found


def test_bad_rules_and_grades_are_refused():
    with pytest.raises(InputError, match="majority, median, adjudication"):
        aggregate([1], ["a"], [0], "mean")
    with pytest.raises(InputError, match="whole number"):
        aggregate([1], ["a"], [0], adjudicated={1: -1})
    assert aggregate([], [], []) == {}
