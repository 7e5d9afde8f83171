"""LETOR whole and in folds: which documents leave, and that no query stands in two files of a fold."""

from __future__ import annotations

import io

import numpy as np
import pytest
from export_reference import AWKWARD, NAMES, awkward, plain, unpacked

from rulerank.collection import Collection
from rulerank.errors import InputError
from rulerank.export import CheckFailedError, Export, check, export_files, make_bundle, preview
from rulerank.folds import read_folds
from rulerank.letor import read_letor


def files(collection, **options):
    return dict(export_files(collection, **options))


def test_the_file_holds_the_graded_documents_as_they_came():
    found = files(awkward(), formats=["letor"])["letor.txt"].decode()
    assert found.splitlines() == [line for line in AWKWARD.splitlines() if not line.startswith("-1")]


def test_unlabelled_documents_leave_when_asked():
    whole = files(awkward(), formats=["letor", "lightgbm", "qrels"], unlabelled=True)
    assert whole["letor.txt"].decode() == AWKWARD
    assert [line.split()[0] for line in whole["lightgbm.txt"].decode().splitlines()] == ["0", "2", "1", "0", "1", "1"]
    assert whole["lightgbm.txt.query"] == b"2\n2\n1\n1\n"
    assert b"-1" not in whole["qrels.txt"]


def test_trailing_features_that_nobody_has_are_not_missed():
    wide = read_letor(io.BytesIO(b"1 qid:1 1:3 2:4\n0 qid:2 1:4\n1 qid:3 1:1\n"))
    graded = wide.with_grades([-1, 0, 1])
    assert graded.features.shape[1] == 2
    assert check(graded, formats=["letor", "lightgbm", "csv", "features"]) == []
    assert (
        files(graded, formats=["csv"])["documents-for-machines.csv"]
        == b"qid,docid,grade,1,2\n2,row2,0,4,\n3,row3,1,1,\n"
    )


@pytest.mark.parametrize("folds", [3, 5, 8])
def test_every_query_stands_in_one_file_of_each_fold(folds):
    collection = plain()
    found = {
        name: read_letor(io.BytesIO(data)) for name, data in files(collection, formats=["folds"], folds=folds).items()
    }
    assert len(found) == 3 * folds
    tested = []
    for fold in range(1, folds + 1):
        train, vali, test = (found[f"Fold{fold}/{kind}.txt"] for kind in ("train", "vali", "test"))
        assert sorted(train.queries + vali.queries + test.queries) == sorted(collection.queries)
        tested += test.queries
        joined = Collection.concat([train, vali, test])
        order = [collection.queries.index(qid) for qid in joined.queries]
        rows = np.concatenate([np.arange(len(collection))[collection.query_slices[k]] for k in order])
        assert joined == collection.select(rows).with_feature_names(joined.feature_names)
    assert sorted(tested) == sorted(collection.queries)
    sizes = [len(found[f"Fold{fold}/test.txt"].queries) for fold in range(1, folds + 1)]
    assert max(sizes) - min(sizes) <= 1


def test_the_folds_rotate_as_letor_rotates():
    found = files(plain(), formats=["folds"])
    for fold in range(1, 6):
        following = fold % 5 + 1
        assert found[f"Fold{fold}/vali.txt"] == found[f"Fold{(fold - 2) % 5 + 1}/test.txt"]
        assert found[f"Fold{following}/train.txt"].endswith(found[f"Fold{fold}/vali.txt"])


def test_the_seed_deals_the_queries():
    one, same, other = (files(plain(), formats=["folds"], seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_an_unpacked_bundle_is_read_as_folds(tmp_path):
    collection = plain()
    for name, data in unpacked(make_bundle(collection)).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    folds = read_folds(tmp_path)
    assert sorted(qid for fold in folds for qid in fold.test.queries) == sorted(collection.queries)
    assert read_letor(tmp_path / "letor.txt").with_feature_names(collection.feature_names) == collection


def test_rows_are_numbered_in_the_whole_collection():
    export = Export.prepare(awkward())
    assert export.ids == ("d1", "row2", 'd,"1', "nothing", "row7", "d1")
    assert export.left_out == 2


def test_what_cannot_be_exported_is_said():
    with pytest.raises(InputError, match="no document has a grade yet"):
        check(plain().with_grades(np.full(48, -1)))
    with pytest.raises(InputError, match="no documents"):
        check(plain().select([]))
    with pytest.raises(InputError, match="whole number of at least 3"):
        check(plain(), folds=2)
    with pytest.raises(InputError, match="seed must be"):
        check(plain(), seed=-1)
    with pytest.raises(InputError, match="not list"):
        check([1, 2])
    with pytest.raises(InputError, match="about must be"):
        check(plain(), about="majority")


def test_too_few_queries_for_the_folds_are_a_problem_of_the_folds_alone():
    (problem,) = check(awkward())
    assert problem.startswith("folds: 5 folds need as many queries with grades, and there are 4; ")
    with pytest.raises(CheckFailedError, match="choose fewer folds"):
        make_bundle(awkward())
    found = preview(awkward())
    assert found.notes[0] == problem
    assert found.folds == ()
    assert [file.name for file in found.files if file.name.startswith(("Fold", "letor"))] == ["letor.txt"]
    assert check(awkward(), folds=4) == []


def test_feature_names_are_listed_on_one_line_each():
    found = files(awkward(), formats=["features"])["features.txt"].decode()
    assert found == '1\tBM25\n2\ttf, "body"\n3\tidf\n4\ta b c\n'
    assert NAMES[3] == "a\tb\nc"
