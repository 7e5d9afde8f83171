"""The Collection: immutable arrays, equality, and the ways to make one from another."""

from __future__ import annotations

import copy
import dataclasses
import io
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.collection import ABSENT, NULL, Collection, RegroupedQueries
from rulerank.errors import InputError
from rulerank.letor import read_letor

TEXT = "0 qid:a 1:1 2:2 #docid = x\n2 qid:a 1:0 2:NULL #docid = y\n-1 qid:b 2:5\n1 qid:c 1:1 2:7 #docid = z\n"


@pytest.fixture
def small() -> Collection:
    return read_letor(io.StringIO(TEXT))


def test_fields(small):
    assert small.features.tolist() == [[1, 2], [0, 0], [0, 5], [1, 7]]
    assert small.missing.tolist() == [[0, 0], [0, NULL], [ABSENT, 0], [0, 0]]
    assert small.grades.tolist() == [0, 2, -1, 1]
    assert small.queries == ("a", "b", "c")
    assert small.query_index.tolist() == [0, 0, 1, 2]
    assert small.qids.tolist() == ["a", "a", "b", "c"]
    assert small.docids == ("x", "y", "", "z")
    assert small.feature_names == ("1", "2")
    assert small.indptr.tolist() == [0, 2, 3, 4]
    assert small.query_slices == (slice(0, 2), slice(2, 3), slice(3, 4))
    assert repr(small) == "Collection(4 documents, 3 queries, 2 features, 3 graded)"


def arrays(collection):
    return [getattr(collection, n) for n in ("features", "grades", "query_index", "missing", "qids", "indptr")]


def test_nothing_can_be_written(small):
    made = Collection.from_arrays([[np.nan, 1.0]], ["q"])
    for collection in (
        small, made, pickle.loads(pickle.dumps(small)), copy.deepcopy(small), small.select([0, 1]),
        small.with_grades([1, 1, 1, 1]), Collection.concat([small, small]),
    ):  # fmt: skip
        for array in arrays(collection):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
            base = array.base
            assert base is None or not base.flags.writeable
        with pytest.raises(dataclasses.FrozenInstanceError):
            collection.grades = None


def test_the_callers_arrays_are_copied():
    features, grades = np.ones((2, 2)), np.zeros(2, dtype=np.int32)
    made = Collection.from_arrays(features, ["1", "1"], grades)
    direct = Collection(features, grades, np.zeros(2, dtype=np.int64), ("1",), ("", ""))
    view = features[:]
    view.flags.writeable = False
    viewed = Collection(view, grades, np.zeros(2, dtype=np.int64), ("1",), ("", ""))
    features[:], grades[:] = 7, 3
    for collection in (made, direct, viewed):
        assert collection.features.tolist() == [[1, 1], [1, 1]]
        assert collection.grades.tolist() == [0, 0]
    assert made == direct == viewed


def test_copies_are_equal(small):
    for other in (pickle.loads(pickle.dumps(small)), copy.deepcopy(small), read_letor(io.StringIO(TEXT))):
        assert other == small
        assert hash(other) == hash(small)
        assert other.content_hash == small.content_hash
    assert small != "something else"


@pytest.mark.parametrize(
    "change",
    [
        ("1:1 2:2", "1:1 2:3"), ("1:1 2:2", "1:1 2:2.0000000000000004"), ("1:0 ", "1:-0 "), ("1:0 ", ""),
        ("1:0 ", "1:NULL "), ("NULL", "0"), ("0 qid:a", "1 qid:a"), ("-1", "0"), ("qid:c", "qid:d"), ("qid:b", "qid:a"),
        ("= x", "= w"), ("= z", "= z "), (" #docid = z", ""), ("2:7", "2:7 3:1"),
    ],
)  # fmt: skip
def test_any_change_makes_it_unequal(small, change):
    other = read_letor(io.StringIO(TEXT.replace(*change, 1)))
    assert other != small
    assert other.content_hash != small.content_hash


def test_names_count_and_warnings_do_not(small):
    named = small.with_feature_names(["bm25", "length"])
    assert named.feature_names == ("bm25", "length")
    assert named != small
    assert dataclasses.replace(small, warnings=("odd",)) == small


def test_the_hash_does_not_change_between_versions():
    fixed = Collection.from_arrays([[0.5, np.nan]], ["q"], [1], docids=["d"])
    assert fixed.content_hash == "c009d0285afcd6169097582acf4ff52a2326efeb167badf30905b9559bd96837"


def test_from_arrays_groups_rows_and_keeps_nan_as_null():
    made = Collection.from_arrays(
        [[1, np.nan], [2, 0], [3, 0]], [7, 8, 7], docids=["x", "", "z"], feature_names=["f", "g"]
    )
    assert made.queries == ("7", "8")
    assert made.features.tolist() == [[1, 0], [3, 0], [2, 0]]
    assert made.missing.tolist() == [[0, NULL], [0, 0], [0, 0]]
    assert made.grades.tolist() == [-1, -1, -1]
    assert made.docids == ("x", "z", "")
    assert made.warnings == (RegroupedQueries(("7",), (2,), "row"),)
    assert made.feature_names == ("f", "g")


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([[np.inf]], ["1"]), {}, "row 0, feature 1"),
        (([1.0], ["1"]), {}, "2 dimension"),
        (([["a"]], ["1"]), {}, "numbers"),
        (([[1], [1, 2]], ["1"]), {}, "features"),
        (([[1.0]], ["1", "2"]), {}, "2 qids for 1 rows"),
        (([[1.0]], ["a b"]), {}, "qid 'a b'"),
        (([[1.0]], ["a#"]), {}, "qid"),
        (([[1.0]], [""]), {}, "qid"),
        (([[1.0]], ["1"], [-2]), {}, "grade -2"),
        (([[1.0]], ["1"], [0.5]), {}, "whole numbers"),
        (([[1.0]], ["1"], [np.nan]), {}, "whole numbers"),
        (([[1.0]], ["1"], [1, 2]), {}, "2 grades for 1 rows"),
        (([[1.0]], ["1"], [10**6]), {}, "grade 1000000"),
        (([[1.0]], ["1"]), {"docids": ["a b"]}, "docid"),
        (([[1.0]], ["1"]), {"docids": ["a", "b"]}, "2 comments for 1 rows"),
        (([[1.0]], ["1"]), {"docids": ["a"], "comments": ["a"]}, "not both"),
        (([[1.0]], ["1"]), {"comments": ["a\nb"]}, "one line"),
        (([[1.0]], ["1"]), {"comments": ["a\r"]}, "one line"),
        (([[1.0]], ["1"]), {"comments": ["\ud800"]}, "row 0.*surrogate"),
        (([[1.0]], ["1"]), {"comments": [None]}, "must be text"),
        (([[1.0]], ["1"]), {"feature_names": ["a", "b"]}, "2 feature names"),
        (([[1.0, 2.0]], ["1"]), {"feature_names": ["a", "a"]}, "distinct"),
    ],
)
def test_bad_arrays(arguments, options, words):
    with pytest.raises(InputError, match=words):
        Collection.from_arrays(*arguments, **options)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"features": np.full((2, 1), np.nan)}, "not a finite number"),
        ({"missing": np.ones((2, 1), dtype=np.uint8)}, "must be 0.0"),
        ({"missing": np.full((2, 1), 3, dtype=np.uint8)}, "codes"),
        ({"missing": np.ones((1, 1), dtype=np.uint8)}, "shape"),
        ({"query_index": [1, 0]}, "Collection.from_arrays"),
        ({"query_index": [0, 2]}, "Collection.from_arrays"),
        ({"query_index": [0, 0]}, "Collection.from_arrays"),
        ({"query_index": [0]}, "Collection.from_arrays"),
        ({"queries": ("a", "a")}, "distinct"),
        ({"comments": ("",)}, "1 comments for 2 rows"),
        ({"grades": [0, -3]}, "row 1: grade -3"),
    ],
)
def test_bad_fields(change, words):
    good = {
        "features": np.ones((2, 1)),
        "grades": [0, 1],
        "query_index": [0, 1],
        "queries": ("a", "b"),
        "comments": ("", ""),
    }
    assert len(Collection(**good)) == 2
    with pytest.raises(InputError, match=words):
        Collection(**(good | change))


def test_with_grades(small):
    graded = small.with_grades([3, 2, 1, 0])
    assert graded.grades.tolist() == [3, 2, 1, 0]
    assert graded.features is small.features
    assert graded.with_grades(small.grades) == small
    with pytest.raises(InputError, match="3 grades"):
        small.with_grades([1, 2, 3])


def test_select(small):
    picked = small.select([3, 0])
    assert picked.queries == ("c", "a")
    assert picked.features.tolist() == [[1, 7], [1, 2]]
    assert picked.docids == ("z", "x")
    assert picked.missing is None
    assert small.select(small.grades >= 0) == small.select([0, 1, 3])
    assert small.select(slice(None)) == small
    assert small.select(slice(None)).warnings == ()
    assert small.select([2]).missing.tolist() == [[ABSENT, 0]]
    assert len(small.select([])) == 0
    assert small.select([]).features.shape == (0, 2)
    split = small.select([0, 3, 1])
    assert split.docids == ("x", "y", "z")
    assert split.warnings == (RegroupedQueries(("a",), (1,), "row"),)


@pytest.mark.parametrize("rows", [[4], [-1], [0.5], [[0]], [True, False], "ab"])
def test_bad_rows(small, rows):
    with pytest.raises(InputError, match="row"):
        small.select(rows)


@given(st.lists(st.integers(0, 3), max_size=12))
def test_select_picks_the_rows_asked_for(rows):
    small = read_letor(io.StringIO(TEXT))
    picked = small.select(rows)
    order = sorted(
        range(len(rows)), key=lambda i: rows.index(next(r for r in rows if small.qids[r] == small.qids[rows[i]]))
    )
    assert picked.features.tolist() == [small.features[rows[i]].tolist() for i in order]
    assert picked.comments == tuple(small.comments[rows[i]] for i in order)
    assert picked.qids.tolist() == [small.qids[rows[i]] for i in order]


def test_concat_joins_folds(small):
    other = read_letor(io.StringIO("1 qid:d 1:1 2:1\n1 qid:a 1:9 2:9 #docid = w\n"))
    joined = Collection.concat([small, other])
    assert joined.queries == ("a", "b", "c", "d")
    assert joined.docids == ("x", "y", "w", "", "z", "")
    assert joined.features[2].tolist() == [9, 9]
    assert joined.missing.tolist() == [[0, 0], [0, NULL], [0, 0], [ABSENT, 0], [0, 0], [0, 0]]
    assert joined.warnings == (RegroupedQueries(("a",), (2,), "part"),)
    assert Collection.concat([small]) == small
    assert Collection.concat([small, small.select([])]) == small


def test_concat_is_what_reading_the_joined_files_gives(small):
    """A sparse file whose rows all lack the last features is as wide as its neighbours once they are joined."""
    for more in ("1 qid:d 3:1\n", "1 qid:d 1:4\n"):
        joined = Collection.concat([small, read_letor(io.StringIO(more))])
        assert joined == read_letor(io.StringIO(TEXT + more))


def test_concat_refuses_other_features(small):
    named = small.with_feature_names(["a", "b"])
    with pytest.raises(InputError, match="part 2 has 3 features"):
        Collection.concat([named, read_letor(io.StringIO("1 qid:d 3:1\n"))])
    with pytest.raises(InputError, match="names differ"):
        Collection.concat([small, small.with_feature_names(["a", "b"])])
    with pytest.raises(InputError, match="at least one"):
        Collection.concat([])


def test_concat_of_real_folds(letor_folder):
    folder = letor_folder("letor3-ohsumed")
    parts = [read_letor(folder / f"S{k}.txt") for k in (1, 2, 3)]
    joined = Collection.concat(parts)
    text = b"".join((folder / f"S{k}.txt").read_bytes() for k in (1, 2, 3))
    assert joined == read_letor(io.BytesIO(text))
    assert joined.select(slice(len(parts[0]))) == parts[0]


def test_frame(small):
    frame = small.to_frame()
    assert frame.columns.tolist() == ["qid", "docid", "grade", "1", "2", "comment"]
    assert frame["grade"].tolist() == [0, 2, -1, 1]
    assert frame["2"].isna().tolist() == [False, True, False, False]
    assert frame["docid"].tolist() == ["x", "y", "", "z"]
    assert frame["comment"].tolist() == list(small.comments)


def test_summary(small):
    assert small.summary() == {
        "rows": 4,
        "documents": 3,
        "queries": 3,
        "features": 2,
        "grade_counts": {0: 1, 1: 1, 2: 1},
        "unlabelled": 1,
        "missing": 2,
        "constant_features": [],
        "documents_per_query": {"min": 1, "median": 1.0, "max": 2},
    }
    assert small.select([0, 3]).summary()["constant_features"] == ["1"]
    assert small.select([]).summary()["rows"] == 0
