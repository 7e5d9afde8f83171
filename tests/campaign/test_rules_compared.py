"""What rules would change: what an export by each of them holds, by any process, in any order of the log."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.agreement import MODELS, RULES, aggregate
from rulerank.campaign import Course, Kind, LabelEvent, LogFold, Settings
from rulerank.campaign.agreement import Grades
from rulerank.campaign.rules_compared import compare_rules


def folded(rows, rule):
    fold = LogFold(Course(Settings(aggregation=rule)))
    for number, (row, person, grade) in enumerate(rows, 1):
        fold.apply(LabelEvent(Kind.GRADE, row, person, grade, id=number))
    return fold


def columns(fold):
    return [[each[k] for each in fold.table()] for k in range(3)]


def some_rows(seed=2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 60)
    return [
        (row, person, int(np.clip(truth[row] + rng.choice([-1, 0, 0, 0, 1]), 0, 2)))
        for row in range(60)
        for person in (1, 2, 3)
    ]


@pytest.mark.parametrize("rule", MODELS)
def test_labelling_goes_by_the_median_and_export_by_the_model(rule):
    rows = some_rows()
    fold = folded(rows, rule)
    assert fold.current() == folded(rows, "median").current()
    final = aggregate(*columns(fold), rule)
    assert final != fold.current()
    mixed = rows.copy()
    random.Random(4).shuffle(mixed)
    assert aggregate(*columns(folded(mixed, rule)), rule) == final


@given(
    cells=st.dictionaries(st.tuples(st.integers(0, 6), st.integers(1, 4)), st.integers(0, 2), min_size=1, max_size=20),
    settled=st.dictionaries(st.integers(0, 8), st.integers(0, 2), max_size=3),
    now=st.sampled_from(list(RULES)),
)
@examples(40)
def test_the_comparison_is_what_each_rule_gives(cells, settled, now):
    rows = [(row, person, grade) for (row, person), grade in sorted(cells.items())]
    units, people, grades = (tuple(each) for each in zip(*rows, strict=True))
    compared = compare_rules(Grades(units, people, grades, 1, settled), now)
    known = {row: grade for row, grade in settled.items() if row in units}
    results = {rule: aggregate(units, people, grades, rule, known) for rule in RULES}
    for rule in RULES:
        differ = {row for row in units if results[rule].get(row) != results[now].get(row)}
        assert {each.row for each in compared.of(rule)} == differ
        assert compared.other(rule) + compared.without(rule) == len(differ)
    for each in compared.changes:
        assert each.by_rule == {rule: results[rule].get(each.row) for rule in RULES}
        assert each.given == {person: grade for row, person, grade in rows if row == each.row}


def test_a_change_to_a_model_and_back_is_taken_up_by_settings():
    assert replace(Settings(), aggregation="ordered").to_dict()["aggregation"] == "ordered"
    assert Settings.from_dict({**Settings().to_dict(), "aggregation": "dawid_skene"}).aggregation == "dawid_skene"
