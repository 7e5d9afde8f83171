"""What every registered discretizer must do; a new one is tested unasked."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.discretize import MDLP, Discretizer, EqualWidth, Tube, informative_features
from rulerank.errors import InputError, NotFittedError
from rulerank.registry import discretizers

every = pytest.mark.parametrize("name", discretizers.names())

matrices = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 40), st.integers(1, 3)),
    elements=st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6), st.sampled_from([0.0, -0.0, 0.1])),
)


def grades_for(X):
    """Grades that follow the first column, so that a supervised discretizer has something to find."""
    return (X[:, 0] > np.median(X[:, 0])).astype(int)


def test_the_four_are_registered():
    assert {"equal_width", "equal_frequency", "tube", "mdlp"} <= set(discretizers.names())
    for entry in discretizers:
        assert entry.value.name == entry.name
        assert entry.label
        assert entry.summary


@every
@given(X=matrices)
@examples(40)
def test_items_lie_in_their_bins_and_rise_with_the_values(name, X):
    fitted = discretizers[name]().fit(X, grades_for(X))
    items = fitted.transform(X)
    assert items.dtype == np.uint8
    assert items.shape == X.shape
    assert items.flags.c_contiguous
    assert (items < fitted.bins_).all()
    for j, edges in enumerate(fitted.edges_):
        assert edges.dtype == np.float64
        assert len(edges) == fitted.bins_[j] + 1
        assert edges[0] == X[:, j].min()
        assert edges[-1] == X[:, j].max()
        order = np.argsort(X[:, j])
        assert (np.diff(items[order, j].astype(int)) >= 0).all()
        for x, item in zip(X[:, j], items[:, j], strict=True):
            assert edges[item] < x or item == 0
            assert x <= edges[item + 1]


@every
@given(X=matrices, seed=st.integers(0, 100))
@examples(20)
def test_the_order_of_the_rows_does_not_matter(name, X, seed):
    shuffled = np.random.default_rng(seed).permutation(len(X))
    grades = grades_for(X)
    first = discretizers[name]().fit(X, grades).edges_
    second = discretizers[name]().fit(X[shuffled], grades[shuffled]).edges_
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


@every
@given(X=matrices)
@examples(20)
def test_saving_through_json_loses_nothing(name, X):
    fitted = discretizers[name]().fit(X, grades_for(X), feature_names=[f"f{j}" for j in range(X.shape[1])])
    loaded = Discretizer.from_dict(json.loads(json.dumps(fitted.to_dict())))
    assert type(loaded) is type(fitted)
    assert loaded.get_params() == fitted.get_params()
    assert loaded.feature_names_ == fitted.feature_names_
    for a, b in zip(loaded.edges_, fitted.edges_, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(loaded.transform(X), fitted.transform(X))


@every
def test_values_outside_the_fitted_range_go_to_the_outer_bins(name):
    X = np.linspace(0, 1, 50)[:, None]
    fitted = discretizers[name]().fit(X, grades_for(X))
    assert fitted.bins_[0] > 1
    assert fitted.transform([[-9.0], [9.0]])[:, 0].tolist() == [0, fitted.bins_[0] - 1]


@every
@pytest.mark.parametrize("X", [[[3.5]], [[3.5]] * 9])
def test_a_constant_feature_has_one_bin(name, X):
    fitted = discretizers[name]().fit(X, [0] * len(X))
    assert fitted.edges_[0].tolist() == [3.5, 3.5]
    assert fitted.transform([[1.0], [3.5], [7.0]])[:, 0].tolist() == [0, 0, 0]
    assert fitted.describe(0, 0) == "feature 1 has any value"


@every
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.empty((0, 3)), "at least one row"),
        (np.empty((3, 0)), "at least one row and one feature"),
        (np.zeros(3), r"reshape\(-1, 1\)"),
        (np.zeros((2, 2, 2)), "shape"),
        ([[1, 2], [3]], "matrix of numbers"),
        ([["a", "b"]], "matrix of numbers"),
        (np.array([[1j]]), "complex"),
        ([[0.0, 1.0], [2.0, np.nan]], "value nan in row 1, column 1"),
        ([[0.0, np.inf], [2.0, 1.0]], "value inf in row 0, column 1"),
        ([[0.0, -1e301], [2.0, 1.0]], "row 0, column 1"),
    ],
)
def test_bad_matrices_are_refused(name, X, message):
    with pytest.raises(InputError, match=message):
        discretizers[name]().fit(X, [0] * len(X))


@every
def test_transform_refuses_what_fit_did_not_see(name):
    fitted = discretizers[name]()
    with pytest.raises(NotFittedError, match=r"call fit"):
        fitted.transform([[1.0]])
    for need in (lambda: fitted.bins_, fitted.to_dict, lambda: fitted.describe(0, 0)):
        with pytest.raises(NotFittedError):
            need()
    fitted.fit([[0.0, 1.0], [1.0, 0.0]], [0, 1], feature_names=["BM25", "PageRank"])
    with pytest.raises(InputError, match=r"3 features.*fitted on 2"):
        fitted.transform(np.zeros((4, 3)))
    with pytest.raises(InputError, match=r"column 1 \(PageRank\)"):
        fitted.transform([[0.0, np.nan]])
    assert fitted.transform(np.empty((0, 2))).shape == (0, 2)


@every
def test_a_failed_fit_leaves_the_old_edges(name):
    X = np.arange(20.0)[:, None]
    fitted = discretizers[name]().fit(X, grades_for(X))
    before = [edges.copy() for edges in fitted.edges_]
    with pytest.raises(InputError):
        fitted.fit([[np.nan]], [0])
    np.testing.assert_array_equal(fitted.edges_[0], before[0])


@every
def test_input_is_left_alone_and_layout_and_type_do_not_matter(name):
    X = np.random.default_rng(3).integers(0, 50, (200, 3))
    kept = X.copy()
    grades = grades_for(X)
    expected = discretizers[name]().fit(X, grades)
    np.testing.assert_array_equal(X, kept)
    for other in (np.asfortranarray(X), X.astype(np.float32), X.tolist(), X[::-1][::-1]):
        fitted = discretizers[name]().fit(other, grades)
        for a, b in zip(fitted.edges_, expected.edges_, strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(fitted.transform(other), expected.transform(X))


def load(edges, names=("BM25",)):
    return Discretizer.from_dict({"name": "equal_width", "params": {}, "feature_names": names, "edges": edges})


def test_bins_in_words():
    fitted = load([[0.0, 0.36, 0.55, 1.0]])
    assert fitted.describe("BM25", 0) == "BM25 is at most 0.36"
    assert fitted.describe("BM25", 1) == "BM25 is between 0.36 and 0.55"
    assert fitted.describe(0, np.uint8(2)) == "BM25 is above 0.55"
    # Enough digits to keep every edge apart from its neighbours, the outer ones included.
    assert load([[0.0, 0.0001, 0.9999, 1.0]]).describe(0, 2) == "BM25 is above 0.9999"
    assert load([[0.0, 1 / 3, 1.0]]).describe(0, 0) == "BM25 is at most 0.333"
    # Edges elsewhere do not count, and numbers of a size that people write are written out.
    crowded = load([[0.0, 0.141593, 0.150123, 0.9, 0.9000001, 0.9000002, 1.0]])
    assert crowded.describe(0, 1) == "BM25 is between 0.142 and 0.15"
    assert crowded.describe(0, 4) == "BM25 is between 0.9000001 and 0.9000002"
    assert load([[0.0, 12345.6, 23456.7, 1e6]]).describe(0, 1) == "BM25 is between 12300 and 23500"
    assert load([[1.0, 1.0 + 2**-52, 2.0]]).describe(0, 1) == "BM25 is above 1.0000000000000002"


@pytest.mark.parametrize(("feature", "bin"), [("PageRank", 0), (1, 0), (-1, 0), (0, 3), (0, -1), (0, True), (0, "x")])
def test_words_for_items_that_do_not_exist_are_refused(feature, bin):
    with pytest.raises(InputError, match="no "):
        load([[0.0, 0.36, 0.55, 1.0]]).describe(feature, bin)


def test_feature_names_must_match_the_columns():
    for names in (["one"], "ab"):
        with pytest.raises(InputError, match="2 names"):
            EqualWidth().fit([[0.0, 1.0]], feature_names=names)
    assert EqualWidth().fit([[0.0, 1.0]]).feature_names_ == ("feature 1", "feature 2")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edges": [[1.0, 0.0]]}, "rising"),
        ({"edges": [[0.0, float("nan")]]}, "rising"),
        ({"edges": [[0.0]]}, "rising"),
        ({"edges": [["a", "b"]]}, "cannot be read"),
        ({"params": {"beans": 3}}, "cannot be read"),
        ({"feature_names": ["a", "b"]}, "1 names"),
        ({"name": "tubes"}, "did you mean 'tube'"),
    ],
)
def test_damaged_savings_are_refused(change, message):
    saved = Tube().fit([[0.0], [1.0]]).to_dict()
    with pytest.raises((InputError, KeyError), match=message):
        Discretizer.from_dict(saved | change)
    del saved["edges"]
    with pytest.raises(InputError, match="needs edges"):
        Discretizer.from_dict(saved)


def test_a_class_loads_only_its_own_savings():
    saved = Tube(bins=np.int64(4)).fit([[0.0], [1.0], [2.0]]).to_dict()
    assert json.loads(json.dumps(saved)) == saved
    assert Tube.from_dict(saved).bins == 4
    with pytest.raises(InputError, match="'tube'"):
        MDLP.from_dict(saved)


def test_informative_features():
    items = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 2]], dtype=np.uint8)
    assert informative_features(items).tolist() == [False, True, True]
    assert informative_features(items[:1]).tolist() == [False, False, False]
    assert informative_features(items[:0]).tolist() == [False, False, False]
    with pytest.raises(InputError, match="matrix"):
        informative_features([1, 2])
