"""SSAR even over queries, and query by query: the order is that of the definition, and undo is exact."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force import rule_count
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.errors import InputError
from rulerank.registry import samplers
from rulerank.sampling import FOR_PAIRS, RECOMMENDED, SSAR, QueryStratifiedRandom, SSAREven, SSARQueries

both = pytest.mark.parametrize("kind", [SSAREven, SSARQueries])


def made_up(seed, rows=30, features=4, bins=3, queries=4):
    rng = np.random.default_rng(seed)
    items = rng.integers(0, bins, (rows, features)).astype(np.uint8)
    return items, rng.integers(0, 3, rows), rng.integers(0, queries, rows)


def by_definition(items, qids, labels, lot, batch, chance):
    """The next row (None: the stop), worked out from nothing but the documentation; `labels` is {row: grade}."""
    rng = np.random.default_rng(chance)
    names = list(dict.fromkeys(qids.tolist()))
    turn = dict(zip(names, rng.permutation(len(names)).tolist(), strict=True))
    place = rng.permutation(len(items))
    known = [(items[row], grade) for row, grade in labels.items()]
    occurrence = [int((items == document).sum()) for document in items]
    sign = 1 if labels else -1
    value = [(rule_count(document, known, 2), sign * occurrence[row]) for row, document in enumerate(items)]
    if min(value) in [value[row] for row in labels]:
        return None
    given_ = {name: sum(qids[row] == name for row in labels) for name in names}
    open_ = [name for name in names if any(qids[row] == name and row not in labels for row in range(len(items)))]
    query = min(open_, key=lambda name: (given_[name] // batch, -(given_[name] % batch), turn[name]))
    rows = sorted((r for r in range(len(items)) if qids[r] == query and r not in labels), key=place.__getitem__)
    drawn = rows[: 1 if lot == 1 else max(2, int(lot / (given_[query] + 1)))]
    return min(drawn, key=lambda row: (value[row], -row))


@examples(60)
@given(st.integers(0, 2**32), st.integers(0, 50), st.integers(1, 9), st.sampled_from([1, 2, 3, 8]))
def test_every_choice_is_that_of_the_definition(seed, chance, lot, batch):
    items, grades, qids = made_up(seed, rows=14, queries=3)
    sampler = SSARQueries(batch=batch, lot=lot, seed=chance).start(items, qids=qids)
    even = SSAREven(lot=lot, seed=chance).start(items, qids=qids)
    labels = {}
    while (expected := by_definition(items, qids, labels, lot, batch, chance)) is not None:
        chosen = sampler.propose()
        assert (chosen.row, chosen.stop) == (expected, False)
        assert chosen.rule_count == sampler.rule_counts[expected]
        if batch == 1:
            assert even.propose().row == expected
        labels[expected] = int(grades[expected])
        for each in (sampler, even):
            each.record(expected, labels[expected])
    last = sampler.propose()
    assert last.stop
    assert last.row in labels
    assert last.reason.endswith("labelled already: the natural stop")


@both
@examples(40)
@given(
    seed=st.integers(0, 2**32),
    steps=st.lists(
        st.tuples(st.sampled_from(["label", "undo", "exclude", "include"]), st.integers(0, 29)), max_size=40
    ),
)
def test_undo_leads_back_to_the_same_document(kind, seed, steps):
    items, grades, qids = made_up(seed)
    sampler = kind().start(items, qids=qids)
    past, aside = [], set()
    for step, row in steps:
        if step == "label" and (chosen := sampler.propose(beyond=True)) is not None:
            past.append((chosen, sampler.propose()))
            sampler.record(chosen.row, int(grades[chosen.row]))
        elif step == "undo" and past:
            chosen, before = past.pop()
            sampler.retract(chosen.row)
            assert sampler.propose(beyond=True) == chosen
            assert sampler.propose() == before
        elif step in ("exclude", "include"):
            getattr(sampler, step)(row)
            aside = aside | {row} if step == "exclude" else aside - {row}
            past.clear()
    replay = kind().start(items, qids=qids)
    for row in aside:
        replay.exclude(row)
    replay.record_many(sampler.labelled)
    assert replay.propose() == sampler.propose()
    assert replay.propose(beyond=True) == sampler.propose(beyond=True)


@both
@pytest.mark.parametrize("seed", range(4))
def test_labels_are_even_over_queries(kind, seed):
    items, grades, qids = made_up(seed, rows=120, bins=5, queries=6)
    sampler, batch = kind(seed=seed).start(items, qids=qids), getattr(kind(), "batch", 1)
    size = np.bincount(qids)
    for number in range(1, 61):
        row = sampler.propose(beyond=True).row
        sampler.record(row, int(grades[row]))
        labels = np.bincount(qids[list(sampler.labelled)], minlength=6)
        unfinished = labels[(labels < size) & (labels % batch > 0)]
        assert unfinished.size <= (1 if batch > 1 else 6)
        assert np.ptp(labels[labels < size]) <= batch
        assert labels.sum() == number


def test_a_lot_of_one_is_chance_and_a_large_lot_is_ssar_within_the_query():
    items, grades, qids = made_up(3, rows=60, bins=6, queries=5)
    for number in range(4):
        even = SSAREven(lot=1, seed=number).start(items, qids=qids)
        chance = QueryStratifiedRandom(seed=number).start(items, qids=qids)
        for _ in range(40):
            row = even.propose(beyond=True).row
            assert row == chance.propose().row
            for each in (even, chance):
                each.record(row, int(grades[row]))
    one, large = np.zeros(60, int), 60 * 60  # as many are drawn for the last label still
    run, plain = SSAREven(lot=large).run(items, grades, qids=one), SSAR().run(items, grades)
    assert run.order == plain.order[: len(run)]


def test_another_seed_draws_other_lots():
    items, grades, qids = made_up(4, rows=60, bins=6)
    orders = {tuple(SSAREven(seed=seed).run(items, grades, qids=qids, budget=8).order) for seed in range(5)}
    assert len(orders) == 5


@both
def test_it_stops_though_the_documents_left_are_copies_of_labelled_ones(kind):
    items, grades, qids = made_up(5, rows=12, bins=2)
    items, grades, qids = np.tile(items, (3, 1)), np.tile(grades, 3), np.tile(qids, 3)
    run = kind().run(items, grades, qids=qids)
    assert run.stopped_on in run.order
    assert len(run) < 36
    sampler = kind().start(items, qids=qids)
    sampler.record_many({row: int(grades[row]) for row in run.order})
    beyond = sampler.propose(beyond=True)
    assert not beyond.stop
    assert beyond.row not in run.order


@both
def test_a_document_that_was_put_aside_is_neither_drawn_nor_waited_for(kind):
    items, _, qids = made_up(6)
    sampler = kind().start(items, qids=qids)
    first = sampler.propose()
    for row in np.flatnonzero(qids == qids[first.row]):
        sampler.exclude(int(row))
    assert qids[sampler.propose().row] != qids[first.row]
    for row in range(30):
        sampler.exclude(row)
    assert sampler.propose() is None
    assert sampler.propose(beyond=True) is None
    sampler.include(first.row)
    assert "one document drawn by lot" in sampler.propose().reason


def test_the_reason_names_the_query_and_the_lot():
    items, grades, qids = made_up(7, rows=60, bins=6, queries=2)
    even, stays = (kind().start(items, qids=qids) for kind in (SSAREven, SSARQueries))
    first = even.propose()
    assert first.reason == (
        "nothing is labelled yet, and its items are the most common of 16 documents drawn by lot from "
        "a query with 0 labels, the fewest of all queries"
    )
    for sampler in (even, stays):
        sampler.record(first.row, int(grades[first.row]))
    second = even.propose()
    assert second.reason == (
        f"it draws {second.rule_count} rules, the fewest of 16 documents drawn by lot from "
        "a query with 0 labels, the fewest of all queries"
    )
    assert [name for name, _ in second.keys] == ["labels of the query", "turn of the query", "rules", "occurrence"]
    assert stays.propose().reason.endswith("from the query in turn, of which 1 of 4 documents are labelled")
    told = even.explain(second.row)
    assert told.rule_count == second.rule_count


@pytest.mark.parametrize("value", [0, -1, 1.5, "many", None, True])
def test_bad_parameters_are_refused(value):
    items, _, qids = made_up(0)
    with pytest.raises(InputError, match="lot must be a whole number of at least 1"):
        SSAREven(lot=value).start(items, qids=qids)
    with pytest.raises(InputError, match="batch must be a whole number of at least 1"):
        SSARQueries(batch=value).start(items, qids=qids)


@both
def test_queries_are_needed(kind):
    with pytest.raises(InputError, match="needs the query of every document"):
        kind().start(made_up(0)[0])


def test_what_is_recommended_is_there():
    assert samplers[RECOMMENDED] is SSAREven
    assert samplers[FOR_PAIRS] is SSARQueries
    assert samplers[FOR_PAIRS].goes_by_query
