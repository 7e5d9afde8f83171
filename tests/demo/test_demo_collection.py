"""The demo collection: its judgements, its split, and that there is something to learn in it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rulerank.demo import build_demo
from rulerank.demo.build import read_questions
from rulerank.discretize import EqualFrequency
from rulerank.metrics import evaluate
from rulerank.ranking import LRAR


@pytest.fixture(scope="module")
def demo():
    return build_demo()


@pytest.fixture(scope="module")
def questions():
    return read_questions()


def test_judgements_are_names_and_grades_only(questions):
    assert 38 <= len(questions) <= 45
    assert len({question["qid"] for question in questions}) == len(questions)
    assert len({question["text"] for question in questions}) == len(questions)
    for question in questions:
        assert set(question) == {"qid", "text", "need", "grades"}
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", question["qid"])
        assert question["need"].endswith(".")
        assert set(question["grades"]) == {"0", "1", "2"}
        names = [name for group in question["grades"].values() for name in group]
        assert len(set(names)) == len(names)  # one grade each
        assert 18 <= len(names) <= 22
        assert all(re.fullmatch(r"[A-Za-z_][\w.]*", name) for name in names)
        assert 1 <= len(question["grades"]["2"]) <= 7
        assert len(question["grades"]["1"]) >= 1
        assert len(question["grades"]["0"]) >= 6


def test_this_python_has_nearly_all_that_was_judged(demo, questions):
    judged = sum(len(group) for question in questions for group in question["grades"].values())
    assert len(demo.collection) >= 0.95 * judged


def test_grades_are_those_of_the_repository(demo, questions):
    collection = demo.collection
    assert collection.queries == tuple(question["qid"] for question in questions)
    known = {
        (question["qid"], name): int(grade)
        for question in questions
        for grade, names in question["grades"].items()
        for name in names
    }
    pairs = list(zip(collection.qids, collection.docids, strict=True))
    assert len(set(pairs)) == len(pairs)
    assert [known[pair] for pair in pairs] == collection.grades.tolist()
    for rows in collection.query_slices:
        assert list(collection.docids[rows]) == sorted(collection.docids[rows])
        assert {0, 1, 2} == set(collection.grades[rows].tolist())


def test_texts_of_all_rows_and_more(demo):
    assert set(demo.texts.queries) == set(demo.collection.queries)
    assert set(demo.collection.docids) < set(demo.texts.documents)
    first = demo.texts.queries["zip-folder"]
    assert (first.text, first.need[:4]) == ("compress a folder into a zip file", "Pack")


def test_features_are_named_finite_and_tell_something(demo):
    names = demo.collection.feature_names
    assert {"BM25(title)", "BM25(body)", "LM Dirichlet(whole)", "length(title)"} <= set(names)
    assert len(names) >= 12
    assert np.isfinite(demo.collection.features).all()
    assert demo.collection.missing is None
    assert not demo.collection.summary()["constant_features"]


def test_two_thirds_of_the_questions_are_the_pool(demo):
    both = np.concatenate([demo.pool_rows, demo.evaluation_rows])
    assert sorted(both.tolist()) == list(range(len(demo.collection)))
    pool = set(demo.collection.qids[demo.pool_rows])
    evaluation = set(demo.collection.qids[demo.evaluation_rows])
    assert not pool & evaluation
    assert len(pool) == 2 * len(evaluation)


def test_two_builds_are_equal(demo):
    again = build_demo()
    assert again.collection == demo.collection
    assert again.texts == demo.texts
    assert np.array_equal(again.pool_rows, demo.pool_rows)


def test_annotators_are_told_what_the_grades_mean(demo):
    assert demo.grade_names == ("not relevant", "related", "answers it")
    assert len(demo.grade_meanings) == len(demo.grade_examples) == 3
    for grade, name in enumerate(demo.grade_names):
        assert f"| {grade} | {name} |" in demo.guidelines


def test_the_examples_have_the_grades_they_stand_for(demo, questions):
    for grade, example in enumerate(demo.grade_examples):
        text, name = re.match(r'"(.+)": ([\w.]+) ', example).groups()
        question = next(question for question in questions if question["text"] == text)
        assert name in question["grades"][str(grade)]


def test_learning_from_the_pool_beats_chance_on_the_evaluation_set(demo):
    collection, pool, rest = demo.collection, demo.pool_rows, demo.evaluation_rows
    bins = EqualFrequency(bins=10).fit(collection.features[pool])
    model = LRAR().fit(bins.transform(collection.features[pool]), collection.grades[pool])
    scores = model.predict(bins.transform(collection.features[rest]))

    def measured(values: np.ndarray) -> dict:
        return evaluate(collection.grades[rest], values, collection.qids[rest])["expected"]

    learnt, chance = measured(scores), measured(np.zeros(len(rest)))  # all tied: the mean over every order
    assert learnt["map"] > chance["map"] + 0.10
    assert learnt["ndcg"][4] > chance["ndcg"][4] + 0.15
    shuffled = collection.grades[pool][np.random.default_rng(0).permutation(len(pool))]
    misled = LRAR().fit(bins.transform(collection.features[pool]), shuffled)
    blind = measured(misled.predict(bins.transform(collection.features[rest])))
    assert learnt["map"] > blind["map"] + 0.05
