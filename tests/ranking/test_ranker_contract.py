"""What every registered ranker must do; a new one is tested unasked."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.base

import rulerank.ranking.base
from rulerank.errors import InputError, NotFittedError
from rulerank.registry import rankers

SPEAK_FOR_NEIGHBOURS = {
    "smooth_items",
    "threshold_rules",
    "weighted_items",
}  # these have something to say of a bin without labels

every = pytest.mark.parametrize("name", rankers.names())

# D* names the query seen first where several are equally competent, and the queries' votes are added in that order:
# a ranker in this set is promised to be the same only while the queries are first seen in the same order. (With D*
# given, any order will do: see the test of query-level rules.)
DEPENDS_ON_QUERY_ORDER = {"query_level_rules"}


def made_up(rows=40, features=5, bins=3, grades=3, queries=4, seed=0):
    """Items, grades and queries with no sense in them; rows of a query stand together."""
    rng = np.random.default_rng(seed)
    items = rng.integers(0, bins, (rows, features)).astype(np.uint8)
    return items, rng.integers(0, grades, rows), np.sort(rng.integers(0, queries, rows))


def fitted(name, data=None):
    items, grades, qids = data or made_up()
    return rankers[name]().fit(items, grades, qids)


def whole_setting(name):
    """The name of a setting that takes whole numbers: the length of antecedents, where a ranker has a choice."""
    params = rankers[name]().get_params()
    return "max_antecedent" if "max_antecedent" in params else next(iter(params))


@pytest.fixture
def strangers():
    return made_up(rows=23, bins=4, seed=1)


@every
def test_shapes_and_ranges(name, strangers):
    items, _, qids = strangers
    ranker = fitted(name)
    share = ranker.predict_proba(items, qids)
    assert share.shape == (23, 3)
    assert (share >= 0).all()
    np.testing.assert_allclose(share.sum(axis=1), 1.0, atol=1e-12)
    rank = ranker.predict(items, qids)
    assert rank.shape == (23,)
    assert ((rank >= 0) & (rank <= 2)).all()
    np.testing.assert_allclose(rank, share[:, 1] + 2 * share[:, 2], atol=1e-12)
    assert ranker.predict(items[:0]).shape == (0,)
    assert ranker.predict_proba(items[:0]).shape == (0, 3)


@every
def test_the_order_of_training_rows_does_not_matter(name, strangers):
    items, grades, qids = made_up()
    rng = np.random.default_rng(2)
    if name in DEPENDS_ON_QUERY_ORDER:
        shuffled = np.lexsort((rng.random(len(items)), qids))
    else:
        shuffled = rng.permutation(len(items))
    assert (qids[shuffled] != qids).any() == (name not in DEPENDS_ON_QUERY_ORDER)
    again = rankers[name]().fit(items[shuffled], grades[shuffled], qids[shuffled])
    expected = fitted(name).predict_proba(strangers[0], strangers[2])
    assert (again.predict_proba(strangers[0], strangers[2]) == expected).all()


@every
def test_a_label_and_its_undo_restore_every_bit(name, strangers):
    items, _, qids = strangers
    ranker = fitted(name)
    before = ranker.predict_proba(items, qids)
    labels = [(items[0], 2, 0), (items[1], 0, 3), (items[2], 4, 9), (items[0], 2, 0)]
    for document, grade, qid in labels:
        ranker.partial_fit(document, grade, qid)
    assert ranker.predict_proba(items, qids).shape == (23, 5)
    for document, grade, qid in (labels[2], labels[0], labels[3], labels[1]):
        ranker.forget(document, grade, qid)
    after = ranker.predict_proba(items, qids)
    assert after.shape == before.shape
    assert (after == before).all()


@every
def test_learning_one_by_one_equals_learning_at_once(name, strangers):
    items, grades, qids = made_up()
    ranker = rankers[name]().fit(np.zeros((0, 5), np.uint8), [], [])
    for document, grade, qid in zip(items, grades, qids, strict=True):
        ranker.partial_fit(document, grade, int(qid))
    expected = fitted(name).predict_proba(strangers[0], strangers[2])
    assert (ranker.predict_proba(strangers[0], strangers[2]) == expected).all()
    for document, grade, qid in list(zip(items, grades, qids, strict=True))[20:]:
        ranker.forget(document, grade, int(qid))
    half = rankers[name]().fit(items[:20], grades[:20], qids[:20])
    assert (ranker.predict_proba(strangers[0]) == half.predict_proba(strangers[0])).all()


@every
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("features", [1, 5])
def test_the_callers_arrays_are_left_alone(name, order, features):
    items, grades, qids = made_up(features=features)
    items = np.asarray(items, order=order)
    kept = items.copy(), grades.copy()
    items.flags.writeable = grades.flags.writeable = False
    ranker = rankers[name]().fit(items, grades, qids)
    ranker.forget(items[3], grades[3], qids[3])
    ranker.partial_fit(items[5], 1, 0)
    ranker.predict(items, qids)
    assert (items == kept[0]).all()
    assert (grades == kept[1]).all()


@every
def test_parameters_in_scikit_learns_manner(name):
    ranker = rankers[name]()
    params = ranker.get_params()
    first = whole_setting(name)
    if first == "max_antecedent":
        assert params[first] == (1 if name == "lrar_items" else 2)
    assert repr(ranker) == f"{type(ranker).__name__}()"
    assert ranker.set_params(**{first: 3}) is ranker
    assert ranker.get_params() == params | {first: 3}
    assert repr(ranker) == f"{type(ranker).__name__}({first}=3)"
    copy = sklearn.base.clone(ranker)
    assert type(copy) is type(ranker)
    assert copy is not ranker
    assert copy.get_params() == ranker.get_params()
    with pytest.raises(InputError, match=first):
        ranker.set_params(antecedents=1)


@every
def test_a_clone_has_learnt_nothing(name):
    with pytest.raises(NotFittedError):
        sklearn.base.clone(fitted(name)).predict(made_up()[0])


@every
def test_settings_count_from_the_next_prediction_on(name, strangers):
    ranker = fitted(name)
    ranker.predict(strangers[0])
    setting = {whole_setting(name): 1}
    ranker.set_params(**setting)
    items, grades, qids = made_up()
    fresh = rankers[name](**setting).fit(items, grades, qids)
    assert (ranker.predict(strangers[0]) == fresh.predict(strangers[0])).all()


@every
def test_not_fitted(name):
    ranker = rankers[name]()
    items = np.zeros((1, 3), np.uint8)
    for call in (
        lambda: ranker.predict(items),
        lambda: ranker.predict_proba(items),
        lambda: ranker.partial_fit(items[0], 1),
        lambda: ranker.forget(items[0], 1),
        lambda: ranker.grades_,
        lambda: ranker.fit(items[:0], []).predict(items),
    ):
        with pytest.raises(NotFittedError):
            call()


@every
@pytest.mark.parametrize(
    "change",
    [
        {"items": np.zeros(40)},
        {"items": np.zeros((40, 0))},
        {"items": np.full((40, 5), 0.5)},
        {"items": np.full((40, 5), 256)},
        {"items": [[1, 2], [3]]},
        {"grades": np.zeros(39)},
        {"grades": np.zeros((40, 1))},
        {"grades": np.full(40, 0.5)},
        {"grades": np.full(40, -1)},
        {"grades": np.full(40, np.inf)},
        {"grades": np.full(40, np.nan)},
        {"grades": np.full(40, 10**9)},
        {"grades": ["a"] * 40},
        {"qids": [1, 2]},
    ],
)
def test_bad_training_sets_are_refused(name, change):
    items, grades, qids = made_up()
    data = {"items": items, "grades": grades, "qids": qids} | change
    with pytest.raises(InputError):
        rankers[name]().fit(**data)


@every
def test_bad_documents_are_refused_and_change_nothing(name, strangers):
    ranker = fitted(name)
    before = ranker.predict(strangers[0])
    for items in (np.zeros((2, 4)), np.zeros((2, 6)), np.zeros(5), [[0, 1, 2, 3, 999]]):
        with pytest.raises(InputError):
            ranker.predict(items)
    with pytest.raises(InputError):
        ranker.predict(strangers[0], qids=[1])
    for document, grade in ((np.zeros(4), 1), (3, 1), (np.zeros((1, 5)), 1), (np.zeros(5), -1), (np.zeros(5), "one")):
        with pytest.raises(InputError):
            ranker.partial_fit(document, grade)
        with pytest.raises(InputError):
            ranker.forget(document, grade)
    with pytest.raises(InputError, match="no document like this"):
        ranker.forget(np.full(5, 77), 1)
    with pytest.raises(InputError, match="no document like this"):
        ranker.forget(made_up()[0][0], int(made_up()[1][0]), qid="another")
    assert (ranker.predict(strangers[0]) == before).all()


BAD = (
    {"max_antecedent": 4},
    {"min_confidence": 1.5},
    {"min_support": -1},
    {"strength": -1.0},
    {"decay": 1.5},
    {"penalty": 0.0},
    {"query_labels": np.inf},
)


@pytest.mark.parametrize(
    ("name", "setting"),
    [(each.name, bad) for each in rankers for bad in BAD if next(iter(bad)) in each.value().get_params()],
)
def test_bad_settings_are_refused_with_their_names(name, setting):
    items, grades, qids = made_up()
    with pytest.raises(InputError, match=next(iter(setting))):
        rankers[name](**setting).fit(items, grades, qids).predict(items)


@pytest.mark.parametrize("name", [name for name in rankers.names() if name not in SPEAK_FOR_NEIGHBOURS])
def test_without_any_rule_the_grade_distribution_speaks(name):
    ranker = rankers[name]().fit([[0, 0], [1, 0], [0, 1], [1, 1]], [0, 0, 0, 2], [1, 1, 2, 2])
    assert ranker.predict_proba([[9, 9]], [1]).tolist() == [[0.75, 0.0, 0.25]]
    assert ranker.predict([[9, 9], [7, 8]]).tolist() == [0.5, 0.5]


@every
def test_a_single_grade(name):
    items, _, qids = made_up()
    assert (rankers[name]().fit(items, np.zeros(40, int), qids).predict_proba(items) == 1.0).all()
    twos = rankers[name]().fit(items, np.full(40, 2), qids)
    assert (twos.predict_proba(items) == [0.0, 0.0, 1.0]).all()
    assert (twos.predict(items) == 2.0).all()


@every
def test_one_document_one_query_and_one_feature(name):
    ranker = rankers[name]().fit([[3]], [1], ["only"])
    assert ranker.predict([[3], [4]], ["only", "other"]).tolist() == [1.0, 1.0]
    items, grades, _ = made_up()
    alone = rankers[name]().fit(items, grades)
    assert (alone.predict(items) == rankers[name]().fit(items, grades, ["q"] * 40).predict(items)).all()


@every
def test_more_features_than_a_word_has_bits(name):
    items, grades, qids = made_up(rows=30, features=70)
    ranker = rankers[name]().fit(items, grades, qids)
    assert np.isfinite(ranker.predict(items, qids)).all()
    turned = rankers[name]().fit(items[:, ::-1], grades, qids)  # the order of the features says nothing
    assert (turned.predict(items[:, ::-1], qids) == ranker.predict(items, qids)).all()


@every
def test_equal_documents_get_equal_ranks_wherever_they_stand(name):
    items, grades, qids = made_up(rows=60, grades=9)
    ranker = rankers[name]().fit(items, grades, qids)
    some = items[:13]
    alone = np.array([ranker.predict(some[n : n + 1])[0] for n in range(13)])
    assert (ranker.predict(np.concatenate([some[::-1], some])) == np.concatenate([alone[::-1], alone])).all()


@every
def test_chunks_do_not_show(name, monkeypatch, strangers):
    items, _, qids = strangers
    whole = fitted(name).predict_proba(items, qids)
    monkeypatch.setattr(rulerank.ranking.base, "CHUNK", 7)
    assert (fitted(name).predict_proba(items, qids) == whole).all()


@every
def test_threads_do_not_show(name, monkeypatch, strangers):
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RULERANK_THREADS", threads)
        found.append(fitted(name).predict(strangers[0], strangers[2]))
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


def average_precision(relevant):
    hits = np.flatnonzero(relevant)
    return np.mean([(n + 1) / (place + 1) for n, place in enumerate(hits)])


@every
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_feature_that_decides_the_grade_is_found(name, seed):
    """Two grades: with three, the mean over all rules lets noise blur the middle one, by the method's own equations."""
    rng = np.random.default_rng(seed)
    items = rng.integers(0, 2, (480, 4)).astype(np.uint8)
    items[:, 2] = rng.integers(0, 3, 480)
    grades = np.array([1, 0, 1])[items[:, 2]]
    qids = np.repeat(np.arange(12), 40)
    ranker = rankers[name]().fit(items[:320], grades[:320], qids[:320])
    rank = ranker.predict(items[320:], qids[320:])
    for qid in range(8, 12):
        own = qids[320:] == qid
        assert average_precision(grades[320:][own][np.argsort(-rank[own])]) == 1.0
