"""SSAR: the authors' own selection order, and plain enumeration on pools full of ties."""

from __future__ import annotations

import brute_force
import numpy as np
import pytest
import sampling_reference
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.sampling import SSAR


@pytest.fixture(scope="module")
def authors(golden):
    told = golden("ssar_reference_ohsumed1000.json")
    return told, np.array(told["items"]), np.array(told["labels"])


def test_the_authors_own_selection_order_to_the_stop(authors):
    told, items, grades = authors
    run = SSAR().run(items, grades)
    assert run.order == told["selection_order"]
    assert run.rule_counts == told["rules_of_selected"]
    assert run.stopped_on == told["stopped_on"]
    assert len(run) == len(told["selection_order"])
    assert [selection.row for selection in run.selections] == [*told["selection_order"], told["stopped_on"]]
    assert [selection.stop for selection in run.selections] == [False] * len(run) + [True]


def test_step_by_step_and_after_undos_the_order_is_the_same(authors):
    told, items, grades = authors
    sampler = SSAR().start(items)
    for number, (row, rules) in enumerate(zip(told["selection_order"], told["rules_of_selected"], strict=False)):
        selection = sampler.propose()
        assert (selection.row, selection.rule_count, selection.round) == (row, rules, number + 1)
        if number % 5 == 3:  # a slip, and its undo
            sampler.record(row, 1 - min(1, grades[row]))
            sampler.retract(row)
        sampler.record(row, grades[row])
    assert sampler.propose().stop


@st.composite
def pools(draw):
    shape = draw(st.tuples(st.integers(1, 9), st.integers(1, 4)))
    items = draw(hnp.arrays(np.uint8, shape, elements=st.integers(0, draw(st.integers(0, 3)))))
    return items, draw(hnp.arrays(np.int64, len(items), elements=st.integers(0, 2)))


@given(pool=pools(), size=st.integers(1, 3))
@examples(80)
def test_any_pool_is_sampled_as_by_enumeration(pool, size):
    items, grades = pool
    run = SSAR(max_antecedent=size).run(items, grades)
    assert (run.order, run.rule_counts, run.stopped_on) == sampling_reference.ssar(items, grades, size)


@given(pool=pools())
@examples(30)
def test_beyond_the_stop_every_document_is_named_once(pool):
    items, grades = pool
    sampler = SSAR()
    run = sampler.run(items, grades)
    order = list(run.order)
    while (selection := sampler.propose(beyond=True)) is not None:
        assert not selection.stop
        assert selection.row not in order
        left = [row for row in range(len(items)) if row not in order]
        assert selection.rule_count == min(int(sampler.rule_counts[row]) for row in left)
        order.append(selection.row)
        sampler.record(selection.row, int(grades[selection.row]))
    assert sorted(order) == list(range(len(items)))
    assert sampler.propose().stop


def test_the_reasons_say_what_decided():
    items = np.array([[0, 0], [0, 1], [2, 2], [0, 0]], np.uint8)
    sampler = SSAR().start(items)
    first = sampler.propose()
    assert first.row == 3
    assert dict(first.keys) == {"rules": 0, "occurrence": 5}
    assert "5 occurrences" in first.reason
    sampler.record(3, 1)
    second = sampler.propose()
    assert second.row == 2
    assert dict(second.keys) == {"rules": 0, "occurrence": 2}
    assert "draws 0 rules, the fewest of 4 documents" in second.reason
    sampler.record(2, 0)
    third = sampler.propose()
    assert (third.row, third.rule_count) == (1, 1)
    sampler.record(1, 1)
    stop = sampler.propose()
    assert stop.stop
    assert stop.row == 2
    assert "labelled already" in stop.reason
    assert sampler.rule_counts.tolist() == [3, 3, 3, 3]


def test_a_document_is_explained_as_it_was_chosen():
    items = np.array([[0, 0], [0, 1], [2, 2], [0, 0]], np.uint8)
    sampler = SSAR().start(items)
    for row, grade in ((3, 1), (2, 0), (1, 1)):
        sampler.record(row, grade)
    told = sampler.explain(1)
    assert told.new_items == ((1, 1),)
    found = brute_force.rules(items[1], [(items[3], 1), (items[2], 0)], 2)
    assert {(frozenset(rule.antecedent), rule.grade) for rule in told.rules} == set(found)


def test_excluded_documents_are_passed_over_and_labelled_ones_still_mark_the_stop():
    items = np.array([[0, 0], [0, 1], [2, 2], [0, 0]], np.uint8)
    sampler = SSAR().start(items)
    sampler.exclude(3)
    assert sampler.propose().row == 0
    sampler.record(3, 1)  # a grade from elsewhere still counts
    sampler.exclude(2)
    sampler.exclude(1)
    assert sampler.propose().row == 3  # row 0 ties with it; all else is excluded
    assert sampler.propose().stop
    assert sampler.propose(beyond=True).row == 0
    sampler.exclude(0)
    assert sampler.propose(beyond=True) is None
    everything = SSAR().start(items)
    for row in range(4):
        everything.exclude(row)
    assert everything.propose() is None
