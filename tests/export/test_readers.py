"""Other programs load what we write: scikit-learn, LightGBM, XGBoost, trec_eval, pandas."""

from __future__ import annotations

import io
from itertools import groupby

import numpy as np
import pytest
from export_reference import awkward, plain
from sklearn.datasets import load_svmlight_file

from rulerank.export import check, export_files


@pytest.fixture
def folder(tmp_path):
    def write(collection, *names):
        for name, data in export_files(collection, formats=names):
            (tmp_path / name).write_bytes(data)
        return tmp_path

    return write


def test_scikit_learn_reads_the_letor_file(folder):
    collection = plain()
    path = folder(collection, "letor") / "letor.txt"
    features, grades, qids = load_svmlight_file(path, query_id=True)
    assert np.array_equal(features.toarray(), collection.features)
    assert np.array_equal(grades, collection.grades)
    assert list(map(str, qids)) == collection.qids.tolist()


def test_scikit_learn_reads_the_lightgbm_file_also_with_missing_values(folder):
    for collection in (plain(), awkward()):
        path = folder(collection, "lightgbm")
        graded = collection.select(collection.grades >= 0)
        features, grades = load_svmlight_file(path / "lightgbm.txt", n_features=4)
        assert np.array_equal(features.toarray(), graded.features)
        assert np.array_equal(grades, graded.grades)
        sizes = [int(line) for line in (path / "lightgbm.txt.query").read_text().split()]
        assert sizes == np.diff(graded.indptr).tolist()


def test_lightgbm_loads_and_learns(folder):
    lightgbm = pytest.importorskip("lightgbm")
    collection = plain(queries=30, documents=20)
    informed = collection.with_grades((collection.features[:, 1] > 0.3).astype(int))
    path = folder(informed, "lightgbm") / "lightgbm.txt"
    data = lightgbm.Dataset(str(path), params={"verbose": -1, "min_data_in_leaf": 5}).construct()
    assert data.num_data() == len(informed)
    assert np.array_equal(data.get_label(), informed.grades)
    assert np.array_equal(data.get_group(), np.diff(informed.indptr))
    booster = lightgbm.train(
        {"objective": "lambdarank", "verbose": -1, "num_leaves": 4, "min_data_in_leaf": 5, "num_threads": 1},
        lightgbm.Dataset(str(path), params={"verbose": -1}), num_boost_round=5,
    )  # fmt: skip
    assert int(np.argmax(booster.feature_importance())) == 2  # number 2 in the file; column 0 is empty


@pytest.mark.filterwarnings("ignore:.*Text file input:UserWarning")
def test_xgboost_loads_the_letor_file_as_text_and_as_the_readme_says(folder):
    xgboost = pytest.importorskip("xgboost")
    collection = plain()
    backwards = collection.select(np.arange(len(collection))[::-1])  # qids need not ascend
    path = folder(backwards, "letor") / "letor.txt"
    features, grades, qids = load_svmlight_file(path, query_id=True)
    groups = [len(list(group)) for _, group in groupby(qids)]
    for matrix, first in (
        (xgboost.DMatrix(f"{path}?format=libsvm"), 1),
        (xgboost.DMatrix(features, grades, group=groups), 0),
    ):
        assert np.array_equal(matrix.get_label(), backwards.grades)
        assert np.array_equal(matrix.get_uint_info("group_ptr"), backwards.indptr)
        # Its own parser of numbers is one bit off at times.
        assert np.allclose(matrix.get_data().toarray()[:, first:], backwards.features, rtol=1e-6, atol=0)


def test_trec_eval_reads_the_qrels():
    import pytrec_eval

    collection = awkward()
    ((_, data),) = export_files(collection, formats=["qrels"])
    assert pytrec_eval.parse_qrel(io.StringIO(data.decode())) == {
        "10": {"d1": 0, "row2": 2},
        'q,"x': {'d,"1': 1, "nothing": 0},
        "7": {"row7": 1},
        "8": {"d1": 1},
    }


def test_docids_that_stand_for_two_documents_are_reported():
    collection = plain()
    comments = [f"docid = d{row // 2}" for row in range(len(collection))]
    twins = type(collection).from_arrays(collection.features, collection.qids, collection.grades, comments=comments)
    problems = check(twins, formats=["letor", "qrels", "csv"])
    assert problems == [
        "qrels.txt: 24 docids stand for several documents of their query, first d0 of query 1; "
        "make them distinct, or leave the qrels out"
    ]
    assert check(twins, formats=["letor", "csv"]) == []


@pytest.mark.parametrize("collection", [plain(), awkward()], ids=["plain", "awkward"])
def test_pandas_reads_the_table(collection):
    import pandas

    data = dict(export_files(collection, formats=["csv"]))["documents-for-machines.csv"]
    frame = pandas.read_csv(io.BytesIO(data), dtype={"qid": str, "docid": str})
    graded = collection.select(collection.grades >= 0)
    meant = graded.to_frame()
    assert frame.columns.tolist() == ["qid", "docid", "grade", *collection.feature_names]
    assert frame["qid"].tolist() == graded.qids.tolist()
    assert frame["grade"].tolist() == graded.grades.tolist()
    found, values = frame.iloc[:, 3:].to_numpy(float), meant[list(collection.feature_names)].to_numpy(float)
    assert np.array_equal(found, values, equal_nan=True)


def test_a_feature_named_like_a_column_is_reported():
    collection = plain().with_feature_names(["a", "grade", "b", "c"])
    (problem,) = check(collection, formats=["csv", "letor"])
    assert "a feature is named 'grade'" in problem
    assert check(collection, formats=["letor"]) == []
