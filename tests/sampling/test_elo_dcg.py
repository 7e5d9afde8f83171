"""ELO-DCG: losses by plain enumeration, the members by scikit-learn, and the batches."""

from __future__ import annotations

import itertools
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.linear_model import Ridge
from thorough import examples

from rulerank.errors import InputError
from rulerank.ranking import LRAR
from rulerank.sampling import ELODCG
from rulerank.sampling.elo_dcg import discounts, document_losses, query_losses
from rulerank.sampling.model_based import RidgeBag, RuleBag


def dcg(gains, depth):
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains[:depth], 1))


def best(gains, depth):
    """The DCG of the best of all rankings, found by trying every one."""
    return max(dcg(ranking, depth) for ranking in itertools.permutations(gains))


def loss_of_query(gains, depth):
    """Mean over samples of the best DCG, less the largest expected DCG that one ranking for all samples has."""
    ideal = np.mean([best(sample, depth) for sample in gains])
    orders = itertools.permutations(range(gains.shape[1]))
    return ideal - max(np.mean([dcg(sample[list(order)], depth) for sample in gains]) for order in orders)


def loss_of_document(gains, document, depth):
    """The same with the others held to one sample at a time, averaged over those samples."""
    losses = []
    for sample in gains:
        known = np.tile(sample, (len(gains), 1))
        known[:, document] = gains[:, document]
        losses.append(loss_of_query(known, depth))
    return np.mean(losses)


@st.composite
def samples(draw):
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    levels = st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.75, 1.0])
    gains = draw(hnp.arrays(np.float64, (draw(st.integers(1, 3)), sum(sizes)), elements=levels))
    return gains, np.cumsum([0, *sizes]), draw(st.integers(1, 6))


@given(samples())
@examples(80)
def test_losses_are_those_of_enumeration(drawn):
    gains, starts, depth = drawn
    discount = discounts(depth, int(np.diff(starts).max()) + 1)
    queries, documents = query_losses(gains, starts, discount), document_losses(gains, starts, discount)
    for query, (start, stop) in enumerate(itertools.pairwise(starts)):
        here = gains[:, start:stop]
        assert queries[query] == pytest.approx(loss_of_query(here, depth), abs=1e-12)
        for document in range(stop - start):
            expected = loss_of_document(here, document, depth)
            assert documents[start + document] == pytest.approx(expected, abs=1e-12)


@given(hnp.arrays(np.float64, (4, 12), elements=st.floats(0, 1, width=16)), st.integers(1, 12))
@examples(40)
def test_losses_are_never_negative_and_nothing_is_lost_where_members_agree(gains, depth):
    starts = np.array([0, 5, 12])
    discount = discounts(depth, 8)
    gains[:, 3] = gains[0, 3]
    documents = document_losses(gains, starts, discount)
    assert (documents >= -1e-12).all()
    assert documents[3] == pytest.approx(0, abs=1e-12)
    assert (query_losses(gains, starts, discount) >= -1e-12).all()
    same = np.tile(gains[:1], (4, 1))
    assert query_losses(same, starts, discount) == pytest.approx(0, abs=1e-12)


def made_up(seed, rows=16):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(rows, 4)) * [1, 10, 0.1, 1]
    items = np.clip(features / [1, 10, 0.1, 1] + 2, 0, 4).astype(np.uint8)
    grades = np.clip(np.round(features[:, 0] + 1), 0, 2).astype(int)
    return items, grades, {"features": features, "qids": rng.integers(0, 4, rows)}


def test_members_are_ridge_regressions_on_their_own_copies():
    _, grades, data = made_up(0, rows=40)
    copies = np.random.default_rng(1).poisson(1.0, (3, 40))
    copies[2, :12] = 0  # this member counts none of the labelled documents
    known = {row: int(grades[row]) for row in range(12)}
    found = RidgeBag(data["features"], copies, penalty=2.5).scores(known)
    scaled = data["features"] / data["features"].std(axis=0)
    for member in range(2):
        told = Ridge(alpha=2.5).fit(scaled[:12], grades[:12], sample_weight=copies[member, :12]).predict(scaled)
        assert found[member] == pytest.approx(told, abs=1e-9)
    assert found[2] == pytest.approx(grades[:12].mean())


@pytest.mark.parametrize("fresh", [0, 1000])
def test_rule_members_are_freshly_trained_ones_whatever_they_learnt_before(fresh, monkeypatch):
    monkeypatch.setattr("rulerank.sampling.model_based.FRESH", fresh)
    items, grades, _ = made_up(0, rows=30)
    copies = np.random.default_rng(1).poisson(1.0, (3, 30))
    bag = RuleBag(items, copies, 2)
    for rows, shift in ((range(5), 0), (range(12), 0), (range(3, 9), 1), (range(20, 28), 0), (range(20, 28), 2)):
        known = {row: int(grades[row]) + shift for row in rows}
        found = bag.scores(known)
        for member, of in enumerate(copies):
            times = [row for row in rows for _ in range(of[row])]
            if times:
                fresh_one = LRAR().fit(items[times], [known[row] for row in times])
                assert found[member] == pytest.approx(fresh_one.predict(items), abs=1e-12)


def by_hand(sampler, items, grades, data, order):
    """The next document after `order`, from the definitions: a dictionary of keys a row, the best row."""
    depth, batch = sampler.depth, sampler.batch
    rng = np.random.default_rng(sampler.seed)
    place = rng.permutation(len(items))
    copies = rng.poisson(1.0, (sampler.members, len(items)))
    left = [row for row in range(len(items)) if row not in order]
    if len(order) < sampler.initial:
        return min(left, key=lambda row: place[row])
    learnt = len(order) - (len(order) - sampler.initial) % batch
    known = {row: int(grades[row]) for row in order[:learnt]}
    top = max(known.values())
    if not top:
        raise AssertionError("the made-up grades should have a relevant document among the first")
    scaled = data["features"] / data["features"].std(axis=0)
    gains = []
    for of in copies:
        rows = sorted(known)
        score = np.full(len(items), np.mean(list(known.values())))
        if of[rows].any():
            ridge = Ridge(alpha=sampler.penalty)
            score = ridge.fit(scaled[rows], [known[r] for r in rows], sample_weight=of[rows]).predict(scaled)
        score = np.clip(score, 0, top)
        score[rows] = [known[row] for row in rows]
        gains.append((2**score - 1) / 2**top)
    gains, qids = np.array(gains), data["qids"]
    since = [qids[row] for row in order[learnt:]]

    def key(row):
        mates = np.flatnonzero(qids == qids[row])
        here = gains[:, mates]
        own = loss_of_document(here, list(mates).index(row), depth)
        if sampler.stages == 1:
            return (-round(own, 8), place[row])
        turns = since.count(qids[row]) // sampler.per_query
        return (turns, -round(loss_of_query(here, depth), 8), -round(own, 8), place[row])

    return min(left, key=key)


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize(("batch", "per_query"), [(1, 5), (4, 2), (3, 1)])
def test_the_whole_order_is_that_of_the_definitions(stages, batch, per_query):
    items, grades, data = made_up(2, rows=12)
    data["qids"] = np.array([0, 0, 1, 1, 2, 2] * 2)
    settings_ = {"stages": stages, "batch": batch, "per_query": per_query}
    sampler = ELODCG(members=3, depth=3, initial=4, penalty=1.0, seed=3, **settings_)
    order = sampler.run(items, grades, **data).order
    assert sorted(order) == list(range(12))
    for number in range(12):
        assert order[number] == by_hand(sampler, items, grades, data, order[:number])


def contract_of(learner):
    return {"initial": 2, "members": 3, "learner": learner, "depth": 3}


@pytest.mark.parametrize("learner", ["ridge", "lrar"])
@given(
    steps=st.lists(st.tuples(st.sampled_from(["next", "next", "undo", "hide"]), st.integers(0, 99), st.integers(0, 3))),
    batch=st.sampled_from([1, 3]),
)
@examples(25)
def test_undo_and_relabel_leave_no_trace(learner, steps, batch):
    items, _, data = made_up(4, rows=9)
    sampler = ELODCG(batch=batch, **contract_of(learner)).start(items, **data)
    labels, hidden = {}, set()
    for step, number, grade in steps:
        if step == "next" and (chosen := sampler.propose()) is not None:
            sampler.record(chosen.row, grade)
            labels[chosen.row] = grade
        elif step == "undo" and labels:
            row = list(labels)[number % len(labels)]
            sampler.retract(row)
            del labels[row]
        elif step == "hide":
            sampler.exclude(number % 9)
            hidden.add(number % 9)
    again = ELODCG(batch=batch, **contract_of(learner)).start(items, **data)
    for row, grade in labels.items():
        again.record(row, grade)
    for row in hidden:
        again.exclude(row)
    assert sampler.propose() == again.propose()


@pytest.mark.parametrize("learner", ["ridge", "lrar"])
def test_without_batches_the_order_of_the_labels_does_not_matter(learner):
    items, grades, data = made_up(1, rows=30)
    rows = list(range(0, 24, 2))
    proposals = []
    for order in (rows, rows[::-1]):
        sampler = ELODCG(**contract_of(learner)).start(items, **data)
        for row in order:
            sampler.record(row, int(grades[row]))
        proposals.append(sampler.propose())
    assert proposals[0] == proposals[1]


def test_members_learn_once_a_batch(monkeypatch):
    items, grades, data = made_up(1, rows=40)
    learnt = []
    plain = RidgeBag.scores
    monkeypatch.setattr(RidgeBag, "scores", lambda self, known: learnt.append(len(known)) or plain(self, known))
    ELODCG(initial=6, batch=10).run(items, grades, **data)
    assert learnt == [6, 16, 26, 36]


def test_in_a_batch_queries_take_turns():
    items, grades, data = made_up(1, rows=60)
    sampler = ELODCG(initial=6, batch=9, per_query=3)
    order = sampler.run(items, grades, **data).order
    for start in (6, 15):
        asked = [data["qids"][row] for row in order[start : start + 9]]
        assert [len(set(asked[n : n + 3])) for n in (0, 3, 6)] == [1, 1, 1]
        assert len(set(asked)) == 3


def test_the_first_are_random_and_so_is_all_until_something_relevant_is_known():
    items, _, data = made_up(0)
    orders = [ELODCG(initial=5, seed=seed).run(items, np.zeros(16), **data).order for seed in (0, 1)]
    assert orders[0] != orders[1]
    place = np.random.default_rng(0).permutation(16)
    assert orders[0][:5] == np.argsort(place)[:5].tolist()
    one_stage = ELODCG(initial=5, stages=1).run(items, np.zeros(16), **data).order
    assert one_stage == np.argsort(place).tolist()


def test_the_document_that_could_be_on_top_is_asked_for():
    # One feature tells the grade. The doubtful document lies far beyond what was seen, where members disagree.
    features = np.array([[0.0], [0.1], [0.9], [1.0], [0.5], [3.0], [0.05]])
    items = np.zeros((7, 1), np.uint8)
    sampler = ELODCG(initial=4, stages=1, penalty=0.1).start(items, features=features, qids=[0] * 7)
    for row, grade in enumerate([0, 1, 1, 2]):
        sampler.record(row, grade)
    losses = {}
    for _ in range(3):
        chosen = sampler.propose()
        losses[chosen.row] = dict(chosen.keys)["loss"]
        assert "expected DCG" in chosen.reason
        sampler.exclude(chosen.row)
    assert list(losses.values()) == sorted(losses.values(), reverse=True)
    assert losses[4] > 0


@pytest.mark.parametrize("learner", ["ridge", "lrar"])
def test_very_large_grades_are_borne(learner):
    items, grades, data = made_up(0)
    run = ELODCG(learner=learner, initial=2).run(items, grades * 700, **data)
    assert sorted(run.order) == list(range(16))
    assert all(np.isfinite(value) for selection in run.selections for _, value in selection.keys)


@pytest.mark.parametrize(
    "wrong",
    [{"stages": 3}, {"batch": 0}, {"per_query": 0}, {"members": 1}, {"depth": 0}, {"initial": 0}, {"learner": "oracle"}]
    + [{"penalty": value} for value in (0, -1.0, float("nan"), float("inf"), "x")]
    + [{"batch": 2.5}, {"members": "x"}, {"learner": "lrar", "max_antecedent": 4}],
)
def test_wrong_settings_are_named(wrong):
    with pytest.raises(InputError, match=list(wrong)[-1]):
        ELODCG(**wrong).start([[0], [1]], qids=[0, 0])


def test_queries_must_be_known_to_speak_of_a_ranking():
    with pytest.raises(InputError, match="qids"):
        ELODCG().start([[0], [1]])
