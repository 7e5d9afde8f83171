"""What every registered sampler must do; a new one is tested unasked."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import sklearn.base
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.errors import InputError, NotFittedError
from rulerank.registry import samplers

every = pytest.mark.parametrize("name", samplers.names())
random_ones = pytest.mark.parametrize("name", [e.name for e in samplers if "seed" in e.value().get_params()])


def made_up(rows=18, columns=5, bins=3, seed=0):
    """What a sampler may want to be started with, and grades for a run."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(rows, columns))
    items = rng.integers(0, bins, (rows, columns)).astype(np.uint8)
    return {"items": items, "features": features, "qids": rng.integers(0, 4, rows)}, rng.integers(0, 3, rows)


def started(name, **data):
    return samplers[name]().start(**(data or made_up()[0]))


def all_of(sampler, grades):
    """Every selection of a run that the test makes step by step."""
    made = []
    while (selection := sampler.propose()) is not None and not selection.stop:
        made.append(selection)
        sampler.record(selection.row, grades[selection.row])
    return made, selection


@every
def test_proposing_changes_nothing(name):
    data, grades = made_up()
    sampler = started(name)
    for _ in range(4):
        first = sampler.propose()
        assert sampler.propose() == first
        sampler.record(first.row, grades[first.row])
    assert data["items"].tolist() == sampler.pool.tolist()


@every
def test_step_by_step_equals_run(name):
    data, grades = made_up()
    run = samplers[name]().run(grades=grades, **data)
    made, last = all_of(started(name), grades)
    assert run.order == [selection.row for selection in made]
    assert run.selections == (*made, *([last] if last else []))
    assert run.stopped_on == (last.row if last else None)
    assert run.rule_counts == [selection.rule_count for selection in run.selections]
    assert len(run) == len(run.order)


@every
def test_no_document_is_chosen_twice(name):
    data, grades = made_up()
    run = samplers[name]().run(grades=grades, **data)
    assert len(set(run.order)) == len(run.order)
    assert set(run.order) <= set(range(18))
    if run.stopped_on is None:
        assert len(run.order) == 18
    else:
        assert run.stopped_on in run.order


@every
def test_a_selection_says_why(name):
    data, grades = made_up()
    run = samplers[name]().run(grades=grades, **data)
    for number, selection in enumerate(run.selections, 1):
        assert selection.sampler == name
        assert selection.round == number
        assert selection.reason.strip()
        assert selection.keys
        assert (selection.rule_count is not None) == samplers[name].counts_rules
        assert isinstance(selection.row, int)
        with pytest.raises(dataclasses.FrozenInstanceError):
            selection.row = 3


@every
def test_a_label_and_its_undo_restore_the_proposal(name):
    _, grades = made_up()
    sampler = started(name)
    for _ in range(6):
        before = sampler.propose()
        if before.stop:
            break
        for grade in (0, 2, 7):
            sampler.record(before.row, grade)
            sampler.retract(before.row)
            assert sampler.propose() == before
        sampler.record(before.row, grades[before.row])
        assert sampler.propose() != before


@every
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["proposal", "proposal", "other", "retract", "exclude", "include"]),
            st.integers(0, 100),
            st.integers(0, 3),
        ),
        max_size=16,
    ),
    seed=st.integers(0, 3),
)
@examples(30)
def test_the_state_is_that_of_a_fresh_replay_of_what_is_left(name, steps, seed):
    data, _ = made_up(rows=9, columns=4, seed=seed)
    sampler = started(name, **data)
    labels, excluded = {}, set()
    for step, number, grade in steps:
        row = number % 9
        if step == "proposal":
            proposed = sampler.propose()
            if proposed is None or proposed.stop:
                continue
            row = proposed.row
            assert row not in labels
            assert row not in excluded
        if step in ("proposal", "other") and row not in labels:
            sampler.record(row, grade)
            labels[row] = grade
        elif step == "retract" and labels:
            row = list(labels)[number % len(labels)]
            sampler.retract(row)
            del labels[row]
        elif step == "exclude":
            sampler.exclude(row)
            excluded.add(row)
        elif step == "include":
            sampler.include(row)
            excluded.discard(row)
    replayed = started(name, **data)
    for row in excluded:
        replayed.exclude(row)
    for row, grade in labels.items():
        replayed.record(row, grade)
    assert sampler.propose() == replayed.propose()
    assert sampler.labelled == labels
    assert list(sampler.labelled) == list(labels)


@every
def test_exclude_and_include(name):
    sampler = started(name)
    first = sampler.propose()
    sampler.exclude(first.row)
    second = sampler.propose()
    assert second.row != first.row
    sampler.include(first.row)
    assert sampler.propose() == first
    sampler.record(first.row, 1)
    sampler.exclude(first.row)
    sampler.retract(first.row)  # without its grade, but excluded still
    assert sampler.propose() == second
    sampler.include(first.row)
    assert sampler.propose() == first
    for row in range(18):
        sampler.exclude(row)
    assert sampler.propose() is None
    sampler.include(7)
    assert sampler.propose().row == 7


@every
def test_a_budget_cuts_the_same_order_short(name):
    data, grades = made_up()
    whole = samplers[name]().run(grades=grades, **data).order
    for budget in (0, 1, 3):
        run = samplers[name]().run(grades=grades, budget=budget, **data)
        assert run.order == whole[:budget]
        assert run.stopped_on is None
    assert samplers[name]().run(grades=grades, budget=1000, **data).order == whole
    with pytest.raises(InputError, match="budget"):
        samplers[name]().run(grades=grades, budget=-1, **data)


@every
def test_the_same_seed_gives_the_same_order(name):
    data, grades = made_up()
    orders = [samplers[name]().run(grades=grades, rng=rng, **data).order for rng in (5, 5, np.random.default_rng(5))]
    assert orders[0] == orders[1] == orders[2]
    sampler = samplers[name]()
    assert sampler.run(grades=grades, **data).order == sampler.run(grades=grades, **data).order


@random_ones
def test_another_seed_gives_another_order(name):
    data, grades = made_up()
    by_seed = [samplers[name](seed=seed).run(grades=grades, **data).order for seed in range(4)]
    assert len({tuple(order) for order in by_seed}) == 4
    assert samplers[name]().run(grades=grades, rng=3, **data).order == by_seed[3]
    shared = np.random.default_rng(1)
    one, two = (samplers[name]().run(grades=grades, rng=shared, **data).order for _ in range(2))
    assert one == by_seed[1]
    assert two != one


@every
def test_a_start_begins_anew(name):
    data, grades = made_up()
    sampler = started(name)
    before = sampler.propose()
    all_of(sampler, grades)
    sampler.exclude(before.row)
    assert sampler.start(**data) is sampler
    assert sampler.propose() == before
    assert sampler.labelled == {}


@every
def test_bad_labels_are_refused_and_change_nothing(name):
    sampler = started(name)
    sampler.record(4, 1)
    before = sampler.propose()
    for grade in (-1, 0.5, "x", None, float("nan"), float("inf"), True, 10**12):
        with pytest.raises(InputError, match="grade"):
            sampler.record(5, grade)
    for row in (-1, 18, 1.5, "5", None, float("nan")):
        for call in (
            lambda row=row: sampler.record(row, 1),
            *(lambda row=row, step=step: step(row) for step in (sampler.retract, sampler.exclude, sampler.include)),
        ):
            with pytest.raises(InputError, match="not in the pool"):
                call()
    with pytest.raises(InputError, match="retract"):
        sampler.record(4, 1)
    with pytest.raises(InputError, match="none to retract"):
        sampler.retract(5)
    assert sampler.propose() == before
    assert sampler.labelled == {4: 1}


@every
def test_bad_pools_are_refused(name):
    data, grades = made_up()
    for change in (
        {"items": np.zeros((0, 3), np.uint8), "features": None, "qids": []},
        {"items": np.zeros(18)},
        {"items": np.full((18, 5), 0.5)},
        {"features": np.zeros((17, 5))},
        {"features": np.zeros(18)},
        {"features": np.full((18, 5), np.nan)},
        {"features": np.full((18, 5), np.inf)},
        {"qids": [1]},
    ):
        with pytest.raises(InputError):
            samplers[name]().start(**(data | change))
    for bad in (np.full(18, -1), grades[:5], np.full(18, 0.5)):
        with pytest.raises(InputError, match="grade"):
            samplers[name]().run(grades=bad, **data)


@every
def test_not_started(name):
    for call in (
        lambda s: s.propose(),
        lambda s: s.record(0, 1),
        lambda s: s.retract(0),
        lambda s: s.exclude(0),
        lambda s: s.include(0),
        lambda s: s.labelled,
        lambda s: s.pool,
    ):
        with pytest.raises(NotFittedError, match="start"):
            call(samplers[name]())


@every
def test_a_pool_of_one_document(name):
    data, _ = made_up(rows=1)
    sampler = started(name, **data)
    assert sampler.propose().row == 0
    sampler.record(0, 2)
    last = sampler.propose()
    assert last is None or (last.stop and last.row == 0)
    assert samplers[name]().run(grades=[2], **data).order == [0]


@every
def test_documents_that_are_all_alike(name):
    data, grades = made_up()
    data |= {"items": np.full((18, 5), 3, np.uint8), "features": np.ones((18, 5))}
    run = samplers[name]().run(grades=grades, **data)
    assert len(set(run.order)) == len(run.order)
    # For a sampler that counts rules the first label makes all others redundant; no other one stops early.
    assert len(run.order) == (1 if samplers[name].counts_rules else 18)


@every
def test_constant_features_are_borne(name):
    data, grades = made_up()
    data["items"][:, [1, 3]] = 9
    data["features"][:, [1, 3]] = 0.5
    run = samplers[name]().run(grades=grades, **data)
    assert run.order
    assert all(np.isfinite(value) for selection in run.selections[1:] for _, value in selection.keys)


@every
def test_parameters_in_scikit_learns_manner(name):
    sampler = samplers[name]()
    assert repr(sampler) == f"{type(sampler).__name__}()"
    copy = sklearn.base.clone(sampler)
    assert copy.get_params() == sampler.get_params()
    assert copy is not sampler
    with pytest.raises(InputError, match="no parameter"):
        sampler.set_params(nonsense=1)


@every
@pytest.mark.parametrize("number", [3, 30])
def test_many_grades_at_once_equal_one_after_the_other(name, number):
    data, grades = made_up(rows=45)
    rows = np.random.default_rng(number).permutation(45)[:number].tolist()
    at_once, step_by_step = started(name, **data), started(name, **data)
    at_once.record_many({row: grades[row] for row in rows})
    for row in rows:
        step_by_step.record(row, grades[row])
    assert at_once.propose() == step_by_step.propose()
    assert at_once.labelled == step_by_step.labelled
    with pytest.raises(InputError, match="already"):
        at_once.record_many({rows[0]: 1})
    assert at_once.labelled == step_by_step.labelled
    at_once.retract(rows[1])
    step_by_step.retract(rows[1])
    assert at_once.propose() == step_by_step.propose()
