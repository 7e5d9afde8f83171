"""The folds of a simulation: cut by query, nothing in both parts, and everything graded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.collection import Collection
from rulerank.errors import InputError
from rulerank.letor import write_letor
from rulerank.simulate import Dataset, Plan
from rulerank.simulate.data import FoldArrays, prepare
from rulerank.synthetic import planted_collection


def keyed(collection):
    return sorted(zip(collection.qids.tolist(), collection.docids, strict=True))


@examples(20)
@given(st.integers(2, 7), st.integers(0, 1000))
def test_queries_are_dealt_whole_and_evenly(folds, seed):
    collection = planted_collection(11, 12, 4, seed=1)
    data = Dataset.from_collection(collection, folds, seed)
    tested = [query for split in data.splits for query in split.test.queries]
    assert sorted(tested) == sorted(collection.queries)
    sizes = [len(split.test.queries) for split in data.splits]
    assert max(sizes) - min(sizes) <= 1
    for split in data.splits:
        assert not set(split.pool.queries) & set(split.test.queries)
        assert sorted(keyed(split.pool) + keyed(split.test)) == keyed(collection)


@pytest.mark.parametrize(
    ("folder", "name"),
    [("mine", "mine"), ("2003_td_dataset", "2003_td_dataset"), ("OHSUMED/QueryLevelNorm", "OHSUMED/QueryLevelNorm")],
)
def test_a_folder_is_called_by_what_says_which_collection_it_is(tmp_path, folder, name):
    place = tmp_path / folder
    place.mkdir(parents=True)
    for number in range(1, 6):
        write_letor(planted_collection(2, 8, 3, seed=number), place / f"S{number}.txt")
    assert Dataset.from_folder(place).name == name


def test_the_same_seed_gives_the_same_folds_and_another_does_not():
    collection = planted_collection(12, 10, 4)
    hashes = [Dataset.from_collection(collection, 3, seed).hash for seed in (0, 0, 1)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_folder_is_read_as_letor_rotates_it(tmp_path):
    collection = planted_collection(10, 10, 5)
    for part in range(5):
        write_letor(collection.select(collection.query_index // 2 == part), tmp_path / f"S{part + 1}.txt")
    data = Dataset.from_folder(tmp_path)
    assert data.name == tmp_path.name
    assert [split.number for split in data.splits] == [1, 2, 3, 4, 5]
    assert data.splits[0].pool.queries == tuple("123456")
    assert data.splits[0].test.queries == ("9", "10")


def test_documents_without_a_grade_are_left_out_and_said(tmp_path):
    collection = planted_collection(6, 10, 5)
    grades = collection.grades.copy()
    grades[::5] = -1
    data = Dataset.from_collection(collection.with_grades(grades), 2)
    assert all((part.grades >= 0).all() for split in data.splits for part in (split.pool, split.test))
    assert any("no grade" in note for note in data.notes)


@pytest.mark.parametrize(
    ("grades", "words"),
    [([-1] * 40, "has a grade"), ([0] * 40, "nothing to measure by")],
)
def test_folds_that_cannot_be_measured_are_refused(grades, words):
    collection = planted_collection(4, 10, 5).with_grades(grades)
    with pytest.raises(InputError, match=words):
        Dataset.from_collection(collection, 2)


def test_a_fold_without_relevant_documents_is_said():
    collection = planted_collection(4, 10, 5)
    grades = np.where(collection.query_index < 1, 1, 0)
    data = Dataset.from_collection(collection.with_grades(grades), 4)
    assert sum("no test query has a relevant document" in note for note in data.notes) == 3


def test_too_few_queries_are_refused():
    with pytest.raises(InputError, match="3 queries, too few for 5"):
        Dataset.from_collection(planted_collection(3, 10, 5), 5)


def test_a_test_part_that_lacks_the_last_features_is_widened(tmp_path):
    rng = np.random.default_rng(0)
    for part in range(5):
        features = rng.random((8, 4 if part == 4 else 6))
        grades = [0, 1] * 4
        written = Collection.from_arrays(features, [f"{part}a"] * 4 + [f"{part}b"] * 4, grades)
        write_letor(written, tmp_path / f"S{part + 1}.txt")
    split = Dataset.from_folder(tmp_path).splits[0]
    assert split.test.features.shape[1] == split.pool.features.shape[1] == 6
    assert (split.test.features[:, 4:] == 0).all()


def test_items_come_from_the_pool_alone_and_are_the_same_from_disk(tmp_path):
    split = Dataset.from_collection(planted_collection(8, 15, 6), 2).splits[0]
    plan = Plan(rankers=("lrar", "ridge"), convention="trec")
    made = prepare(split, plan)
    made.save(tmp_path / "fold1")
    loaded = FoldArrays.load(tmp_path / "fold1")
    for name in made.__dataclass_fields__:
        ours, theirs = getattr(made, name), getattr(loaded, name)
        assert np.array_equal(ours, theirs) if isinstance(ours, np.ndarray) else ours == theirs
    regraded = Dataset(
        "x", (type(split)(1, split.pool.with_grades(np.zeros(len(split.pool), int)), split.test),)
    ).splits[0]
    assert np.array_equal(prepare(regraded, plan).items, made.items)


def test_a_pool_that_tells_nothing_is_refused():
    same = Collection.from_arrays(np.ones((8, 2)), list("aabbccdd"), [0, 1] * 4)
    split = Dataset.from_collection(same, 2).splits[0]
    with pytest.raises(InputError, match="single value"):
        prepare(split, Plan())
