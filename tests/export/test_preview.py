"""The preview shows what the bundle will hold, and says beforehand what a reader may stumble over."""

from __future__ import annotations

import numpy as np
import pytest
from export_reference import EVENTS, awkward, plain, unpacked

from rulerank.errors import InputError
from rulerank.export import SetPreview, make_bundle, preview


def test_it_shows_the_files_of_the_bundle():
    found = preview(plain(), EVENTS, seed=5)
    bundle = unpacked(make_bundle(plain(), EVENTS, seed=5))
    assert [file.name for file in found.files] == list(bundle)[1:-1]
    for file in found.files:
        data = bundle[file.name]
        assert (file.size, file.lines) == (len(data), data.count(b"\n"))
        assert list(file.first) == data.decode().split("\n")[: min(5, file.lines)]
    assert {file.format for file in found.files} >= {"letor", "folds", "csv"}


def test_it_counts():
    found = preview(awkward(), folds=3)
    assert (found.documents, found.left_out, found.queries, found.features) == (6, 2, 4, 4)
    assert found.grade_counts == {0: 2, 1: 3, 2: 1}
    assert [fold.number for fold in found.folds] == [1, 2, 3]
    for fold in found.folds:
        sets = (fold.train, fold.validation, fold.test)
        assert sum(part.queries for part in sets) == 4
        assert sum(part.documents for part in sets) == 6
        assert isinstance(fold.test, SetPreview)
    assert preview(awkward(), formats=["letor"]).folds == ()


def test_it_notes_what_trainers_stumble_over():
    assert preview(plain()).notes == ()
    notes = preview(awkward(), folds=3).notes
    assert len(notes) == 4
    assert notes[0].startswith('1 qids are not whole numbers, as q,"x: scikit-learn and XGBoost')
    assert notes[1].startswith("2 documents have no docid")
    assert notes[2].startswith("2 queries have a single grade")
    assert notes[3].startswith("11 values are missing")
    clash = preview(plain().with_feature_names(["grade", "a", "b", "c"]), formats=["csv"]).notes
    assert clash == (
        "documents-for-machines.csv: a feature is named 'grade', as a column of ours is; rename it, or leave the CSV "
        "tables out",
    )


def test_no_grades_but_all_documents_asked_for():
    found = preview(plain().with_grades(np.full(48, -1)), unlabelled=True, formats=["letor", "lightgbm", "qrels"])
    assert (found.documents, found.left_out, found.grade_counts) == (48, 0, {})
    assert [file.lines for file in found.files] == [48, 0, 0, 0]


def test_long_lines_are_cut_and_lines_are_as_many_as_asked_for():
    wide = plain(features=300)
    (file,) = preview(wide, formats=["letor"], lines=2).files
    assert [len(line) for line in file.first] == [304, 304]
    assert all(line.endswith(" ...") for line in file.first)
    assert preview(wide, formats=["letor"], lines=0).files[0].first == ()
    with pytest.raises(InputError, match="lines must be"):
        preview(wide, lines=-1)


def test_one_query_is_not_several():
    collection = plain(queries=3, documents=4)
    notes = preview(collection.with_grades([0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2, 2]), formats=["letor"]).notes
    assert notes[0] == "1 query has a single grade: pairwise and listwise trainers learn nothing from it"
